//! Everything that an upstream server has, as entries of the toolbox.

use std::{collections::HashSet, sync::Arc};

use toolmesh_json::{Value, View};
use toolmesh_tool::{
    Entries, ResourceReader, Tool,
    schema::{Profile, Schema},
};

use super::{
    error::ClientError,
    limits::{MAX_ENTRIES, MAX_PAGES},
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
pub(super) async fn list(peer: &Peer, shared: &Arc<Shared>) -> Result<Listing, ClientError> {
    let agreed = peer.agreed();
    let mut listing = Listing::default();
    if agreed.has_tools {
        for page in pages(peer, "tools/list", "tools").await? {
            listing.tools(items(&page, "tools"), shared);
        }
    }
    if agreed.has_resources {
        let reader: Arc<dyn ResourceReader> = Arc::new(Reader(Arc::clone(shared)));
        for page in pages(peer, "resources/list", "resources").await? {
            listing.resources(items(&page, "resources"), &reader);
        }
        // A server may have resources and know no templates.
        for page in optional(pages(peer, "resources/templates/list", "resourceTemplates").await)? {
            listing.templates(items(&page, "resourceTemplates"), &reader);
        }
    }
    if agreed.has_prompts {
        for page in pages(peer, "prompts/list", "prompts").await? {
            listing.prompts(items(&page, "prompts"), shared);
        }
    }
    Ok(listing)
}

/// All pages of a list.
async fn pages(peer: &Peer, method: &'static str, member: &str) -> Result<Vec<Value>, ClientError> {
    let mut pages = Vec::new();
    let mut entries = 0_usize;
    let mut cursor: Option<String> = None;
    loop {
        let params = Value::object().put_opt("cursor", cursor);
        let page = peer.ask(method, params).await?;
        entries += page
            .get(member)
            .and_then(View::as_array)
            .ok_or(ClientError::Protocol("a page of a list has no entries"))?
            .len();
        cursor = page.get("nextCursor").and_then(View::as_str).map(str::to_owned);
        pages.push(page);
        if cursor.is_none() {
            return Ok(pages);
        }
        if entries > MAX_ENTRIES || pages.len() >= MAX_PAGES {
            return Err(ClientError::Protocol("a list does not end"));
        }
    }
}

fn optional(pages: Result<Vec<Value>, ClientError>) -> Result<Vec<Value>, ClientError> {
    match pages {
        Err(ClientError::Answered(_)) => Ok(Vec::new()),
        pages => pages,
    }
}

fn items<'a>(page: &'a Value, member: &str) -> impl Iterator<Item = View<'a>> {
    let items = page.get(member).and_then(View::as_array);
    items.into_iter().flat_map(|items| items.iter())
}

impl Listing {
    fn tools<'a>(&mut self, items: impl Iterator<Item = View<'a>>, shared: &Arc<Shared>) {
        for item in items {
            let tool = tool(item, shared);
            self.take(EntryKind::Tool, item, "name", tool, |entries, tool| {
                entries.tools.push(tool);
            });
        }
    }

    fn resources<'a>(&mut self, items: impl Iterator<Item = View<'a>>, reader: &Arc<dyn ResourceReader>) {
        for item in items {
            let resource = read_resource(item, reader);
            self.take(EntryKind::Resource, item, "uri", resource, |entries, resource| {
                entries.resources.push(resource);
            });
        }
    }

    fn templates<'a>(&mut self, items: impl Iterator<Item = View<'a>>, reader: &Arc<dyn ResourceReader>) {
        for item in items {
            let template = read_template(item, reader);
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
        self.survey.push(Entry { kind, name, reason });
    }
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
