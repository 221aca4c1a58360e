//! `subscriptions/listen`: changes, for as long as the request lasts.

use std::collections::HashSet;

use futures_util::future::join_all;
use tokio::sync::broadcast::{self, error::RecvError};
use toolmesh_json::{Value, View};
use toolmesh_tool::{Following, Task, TaskId};

use super::tasks;
use crate::{
    revision::Failure,
    server::{
        changes::{Change, Changes, ListKind, list_changed, note, resource_updated},
        exchange::Exchange,
        expiry::come,
        fault::Fault,
        outgoing::is_readable,
        peer::MAX_WATCHED,
        telling::Notes,
    },
    wire::{Cache, ObjectWriter, ResultType, write_detailed_task},
};

/// The `_meta` key that says to which subscription a notification belongs.
const SUBSCRIPTION_KEY: &str = "io.modelcontextprotocol/subscriptionId";

/// Most tasks that one subscription follows: 256.
pub(crate) const MAX_FOLLOWED: usize = 256;

/// `subscriptions/listen`; answered only when the server ends the subscription.
pub(in crate::server) async fn listen(exchange: &Exchange) -> Result<Vec<u8>, Fault> {
    let notes = exchange.notes.clone().ok_or(Failure::Internal)?;
    let place = exchange.server.listening().place(&exchange.caller);
    let _place = place.ok_or(Failure::QueueFull)?;
    // From here on nothing is missed, whatever the acknowledgement takes.
    let dispatcher = exchange.server.dispatcher();
    let mut changes = Changes::of(&exchange.server, &exchange.caller, exchange.revision);
    let mut tasks = dispatcher.task_changes();
    let subscription = Subscription {
        exchange,
        filter: Filter::read(exchange).await?,
        notes,
    };
    let acknowledgement = subscription.acknowledgement();
    if !is_readable(&acknowledgement, &exchange.server.limits().answer) {
        return Err(Failure::UnusableOutput.into());
    }
    subscription.tell(acknowledgement).await;
    tokio::select! {
        () = closed(exchange) => {}
        () = come(exchange.until) => {}
        () = exchange.cancellation.cancelled() => {}
        () = subscription.follow(&mut changes) => {}
        () = subscription.follow_tasks(&mut tasks), if !subscription.filter.tasks.is_empty() => {}
    }
    let meta = Value::object()
        .put(SUBSCRIPTION_KEY, exchange.request.id.to_value())
        .build();
    exchange.result((ResultType::Complete, Cache::None), Some(&meta), |_| Ok(()))
}

/// Waits until the server ends what would go on for ever.
async fn closed(exchange: &Exchange) {
    match &exchange.closing {
        Some(closing) => closing.cancelled().await,
        None => std::future::pending().await,
    }
}

/// What a client wants to be told, as far as it may.
#[derive(Debug, Default)]
struct Filter {
    tools: bool,
    resources: bool,
    prompts: bool,
    uris: Vec<String>,
    /// Kept as long as the subscription lasts, so that the sources of those resources tell of them.
    followed: Vec<Following>,
    tasks: Vec<String>,
}

struct Subscription<'a> {
    exchange: &'a Exchange,
    filter: Filter,
    notes: Notes,
}

impl Filter {
    async fn read(exchange: &Exchange) -> Result<Self, Fault> {
        let wanted = exchange.request.param("notifications");
        let wanted = wanted.filter(|wanted| wanted.as_object().is_some());
        let wanted = wanted.ok_or(Failure::InvalidParams)?;
        let mut filter = Self {
            tools: flag(wanted, "toolsListChanged")?,
            resources: flag(wanted, "resourcesListChanged")?,
            prompts: flag(wanted, "promptsListChanged")?,
            uris: texts(wanted, "resourceSubscriptions", MAX_WATCHED)?,
            followed: Vec::new(),
            tasks: texts(wanted, "taskIds", MAX_FOLLOWED)?,
        };
        filter.follow(exchange).await;
        if !filter.tasks.is_empty() {
            tasks::needs_extension(exchange)?;
            let mut there = Vec::new();
            for id in std::mem::take(&mut filter.tasks) {
                if tasks::read(exchange, &id).await.is_ok() {
                    there.push(id);
                }
            }
            filter.tasks = there;
        }
        Ok(filter)
    }

    /// Follows the resources that are there; what cannot be followed is not honoured.
    async fn follow(&mut self, exchange: &Exchange) {
        let catalogue = exchange.catalogue();
        let uris = std::mem::take(&mut self.uris);
        let following = uris.iter().map(|uri| catalogue.follow(uri));
        for (uri, following) in uris.iter().zip(join_all(following).await) {
            if let Ok(following) = following {
                self.uris.push(uri.clone());
                self.followed.push(following);
            }
        }
    }

    /// The lists of which it wants to be told.
    fn wants(&self, list: ListKind) -> bool {
        match list {
            ListKind::Tools => self.tools,
            ListKind::Resources => self.resources,
            ListKind::Prompts => self.prompts,
        }
    }

    /// Writes what is honoured.
    fn write(&self, object: &mut ObjectWriter<'_>) {
        for (name, wanted) in [
            ("toolsListChanged", self.tools),
            ("resourcesListChanged", self.resources),
            ("promptsListChanged", self.prompts),
        ] {
            if wanted {
                object.boolean(name, true);
            }
        }
        for (name, texts) in [("resourceSubscriptions", &self.uris), ("taskIds", &self.tasks)] {
            if !texts.is_empty() {
                object.array(name, |array| texts.iter().for_each(|text| array.text(text)));
            }
        }
    }
}

impl Subscription<'_> {
    fn acknowledgement(&self) -> Vec<u8> {
        note("notifications/subscriptions/acknowledged", |params| {
            self.tag(params);
            params.object("notifications", |object| self.filter.write(object));
        })
    }

    fn tag(&self, params: &mut ObjectWriter<'_>) {
        params.object("_meta", |meta| {
            self.exchange.request.id.write(meta.member(SUBSCRIPTION_KEY));
        });
    }

    /// Waits while the client is behind; one that went away ends the exchange itself.
    async fn tell(&self, note: Vec<u8>) {
        let _ = self.notes.send(note).await;
    }

    async fn follow(&self, changes: &mut Changes) {
        while let Some(change) = changes.next().await {
            match change {
                Change::Lists(lists) => {
                    for list in ListKind::changed(lists).filter(|list| self.filter.wants(*list)) {
                        self.tell(list_changed(list, |params| self.tag(params))).await;
                    }
                }
                Change::Resource(uri) => {
                    if self.filter.uris.contains(&uri) {
                        self.tell_updated(&uri).await;
                    }
                }
                Change::Resources => {
                    for uri in &self.filter.uris {
                        self.tell_updated(uri).await;
                    }
                }
            }
        }
    }

    async fn tell_updated(&self, uri: &str) {
        self.tell(resource_updated(uri, |params| self.tag(params))).await;
    }

    async fn follow_tasks(&self, changes: &mut broadcast::Receiver<TaskId>) {
        let followed: HashSet<&str> = self.filter.tasks.iter().map(String::as_str).collect();
        loop {
            match changes.recv().await {
                Ok(id) if followed.contains(id.as_str()) => self.tell_task(id.as_str()).await,
                Ok(_) => {}
                Err(RecvError::Lagged(_)) => {
                    for id in &followed {
                        self.tell_task(id).await;
                    }
                }
                // The runner of tasks lives as long as the dispatcher.
                Err(RecvError::Closed) => return std::future::pending().await,
            }
        }
    }

    async fn tell_task(&self, id: &str) {
        let Ok(task) = tasks::read(self.exchange, id).await else {
            return;
        };
        let shorter = || self.task_note(&self.exchange.task_without_mirror(&task)?);
        if let Some(note) = self.task_note(&task).or_else(shorter) {
            self.tell(note).await;
        }
    }

    /// `notifications/tasks`; `None` when the task cannot be told, or is more than may leave: `tasks/get` says so.
    fn task_note(&self, task: &Task) -> Option<Vec<u8>> {
        let server = &self.exchange.server;
        let poll = server.dispatcher().task_settings().poll_interval;
        let mut written = Ok(());
        let note = note("notifications/tasks", |params| {
            self.tag(params);
            written = write_detailed_task(params, task, poll, &self.exchange.revision.projection);
        });
        written.ok()?;
        is_readable(&note, &server.limits().answer).then_some(note)
    }
}

fn flag(object: View<'_>, name: &str) -> Result<bool, Failure> {
    match object.get(name) {
        None => Ok(false),
        Some(value) => value.as_bool().ok_or(Failure::InvalidParams),
    }
}

fn texts(object: View<'_>, name: &str, most: usize) -> Result<Vec<String>, Failure> {
    let Some(value) = object.get(name) else {
        return Ok(Vec::new());
    };
    let array = value.as_array().filter(|array| array.len() <= most);
    let items = array.ok_or(Failure::InvalidParams)?.iter();
    let texts: Option<Vec<_>> = items.map(|item| item.as_str().map(str::to_owned)).collect();
    texts.ok_or(Failure::InvalidParams)
}
