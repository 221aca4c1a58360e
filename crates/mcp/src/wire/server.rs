//! The server's description of itself.

use super::{ObjectWriter, icon::write_kept_icons};
use crate::{revision::ServerForm, server::ServerInfo};

/// Writes the `Implementation` object.
pub(crate) fn write_server(out: &mut Vec<u8>, info: &ServerInfo, form: ServerForm) {
    let mut object = ObjectWriter::open(out);
    object.text("name", &info.name);
    object.text_opt("title", info.title.as_deref());
    object.text("version", &info.version);
    if form == ServerForm::Full {
        object.text_opt("description", info.description.as_deref());
        write_kept_icons(&mut object, &info.icons);
        object.text_opt("websiteUrl", info.website.as_deref());
    }
    object.close();
}
