//! A router in this process, for nodes that cannot reach each other.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use tokio::runtime::Handle;
use toolmesh_tool::on_one_line;
use zenoh::{Config, Session, Wait};

use super::{
    apart, network, ready,
    settings::{common, endpoints, list, set, text},
    watch::{Linked, Watch, linked},
};
use crate::{
    BuildError, Credentials,
    engine::{
        EngineError, Way,
        network::{certificate::is_certificate_name, realm_of},
    },
};

/// A zenoh router: nodes of one mesh or several connect to it with [`crate::MeshBuilder::router`]. It carries what they tell
/// each other, and can neither read nor change it. Dropping it ends it.
pub struct MeshRouter {
    open: Arc<Open>,
    listens_at: Vec<String>,
    _watch: Watch,
}

/// The session, until it is closed.
struct Open(Mutex<Option<Session>>);

impl Open {
    fn take(&self) -> Option<Session> {
        self.session().take()
    }

    fn session(&self) -> MutexGuard<'_, Option<Session>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Linked for Weak<Open> {
    fn is_there(&self) -> bool {
        self.upgrade().is_some_and(|open| open.session().is_some())
    }

    fn links(&self) -> Option<Vec<String>> {
        self.upgrade()?.session().as_ref().map(linked)
    }
}

/// How a router is.
#[derive(Debug)]
pub struct MeshRouterBuilder {
    way: Way,
    meshes: Vec<[u8; 32]>,
    members: Vec<String>,
}

/// Builds a zenoh configuration that lets pass what the nodes of meshes tell each other, and nothing else.
#[derive(Debug, Clone)]
pub struct RouterRules {
    realms: Vec<String>,
    members: Vec<String>,
}

impl MeshRouter {
    /// A router that listens at an address; with port 0 at a free one.
    ///
    /// # Errors
    /// [`BuildError::Address`] when it is no address with a port.
    pub fn builder(listen: &str) -> Result<MeshRouterBuilder, BuildError> {
        Ok(MeshRouterBuilder {
            way: Way::listening_at(listen)?,
            meshes: Vec::new(),
            members: Vec::new(),
        })
    }

    /// Where nodes can connect, as `PROTOCOL/HOST:PORT`.
    #[must_use]
    pub fn listens_at(&self) -> &[String] {
        &self.listens_at
    }

    /// Ends it, and waits until its connections are closed.
    pub async fn close(self) {
        if let Some(session) = self.open.take() {
            // What goes wrong when it ends anyway matters to nobody.
            let _ = apart(move || session.close().wait().map_err(network)).await;
        }
    }
}

impl Drop for MeshRouter {
    fn drop(&mut self) {
        if let Some(session) = self.open.take() {
            // Closing waits, and may not do so on a runtime.
            let _ = std::thread::Builder::new()
                .name("mesh-close".to_owned())
                .spawn(move || drop(session));
        }
    }
}

impl MeshRouterBuilder {
    /// Lets pass what nodes of the mesh with this key tell each other; may be given several times. Without any, a router
    /// carries whatever comes.
    #[must_use]
    pub fn mesh(mut self, key: &[u8; 32]) -> Self {
        self.meshes.push(*key);
        self
    }

    /// Lets pass only what nodes with this certificate name send; may be given several times. Without any, every node that
    /// may connect is one. It needs [`MeshRouterBuilder::credentials`].
    #[must_use]
    pub fn member(mut self, name: impl Into<String>) -> Self {
        self.members.push(name.into());
        self
    }

    /// Connects to another router; what turns out to be this one is left out.
    ///
    /// # Errors
    /// [`BuildError::Address`] when it is no `HOST:PORT`.
    pub fn connect(mut self, place: &str) -> Result<Self, BuildError> {
        self.way.connect(place)?;
        Ok(self)
    }

    /// Lets in only who has a certificate of the same authority, over TLS.
    #[must_use]
    pub fn credentials(mut self, credentials: Credentials) -> Self {
        self.way.credentials(credentials);
        self
    }

    /// Lets it listen beyond this machine without certificates.
    #[must_use]
    pub fn plaintext(mut self) -> Self {
        self.way.plaintext();
        self
    }

    /// What passes.
    ///
    /// # Errors
    /// [`BuildError::Member`]; another [`BuildError`] when the cryptography of this system refuses.
    pub fn rules(&self) -> Result<RouterRules, BuildError> {
        if let Some(member) = self.members.iter().find(|member| !is_certificate_name(member)) {
            return Err(BuildError::Member(on_one_line(member).into_owned()));
        }
        let realms: Result<Vec<_>, EngineError> = self.meshes.iter().map(realm_of).collect();
        Ok(RouterRules {
            realms: realms?,
            members: self.members.clone(),
        })
    }

    /// Begins to route.
    ///
    /// # Errors
    /// [`BuildError`] when it may not listen there, or cannot; [`BuildError::MembersWithoutCertificate`].
    pub async fn open(mut self) -> Result<MeshRouter, BuildError> {
        self.way.check()?;
        if !(self.members.is_empty() || self.way.has_certificate()) {
            return Err(BuildError::MembersWithoutCertificate);
        }
        self.way = ready(&self.way).await?;
        let config = self.config()?;
        let (session, listens_at) = apart(move || {
            let session = zenoh::open(config).wait().map_err(network)?;
            let listens_at = session.info().locators().wait();
            Ok((session, listens_at.iter().map(ToString::to_string).collect()))
        })
        .await?;
        let open = Arc::new(Open(Mutex::new(Some(session))));
        Ok(MeshRouter {
            listens_at,
            _watch: Watch::begin(
                &Handle::current(),
                &self.way.connect,
                self.way.credentials,
                Arc::downgrade(&open),
            ),
            open,
        })
    }

    fn config(&self) -> Result<Config, BuildError> {
        let mut config = common(&self.way)?;
        let listen: Vec<_> = self.way.listen.iter().map(ToString::to_string).collect();
        set(&mut config, "mode", &text("router"))?;
        set(
            &mut config,
            "listen/endpoints",
            &list(&endpoints(&self.way, &listen)),
        )?;
        set(
            &mut config,
            "connect/endpoints",
            &list(&endpoints(&self.way, &self.way.connect)),
        )?;
        if !self.meshes.is_empty() || !self.members.is_empty() {
            let rules = self.rules()?.to_json();
            set(&mut config, "access_control", &rules)?;
        }
        Ok(config)
    }
}

impl RouterRules {
    /// As the member `access_control` of a zenoh configuration, for routers that are not of this library.
    #[must_use]
    pub fn to_json(&self) -> String {
        let names = if self.realms.is_empty() {
            vec!["**".to_owned()]
        } else {
            self.realms.iter().map(|realm| format!("{realm}/**")).collect()
        };
        let subject = if self.members.is_empty() {
            String::new()
        } else {
            format!(r#","cert_common_names":{}"#, list(&self.members))
        };
        format!(
            r#"{{"enabled":true,"default_permission":"deny","rules":[{{"id":"mesh","permission":"allow","flows":["ingress","egress"],"messages":{MESSAGES},"key_exprs":{}}}],"subjects":[{{"id":"members"{subject}}}],"policies":[{{"rules":["mesh"],"subjects":["members"]}}]}}"#,
            list(&names),
        )
    }
}

/// The kinds of messages that nodes of a mesh use.
const MESSAGES: &str = r#"["put","declare_subscriber","liveliness_token","liveliness_query","declare_liveliness_subscriber","reply"]"#;

impl fmt::Debug for MeshRouter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MeshRouter")
            .field("listens_at", &self.listens_at)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::MAX_NODE_NAME_BYTES;

    #[test]
    fn the_rules_name_the_meshes_and_the_members() {
        let builder = MeshRouter::builder("127.0.0.1:0").unwrap();
        let all = builder.rules().unwrap().to_json();
        assert!(all.contains(r#""key_exprs":["**"]"#), "{all}");
        assert!(!all.contains("cert_common_names"), "{all}");
        let builder = builder.mesh(&[7; 32]).member("agent-1").member("host-1");
        let some = builder.rules().unwrap().to_json();
        let realm = realm_of(&[7; 32]).unwrap();
        assert!(some.contains(&format!(r#""key_exprs":["{realm}/**"]"#)), "{some}");
        assert!(
            some.contains(r#""cert_common_names":["agent-1","host-1"]"#),
            "{some}"
        );
        assert!(builder.config().is_ok());
    }

    #[test]
    fn a_member_has_a_name_that_a_certificate_can_have() {
        for (name, is_one) in [
            ("a".repeat(MAX_NODE_NAME_BYTES), true),
            ("a".repeat(MAX_NODE_NAME_BYTES + 1), false),
            (String::new(), false),
            ("a\nb".to_owned(), false),
        ] {
            let builder = MeshRouter::builder("127.0.0.1:0").unwrap().member(&name);
            let is_refused = |error: &BuildError| matches!(error, BuildError::Member(_));
            assert_eq!(builder.rules().is_ok(), is_one, "{name}");
            assert_eq!(
                builder.config().as_ref().err().is_some_and(is_refused),
                !is_one,
                "{name}"
            );
        }
    }
}
