//! What changes while the server runs, as notifications.

use tokio::sync::broadcast::{self, error::RecvError};
use toolmesh_tool::{Caller, ListsChange, dispatcher::VisibleWatch};

use super::McpServer;
use crate::{
    jsonrpc::write_notification,
    revision::Revision,
    wire::{ObjectWriter, is_offered},
};

/// A change that clients may be told of.
#[derive(Debug)]
pub(crate) enum Change {
    /// These lists are different for whoever is told.
    Lists(ListsChange),
    /// The contents at this URI changed.
    Resource(String),
    /// More resources changed than could be remembered: any of them may have.
    Resources,
}

/// Sees every change from when it was made, as far as one client may know of it.
#[derive(Debug)]
pub(crate) struct Changes {
    lists: VisibleWatch,
    resources: broadcast::Receiver<String>,
}

impl Changes {
    /// The changes of what `caller` may list in a revision.
    pub(crate) fn of(server: &McpServer, caller: &Caller, revision: &'static Revision) -> Self {
        let dispatcher = server.dispatcher();
        let lists = dispatcher.watch(caller, Some(revision.version));
        // What stands in place of the catalogue never changes.
        let is_compact = server.compact_form().is_some();
        Self {
            lists: lists.offering(move |tool| !is_compact && is_offered(tool, &revision.projection)),
            resources: dispatcher.toolbox().resource_updates(),
        }
    }

    /// The next change; never ends while the toolbox is there. Nothing is lost when the future is dropped.
    pub(crate) async fn next(&mut self) -> Option<Change> {
        tokio::select! {
            changed = self.lists.changed() => changed.map(Change::Lists),
            updated = self.resources.recv() => match updated {
                Ok(uri) => Some(Change::Resource(uri)),
                Err(RecvError::Lagged(_)) => Some(Change::Resources),
                Err(RecvError::Closed) => None,
            },
        }
    }
}

/// A list that clients are told the changes of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListKind {
    Tools,
    Resources,
    Prompts,
}

impl ListKind {
    /// The lists in which `change` changed something.
    pub(crate) fn changed(change: ListsChange) -> impl Iterator<Item = Self> {
        let lists = [
            (Self::Tools, change.tools),
            (Self::Resources, change.resources),
            (Self::Prompts, change.prompts),
        ];
        lists
            .into_iter()
            .filter_map(|(list, changed)| changed.then_some(list))
    }

    fn method(self) -> &'static str {
        match self {
            Self::Tools => "notifications/tools/list_changed",
            Self::Resources => "notifications/resources/list_changed",
            Self::Prompts => "notifications/prompts/list_changed",
        }
    }
}

/// `notifications/<list>/list_changed`; `tag` writes what the notification carries besides.
pub(crate) fn list_changed(list: ListKind, tag: impl FnOnce(&mut ObjectWriter<'_>)) -> Vec<u8> {
    note(list.method(), tag)
}

/// `notifications/resources/updated`.
pub(crate) fn resource_updated(uri: &str, tag: impl FnOnce(&mut ObjectWriter<'_>)) -> Vec<u8> {
    note("notifications/resources/updated", |params| {
        tag(params);
        params.text("uri", uri);
    })
}

/// A notification whose params `fill` writes.
pub(crate) fn note(method: &str, fill: impl FnOnce(&mut ObjectWriter<'_>)) -> Vec<u8> {
    let mut note = Vec::new();
    write_notification(&mut note, method, |out| {
        let mut params = ObjectWriter::open(out);
        fill(&mut params);
        params.close();
    });
    note
}
