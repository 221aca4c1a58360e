//! WebAssembly modules of small applications, written by hand, because no compiler for them is needed then.

/// The text of the application `notes`.
const NOTES: &str = include_str!("../guests/notes.wat");

/// The manifest of the application `notes`.
pub const NOTES_MANIFEST: &str = include_str!("../guests/notes.json");

/// The name of the custom section of a manifest.
const SECTION: &str = "calimero_abi_v1";

/// The module of `notes`, which keeps a note and does whatever an application must not do, with its manifest in it.
#[must_use]
pub fn notes() -> Vec<u8> {
    notes_with(NOTES_MANIFEST)
}

/// The module of `notes` with another manifest in it.
#[must_use]
pub fn notes_with(manifest: &str) -> Vec<u8> {
    module(NOTES, Some(manifest))
}

/// The module of a text in the WebAssembly text format, with a manifest in it or without.
///
/// # Panics
/// When the text is no module.
#[must_use]
pub fn module(text: &str, manifest: Option<&str>) -> Vec<u8> {
    let mut module = match wat::parse_str(text) {
        Ok(module) => module,
        Err(error) => panic!("this is no module: {error}"),
    };
    if let Some(manifest) = manifest {
        let name = SECTION.as_bytes();
        let body = [&leb128(name.len()), name, manifest.as_bytes()].concat();
        module.push(0);
        module.extend(leb128(body.len()));
        module.extend(body);
    }
    module
}

/// A number in LEB128.
fn leb128(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let [low, ..] = (number & 0x7f).to_le_bytes();
        number >>= 7;
        if number == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}
