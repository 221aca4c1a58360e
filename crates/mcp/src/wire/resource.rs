//! Resources, templates, and contents.

use toolmesh_tool::{Resource, ResourceContents, ResourceInfo, ResourceTemplate};

use super::{
    ObjectWriter,
    content::{write_annotations, write_resource_contents},
    icon::write_icons,
};
use crate::revision::Projection;

/// Writes a resource's descriptor.
pub(crate) fn write_resource(out: &mut Vec<u8>, resource: &Resource, projection: &Projection) {
    let mut object = ObjectWriter::open(out);
    object.text("uri", &resource.uri);
    write_info(&mut object, &resource.info, projection);
    if let Some(size) = resource.size {
        object.integer("size", size);
    }
    object.close();
}

/// Writes a resource template's descriptor.
pub(crate) fn write_template(out: &mut Vec<u8>, template: &ResourceTemplate, projection: &Projection) {
    let mut object = ObjectWriter::open(out);
    object.text("uriTemplate", template.template.as_str());
    write_info(&mut object, &template.info, projection);
    object.close();
}

/// Writes the `contents` of a read.
pub(crate) fn write_contents(object: &mut ObjectWriter<'_>, contents: &[ResourceContents]) {
    object.array("contents", |array| {
        for item in contents {
            write_resource_contents(array.item(), item);
        }
    });
}

fn write_info(object: &mut ObjectWriter<'_>, info: &ResourceInfo, projection: &Projection) {
    object.text("name", &info.name);
    object.text_opt("title", info.title.as_deref());
    object.text_opt("description", info.description.as_deref());
    object.text_opt("mimeType", info.mime_type.as_deref());
    write_icons(object, &info.icons, projection);
    write_annotations(object, info.annotations.as_ref());
}
