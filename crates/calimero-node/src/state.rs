//! What the node knows.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::{App, Behaviour, Fault};

/// How ids are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum IdForm {
    /// 64 hexadecimal digits, as newer nodes do.
    #[default]
    Hex,
    /// Base58, as older nodes do.
    Base58,
}

impl IdForm {
    pub(crate) fn id(self, seed: &str) -> String {
        let bytes = Sha256::digest(seed);
        match self {
            Self::Hex => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
            Self::Base58 => base58(&bytes),
        }
    }
}

/// Base58 of a number in base 256.
fn base58(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    let mut digits: Vec<u8> = vec![0];
    for byte in bytes {
        let mut carry = u32::from(*byte);
        for digit in &mut digits {
            carry += u32::from(*digit) << 8;
            *digit = u8::try_from(carry % 58).unwrap_or_default();
            carry /= 58;
        }
        while carry > 0 {
            digits.push(u8::try_from(carry % 58).unwrap_or_default());
            carry /= 58;
        }
    }
    let letter = |digit: &u8| {
        ALPHABET
            .get(usize::from(*digit))
            .map_or('1', |letter| char::from(*letter))
    };
    digits.iter().rev().map(letter).collect()
}

#[derive(Debug, Clone)]
pub(crate) struct Context {
    pub(crate) application: String,
    pub(crate) service: Option<String>,
    pub(crate) group: String,
    pub(crate) name: Option<String>,
    pub(crate) values: BTreeMap<String, String>,
    /// What runs in it, if its application has a module.
    #[cfg(feature = "sandbox")]
    pub(crate) instance: Option<toolmesh_calimero_sandbox::Instance>,
}

#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) form: IdForm,
    pub(crate) apps: BTreeMap<String, App>,
    pub(crate) registry: HashMap<String, App>,
    pub(crate) contexts: BTreeMap<String, Context>,
    pub(crate) aliases: BTreeMap<String, String>,
    pub(crate) blobs: BTreeMap<String, Vec<u8>>,
    pub(crate) namespaces: BTreeMap<String, Value>,
    pub(crate) groups: BTreeMap<String, Value>,
    pub(crate) faults: HashSet<Fault>,
    pub(crate) auth: crate::auth::Auth,
    pub(crate) events: crate::events::Listeners,
    /// How many pings of WebSockets were answered.
    pub(crate) pongs: u64,
    counter: u64,
}

impl State {
    /// A fresh id.
    pub(crate) fn fresh(&mut self, what: &str) -> String {
        self.counter += 1;
        self.form.id(&format!("{what}-{}", self.counter))
    }

    /// A fresh id of what is always hexadecimal: namespaces and groups.
    pub(crate) fn fresh_hex(&mut self, what: &str) -> String {
        self.counter += 1;
        IdForm::Hex.id(&format!("{what}-{}", self.counter))
    }

    /// The id of an application; the same for every version.
    pub(crate) fn app_id(&self, app: &App) -> String {
        self.form.id(&app.seed)
    }

    pub(crate) fn install(&mut self, app: App) -> String {
        let id = self.app_id(&app);
        self.apps.insert(id.clone(), app);
        id
    }

    pub(crate) fn create_context(
        &mut self,
        application: &str,
        service: Option<&str>,
        group: &str,
        name: Option<&str>,
    ) -> String {
        let id = self.fresh("context");
        let context = Context {
            application: application.to_owned(),
            service: service.map(str::to_owned),
            group: group.to_owned(),
            name: name.map(str::to_owned),
            values: BTreeMap::new(),
            #[cfg(feature = "sandbox")]
            instance: None,
        };
        self.contexts.insert(id.clone(), context);
        id
    }

    pub(crate) fn has(&self, fault: Fault) -> bool {
        self.faults.contains(&fault)
    }

    /// The row of an application.
    pub(crate) fn app_row(&self, id: &str, app: &App) -> Value {
        let blob = |part: &str| self.form.id(&format!("{}/{}/{part}", app.seed, app.version));
        let metadata: Vec<u8> = app.metadata.to_string().into_bytes();
        let mut row = json!({
            "id": id,
            "blob": { "bytecode": blob("bytecode"), "compiled": blob("compiled") },
            "size": 1,
            "source": format!("file:///{}", app.package),
            "metadata": metadata,
            "signer_id": app.signer,
            "package": app.package,
            "version": app.version,
        });
        let named: serde_json::Map<String, Value> = app
            .services
            .iter()
            .filter_map(|(name, _)| {
                let name = name.clone()?;
                let blobs = json!({ "bytecode": blob(&name), "compiled": blob(&format!("{name}-c")) });
                Some((name, blobs))
            })
            .collect();
        if !named.is_empty()
            && let Some(row) = row.as_object_mut()
        {
            row.insert("services".to_owned(), Value::Object(named));
        }
        row
    }

    pub(crate) fn context_row(&self, id: &str, context: &Context) -> Value {
        let mut row = json!({
            "id": id,
            "applicationId": context.application,
            "contextStateHash": self.form.id(&format!("{:?}", context.values)),
            "dagHeads": [vec![1_u8; 32]],
            "groupId": context.group,
        });
        if let Some(row) = row.as_object_mut() {
            for (key, value) in [("serviceName", &context.service), ("name", &context.name)] {
                if let Some(value) = value {
                    row.insert(key.to_owned(), json!(value));
                }
            }
        }
        row
    }

    /// The manifest and the behaviour of a context.
    pub(crate) fn running(&self, context: &Context) -> Option<(&Value, Behaviour)> {
        let app = self.apps.get(&context.application)?;
        let manifest = app
            .services
            .iter()
            .find(|(name, _)| *name == context.service)
            .or_else(|| app.services.first());
        manifest.map(|(_, manifest)| (manifest, app.behaviour))
    }
}
