//! An application: what a bundle, a file or a node says of it, and the manifests of its services.

use std::sync::Arc;

use toolmesh_json::Value;

use super::Manifest;

/// An application with the manifests of its services.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Application {
    /// The package, such as `com.calimero.kv-store`.
    pub package: Option<String>,
    /// The id under which a node knows it.
    pub id: Option<String>,
    /// The version of the package.
    pub version: Option<String>,
    /// The name for people.
    pub display_name: Option<String>,
    /// A URL of an icon.
    pub icon: Option<String>,
    /// A guide by the application's author, Markdown.
    pub guide: Option<String>,
    /// Who signed the package.
    pub signer: Option<String>,
    /// Everything that its package says of itself, as a node tells it, without the guide: an object, or a text.
    pub metadata: Option<Value>,
    /// The services; one without a name for an application of a single service.
    pub services: Vec<Service>,
}

/// A service of an application.
#[derive(Clone, Debug, PartialEq)]
pub struct Service {
    /// Its name; `None` for the only service of an application that does not name it.
    pub name: Option<String>,
    /// Its interface.
    pub manifest: Arc<Manifest>,
}

/// The WebAssembly of a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceModule {
    /// The service's name, as [`Service`] has it.
    pub service: Option<String>,
    /// The module; services of a bundle may have one together.
    pub wasm: Arc<[u8]>,
}

impl Application {
    /// The application of a single manifest, named `package`.
    #[must_use]
    pub fn of_manifest(package: impl Into<String>, manifest: Manifest) -> Self {
        Self {
            package: Some(package.into()),
            services: vec![Service {
                name: None,
                manifest: Arc::new(manifest),
            }],
            ..Self::default()
        }
    }

    /// What identifies it in the order of names: the package, else the id.
    #[must_use]
    pub fn key(&self) -> &str {
        self.package.as_deref().or(self.id.as_deref()).unwrap_or_default()
    }

    /// The name for people: the display name, else the package, else the id.
    #[must_use]
    pub fn label(&self) -> &str {
        self.display_name.as_deref().unwrap_or_else(|| self.key())
    }
}
