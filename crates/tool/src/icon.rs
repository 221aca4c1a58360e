//! Icons of tools, resources, prompts and servers.

use toolmesh_json::Value;

/// The background an icon is drawn for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IconTheme {
    /// For a light background.
    Light,
    /// For a dark background.
    Dark,
}

/// An icon (MCP `Icon`). Nothing is fetched or checked beyond the shape; consumers own trust and rendering.
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

impl Icon {
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
}
