//! Making the next state of the catalogue out of the current one.

use std::sync::Arc;

use imbl::OrdMap;
use semver::Version;

use super::{
    catalogue::{Catalogue, SourceEntries},
    entry::{CatalogueTool, Entry, Versions},
    mount::MountError,
    ordered::Place,
};
use crate::ToolName;

/// Most entries of a toolbox, over all sources: what a thousand machines with a hundred tools each offer.
pub const MAX_ENTRIES: usize = 131_072;

/// Most resource templates of a toolbox: a URI is compared with one after the other.
pub const MAX_TEMPLATES: usize = 1_024;

/// A next state in the making. Dropping it leaves everything as it was.
pub(super) struct Edit {
    next: Catalogue,
    templates_changed: bool,
}

impl Edit {
    pub(super) fn new(current: &Catalogue) -> Self {
        Self {
            next: current.clone(),
            templates_changed: false,
        }
    }

    /// The next state, when it is within the bounds.
    pub(super) fn finish(mut self) -> Result<Catalogue, MountError> {
        check_bound("entries", self.next.len(), MAX_ENTRIES)?;
        check_bound(
            "resource templates",
            self.next.placed_templates.len(),
            MAX_TEMPLATES,
        )?;
        if self.templates_changed {
            self.next.templates = self.next.placed_templates.values().cloned().collect();
        }
        self.next.generation += 1;
        Ok(self.next)
    }

    /// Makes room for a source; the number of its mount.
    pub(super) fn add_source(&mut self, name: &Arc<str>) -> Result<u64, MountError> {
        if self.next.sources.values().any(|other| other.name == *name) {
            return Err(MountError::SourceName(name.to_string()));
        }
        let number = self.next.next_source;
        self.next.next_source += 1;
        let entries = SourceEntries {
            name: Arc::clone(name),
            entries: OrdMap::new(),
            next_entry: 0,
        };
        self.next.sources.insert(number, entries);
        Ok(number)
    }

    /// Takes back a source with everything that it put in.
    pub(super) fn remove_source(&mut self, source: u64) {
        if let Some(gone) = self.next.sources.remove(&source) {
            for (entry, value) in &gone.entries {
                self.take(
                    Place {
                        source,
                        entry: *entry,
                    },
                    value,
                );
            }
        }
    }

    /// Adds entries of a source behind those that it has.
    pub(super) fn add(&mut self, source: u64, entries: Vec<Entry>) -> Result<(), MountError> {
        for entry in entries {
            let number = self.next.sources.get_mut(&source).map(|source| {
                let number = source.next_entry;
                source.next_entry += 1;
                number
            });
            if let Some(number) = number {
                self.put(
                    Place {
                        source,
                        entry: number,
                    },
                    entry,
                )?;
            }
        }
        Ok(())
    }

    /// Puts entries of a source in the place of those that it has. What stays the same stays where it is.
    pub(super) fn replace(&mut self, source: u64, mut entries: Vec<Entry>) -> Result<(), MountError> {
        let Some(before) = self
            .next
            .sources
            .get(&source)
            .map(|source| source.entries.clone())
        else {
            return Ok(());
        };
        let kept = before
            .values()
            .zip(&entries)
            .take_while(|(old, new)| old.collides(new))
            .count();
        let added = entries.split_off(kept);
        for (number, old) in &before {
            self.remove(
                Place {
                    source,
                    entry: *number,
                },
                old,
            );
        }
        for (number, new) in before.keys().zip(entries) {
            self.put(
                Place {
                    source,
                    entry: *number,
                },
                new,
            )?;
        }
        self.add(source, added)
    }

    /// Takes back one version of a tool of a source, if the source has it.
    pub(super) fn remove_tool(&mut self, source: u64, name: &ToolName, version: &Version) {
        let place = self
            .next
            .tools
            .get(name)
            .and_then(|versions| versions.find(version))
            .map(|(place, _)| place)
            .filter(|place| place.source == source);
        let found = place.and_then(|place| {
            let entries = &self.next.sources.get(&source)?.entries;
            Some((place, entries.get(&place.entry)?.clone()))
        });
        if let Some((place, entry)) = found {
            self.remove(place, &entry);
        }
    }

    fn remove(&mut self, place: Place, entry: &Entry) {
        if let Some(source) = self.next.sources.get_mut(&place.source) {
            source.entries.remove(&place.entry);
        }
        self.take(place, entry);
    }

    /// Lists an entry.
    fn put(&mut self, place: Place, entry: Entry) -> Result<(), MountError> {
        if let Some(owner) = self.owner(&entry) {
            let name_of = |number| {
                let source = self.next.sources.get(&number);
                source.map(|source| source.name.to_string()).unwrap_or_default()
            };
            return Err(MountError::Collision {
                what: entry.describe(),
                first: name_of(owner.source),
                second: name_of(place.source),
            });
        }
        match &entry {
            Entry::Tool(tool) => self.put_tool(place, tool),
            Entry::Resource(resource) => {
                self.next
                    .resources
                    .put(resource.uri.clone(), place, Arc::clone(resource));
            }
            Entry::Template(template) => {
                self.next.placed_templates.insert(place, Arc::clone(template));
                self.templates_changed = true;
            }
            Entry::Prompt(prompt) => {
                self.next
                    .prompts
                    .put(prompt.name.clone(), place, Arc::clone(prompt));
            }
        }
        if let Some(source) = self.next.sources.get_mut(&place.source) {
            source.entries.insert(place.entry, entry);
        }
        Ok(())
    }

    /// Where the entry is that wants the same place.
    fn owner(&self, entry: &Entry) -> Option<Place> {
        match entry {
            Entry::Tool(tool) => {
                let versions = self.next.tools.get(&tool.name)?;
                Some(versions.find(tool.tool.version())?.0)
            }
            Entry::Resource(resource) => self.next.resources.place(&resource.uri),
            Entry::Template(template) => {
                let mut placed = self.next.placed_templates.iter();
                let found = placed.find(|(_, other)| other.template == template.template);
                found.map(|(place, _)| *place)
            }
            Entry::Prompt(prompt) => self.next.prompts.place(&prompt.name),
        }
    }

    /// No longer lists an entry.
    fn take(&mut self, place: Place, entry: &Entry) {
        match entry {
            Entry::Tool(tool) => self.take_tool(place, tool),
            Entry::Resource(resource) => self.next.resources.remove(&resource.uri),
            Entry::Template(_) => {
                self.next.placed_templates.remove(&place);
                self.templates_changed = true;
            }
            Entry::Prompt(prompt) => self.next.prompts.remove(&prompt.name),
        }
    }

    fn put_tool(&mut self, place: Place, tool: &Arc<CatalogueTool>) {
        let versions = match self.next.tools.get(&tool.name) {
            None => Versions::one(place, Arc::clone(tool)),
            Some(versions) => versions.with(place, Arc::clone(tool)),
        };
        let listed = versions.first_place();
        self.next.tools.put(tool.name.clone(), listed, versions);
        self.next.streaming += usize::from(tool.tool.streaming());
        for alias in &tool.aliases {
            let claims = self.next.aliases.entry(alias.clone()).or_default();
            claims.push(tool.name.clone());
        }
    }

    fn take_tool(&mut self, place: Place, tool: &Arc<CatalogueTool>) {
        let left = self
            .next
            .tools
            .get(&tool.name)
            .and_then(|versions| versions.without(place));
        match left {
            None => self.next.tools.remove(&tool.name),
            Some(versions) => {
                let listed = versions.first_place();
                self.next.tools.put(tool.name.clone(), listed, versions);
            }
        }
        self.next.streaming -= usize::from(tool.tool.streaming());
        for alias in &tool.aliases {
            self.disclaim(alias, &tool.name);
        }
    }

    fn disclaim(&mut self, alias: &str, name: &ToolName) {
        let Some(claims) = self.next.aliases.get_mut(alias) else {
            return;
        };
        if let Some(at) = claims.iter().position(|claim| claim == name) {
            claims.remove(at);
        }
        if claims.is_empty() {
            self.next.aliases.remove(alias);
        }
    }
}

fn check_bound(what: &'static str, count: usize, max: usize) -> Result<(), MountError> {
    if count > max {
        Err(MountError::TooMany { what, max })
    } else {
        Ok(())
    }
}
