//! Resources: what a client may read.

use std::{fmt, sync::Arc};

use futures_util::future::BoxFuture;
use indexmap::IndexMap;

use crate::{
    CallContext, CallError, CompletionValues, ContentAnnotations, Following, Icon, ResourceContents,
    Revisions, Round, UriTemplate,
};

/// Reads a resource, or every resource of a template, and completes a template's variables.
pub trait ResourceReader: Send + Sync + 'static {
    /// Reads `uri`; `variables` are those that the template matched, decoded, and empty for a plain resource.
    ///
    /// # Errors
    /// [`CallError::NotFound`] when there is nothing at `uri`, else a [`CallError`] of the reader's choice.
    fn read<'a>(
        &'a self,
        context: CallContext,
        uri: &'a str,
        variables: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<Vec<ResourceContents>, CallError>>;

    /// As [`ResourceReader::read`], for a resource that may ask the client for something first and is read again with the
    /// answers ([`CallContext::input_responses`]). One that never asks need not write this.
    ///
    /// # Errors
    /// As [`ResourceReader::read`].
    fn round<'a>(
        &'a self,
        context: CallContext,
        uri: &'a str,
        variables: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<Round<Vec<ResourceContents>>, CallError>> {
        Box::pin(async move { self.read(context, uri, variables).await.map(Round::Done) })
    }

    /// Values for a variable that start with what was typed; none by default.
    fn complete(&self, variable: &str, typed: &str, settled: &IndexMap<String, String>) -> CompletionValues {
        let _ = (variable, typed, settled);
        CompletionValues::default()
    }

    /// As [`ResourceReader::complete`], for a source that has to ask somebody for the values. One that has them at hand
    /// need not write this.
    ///
    /// # Errors
    /// A [`CallError`] of the reader's choice.
    fn suggest<'a>(
        &'a self,
        context: CallContext,
        variable: &'a str,
        typed: &'a str,
        settled: &'a IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<CompletionValues, CallError>> {
        let _ = context;
        Box::pin(async move { Ok(self.complete(variable, typed, settled)) })
    }

    /// Takes note that somebody follows the resource at `uri`, for as long as the returned value is kept. For a source
    /// that must ask somebody to be told of changes; updates go the usual way ([`crate::Mount::resource_updated`]). One
    /// that sees every change by itself need not write this.
    ///
    /// # Errors
    /// A [`CallError`] of the reader's choice, when the resource cannot be followed.
    fn follow<'a>(&'a self, uri: &'a str) -> BoxFuture<'a, Result<Following, CallError>> {
        let _ = uri;
        Box::pin(async { Ok(Following::default()) })
    }
}

/// What a resource and a template tell of themselves alike.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ResourceInfo {
    /// A name for programs.
    pub name: String,
    /// A title for people.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// Its media type.
    pub mime_type: Option<String>,
    /// Hints for the client.
    pub annotations: Option<ContentAnnotations>,
    /// Icons.
    pub icons: Vec<Icon>,
    /// In which protocol revisions it is there.
    pub revisions: Revisions,
}

/// A resource at one URI.
#[derive(Clone)]
pub struct Resource {
    /// Its URI.
    pub uri: String,
    /// What it tells of itself.
    pub info: ResourceInfo,
    /// Its size in bytes, when known.
    pub size: Option<u64>,
    /// What reads it.
    pub reader: Arc<dyn ResourceReader>,
}

/// A family of resources under one URI template.
#[derive(Clone)]
pub struct ResourceTemplate {
    /// The template.
    pub template: UriTemplate,
    /// What it tells of itself.
    pub info: ResourceInfo,
    /// What reads each of them.
    pub reader: Arc<dyn ResourceReader>,
}

impl fmt::Debug for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resource")
            .field("uri", &self.uri)
            .field("info", &self.info)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for ResourceTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResourceTemplate")
            .field("template", &self.template)
            .field("info", &self.info)
            .finish_non_exhaustive()
    }
}
