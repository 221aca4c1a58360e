//! Everything that an upstream server has, as entries of the toolbox.

use std::{collections::HashSet, sync::Arc};

use toolmesh_json::{Value, View};
use toolmesh_tool::{
    Entries, ResourceReader, Tool,
    schema::{Profile, Schema},
};

use super::{
    error::ClientError,
    limits::{LIST_BYTES, LISTS_TIMES, MAX_ENTRIES, MAX_PAGES, shortened},
    peer::Peer,
    read::{read_prompt, read_resource, read_template, read_tool},
    reader::{Prompter, Reader},
    shared::Shared,
    survey::{Entry, EntryKind},
    tool_handler::ToolCaller,
};

/// What a server has: what can be offered, and a line for each entry of its lists.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) entries: Entries,
    pub(super) survey: Vec<Entry>,
    taken: HashSet<(EntryKind, String)>,
}

/// Asks for every list that the server says it has.
///
/// # Errors
/// [`ClientError`]; [`ClientError::TimedOut`] when all of it takes too long.
pub(super) async fn list(peer: &Peer, shared: &Arc<Shared>) -> Result<Listing, ClientError> {
    let listed = tokio::time::timeout(peer.timeout() * LISTS_TIMES, list_all(peer, shared)).await;
    listed.map_err(|_| ClientError::TimedOut)?
}

async fn list_all(peer: &Peer, shared: &Arc<Shared>) -> Result<Listing, ClientError> {
    let agreed = peer.agreed();
    let mut listing = Listing::default();
    if agreed.has_tools {
        listing = listing.with(EntryKind::Tool, peer, shared).await?;
    }
    if agreed.has_resources {
        listing = listing.with(EntryKind::Resource, peer, shared).await?;
        listing = listing.with(EntryKind::Template, peer, shared).await?;
    }
    if agreed.has_prompts {
        listing = listing.with(EntryKind::Prompt, peer, shared).await?;
    }
    Ok(listing)
}

/// The method that lists entries of a kind, and the member that they are in.
fn place(kind: EntryKind) -> (&'static str, &'static str) {
    match kind {
        EntryKind::Tool => ("tools/list", "tools"),
        EntryKind::Resource => ("resources/list", "resources"),
        EntryKind::Template => ("resources/templates/list", "resourceTemplates"),
        EntryKind::Prompt => ("prompts/list", "prompts"),
    }
}

/// How much of a list has come; it is bounded in every direction.
#[derive(Debug, Default)]
struct Extent {
    pages: usize,
    entries: usize,
    bytes: usize,
}

impl Extent {
    fn add(&mut self, page: &Value, entries: usize) -> Result<(), ClientError> {
        self.pages += 1;
        self.entries += entries;
        self.bytes += page.to_text().len();
        match self {
            Self { entries, .. } if *entries > MAX_ENTRIES => {
                Err(ClientError::Protocol("a list has more than 100,000 entries"))
            }
            Self { bytes, .. } if *bytes > LIST_BYTES => {
                Err(ClientError::Protocol("a list has more than 128 MiB"))
            }
            _ => Ok(()),
        }
    }
}

fn items<'a>(page: &'a Value, member: &str) -> impl Iterator<Item = View<'a>> {
    let items = page.get(member).and_then(View::as_array);
    items.into_iter().flat_map(|items| items.iter())
}

impl Listing {
    /// With all pages of a list. Making entries of a page is work, so it is done where it keeps nobody else waiting.
    async fn with(mut self, kind: EntryKind, peer: &Peer, shared: &Arc<Shared>) -> Result<Self, ClientError> {
        let (method, member) = place(kind);
        let mut extent = Extent::default();
        let mut cursor: Option<String> = None;
        loop {
            let params = Value::object().put_opt("cursor", cursor);
            let page = match peer.ask(method, params).await {
                // A server may have resources and know no templates.
                Err(ClientError::Answered(_)) if kind == EntryKind::Template && extent.pages == 0 => {
                    return Ok(self);
                }
                page => page?,
            };
            let entries = page
                .get(member)
                .and_then(View::as_array)
                .ok_or(ClientError::Protocol("a page of a list has no entries"))?
                .len();
            extent.add(&page, entries)?;
            cursor = page.get("nextCursor").and_then(View::as_str).map(str::to_owned);
            let shared = Arc::clone(shared);
            let taken = tokio::task::spawn_blocking(move || {
                self.page(kind, &page, &shared);
                self
            });
            self = taken.await.map_err(|_| ClientError::closed())?;
            if cursor.is_none() {
                return Ok(self);
            }
            if extent.pages >= MAX_PAGES {
                return Err(ClientError::Protocol("a list does not end"));
            }
        }
    }

    fn page(&mut self, kind: EntryKind, page: &Value, shared: &Arc<Shared>) {
        let items = items(page, place(kind).1);
        match kind {
            EntryKind::Tool => self.tools(items, shared),
            EntryKind::Resource => self.resources(items, shared),
            EntryKind::Template => self.templates(items, shared),
            EntryKind::Prompt => self.prompts(items, shared),
        }
    }

    fn tools<'a>(&mut self, items: impl Iterator<Item = View<'a>>, shared: &Arc<Shared>) {
        for item in items {
            let tool = tool(item, shared);
            self.take(EntryKind::Tool, item, "name", tool, |entries, tool| {
                entries.tools.push(tool);
            });
        }
    }

    fn resources<'a>(&mut self, items: impl Iterator<Item = View<'a>>, shared: &Arc<Shared>) {
        let reader = reader(shared, "");
        for item in items {
            let resource = read_resource(item, &reader);
            self.take(EntryKind::Resource, item, "uri", resource, |entries, resource| {
                entries.resources.push(resource);
            });
        }
    }

    fn templates<'a>(&mut self, items: impl Iterator<Item = View<'a>>, shared: &Arc<Shared>) {
        for item in items {
            let template = read_template(item, |template| reader(shared, template));
            self.take(
                EntryKind::Template,
                item,
                "uriTemplate",
                template,
                |entries, template| {
                    entries.templates.push(template);
                },
            );
        }
    }

    fn prompts<'a>(&mut self, items: impl Iterator<Item = View<'a>>, shared: &Arc<Shared>) {
        for item in items {
            let prompt = read_prompt(item, |name| {
                Arc::new(Prompter {
                    shared: Arc::clone(shared),
                    name: name.to_owned(),
                })
            });
            self.take(EntryKind::Prompt, item, "name", prompt, |entries, prompt| {
                entries.prompts.push(prompt);
            });
        }
    }

    /// Takes an entry, or its reason; the first of two with one name holds it.
    fn take<T>(
        &mut self,
        kind: EntryKind,
        item: View<'_>,
        key: &str,
        read: Result<T, String>,
        keep: impl FnOnce(&mut Entries, T),
    ) {
        let name = item
            .get(key)
            .and_then(View::as_str)
            .unwrap_or_default()
            .to_owned();
        let read = read.and_then(|entry| {
            let is_new = self.taken.insert((kind, name.clone()));
            if is_new {
                Ok(entry)
            } else {
                Err("the server lists it twice".to_owned())
            }
        });
        let reason = match read {
            Ok(entry) => {
                keep(&mut self.entries, entry);
                None
            }
            Err(reason) => Some(reason),
        };
        // A stranger's texts: what is told of them has a bound.
        let (name, reason) = (
            shortened(&name).to_owned(),
            reason.map(|reason| shortened(&reason).to_owned()),
        );
        self.survey.push(Entry { kind, name, reason });
    }
}

fn reader(shared: &Arc<Shared>, template: &str) -> Arc<dyn ResourceReader> {
    Arc::new(Reader {
        shared: Arc::clone(shared),
        template: template.to_owned(),
    })
}

fn tool(item: View<'_>, shared: &Arc<Shared>) -> Result<Tool, String> {
    let reading = read_tool(item)?;
    // Compiled here for the headers alone; the tool compiles its own, and tells what is wrong with it.
    let schema = Schema::compile_tool_input(reading.input.clone(), Profile::Draft2020_12);
    let caller = ToolCaller {
        shared: Arc::clone(shared),
        name: reading.name.to_owned(),
        mirrored: schema.map_or_else(|_| Vec::new(), |schema| schema.mirrored_headers().to_vec()),
    };
    reading.build(Arc::new(caller)).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_bounds_in_entries_and_bytes() {
        let page = Value::object().build();
        let mut extent = Extent::default();
        assert!(extent.add(&page, MAX_ENTRIES).is_ok());
        assert!(extent.add(&page, 1).is_err());
        let text = Value::from("x".repeat(1024 * 1024 - 2));
        let mut extent = Extent::default();
        for _ in 0..LIST_BYTES / (1024 * 1024) {
            assert!(extent.add(&text, 0).is_ok());
        }
        assert!(extent.add(&page, 0).is_err());
    }
}
