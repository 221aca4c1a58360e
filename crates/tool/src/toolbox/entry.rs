//! What a source put into the toolbox, under the names by which it is published.

use std::sync::Arc;

use semver::Version;

use super::ordered::Place;
use crate::{Prompt, Resource, ResourceTemplate, Tool, ToolDescriptor, ToolName};

/// One entry of a source, under the name or URI by which it is published.
#[derive(Debug, Clone)]
pub(super) enum Entry {
    Tool(Arc<CatalogueTool>),
    Resource(Arc<Resource>),
    Template(Arc<ResourceTemplate>),
    Prompt(Arc<Prompt>),
}

impl Entry {
    /// Whether both want one place.
    pub(super) fn collides(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Tool(one), Self::Tool(two)) => {
                one.name == two.name && one.tool.version() == two.tool.version()
            }
            (Self::Resource(one), Self::Resource(two)) => one.uri == two.uri,
            (Self::Template(one), Self::Template(two)) => one.template == two.template,
            (Self::Prompt(one), Self::Prompt(two)) => one.name == two.name,
            _ => false,
        }
    }

    /// What it is, for a message.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Tool(tool) => format!("tool `{}` {}", tool.name, tool.tool.version()),
            Self::Resource(resource) => format!("resource `{}`", resource.uri),
            Self::Template(template) => format!("resource template `{}`", template.template),
            Self::Prompt(prompt) => format!("prompt `{}`", prompt.name),
        }
    }
}

/// A tool under the name by which it is published.
#[derive(Debug, Clone)]
pub struct CatalogueTool {
    pub(super) name: ToolName,
    pub(super) aliases: Vec<String>,
    pub(super) source: Arc<str>,
    pub(super) tool: Tool,
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

    /// Every name that it has: the published one, the one that its source gave, and the aliases, with the prefix and without.
    pub fn all_names(&self) -> impl Iterator<Item = &str> {
        let names = [self.name.as_str(), self.tool.name().as_str()];
        let aliases = self.aliases.iter().chain(self.tool.aliases());
        names.into_iter().chain(aliases.map(String::as_str))
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
    pub fn descriptor(&self) -> ToolDescriptor {
        let mut descriptor = self.tool.descriptor();
        self.name.as_str().clone_into(&mut descriptor.tool_id);
        self.name.as_str().clone_into(&mut descriptor.name);
        descriptor
    }
}

/// One version of a tool, and where it was registered.
#[derive(Debug, Clone)]
struct Placed {
    place: Place,
    tool: Arc<CatalogueTool>,
}

impl Placed {
    fn version(&self) -> &Version {
        self.tool.tool.version()
    }
}

/// The versions of one tool: never none.
#[derive(Debug, Clone)]
pub(super) struct Versions {
    highest: Placed,
    /// From high to low.
    lower: Vec<Placed>,
}

impl Versions {
    pub(super) fn one(place: Place, tool: Arc<CatalogueTool>) -> Self {
        Self {
            highest: Placed { place, tool },
            lower: Vec::new(),
        }
    }

    pub(super) fn highest(&self) -> &Arc<CatalogueTool> {
        &self.highest.tool
    }

    /// From high to low.
    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<CatalogueTool>> {
        self.placed().map(|placed| &placed.tool)
    }

    fn placed(&self) -> impl Iterator<Item = &Placed> {
        std::iter::once(&self.highest).chain(&self.lower)
    }

    /// Where the first of them was registered: there the tool is listed.
    pub(super) fn first_place(&self) -> Place {
        let first = self.placed().map(|placed| placed.place).min();
        first.unwrap_or(self.highest.place)
    }

    /// The place and source of a version.
    pub(super) fn find(&self, version: &Version) -> Option<(Place, &Arc<str>)> {
        let found = self.placed().find(|placed| placed.version() == version)?;
        Some((found.place, &found.tool.source))
    }

    /// With a version more, which is not there yet.
    pub(super) fn with(&self, place: Place, tool: Arc<CatalogueTool>) -> Self {
        let mut next = self.clone();
        let placed = Placed { place, tool };
        let lower = if placed.version() > next.highest.version() {
            std::mem::replace(&mut next.highest, placed)
        } else {
            placed
        };
        let at = next
            .lower
            .partition_point(|other| other.version() > lower.version());
        next.lower.insert(at, lower);
        next
    }

    /// Without the version that was registered at `place`; `None` when no other is left.
    pub(super) fn without(&self, place: Place) -> Option<Self> {
        let mut left = self.placed().filter(|placed| placed.place != place).cloned();
        Some(Self {
            highest: left.next()?,
            lower: left.collect(),
        })
    }
}
