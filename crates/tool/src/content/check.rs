//! What content must be before it leaves.

use toolmesh_json::Value;

use super::{
    ContentAnnotations, ContentBlock, EmbeddedResource, MediaContent, ResourceContents, ResourceLink,
    moment::is_moment,
};
use crate::{
    icon::{IconError, check_icons},
    mime::{MimeTypeError, check_mime_type},
    uri::{MAX_URI_BYTES, UriError, check_uri},
};

/// Most roles in an audience: there are two.
const MAX_AUDIENCE: usize = 2;

/// Why content is not well formed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContentError {
    /// The media type of an image or of sound is none.
    #[error("the media type of an image or of sound: {0}")]
    MimeType(#[from] MimeTypeError),
    /// The URI of a link or of a resource is no absolute URI.
    #[error("the URI of a resource: {0}")]
    Uri(#[from] UriError),
    /// A link has no name.
    #[error("a link to a resource needs a name")]
    NoName,
    /// An icon of a link is none.
    #[error(transparent)]
    Icon(#[from] IconError),
    /// A priority is not from 0 to 1.
    #[error("a priority is a number from 0 to 1")]
    Priority,
    /// An audience names a role twice.
    #[error("an audience names each role once")]
    Audience,
    /// The last modification is no moment.
    #[error("the last modification is a date, or a date and time, as ISO 8601 has it: 2026-11-30T12:00:00Z")]
    LastModified,
    /// Metadata is not an object.
    #[error("the metadata (`_meta`) of content is an object")]
    Meta,
}

impl ContentBlock {
    /// Whether it is well formed: media types, URIs, icons, annotations and metadata. Texts always are.
    ///
    /// # Errors
    /// [`ContentError`] says what is wrong.
    pub fn check(&self) -> Result<(), ContentError> {
        match self {
            Self::Text(text) => check_hints(text.annotations.as_ref(), text.meta.as_ref()),
            Self::Image(media) | Self::Audio(media) => media.check(),
            Self::ResourceLink(link) => link.check(),
            Self::Resource(embedded) => embedded.check(),
        }
    }
}

impl ContentAnnotations {
    /// Whether they are well formed.
    ///
    /// # Errors
    /// [`ContentError`] says what is wrong.
    pub fn check(&self) -> Result<(), ContentError> {
        let twice = self.audience.len() == MAX_AUDIENCE && self.audience.first() == self.audience.last();
        if twice || self.audience.len() > MAX_AUDIENCE {
            return Err(ContentError::Audience);
        }
        if self
            .priority
            .is_some_and(|priority| !(0.0..=1.0).contains(&priority))
        {
            return Err(ContentError::Priority);
        }
        match &self.last_modified {
            Some(text) if !is_moment(text) => Err(ContentError::LastModified),
            _ => Ok(()),
        }
    }
}

impl MediaContent {
    /// Binary content of a media type, whose spelling is kept.
    ///
    /// # Errors
    /// [`ContentError::MimeType`].
    pub fn new(data: impl Into<Vec<u8>>, mime_type: impl Into<String>) -> Result<Self, ContentError> {
        let mime_type = mime_type.into();
        check_mime_type(&mime_type)?;
        Ok(Self {
            data: data.into(),
            mime_type,
            annotations: None,
            meta: None,
        })
    }

    fn check(&self) -> Result<(), ContentError> {
        check_mime_type(&self.mime_type)?;
        check_hints(self.annotations.as_ref(), self.meta.as_ref())
    }
}

impl ResourceLink {
    /// A link to the resource at an absolute URI.
    ///
    /// # Errors
    /// [`ContentError::Uri`], or [`ContentError::NoName`] when the name is empty.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Result<Self, ContentError> {
        let link = Self {
            uri: uri.into(),
            name: name.into(),
            ..Self::default()
        };
        link.check()?;
        Ok(link)
    }

    fn check(&self) -> Result<(), ContentError> {
        check_uri(&self.uri, MAX_URI_BYTES)?;
        if self.name.is_empty() {
            return Err(ContentError::NoName);
        }
        check_icons(&self.icons)?;
        check_hints(self.annotations.as_ref(), self.meta.as_ref())
    }
}

impl EmbeddedResource {
    fn check(&self) -> Result<(), ContentError> {
        self.resource.check()?;
        check_hints(self.annotations.as_ref(), self.meta.as_ref())
    }
}

impl ResourceContents {
    /// Whether they are well formed.
    ///
    /// # Errors
    /// [`ContentError`] says what is wrong.
    pub fn check(&self) -> Result<(), ContentError> {
        check_uri(&self.uri, MAX_URI_BYTES)?;
        check_meta(self.meta.as_ref())
    }
}

fn check_hints(annotations: Option<&ContentAnnotations>, meta: Option<&Value>) -> Result<(), ContentError> {
    if let Some(annotations) = annotations {
        annotations.check()?;
    }
    check_meta(meta)
}

/// Metadata is an object.
pub(crate) fn check_meta(meta: Option<&Value>) -> Result<(), ContentError> {
    match meta {
        Some(meta) if meta.view().as_object().is_none() => Err(ContentError::Meta),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Icon, Role, TextContent};

    #[test]
    fn media_have_a_media_type_in_its_own_spelling() {
        assert_eq!(
            MediaContent::new([1], "Image/PNG").unwrap().mime_type,
            "Image/PNG"
        );
        assert_eq!(
            MediaContent::new([1], "png"),
            Err(ContentError::MimeType(MimeTypeError::Type))
        );
    }

    #[test]
    fn a_link_has_an_absolute_uri_a_name_and_icons_that_are_some() {
        let mut link = ResourceLink::new("test://a", "a").unwrap();
        assert_eq!(
            ResourceLink::new("a", "a"),
            Err(ContentError::Uri(UriError::Relative))
        );
        assert_eq!(ResourceLink::new("test://a", ""), Err(ContentError::NoName));
        link.icons.push(Icon {
            source: "i.png".into(),
            ..Icon::new("test:i").unwrap()
        });
        assert!(matches!(
            ContentBlock::ResourceLink(link).check(),
            Err(ContentError::Icon(_))
        ));
    }

    #[test]
    fn annotations_have_roles_once_a_priority_from_0_to_1_and_a_moment() {
        let check = |audience: &[Role], priority, last_modified: Option<&str>| {
            let annotations = ContentAnnotations {
                audience: audience.to_vec(),
                priority,
                last_modified: last_modified.map(str::to_owned),
            };
            let annotations = Some(annotations);
            ContentBlock::Text(TextContent {
                annotations,
                ..TextContent::new("t")
            })
            .check()
        };
        assert_eq!(
            check(&[Role::User, Role::Assistant], Some(0.0), Some("2026-02-28")),
            Ok(())
        );
        assert_eq!(check(&[], Some(1.0), None), Ok(()));
        assert_eq!(
            check(&[Role::User, Role::User], None, None),
            Err(ContentError::Audience)
        );
        for priority in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert_eq!(check(&[], Some(priority), None), Err(ContentError::Priority));
        }
        assert_eq!(
            check(&[], None, Some("yesterday")),
            Err(ContentError::LastModified)
        );
    }

    #[test]
    fn metadata_is_an_object() {
        let text = TextContent {
            meta: Some(Value::from(1)),
            ..TextContent::new("")
        };
        assert_eq!(ContentBlock::Text(text).check(), Err(ContentError::Meta));
    }
}
