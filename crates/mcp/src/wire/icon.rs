//! Icons.

use toolmesh_json::write_value;
use toolmesh_tool::Icon;

use super::ObjectWriter;
use crate::revision::Projection;

/// Writes the `icons` member, where the revision has it and there are any.
pub(super) fn write_icons(object: &mut ObjectWriter<'_>, icons: &[Icon], projection: &Projection) {
    if projection.icons {
        write_kept_icons(object, icons);
    }
}

/// Writes the `icons` member when there are any.
pub(super) fn write_kept_icons(object: &mut ObjectWriter<'_>, icons: &[Icon]) {
    if icons.is_empty() {
        return;
    }
    object.array("icons", |array| {
        for icon in icons {
            write_value(array.item(), icon.to_value().view());
        }
    });
}
