//! What every kind of entry tells of itself alike.

use toolmesh_json::View;
use toolmesh_tool::{ContentAnnotations, Icon, MAX_ICONS, ResourceInfo, Role};

use crate::client::peer::text;

/// The `icons` of an entry. What is no icon by its syntax is left out: an entry is worth more than its picture.
pub(in crate::client) fn icons(entry: View<'_>) -> Vec<Icon> {
    let icons = entry.get("icons").and_then(View::as_array);
    let icons = icons.into_iter().flat_map(|icons| icons.iter());
    icons
        .filter_map(Icon::from_value)
        .filter(|icon| icon.check().is_ok())
        .take(MAX_ICONS)
        .collect()
}

/// The `annotations` of a resource or of content.
pub(super) fn annotations(of: View<'_>) -> Option<ContentAnnotations> {
    let found = of.get("annotations")?;
    found.as_object()?;
    let audience = found.get("audience").and_then(View::as_array);
    let audience = audience.into_iter().flat_map(|audience| audience.iter());
    Some(ContentAnnotations {
        audience: audience.filter_map(role).collect(),
        priority: found
            .get("priority")
            .and_then(View::as_number)
            .map(|number| number.to_f64()),
        last_modified: text(found, "lastModified"),
    })
}

/// Who speaks, or who is meant.
pub(super) fn role(value: View<'_>) -> Option<Role> {
    match value.as_str() {
        Some("user") => Some(Role::User),
        Some("assistant") => Some(Role::Assistant),
        _ => None,
    }
}

/// What a resource or a template tells of itself.
pub(super) fn resource_info(entry: View<'_>) -> ResourceInfo {
    ResourceInfo {
        name: text(entry, "name").unwrap_or_default(),
        title: text(entry, "title"),
        description: text(entry, "description"),
        mime_type: text(entry, "mimeType"),
        annotations: annotations(entry),
        icons: icons(entry),
        ..ResourceInfo::default()
    }
}
