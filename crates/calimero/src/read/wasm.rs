//! The manifest inside a WebAssembly module: a custom section with its compact JSON.

use toolmesh_json::Value;

use super::{ReadError, manifest::manifest_value, parse_json};
use crate::model::Manifest;

/// The name of the custom section.
pub const SECTION: &str = "calimero_abi_v1";

/// The most sections of a module that are looked at. A module has at most a dozen of the known kinds; custom sections
/// may repeat.
pub const MAX_SECTIONS: usize = 10_000;

const MAGIC: [u8; 4] = *b"\0asm";
const VERSION: [u8; 4] = [1, 0, 0, 0];

/// Whether the bytes begin as a module.
pub(super) fn recognises(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Reads the manifest that a module carries: of several, the last whose version is supported.
///
/// # Errors
/// [`ReadError`] when the module is damaged, carries none, or none that is supported.
pub fn embedded_manifest(module: &[u8]) -> Result<Manifest, ReadError> {
    manifest_value(embedded_document(module)?.view())
}

/// The JSON of the manifest that a module carries.
pub(super) fn embedded_document(module: &[u8]) -> Result<Value, ReadError> {
    let mut found = None;
    let mut refused = None;
    for section in custom_sections(module)? {
        match read_section(section) {
            Ok(document) => found = Some(document),
            Err(error) => refused = Some(error),
        }
    }
    found.ok_or_else(|| refused.unwrap_or(ReadError::NoEmbeddedManifest))
}

/// The document of a section, when it is a manifest that can be read.
fn read_section(section: &[u8]) -> Result<Value, ReadError> {
    let value = parse_json(section, "the embedded manifest")?;
    manifest_value(value.view())?;
    Ok(value)
}

/// The contents of the custom sections of our name, in order.
fn custom_sections(module: &[u8]) -> Result<Vec<&[u8]>, ReadError> {
    let mut rest = module
        .strip_prefix(&MAGIC)
        .and_then(|rest| rest.strip_prefix(&VERSION))
        .ok_or(ReadError::Wasm("it does not begin with the header of version 1"))?;
    let mut sections = Vec::new();
    for _ in 0..=MAX_SECTIONS {
        let Some((id, after)) = rest.split_first() else {
            return Ok(sections);
        };
        let (section, after) = sized(after)?;
        rest = after;
        if *id == 0 {
            let (name, contents) = sized(section)?;
            if name == SECTION.as_bytes() {
                sections.push(contents);
            }
        }
    }
    Err(ReadError::Wasm("it has too many sections"))
}

/// As many bytes as the number in front of them says, and what follows them.
fn sized(bytes: &[u8]) -> Result<(&[u8], &[u8]), ReadError> {
    let (size, rest) = leb128(bytes).ok_or(ReadError::Wasm("the size of a section is damaged"))?;
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    rest.split_at_checked(size)
        .ok_or(ReadError::Wasm("a section ends after the module does"))
}

/// An unsigned 32-bit number in LEB128.
fn leb128(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let mut number = 0_u64;
    for (place, byte) in bytes.iter().take(5).enumerate() {
        number |= u64::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return Some((u32::try_from(number).ok()?, bytes.get(place + 1..)?));
        }
    }
    None
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A module of nothing but these custom sections.
    pub(crate) fn module(sections: &[(&str, &str)]) -> Vec<u8> {
        let mut module = [MAGIC, VERSION].concat();
        for (name, contents) in sections {
            let mut body = vec![u8::try_from(name.len()).unwrap()];
            body.extend(name.bytes());
            body.extend(contents.bytes());
            module.push(0);
            let size = u32::try_from(body.len()).unwrap();
            for place in 0..5 {
                let byte = u8::try_from((size >> (7 * place)) & 0x7f).unwrap();
                module.push(if place < 4 { byte | 0x80 } else { byte });
            }
            module.extend(body);
        }
        module
    }

    fn text(version: &str, root: &str) -> String {
        format!(
            r#"{{"schema_version":"{version}","types":{{}},"methods":[],"events":[],"state_root":"{root}"}}"#
        )
    }

    #[test]
    fn the_last_supported_section_is_the_manifest() {
        let (old, new, future) = (
            text("wasm-abi/1", "Old"),
            text("wasm-abi/1.1", "New"),
            text("wasm-abi/2", "F"),
        );
        let bytes = module(&[
            (SECTION, &old),
            ("producers", "x"),
            (SECTION, &new),
            (SECTION, &future),
        ]);
        assert_eq!(
            embedded_manifest(&bytes).unwrap().state_root.as_deref(),
            Some("New")
        );
        let only_future = module(&[(SECTION, &future)]);
        assert!(matches!(
            embedded_manifest(&only_future),
            Err(ReadError::UnsupportedVersion(_))
        ));
    }

    #[test]
    fn a_module_without_the_section_says_so() {
        assert_eq!(
            embedded_manifest(&module(&[("name", "")])),
            Err(ReadError::NoEmbeddedManifest)
        );
    }

    #[test]
    fn a_module_cut_anywhere_is_refused_and_never_a_panic() {
        let whole = module(&[(SECTION, &text("wasm-abi/1", "A"))]);
        for end in 0..whole.len() {
            assert!(
                embedded_manifest(whole.get(..end).unwrap()).is_err(),
                "cut at {end}"
            );
        }
        assert!(embedded_manifest(&whole).is_ok());
    }

    #[test]
    fn the_number_of_sections_is_bounded() {
        let sections = |count| module(&vec![("x", ""); count]);
        assert_eq!(
            embedded_manifest(&sections(MAX_SECTIONS)),
            Err(ReadError::NoEmbeddedManifest)
        );
        assert_eq!(
            embedded_manifest(&sections(MAX_SECTIONS + 1)),
            Err(ReadError::Wasm("it has too many sections"))
        );
    }
}
