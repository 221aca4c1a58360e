//! What resources, templates and prompts must be to be published.

use std::collections::HashSet;

use crate::{
    ContentError, IconError, MAX_TEXT_BYTES, MAX_URI_BYTES, Prompt, Resource, ResourceInfo, ResourceTemplate,
    UriError, icon::check_icons, uri::check_uri,
};

/// Longest name of a resource, and of a prompt's argument, in bytes.
pub const MAX_ENTRY_NAME_BYTES: usize = 1_024;

/// Most arguments of a prompt: a person fills them in.
pub const MAX_PROMPT_ARGUMENTS: usize = 64;

/// Why a resource, a template or a prompt cannot be published.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EntryError {
    /// Its URI is no absolute URI.
    #[error(transparent)]
    Uri(#[from] UriError),
    /// An icon is none.
    #[error(transparent)]
    Icon(#[from] IconError),
    /// Its annotations are not well formed.
    #[error(transparent)]
    Annotations(#[from] ContentError),
    /// A title or description is longer than [`MAX_TEXT_BYTES`].
    #[error("a title and a description have at most {MAX_TEXT_BYTES} bytes each")]
    TextTooLong,
    /// A name is empty (of an argument) or longer than [`MAX_ENTRY_NAME_BYTES`].
    #[error("a name has at most {MAX_ENTRY_NAME_BYTES} bytes, and that of an argument at least one")]
    Name,
    /// More than [`MAX_PROMPT_ARGUMENTS`].
    #[error("a prompt has at most {MAX_PROMPT_ARGUMENTS} arguments")]
    TooManyArguments,
    /// Two arguments of a prompt have one name.
    #[error("the argument `{0}` is declared twice")]
    ArgumentTwice(String),
    /// It names no protocol revision, one twice, or too many.
    #[error("name each protocol revision once, or none for all")]
    Revisions,
}

impl Resource {
    /// Whether it can be published; a source that does not want one entry to keep all others out asks before.
    ///
    /// # Errors
    /// [`EntryError`] says what is wrong.
    pub fn check(&self) -> Result<(), EntryError> {
        check_uri(&self.uri, MAX_URI_BYTES)?;
        check_info(&self.info)
    }
}

impl ResourceTemplate {
    /// Whether it can be published.
    ///
    /// # Errors
    /// [`EntryError`] says what is wrong.
    pub fn check(&self) -> Result<(), EntryError> {
        check_info(&self.info)
    }
}

impl Prompt {
    /// Whether it can be published.
    ///
    /// # Errors
    /// [`EntryError`] says what is wrong.
    pub fn check(&self) -> Result<(), EntryError> {
        check_texts([&self.title, &self.description])?;
        check_icons(&self.icons)?;
        if self.arguments.len() > MAX_PROMPT_ARGUMENTS {
            return Err(EntryError::TooManyArguments);
        }
        let mut names = HashSet::new();
        for argument in &self.arguments {
            if argument.name.is_empty() || argument.name.len() > MAX_ENTRY_NAME_BYTES {
                return Err(EntryError::Name);
            }
            if !names.insert(&argument.name) {
                return Err(EntryError::ArgumentTwice(argument.name.clone()));
            }
            check_texts([&argument.title, &argument.description])?;
        }
        check_revisions(self.revisions.are_usable())
    }
}

fn check_info(info: &ResourceInfo) -> Result<(), EntryError> {
    if info.name.len() > MAX_ENTRY_NAME_BYTES {
        return Err(EntryError::Name);
    }
    check_texts([&info.title, &info.description])?;
    check_icons(&info.icons)?;
    if let Some(annotations) = &info.annotations {
        annotations.check()?;
    }
    check_revisions(info.revisions.are_usable())
}

fn check_texts(texts: [&Option<String>; 2]) -> Result<(), EntryError> {
    let too_long = |text: &&Option<String>| text.as_ref().is_some_and(|text| text.len() > MAX_TEXT_BYTES);
    if texts.iter().any(too_long) {
        return Err(EntryError::TextTooLong);
    }
    Ok(())
}

fn check_revisions(are_usable: bool) -> Result<(), EntryError> {
    if are_usable {
        Ok(())
    } else {
        Err(EntryError::Revisions)
    }
}
