//! One consistent state of the toolbox.

use std::{collections::HashMap, sync::Arc};

use indexmap::{IndexMap, map};
use semver::VersionReq;

use crate::{Prompt, Resource, ResourceTemplate, Tool, ToolName};

/// One consistent state of the toolbox; never changes once it is seen.
#[derive(Debug, Clone, Default)]
pub struct Catalogue {
    pub(super) generation: u64,
    /// What each source put in, in the order of mounting.
    pub(super) sources: IndexMap<Arc<str>, Vec<Entry>>,
    /// Every tool by name, the versions of each from highest to lowest; the order is that of registration.
    tools: IndexMap<ToolName, Versions>,
    /// `None` marks an alias that two tools claim: it resolves to neither.
    aliases: HashMap<String, Option<ToolName>>,
    resources: IndexMap<String, Arc<Resource>>,
    templates: Vec<Arc<ResourceTemplate>>,
    prompts: IndexMap<ToolName, Arc<Prompt>>,
}

/// One entry of a source, under the name or URI by which it is published.
#[derive(Debug, Clone)]
pub(super) enum Entry {
    Tool(CatalogueTool),
    Resource(Arc<Resource>),
    Template(Arc<ResourceTemplate>),
    Prompt(Arc<Prompt>),
}

/// A tool under the name by which it is published.
#[derive(Debug, Clone)]
pub struct CatalogueTool {
    pub(super) name: ToolName,
    pub(super) aliases: Vec<String>,
    pub(super) source: Arc<str>,
    pub(super) tool: Tool,
}

/// The versions of one tool: never none.
#[derive(Debug, Clone)]
struct Versions {
    highest: CatalogueTool,
    /// From high to low.
    lower: Vec<CatalogueTool>,
}

impl Versions {
    fn highest(&self) -> &CatalogueTool {
        &self.highest
    }

    fn all(&self) -> impl Iterator<Item = &CatalogueTool> {
        std::iter::once(&self.highest).chain(&self.lower)
    }

    /// Adds a version; false when it is there already.
    fn add(&mut self, tool: CatalogueTool) -> bool {
        if self
            .all()
            .any(|other| other.tool.version() == tool.tool.version())
        {
            return false;
        }
        let lower = if tool.tool.version() > self.highest.tool.version() {
            std::mem::replace(&mut self.highest, tool)
        } else {
            tool
        };
        let place = self
            .lower
            .partition_point(|other| other.tool.version() > lower.tool.version());
        self.lower.insert(place, lower);
        true
    }
}

/// Two entries that want one place.
#[derive(Debug)]
pub(super) struct Collision {
    pub(super) what: String,
    pub(super) first: Arc<str>,
    pub(super) second: Arc<str>,
}

impl CatalogueTool {
    /// The published name, prefix included.
    #[must_use]
    pub fn name(&self) -> &ToolName {
        &self.name
    }

    /// Other names that it answers to, prefix included; never listed.
    #[must_use]
    pub fn aliases(&self) -> &[String] {
        &self.aliases
    }

    /// The source that made it.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The tool.
    #[must_use]
    pub fn tool(&self) -> &Tool {
        &self.tool
    }

    /// The form in which it is told of, under its published name.
    #[must_use]
    pub fn descriptor(&self) -> crate::ToolDescriptor {
        let mut descriptor = self.tool.descriptor();
        self.name.as_str().clone_into(&mut descriptor.tool_id);
        self.name.as_str().clone_into(&mut descriptor.name);
        descriptor
    }
}

impl Catalogue {
    /// Counts the changes since the toolbox was made.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The highest version of the tool `name` (or of the one that has this alias) that meets `requirement`.
    #[must_use]
    pub fn tool(&self, name: &str, requirement: Option<&VersionReq>) -> Option<&CatalogueTool> {
        let versions = self.tools.get(name).or_else(|| {
            let target = self.aliases.get(name)?.as_ref()?;
            self.tools.get(target)
        })?;
        versions
            .all()
            .find(|found| requirement.is_none_or(|wanted| wanted.matches(found.tool.version())))
    }

    /// The highest version of every tool, in the order of registration.
    pub fn listed_tools(&self) -> impl ExactSizeIterator<Item = &CatalogueTool> {
        self.tools.values().map(Versions::highest)
    }

    /// Every version of every tool.
    pub fn all_tools(&self) -> impl Iterator<Item = &CatalogueTool> {
        self.tools.values().flat_map(Versions::all)
    }

    /// The resource at exactly this URI.
    #[must_use]
    pub fn resource(&self, uri: &str) -> Option<&Arc<Resource>> {
        self.resources.get(uri)
    }

    /// Every resource, in the order of registration.
    pub fn resources(&self) -> impl ExactSizeIterator<Item = &Arc<Resource>> {
        self.resources.values()
    }

    /// The first template that matches this URI, with its variables.
    #[must_use]
    pub fn template(&self, uri: &str) -> Option<(&Arc<ResourceTemplate>, IndexMap<String, String>)> {
        self.templates
            .iter()
            .find_map(|found| Some((found, found.template.matches(uri)?)))
    }

    /// Every template, in the order of registration.
    #[must_use]
    pub fn templates(&self) -> &[Arc<ResourceTemplate>] {
        &self.templates
    }

    /// A prompt by name.
    #[must_use]
    pub fn prompt(&self, name: &str) -> Option<&Arc<Prompt>> {
        self.prompts.get(name)
    }

    /// Every prompt, in the order of registration.
    pub fn prompts(&self) -> impl ExactSizeIterator<Item = &Arc<Prompt>> {
        self.prompts.values()
    }

    /// Whether nothing is listed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
            && self.resources.is_empty()
            && self.templates.is_empty()
            && self.prompts.is_empty()
    }

    /// The next state, with what `sources` now hold.
    pub(super) fn next(&self, sources: IndexMap<Arc<str>, Vec<Entry>>) -> Result<Self, Collision> {
        let mut next = Self {
            generation: self.generation + 1,
            ..Self::default()
        };
        for (source, entries) in &sources {
            for entry in entries {
                next.place(source, entry, &sources)?;
            }
        }
        next.index_aliases();
        next.sources = sources;
        Ok(next)
    }

    fn place(
        &mut self,
        source: &Arc<str>,
        entry: &Entry,
        sources: &IndexMap<Arc<str>, Vec<Entry>>,
    ) -> Result<(), Collision> {
        let collision = |what: String| {
            let first = first_owner(sources, entry).unwrap_or_else(|| Arc::clone(source));
            Collision {
                what,
                first,
                second: Arc::clone(source),
            }
        };
        match entry {
            Entry::Tool(tool) => {
                let added = match self.tools.entry(tool.name.clone()) {
                    map::Entry::Occupied(mut versions) => versions.get_mut().add(tool.clone()),
                    map::Entry::Vacant(place) => {
                        place.insert(Versions {
                            highest: tool.clone(),
                            lower: Vec::new(),
                        });
                        true
                    }
                };
                if !added {
                    return Err(collision(format!("tool `{}` {}", tool.name, tool.tool.version())));
                }
            }
            Entry::Resource(resource) => {
                if self
                    .resources
                    .insert(resource.uri.clone(), Arc::clone(resource))
                    .is_some()
                {
                    return Err(collision(format!("resource `{}`", resource.uri)));
                }
            }
            Entry::Template(template) => {
                if self
                    .templates
                    .iter()
                    .any(|other| other.template == template.template)
                {
                    return Err(collision(format!("resource template `{}`", template.template)));
                }
                self.templates.push(Arc::clone(template));
            }
            Entry::Prompt(prompt) => {
                if self
                    .prompts
                    .insert(prompt.name.clone(), Arc::clone(prompt))
                    .is_some()
                {
                    return Err(collision(format!("prompt `{}`", prompt.name)));
                }
            }
        }
        Ok(())
    }

    fn index_aliases(&mut self) {
        let mut aliases: HashMap<String, Option<ToolName>> = HashMap::new();
        for tool in self.tools.values().flat_map(Versions::all) {
            for alias in &tool.aliases {
                aliases
                    .entry(alias.clone())
                    .and_modify(|target| {
                        if target.as_ref() != Some(&tool.name) {
                            *target = None;
                        }
                    })
                    .or_insert_with(|| Some(tool.name.clone()));
            }
        }
        self.aliases = aliases;
    }
}

/// The first source that holds an entry in the same place as `entry`.
fn first_owner(sources: &IndexMap<Arc<str>, Vec<Entry>>, entry: &Entry) -> Option<Arc<str>> {
    let same = |other: &Entry| match (other, entry) {
        (Entry::Tool(a), Entry::Tool(b)) => a.name == b.name && a.tool.version() == b.tool.version(),
        (Entry::Resource(a), Entry::Resource(b)) => a.uri == b.uri,
        (Entry::Template(a), Entry::Template(b)) => a.template == b.template,
        (Entry::Prompt(a), Entry::Prompt(b)) => a.name == b.name,
        _ => false,
    };
    sources
        .iter()
        .find(|(_, entries)| entries.iter().any(same))
        .map(|(source, _)| Arc::clone(source))
}
