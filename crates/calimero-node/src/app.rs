//! Applications as a test installs them.

use serde_json::Value;

/// An application.
#[derive(Debug, Clone)]
pub struct App {
    /// A word from which its id is made.
    pub seed: String,
    /// Its package.
    pub package: String,
    /// Its version.
    pub version: String,
    /// Who signed it.
    pub signer: String,
    /// What its package says of itself: name, icon, guide.
    pub metadata: Value,
    /// The manifest of each service, by name; `None` for an application of one service.
    pub services: Vec<(Option<String>, Value)>,
    /// How its methods answer.
    pub behaviour: Behaviour,
    /// The module of each service that runs instead of being interpreted.
    #[cfg(feature = "sandbox")]
    pub modules: Vec<(Option<String>, Vec<u8>)>,
}

/// How the methods of an application answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behaviour {
    /// A method of one parameter gives it back; others give a value of their type.
    Echo,
    /// The methods of the key-value store.
    KeyValue,
}

impl App {
    /// An application of one service, version 1.0.0.
    ///
    /// # Panics
    /// When the manifest is not JSON.
    #[must_use]
    pub fn new(package: &str, manifest: &[u8], behaviour: Behaviour) -> Self {
        let Ok(manifest) = serde_json::from_slice(manifest) else {
            panic!("the manifest of {package} is not JSON");
        };
        Self {
            seed: package.to_owned(),
            package: package.to_owned(),
            version: "1.0.0".to_owned(),
            signer: "did:key:z6MkTest".to_owned(),
            metadata: serde_json::json!({}),
            services: vec![(None, manifest)],
            behaviour,
            #[cfg(feature = "sandbox")]
            modules: Vec::new(),
        }
    }

    /// An application of one service whose module runs. `manifest` is what the node says of it.
    ///
    /// # Panics
    /// When the manifest is not JSON.
    #[cfg(feature = "sandbox")]
    #[must_use]
    pub fn running(package: &str, manifest: &[u8], module: Vec<u8>) -> Self {
        let mut app = Self::new(package, manifest, Behaviour::Echo);
        app.modules = vec![(None, module)];
        app
    }

    /// Sets what the package says of itself.
    #[must_use]
    pub fn metadata(mut self, metadata: Value) -> Self {
        self.metadata = metadata;
        self
    }

    /// Makes it an application of several services.
    ///
    /// # Panics
    /// When a manifest is not JSON.
    #[must_use]
    pub fn services(mut self, services: &[(&str, &[u8])]) -> Self {
        self.services = services
            .iter()
            .map(|(name, manifest)| match serde_json::from_slice(manifest) {
                Ok(manifest) => (Some((*name).to_owned()), manifest),
                Err(error) => panic!("the manifest of {name}: {error}"),
            })
            .collect();
        self
    }

    /// Sets who signed it, which makes it another application of the same package.
    #[must_use]
    pub fn signed_by(mut self, signer: &str) -> Self {
        self.seed = format!("{}/{signer}", self.package);
        self.signer = signer.to_owned();
        self
    }

    /// Sets the version.
    #[must_use]
    pub fn version(mut self, version: &str) -> Self {
        self.version = version.to_owned();
        self
    }
}
