use std::sync::Arc;

use indexmap::IndexMap;
use toolmesh_tool::{
    BoxFuture, CallContext, CallError, CallInfo, CompletionReference, CompletionRequest, CompletionValues,
    ContentBlock, Dispatcher, Entries, InputRequest, InputRequired, MediaContent, Observer, Prefix, Prompt,
    PromptArgument, PromptHandler, PromptMessage, PromptOutput, Resource, ResourceBody, ResourceContents,
    ResourceInfo, ResourceReader, ResourceTemplate, Role, Round, TextContent, ToolName, Toolbox, UriTemplate,
    dispatcher::{OutputLimits, PromptRequest, ReadRequest},
};

use crate::support::{caller, json};

/// Gives back what it was asked for.
struct Echoes;

impl ResourceReader for Echoes {
    fn read<'a>(
        &'a self,
        _: CallContext,
        uri: &'a str,
        variables: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<Vec<ResourceContents>, CallError>> {
        let body = ResourceBody::Text(format!("{uri} {variables:?}"));
        Box::pin(async move {
            Ok(vec![ResourceContents {
                uri: uri.to_owned(),
                mime_type: None,
                body,
                meta: None,
            }])
        })
    }

    fn complete(&self, variable: &str, typed: &str, _: &IndexMap<String, String>) -> CompletionValues {
        CompletionValues::new([format!("{variable}-{typed}")])
    }
}

impl PromptHandler for Echoes {
    fn get<'a>(
        &'a self,
        _: CallContext,
        arguments: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<PromptOutput, CallError>> {
        let content = ContentBlock::Text(TextContent::new(format!("{arguments:?}")));
        let messages = vec![PromptMessage {
            role: Role::User,
            content,
        }];
        Box::pin(async move {
            Ok(PromptOutput {
                description: None,
                messages,
            })
        })
    }
}

fn dispatcher() -> Dispatcher {
    let toolbox = Toolbox::new();
    let mut prompt = Prompt::new(ToolName::new("greet").unwrap(), Arc::new(Echoes));
    prompt.arguments.push(PromptArgument {
        name: "who".into(),
        required: true,
        ..Default::default()
    });
    let entries = Entries {
        resources: vec![Resource {
            uri: "test://static".into(),
            info: ResourceInfo::default(),
            size: None,
            reader: Arc::new(Echoes),
        }],
        templates: vec![ResourceTemplate {
            template: UriTemplate::parse("test://{id}{?page}").unwrap(),
            info: ResourceInfo::default(),
            reader: Arc::new(Echoes),
        }],
        prompts: vec![prompt],
        ..Entries::default()
    };
    toolbox
        .mount("test", Prefix::None)
        .unwrap()
        .replace(entries)
        .unwrap();
    Dispatcher::builder(toolbox).build()
}

async fn read(uri: &str) -> Result<String, CallError> {
    let contents = dispatcher()
        .read_resource(ReadRequest::new(uri, caller()))
        .await?;
    let ResourceBody::Text(text) = &contents[0].body else {
        panic!("no text")
    };
    Ok(text.clone())
}

#[tokio::test]
async fn an_exact_uri_is_read_before_a_template_that_fits_too() {
    assert_eq!(read("test://static").await.unwrap(), "test://static {}");
    assert_eq!(
        read("test://other?page=2").await.unwrap(),
        r#"test://other?page=2 {"id": "other", "page": "2"}"#
    );
    assert!(matches!(
        read("test://a/b").await,
        Err(CallError::NotFound("resource"))
    ));
}

#[tokio::test]
async fn a_prompt_needs_its_required_arguments() {
    let with = |pairs: &[(&str, &str)]| {
        let arguments = pairs
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect();
        PromptRequest::new("greet", arguments, caller())
    };
    let output = dispatcher().get_prompt(with(&[("who", "Ada")])).await.unwrap();
    assert_eq!(
        output.messages[0].content,
        ContentBlock::Text(TextContent::new(r#"{"who": "Ada"}"#))
    );
    assert!(matches!(
        dispatcher().get_prompt(with(&[])).await,
        Err(CallError::InvalidArguments(_))
    ));
    let unknown = PromptRequest::new("other", IndexMap::new(), caller());
    assert!(matches!(
        dispatcher().get_prompt(unknown).await,
        Err(CallError::NotFound("prompt"))
    ));
}

#[tokio::test]
async fn a_templates_variable_and_a_prompts_argument_are_completed() {
    let ask = |reference| CompletionRequest::new(reference, "id", "x", caller());
    let template = ask(CompletionReference::Template("test://{id}{?page}".into()));
    assert_eq!(dispatcher().complete(template).await.unwrap().values(), ["id-x"]);
    let prompt = ask(CompletionReference::Prompt("greet".into()));
    assert!(dispatcher().complete(prompt).await.unwrap().values().is_empty());
    let unknown = ask(CompletionReference::Prompt("other".into()));
    assert!(matches!(
        dispatcher().complete(unknown).await,
        Err(CallError::NotFound(_))
    ));
}

/// Asks for a name first, and remembers how often it was asked.
struct Asking;

fn question(state: &str) -> InputRequired {
    let schema = json(r#"{"type":"object","properties":{"name":{"type":"string"}}}"#);
    let request = InputRequest::Elicitation {
        message: "Who?".into(),
        schema,
    };
    InputRequired::one("who", request).with_state(state)
}

impl Asking {
    fn next(context: &CallContext) -> Result<String, InputRequired> {
        let answer = context.input_responses().and_then(|answers| {
            let name = answers.get("who")?.get("content")?.get("name")?;
            name.as_str().map(str::to_owned)
        });
        match answer {
            Some(name) => Ok(format!("{name}, {}", context.state().unwrap_or("no state"))),
            None => Err(question("asked once")),
        }
    }
}

impl PromptHandler for Asking {
    fn get<'a>(
        &'a self,
        _: CallContext,
        _: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<PromptOutput, CallError>> {
        Box::pin(async { Err(CallError::InputUnavailable) })
    }

    fn round<'a>(
        &'a self,
        context: CallContext,
        _: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<Round<PromptOutput>, CallError>> {
        Box::pin(async move {
            Ok(match Self::next(&context) {
                Ok(text) => Round::Done(PromptOutput {
                    description: Some(text),
                    messages: Vec::new(),
                }),
                Err(input) => input.into(),
            })
        })
    }
}

fn asking() -> Dispatcher {
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("asking", Prefix::None).unwrap();
    let prompts = vec![Prompt::new(ToolName::new("ask").unwrap(), Arc::new(Asking))];
    mount
        .replace(Entries {
            prompts,
            ..Entries::default()
        })
        .unwrap();
    Dispatcher::builder(toolbox).build()
}

/// A round of the prompt under a request id.
fn round(id: i64) -> PromptRequest {
    let mut request = PromptRequest::new("ask", IndexMap::new(), caller());
    request.front.request_id = Some(id.into());
    request
}

#[tokio::test]
async fn a_prompt_may_ask_first_and_gets_its_state_back_sealed() {
    let dispatcher = asking();
    let Round::InputRequired(asked) = dispatcher.prompt_round(round(1)).await.unwrap() else {
        panic!("nothing was asked");
    };
    let sealed = asked.state.unwrap();
    assert!(!sealed.contains("asked once"), "{sealed}");
    let mut again = round(2);
    again.input_responses = Some(json(r#"{"who":{"action":"accept","content":{"name":"Ada"}}}"#));
    again.state = Some(sealed.clone());
    let done = dispatcher.prompt_round(again).await.unwrap().done().unwrap();
    assert_eq!(done.description.unwrap(), "Ada, asked once");

    let mut forged = round(3);
    forged.state = Some(sealed + "x");
    let refused = dispatcher.prompt_round(forged).await;
    assert!(matches!(refused, Err(CallError::RefusedState)), "{refused:?}");
}

#[tokio::test]
async fn a_front_that_cannot_ask_is_told_so() {
    let refused = asking().get_prompt(round(1)).await;
    assert!(matches!(refused, Err(CallError::InputUnavailable)), "{refused:?}");
}

/// Gives what it was made with.
struct Gives(ResourceBody);

impl ResourceReader for Gives {
    fn read<'a>(
        &'a self,
        _: CallContext,
        uri: &'a str,
        _: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<Vec<ResourceContents>, CallError>> {
        let contents = ResourceContents {
            uri: uri.to_owned(),
            mime_type: None,
            body: self.0.clone(),
            meta: None,
        };
        Box::pin(async move { Ok(vec![contents]) })
    }
}

impl PromptHandler for Gives {
    fn get<'a>(
        &'a self,
        _: CallContext,
        _: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<PromptOutput, CallError>> {
        let content = match &self.0 {
            ResourceBody::Text(text) => ContentBlock::Text(TextContent::new(text)),
            ResourceBody::Blob(bytes) => ContentBlock::Image(MediaContent {
                data: bytes.clone(),
                mime_type: "image/png".into(),
                annotations: None,
                meta: None,
            }),
        };
        let messages = vec![PromptMessage {
            role: Role::User,
            content,
        }];
        Box::pin(async move {
            Ok(PromptOutput {
                description: None,
                messages,
            })
        })
    }
}

/// Whether `body` leaves, as a resource and in a prompt, with a bound of 20 bytes in all and 5 for binary items.
async fn leaves(body: ResourceBody) -> [bool; 2] {
    let toolbox = Toolbox::new();
    let gives = Arc::new(Gives(body));
    let entries = Entries {
        resources: vec![Resource {
            uri: "test:gives".into(),
            info: ResourceInfo::default(),
            size: None,
            reader: gives.clone(),
        }],
        prompts: vec![Prompt::new(ToolName::new("gives").unwrap(), gives)],
        ..Entries::default()
    };
    toolbox
        .mount("s", Prefix::None)
        .unwrap()
        .replace(entries)
        .unwrap();
    let limits = OutputLimits {
        bytes: 20,
        media_bytes: 5,
        ..OutputLimits::default()
    };
    let dispatcher = Dispatcher::builder(toolbox).output_limits(limits).build();
    let read = dispatcher
        .read_resource(ReadRequest::new("test:gives", caller()))
        .await;
    let prompt = dispatcher
        .get_prompt(PromptRequest::new("gives", IndexMap::new(), caller()))
        .await;
    [read.map(|_| ()), prompt.map(|_| ())].map(|result| match result {
        Ok(()) => true,
        Err(CallError::InvalidOutput(_)) => false,
        Err(other) => panic!("{other}"),
    })
}

#[tokio::test]
async fn what_resources_and_prompts_give_has_the_bounds_of_results() {
    let blob = |bytes| ResourceBody::Blob(vec![0; bytes]);
    let text = |bytes| ResourceBody::Text("x".repeat(bytes));
    assert_eq!(leaves(blob(5)).await, [true, true]);
    assert_eq!(leaves(blob(6)).await, [false, false]);
    // The URI of the resource has ten bytes.
    assert_eq!(leaves(text(10)).await, [true, true]);
    assert_eq!(leaves(text(11)).await, [false, true]);
    assert_eq!(leaves(text(20)).await, [false, true]);
    assert_eq!(leaves(text(21)).await, [false, false]);
}

#[derive(Default)]
struct Targets(std::sync::Mutex<Vec<String>>);

impl Observer for Targets {
    fn admitted(&self, call: &CallInfo) {
        self.0.lock().unwrap().push(call.target.clone());
    }
}

#[tokio::test]
async fn an_observer_learns_the_template_of_a_resource_and_not_its_variables() {
    let targets = Arc::new(Targets::default());
    let dispatcher = Dispatcher::builder(dispatcher().toolbox().clone())
        .observer(targets.clone())
        .build();
    for uri in ["test://static", "test://secret?page=2"] {
        dispatcher
            .read_resource(ReadRequest::new(uri, caller()))
            .await
            .unwrap();
    }
    assert_eq!(
        *targets.0.lock().unwrap(),
        ["test://static", "test://{id}{?page}"]
    );
}
