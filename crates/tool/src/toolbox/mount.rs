//! A source's place in the toolbox.

use std::sync::Arc;

use semver::Version;

use super::{
    Shared,
    check::EntryError,
    entry::{CatalogueTool, Entry},
};
use crate::{NameError, Prompt, Resource, ResourceTemplate, Tool, ToolName, UriTemplate, UriTemplateError};

/// What stands before the names of a source's entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prefix {
    /// Nothing.
    None,
    /// `<name>_` before tool and prompt names and before the authority of URIs.
    Name(String),
}

impl Prefix {
    /// A name as it is published.
    fn put_before(&self, name: &str) -> String {
        match self {
            Self::None => name.to_owned(),
            Self::Name(prefix) => format!("{prefix}_{name}"),
        }
    }

    /// A URI as it is published: the prefix stands before its authority, when it has one.
    #[must_use]
    pub fn put_before_uri(&self, uri: &str) -> String {
        match uri.split_once("://") {
            Some((scheme, rest)) => format!("{scheme}://{}", self.put_before(rest)),
            None => uri.to_owned(),
        }
    }

    /// The URI that was published as `uri`; `None` when none can have been.
    #[must_use]
    pub fn take_from_uri(&self, uri: &str) -> Option<String> {
        let (Self::Name(prefix), Some((scheme, rest))) = (self, uri.split_once("://")) else {
            return Some(uri.to_owned());
        };
        let rest = rest.strip_prefix(prefix.as_str())?.strip_prefix('_')?;
        Some(format!("{scheme}://{rest}"))
    }
}

/// What a source puts into the toolbox.
#[derive(Debug, Default)]
pub struct Entries {
    /// Tools.
    pub tools: Vec<Tool>,
    /// Resources.
    pub resources: Vec<Resource>,
    /// Resource templates.
    pub templates: Vec<ResourceTemplate>,
    /// Prompts.
    pub prompts: Vec<Prompt>,
}

impl From<Vec<Tool>> for Entries {
    fn from(tools: Vec<Tool>) -> Self {
        Self {
            tools,
            ..Self::default()
        }
    }
}

/// Why entries do not fit into the toolbox; nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MountError {
    /// Two sources have one name.
    #[error("two sources are called `{0}`; give one of them another name")]
    SourceName(String),
    /// Two entries want one place.
    #[error(
        "{what} comes from source `{first}` and from source `{second}`; give one of them a prefix or leave it out"
    )]
    Collision {
        /// The tool, resource, template or prompt.
        what: String,
        /// The source that holds the place.
        first: String,
        /// The source that wants it too.
        second: String,
    },
    /// A name with its prefix is no tool name.
    #[error(
        "with its prefix, `{name}` of source `{origin}` is no allowed name: {reason}; choose a shorter prefix"
    )]
    Name {
        /// The name with its prefix.
        name: String,
        /// The source.
        origin: String,
        /// Why.
        reason: NameError,
    },
    /// A URI template with its prefix is not valid any more.
    #[error("with its prefix, the URI template `{template}` of source `{origin}` is not valid: {reason}")]
    Template {
        /// The template with its prefix.
        template: String,
        /// The source.
        origin: String,
        /// Why.
        reason: UriTemplateError,
    },
    /// A resource, a template or a prompt cannot be published.
    #[error("{what} of source `{origin}`: {reason}")]
    Entry {
        /// The entry, under its published name.
        what: String,
        /// The source.
        origin: String,
        /// Why.
        reason: EntryError,
    },
    /// There would be too much in the toolbox.
    #[error("the toolbox would hold more than {max} {what}; offer fewer of them")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// The most that fits.
        max: usize,
    },
}

/// A source's place in the toolbox: the only way to change what it offers. Dropping a mount changes nothing; see
/// [`Mount::withdraw`].
#[derive(Debug)]
pub struct Mount {
    shared: Arc<Shared>,
    source: Arc<str>,
    /// Its place in the order of mounting.
    number: u64,
    prefix: Prefix,
    filter: Option<Filter>,
}

/// Says of a tool, by its published name, whether it is offered at all.
type Keep = dyn Fn(&ToolName, &Tool) -> bool + Send + Sync;

/// Which tools of a source are offered.
#[derive(Clone)]
struct Filter(Arc<Keep>);

impl std::fmt::Debug for Filter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Filter")
    }
}

impl Mount {
    pub(super) fn new(shared: Arc<Shared>, source: &str, prefix: Prefix) -> Result<Self, MountError> {
        let source: Arc<str> = source.into();
        let number = shared.change(|edit| edit.add_source(&source))?;
        Ok(Self {
            shared,
            source,
            number,
            prefix,
            filter: None,
        })
    }

    /// Offers only those tools for which `keep` (asked with the published name) says yes, now and after every later
    /// change. What it leaves out is not in the toolbox, so no front can reach it by any name.
    #[must_use]
    pub fn with_filter(mut self, keep: impl Fn(&ToolName, &Tool) -> bool + Send + Sync + 'static) -> Self {
        self.filter = Some(Filter(Arc::new(keep)));
        self
    }

    /// What stands before the names of the entries.
    #[must_use]
    pub fn prefix(&self) -> &Prefix {
        &self.prefix
    }

    /// The source's name.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Offers exactly these entries from now on, in one step.
    ///
    /// # Errors
    /// [`MountError`] on a collision or a name that is not allowed; then nothing changed.
    pub fn replace(&self, entries: impl Into<Entries>) -> Result<(), MountError> {
        let published = self.publish(entries.into())?;
        self.shared.change(|edit| edit.replace(self.number, published))
    }

    /// Offers these entries beside those that are there, in one step.
    ///
    /// # Errors
    /// As [`Mount::replace`].
    pub fn add(&self, entries: impl Into<Entries>) -> Result<(), MountError> {
        self.exchange(&[], entries)
    }

    /// Takes back tools (by the source's own name for them) and offers other entries, in one step: for a source of
    /// many tools that follows something live. Tools that are not there are no failure.
    ///
    /// # Errors
    /// As [`Mount::replace`].
    pub fn exchange(
        &self,
        removed: &[(ToolName, Version)],
        added: impl Into<Entries>,
    ) -> Result<(), MountError> {
        let published = self.publish(added.into())?;
        let names = removed
            .iter()
            .map(|(name, version)| Ok((self.name(name)?, version)));
        let names = names.collect::<Result<Vec<_>, MountError>>()?;
        self.shared.change(|edit| {
            for (name, version) in &names {
                edit.remove_tool(self.number, name, version);
            }
            edit.add(self.number, published)
        })
    }

    /// Takes back every entry and the source's name.
    pub fn withdraw(self) {
        let withdrawn = self.shared.change(|edit| {
            edit.remove_source(self.number);
            Ok(())
        });
        // Fewer entries neither collide nor are too many.
        debug_assert!(withdrawn.is_ok());
    }

    /// Tells watchers that the contents of the resource at `uri` (without prefix) changed.
    pub fn resource_updated(&self, uri: &str) {
        // Nobody listening is no failure.
        let _ = self.shared.updates.send(self.uri(uri));
    }

    /// Whether anybody watches resources at present, so that following something live is worth its cost.
    #[must_use]
    pub fn is_watched(&self) -> bool {
        self.shared.updates.receiver_count() > 0
    }

    fn publish(&self, entries: Entries) -> Result<Vec<Entry>, MountError> {
        let mut published = Vec::new();
        for tool in entries.tools {
            let name = self.name(tool.name())?;
            if self
                .filter
                .as_ref()
                .is_some_and(|filter| !(filter.0)(&name, &tool))
            {
                continue;
            }
            published.push(Entry::Tool(Arc::new(CatalogueTool {
                name,
                aliases: tool.aliases().iter().map(|alias| self.prefixed(alias)).collect(),
                source: Arc::clone(&self.source),
                tool,
            })));
        }
        for mut resource in entries.resources {
            resource.uri = self.uri(&resource.uri);
            let checked = resource.check();
            published.push(self.checked(Entry::Resource(Arc::new(resource)), checked)?);
        }
        for mut found in entries.templates {
            found.template = self.template(&found.template)?;
            let checked = found.check();
            published.push(self.checked(Entry::Template(Arc::new(found)), checked)?);
        }
        for mut prompt in entries.prompts {
            prompt.name = self.name(&prompt.name)?;
            let checked = prompt.check();
            published.push(self.checked(Entry::Prompt(Arc::new(prompt)), checked)?);
        }
        Ok(published)
    }

    fn checked(&self, entry: Entry, checked: Result<(), EntryError>) -> Result<Entry, MountError> {
        match checked {
            Ok(()) => Ok(entry),
            Err(reason) => Err(MountError::Entry {
                what: entry.describe(),
                origin: self.source.to_string(),
                reason,
            }),
        }
    }

    fn prefixed(&self, text: &str) -> String {
        self.prefix.put_before(text)
    }

    fn name(&self, name: &ToolName) -> Result<ToolName, MountError> {
        if self.prefix == Prefix::None {
            return Ok(name.clone());
        }
        let name = self.prefixed(name.as_str());
        ToolName::new(&name).map_err(|reason| MountError::Name {
            name,
            origin: self.source.to_string(),
            reason,
        })
    }

    fn uri(&self, uri: &str) -> String {
        self.prefix.put_before_uri(uri)
    }

    fn template(&self, template: &UriTemplate) -> Result<UriTemplate, MountError> {
        if self.prefix == Prefix::None {
            return Ok(template.clone());
        }
        let text = self.uri(template.as_str());
        UriTemplate::parse(&text).map_err(|reason| MountError::Template {
            template: text,
            origin: self.source.to_string(),
            reason,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prefix_of_a_uri_comes_off_as_it_was_put_on() {
        let prefix = Prefix::Name("up".into());
        for uri in ["test://static", "test://template/{id}", "test://", "urn:x"] {
            let published = prefix.put_before_uri(uri);
            assert_eq!(prefix.take_from_uri(&published).as_deref(), Some(uri));
            assert_eq!(Prefix::None.put_before_uri(uri), uri);
            assert_eq!(Prefix::None.take_from_uri(uri).as_deref(), Some(uri));
        }
        assert_eq!(prefix.put_before_uri("test://a/b"), "test://up_a/b");
        assert_eq!(prefix.take_from_uri("test://other_a"), None);
    }
}
