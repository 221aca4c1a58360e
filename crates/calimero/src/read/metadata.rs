//! What a package says of itself: name, icon, guide.

use toolmesh_json::View;

/// The longest guide that is kept, in bytes; the registry takes 16 KiB.
const MAX_GUIDE_BYTES: usize = 64 * 1024;

/// What a package says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Metadata {
    pub(crate) name: Option<String>,
    pub(crate) icon: Option<String>,
    pub(crate) guide: Option<String>,
}

impl Metadata {
    /// Reads the members of an object; members of another type are not there.
    pub(crate) fn of(value: View<'_>) -> Self {
        let text = |key: &str| {
            let text = value.get(key).and_then(View::as_str)?;
            (!text.trim().is_empty()).then_some(text)
        };
        Self {
            name: text("name").map(|text| text.trim().to_owned()),
            icon: text("icon").map(|text| text.trim().to_owned()),
            guide: text("guide")
                .filter(|guide| guide.len() <= MAX_GUIDE_BYTES)
                .map(str::to_owned),
        }
    }
}
