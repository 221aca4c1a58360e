//! An application behind a dispatcher.

use std::path::Path;

use toolmesh_calimero::{modules, read};
use toolmesh_calimero_node::modules::notes;
use toolmesh_calimero_sandbox::{Limits, LocalOptions, LocalSource, OpenError};
use toolmesh_json::{Value, parse};
use toolmesh_tool::dispatcher::ReadRequest;
use toolmesh_tool::{
    CallRequest, Caller, Dispatcher, Outcome, Prefix, ResourceBody, Source as _, Toolbox, Transport,
};

/// An application that runs.
pub(crate) struct Running {
    pub(crate) dispatcher: Dispatcher,
    pub(crate) toolbox: Toolbox,
    _source: LocalSource,
}

/// A value.
pub(crate) fn json(text: &str) -> Value {
    parse(text.as_bytes()).unwrap()
}

/// Options with the arguments that `init` of `notes` needs.
pub(crate) fn options() -> LocalOptions {
    LocalOptions {
        init: Some(json(r#"{"text":"first"}"#)),
        ..LocalOptions::default()
    }
}

/// The same with the state in a file.
pub(crate) fn kept(path: &Path) -> LocalOptions {
    LocalOptions {
        state: Some(path.to_owned()),
        ..options()
    }
}

/// The same within other bounds.
pub(crate) fn bounded(change: impl FnOnce(&mut Limits)) -> LocalOptions {
    let mut options = options();
    change(&mut options.limits);
    options
}

pub(crate) async fn open(bytes: &[u8], options: LocalOptions) -> Result<LocalSource, OpenError> {
    let application = read(bytes, "notes").unwrap();
    LocalSource::open("notes", application, modules(bytes).unwrap(), options).await
}

/// Why something does not open.
pub(crate) async fn refusal(bytes: &[u8], options: LocalOptions) -> String {
    open(bytes, options).await.unwrap_err().to_string()
}

impl Running {
    pub(crate) async fn with(bytes: &[u8], options: LocalOptions) -> Self {
        let source = open(bytes, options).await.unwrap();
        let toolbox = Toolbox::new();
        source
            .start(toolbox.mount("notes", Prefix::None).unwrap())
            .await
            .unwrap();
        Self {
            dispatcher: Dispatcher::builder(toolbox.clone()).build(),
            toolbox,
            _source: source,
        }
    }

    /// `notes`, just made.
    pub(crate) async fn notes() -> Self {
        Self::with(&notes(), options()).await
    }

    /// Calls a method of `notes`: what it gives back, or `kind: message` of its failure.
    pub(crate) async fn call(&self, method: &str, arguments: &str) -> Result<String, String> {
        let caller = Caller::anonymous(Transport::InProcess);
        let request = CallRequest::new(format!("notes_{method}"), json(arguments), caller);
        let Outcome::Completed(result) = self.dispatcher.call(request).await else {
            panic!("{method} did not complete");
        };
        let structured = result.structured.clone().unwrap_or_default();
        if !result.is_error {
            return Ok(structured
                .get("result")
                .map_or_else(|| result.joined_text(), |value| value.to_text()));
        }
        let text = |pointer| {
            let value = structured.pointer(pointer);
            value.and_then(|value| value.as_str().map(str::to_owned))
        };
        Err(format!(
            "{}: {}",
            text("/error/kind").unwrap_or_default(),
            text("/error/message").unwrap_or_else(|| result.joined_text())
        ))
    }

    /// The note that is kept.
    pub(crate) async fn note(&self) -> String {
        self.call("note", "{}").await.unwrap()
    }

    /// What was told of the context that is called so.
    pub(crate) async fn events(&self, context: &str) -> Value {
        self.try_events(context).await.unwrap()
    }

    pub(crate) async fn try_events(&self, context: &str) -> Option<Value> {
        let uri = format!("calimero://contexts/{context}/events");
        let request = ReadRequest::new(uri, Caller::anonymous(Transport::InProcess));
        let contents = self.dispatcher.read_resource(request).await.ok()?;
        let [contents] = contents.as_slice() else {
            panic!("{contents:?}");
        };
        match &contents.body {
            ResourceBody::Text(text) => Some(json(text)),
            other => panic!("{other:?}"),
        }
    }
}
