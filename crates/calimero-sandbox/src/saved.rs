//! The form of an application's state in a file.

use std::collections::BTreeMap;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hex::FromHex;
use serde::{Deserialize, Serialize};

use crate::keeper::Context;
use crate::space::{Space, State};

/// What a file says that it is.
const FORMAT: &str = "toolmesh-calimero";

/// The version of the form; another one is refused.
const VERSION: u32 = 1;

/// An application's state in a file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Saved {
    format: String,
    version: u32,
    /// The application's package.
    application: String,
    /// The context of each service, by its name; an application of one service has one without.
    contexts: BTreeMap<String, SavedContext>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedContext {
    id: String,
    executor: String,
    /// The hash of the module that ran last.
    module: String,
    public: Vec<(String, String)>,
    index: Vec<(String, String)>,
    private: Vec<(String, String)>,
}

impl Saved {
    pub(crate) fn of(application: &str, contexts: &BTreeMap<String, Context>) -> Self {
        let saved = |(service, context): (&String, &Context)| {
            let context = SavedContext {
                id: hex::encode(context.id),
                executor: hex::encode(context.executor),
                module: hex::encode(context.module),
                public: entries(&context.state.public),
                index: entries(&context.state.index),
                private: entries(&context.state.private),
            };
            (service.clone(), context)
        };
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            application: application.to_owned(),
            contexts: contexts.iter().map(saved).collect(),
        }
    }

    /// The contexts of `application` in it.
    ///
    /// # Errors
    /// What is wrong with it: it is of another form or application, or damaged.
    pub(crate) fn contexts(self, application: &str) -> Result<BTreeMap<String, Context>, String> {
        if self.format != FORMAT {
            return Err("it says that it is something else".to_owned());
        }
        if self.version != VERSION {
            return Err("it is of another version".to_owned());
        }
        if self.application != application {
            return Err(format!("it keeps the state of `{}`", self.application));
        }
        let context = |(service, saved): (String, SavedContext)| {
            let context = saved.context();
            Ok((service, context.ok_or("its contents are damaged")?))
        };
        self.contexts.into_iter().map(context).collect()
    }
}

impl SavedContext {
    fn context(self) -> Option<Context> {
        Some(Context {
            id: FromHex::from_hex(&self.id).ok()?,
            executor: FromHex::from_hex(&self.executor).ok()?,
            module: FromHex::from_hex(&self.module).ok()?,
            state: State {
                public: space(&self.public)?,
                index: space(&self.index)?,
                private: space(&self.private)?,
            },
        })
    }
}

fn entries(space: &Space) -> Vec<(String, String)> {
    space
        .iter()
        .map(|(key, value)| (STANDARD.encode(key), STANDARD.encode(value)))
        .collect()
}

fn space(entries: &[(String, String)]) -> Option<Space> {
    let bytes = |text: &String| STANDARD.decode(text).ok();
    entries
        .iter()
        .map(|(key, value)| Some((bytes(key)?, bytes(value)?)))
        .collect()
}
