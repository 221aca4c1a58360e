//! The source itself.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use tokio_util::sync::{CancellationToken, DropGuard};
use toolmesh_tool::{BoxFuture, Mount, Source, SourceError};

use super::{
    Survey, Upstream, UpstreamOptions,
    catalogue::list,
    error::ClientError,
    limits::MAX_TOLD,
    link::{Command, Endpoint},
    peer::{Peer, Reach},
    prefix::Prefixed,
    shared::Shared,
    supervisor::{Subscription, Supervisor},
    survey::Entry,
};

/// The tools, resources and prompts of another MCP server, with their schemas exactly as given.
///
/// When the source starts, the server is started or reached, the newest revision that both know is agreed on, and every
/// list is taken. From then on changes of the lists are followed, and a connection that is lost is made anew after
/// a growing wait; calls meanwhile fail at once, and a call that was under way fails with its connection, because only
/// its caller knows whether it may be made twice. Dropping the source ends the server.
pub struct UpstreamSource {
    name: String,
    upstream: Upstream,
    options: UpstreamOptions,
    survey: Mutex<Survey>,
    /// Ends the following of the server.
    stop: CancellationToken,
    _guard: DropGuard,
}

impl UpstreamSource {
    /// The server at `upstream` as the source `name`; nothing is started yet.
    pub fn new(name: impl Into<String>, upstream: Upstream, options: UpstreamOptions) -> Self {
        let stop = CancellationToken::new();
        Self {
            name: name.into(),
            upstream,
            options,
            survey: Mutex::default(),
            _guard: stop.clone().drop_guard(),
            stop,
        }
    }

    /// What the server is and has, as it was when the source started; empty before.
    #[must_use]
    pub fn survey(&self) -> Survey {
        self.survey.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn reach(&self) -> Result<Reach, ClientError> {
        Ok(match &self.upstream {
            Upstream::Url(url) => Reach::Endpoint(Endpoint::new(url, &self.options.headers)?),
            Upstream::Command { program, arguments } => Reach::Command(Command {
                program: program.clone(),
                arguments: arguments.clone(),
                environment: self.options.environment.clone(),
            }),
        })
    }

    async fn begin(&self, mount: Mount) -> Result<(), SourceError> {
        let shown = self.upstream.to_string();
        let failed = |error: ClientError| error.into_source_error(&shown);
        let reach = self.reach().map_err(failed)?;
        let UpstreamOptions { timeout, choice, .. } = self.options;
        let shared = Arc::new(Shared::new(Prefixed::new(mount.prefix().clone())));
        let peer = Peer::connect(&reach, choice, timeout, &shared.changes)
            .await
            .map_err(failed)?;
        let peer = Arc::new(peer);
        let subscription = Subscription::begin(&peer).await;
        let listing = list(&peer, &shared).await.map_err(failed)?;
        warn(&self.name, &listing.survey);
        let agreed = peer.agreed();
        *self.survey.lock().unwrap_or_else(PoisonError::into_inner) = Survey {
            server: agreed.server.clone(),
            revision: agreed.spoken.version.to_owned(),
            tells_changes: agreed.tells_changes,
            entries: listing.survey,
        };
        shared.offer(&mount, listing.entries)?;
        shared.connect(Some(Arc::clone(&peer)));
        shared.changes.connected(true);
        let supervisor = Supervisor {
            name: self.name.clone(),
            reach,
            choice,
            timeout,
            shared,
            mount,
        };
        tokio::spawn(supervisor.run(peer, subscription, self.stop.clone()));
        Ok(())
    }
}

/// Tells of the entries that cannot be offered: of the first ones each by itself.
pub(super) fn warn(source: &str, survey: &[Entry]) {
    let mut left_out = survey
        .iter()
        .filter_map(|entry| Some((entry, entry.reason.as_ref()?)));
    for (entry, reason) in left_out.by_ref().take(MAX_TOLD) {
        tracing::warn!(source, kind = %entry.kind, name = entry.name, reason, "an entry of an upstream server is left out");
    }
    let others = left_out.count();
    if others > 0 {
        tracing::warn!(source, others, "more entries of an upstream server are left out");
    }
}

impl Source for UpstreamSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn start<'a>(&'a self, mount: Mount) -> BoxFuture<'a, Result<(), SourceError>> {
        Box::pin(self.begin(mount))
    }
}

impl fmt::Debug for UpstreamSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpstreamSource")
            .field("name", &self.name)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
