//! Icons of tools, resources, prompts and servers.

use toolmesh_json::{Value, View};

use crate::{
    mime::{MimeTypeError, check_mime_type},
    uri::{UriError, check_uri},
};

/// Longest source of an icon in bytes: a `data:` URI fits one JSON string of 1 Mi units.
pub const MAX_ICON_SOURCE_BYTES: usize = 1_048_576;

/// Most icons of one entry, and most sizes of one icon: a client picks one of them.
pub const MAX_ICONS: usize = 32;

/// The background an icon is drawn for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IconTheme {
    /// For a light background.
    Light,
    /// For a dark background.
    Dark,
}

/// An icon (MCP `Icon`). Nothing is fetched, and no image is looked at; consumers own trust and rendering.
///
/// [`Icon::new`] and the setters check what they are given; whatever else makes one is checked when its tool, resource,
/// prompt or result is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Icon {
    /// Absolute URI, usually `https:` or `data:`.
    pub source: String,
    /// Media type, when the source does not tell.
    pub mime_type: Option<String>,
    /// Sizes as `WxH` or `any`; empty means unknown.
    pub sizes: Vec<String>,
    /// The theme it is meant for; `None` fits both.
    pub theme: Option<IconTheme>,
}

/// Why something is no icon.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IconError {
    /// Its source is no absolute URI.
    #[error("the source of an icon: {0}")]
    Source(#[from] UriError),
    /// Its media type is none.
    #[error("the media type of an icon: {0}")]
    MimeType(#[from] MimeTypeError),
    /// A size is neither `WxH` nor `any`.
    #[error("size {0} (counted from 1) of an icon is neither `WIDTHxHEIGHT` in decimal digits nor `any`")]
    Size(usize),
    /// More than [`MAX_ICONS`] sizes, or icons of one entry.
    #[error("there are at most {MAX_ICONS} icons, and sizes of one icon")]
    TooMany,
}

impl Icon {
    /// An icon at an absolute URI, which is kept as it is spelled.
    ///
    /// # Errors
    /// [`IconError::Source`] when it is relative or no URI.
    pub fn new(source: impl Into<String>) -> Result<Self, IconError> {
        let source = source.into();
        check_uri(&source, MAX_ICON_SOURCE_BYTES)?;
        Ok(Self {
            source,
            mime_type: None,
            sizes: Vec::new(),
            theme: None,
        })
    }

    /// Sets the media type.
    ///
    /// # Errors
    /// [`IconError::MimeType`]; the icon is then as before.
    pub fn set_mime_type(&mut self, mime_type: impl Into<String>) -> Result<(), IconError> {
        let mime_type = mime_type.into();
        check_mime_type(&mime_type)?;
        self.mime_type = Some(mime_type);
        Ok(())
    }

    /// Sets the sizes, each `WIDTHxHEIGHT` or `any`; order, repetitions and spelling are kept, none clears them.
    ///
    /// # Errors
    /// [`IconError::Size`]; the icon is then as before.
    pub fn set_sizes<S: Into<String>>(
        &mut self,
        sizes: impl IntoIterator<Item = S>,
    ) -> Result<(), IconError> {
        let sizes: Vec<String> = sizes.into_iter().take(MAX_ICONS + 1).map(Into::into).collect();
        check_sizes(&sizes)?;
        self.sizes = sizes;
        Ok(())
    }

    /// Whether it is one: for icons that were not made by [`Icon::new`].
    ///
    /// # Errors
    /// [`IconError`] says what is wrong.
    pub fn check(&self) -> Result<(), IconError> {
        check_uri(&self.source, MAX_ICON_SOURCE_BYTES)?;
        if let Some(mime_type) = &self.mime_type {
            check_mime_type(mime_type)?;
        }
        check_sizes(&self.sizes)
    }

    /// The MCP object.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut icon = Value::object()
            .put("src", self.source.as_str())
            .put_opt("mimeType", self.mime_type.as_deref());
        if !self.sizes.is_empty() {
            icon.insert(
                "sizes",
                self.sizes
                    .iter()
                    .fold(Value::array(), |all, size| all.push(size.as_str())),
            );
        }
        let theme = self.theme.map(|theme| match theme {
            IconTheme::Light => "light",
            IconTheme::Dark => "dark",
        });
        icon.put_opt("theme", theme).build()
    }

    /// Reads the MCP object, leniently: unknown members, and members of another type, are ignored; `None` without a
    /// source. What was read is not checked; see [`Icon::check`].
    #[must_use]
    pub fn from_value(value: View<'_>) -> Option<Self> {
        let text = |name| value.get(name).and_then(View::as_str).map(str::to_owned);
        let sizes = value.get("sizes").and_then(View::as_array);
        Some(Self {
            source: text("src")?,
            mime_type: text("mimeType"),
            sizes: sizes
                .map(|sizes| sizes.iter().filter_map(View::as_str).map(str::to_owned).collect())
                .unwrap_or_default(),
            theme: match value.get("theme").and_then(View::as_str) {
                Some("light") => Some(IconTheme::Light),
                Some("dark") => Some(IconTheme::Dark),
                _ => None,
            },
        })
    }
}

/// Checks the icons of one entry.
pub(crate) fn check_icons(icons: &[Icon]) -> Result<(), IconError> {
    if icons.len() > MAX_ICONS {
        return Err(IconError::TooMany);
    }
    icons.iter().try_for_each(Icon::check)
}

fn check_sizes(sizes: &[String]) -> Result<(), IconError> {
    if sizes.len() > MAX_ICONS {
        return Err(IconError::TooMany);
    }
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let is_size = |text: &str| {
        text == "any"
            || text
                .split_once('x')
                .is_some_and(|(width, height)| is_number(width) && is_number(height))
    };
    match sizes.iter().position(|size| !is_size(size)) {
        None => Ok(()),
        Some(place) => Err(IconError::Size(place + 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_icon_has_an_absolute_source_that_is_kept_as_it_is_spelled() {
        let source = "HTTPS://example.com/a/../i%2Fcon.png";
        assert_eq!(Icon::new(source).unwrap().source, source);
        assert_eq!(Icon::new("icon.png"), Err(IconError::Source(UriError::Relative)));
    }

    #[test]
    fn a_wrong_setting_leaves_the_one_before() {
        let mut icon = Icon::new("https://example.com/i").unwrap();
        icon.set_mime_type("image/png").unwrap();
        icon.set_sizes(["048x48", "any", "any"]).unwrap();
        let before = icon.clone();
        assert_eq!(before.sizes, ["048x48", "any", "any"]);
        assert!(icon.set_mime_type("png").is_err());
        for wrong in [
            "48X48",
            "48",
            "x48",
            "48x",
            "48x48x2",
            "Any",
            " 48x48",
            "４８x48",
            "-1x1",
        ] {
            assert_eq!(icon.set_sizes(["any", wrong]), Err(IconError::Size(2)), "{wrong}");
        }
        assert_eq!(icon, before);
        icon.set_sizes(Vec::<String>::new()).unwrap();
        assert!(icon.sizes.is_empty());
    }

    #[test]
    fn sizes_and_icons_have_a_bound() {
        let mut icon = Icon::new("https://example.com/i").unwrap();
        assert_eq!(icon.set_sizes(vec!["any"; MAX_ICONS]), Ok(()));
        assert_eq!(
            icon.set_sizes(vec!["any"; MAX_ICONS + 1]),
            Err(IconError::TooMany)
        );
        assert_eq!(check_icons(&vec![icon.clone(); MAX_ICONS]), Ok(()));
        assert_eq!(check_icons(&vec![icon; MAX_ICONS + 1]), Err(IconError::TooMany));
        let of = |bytes: usize| Icon::new(format!("data:,{}", "a".repeat(bytes - 6)));
        assert!(of(MAX_ICON_SOURCE_BYTES).is_ok());
        assert!(of(MAX_ICON_SOURCE_BYTES + 1).is_err());
    }

    #[test]
    fn the_wire_form_comes_back_as_it_went() {
        let icon = Icon {
            mime_type: Some("image/png".into()),
            sizes: vec!["48x48".into()],
            theme: Some(IconTheme::Dark),
            ..Icon::new("https://example.com/i").unwrap()
        };
        assert_eq!(Icon::from_value(icon.to_value().view()), Some(icon));
    }
}
