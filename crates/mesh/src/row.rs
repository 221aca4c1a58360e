//! What a host announces of a tool: light, with large schemas told by their digests.

use std::{fmt, sync::Arc};

use hex::FromHex;
use sha2::{Digest, Sha256};
use toolmesh_json::{Value, View};
use toolmesh_tool::{SchemaForm, ToolDescriptor, semver::Version};

/// Longest schema that a row carries in full, in bytes: most tools need no second question, and ten thousand tools stay
/// a few megabytes.
pub const MAX_INLINE_SCHEMA_BYTES: usize = 2_048;

/// Largest row in bytes: the longest description and a few long tags fit.
pub const MAX_ROW_BYTES: usize = 262_144;

const INPUT_DIGEST: &str = "input_schema_sha256";
const OUTPUT_DIGEST: &str = "output_schema_sha256";
const ACCEPTS_OTHERS: &str = "accepts_other_spellings";

/// The SHA-256 digest of a schema's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SchemaDigest([u8; 32]);

impl SchemaDigest {
    pub(crate) fn of(text: &str) -> Self {
        Self(Sha256::digest(text.as_bytes()).into())
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        // One digest has one text.
        let is_lower = !text.bytes().any(|byte| byte.is_ascii_uppercase());
        let digest = is_lower.then(|| FromHex::from_hex(text).ok()).flatten();
        digest.map(Self)
    }
}

impl fmt::Display for SchemaDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

/// One version of a tool.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ToolKey {
    pub(crate) tool_id: String,
    pub(crate) version: Version,
}

/// The requirement that only this version meets. The build of a version is no part of one.
pub(crate) fn exactly(version: &Version) -> String {
    let core = format!("={}.{}.{}", version.major, version.minor, version.patch);
    if version.pre.is_empty() {
        core
    } else {
        format!("{core}-{}", version.pre)
    }
}

/// What is announced of one version of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolRow {
    /// Without schemas that are too long for a row.
    pub(crate) descriptor: ToolDescriptor,
    pub(crate) input: Option<SchemaDigest>,
    pub(crate) output: Option<SchemaDigest>,
    /// The host accepts other spellings of arguments than those of the schema.
    pub(crate) accepts_others: bool,
    /// As how many bytes it was announced; 0 for one that is yet to be.
    pub(crate) bytes: usize,
}

impl ToolRow {
    /// The row of a descriptor, and the schemas that it tells only by their digests.
    pub(crate) fn of(mut descriptor: ToolDescriptor) -> (Self, Vec<(SchemaDigest, Arc<str>)>) {
        let mut apart = Vec::new();
        let mut light = |schema: &mut Option<String>| {
            let text = schema.take_if(|text| text.len() > MAX_INLINE_SCHEMA_BYTES)?;
            let digest = SchemaDigest::of(&text);
            apart.push((digest, Arc::from(text)));
            Some(digest)
        };
        let input = light(&mut descriptor.input_schema);
        let output = light(&mut descriptor.output_schema);
        let row = Self {
            descriptor,
            input,
            output,
            accepts_others: false,
            bytes: 0,
        };
        (row, apart)
    }

    /// The bytes to announce; `None` when they are too many.
    pub(crate) fn to_bytes(&self) -> Option<Arc<[u8]>> {
        let mut row = Value::object();
        let told = self.descriptor.to_value(SchemaForm::Text);
        for (name, value) in told.as_object()?.iter() {
            row.insert(name, value);
        }
        for (name, digest) in [(INPUT_DIGEST, self.input), (OUTPUT_DIGEST, self.output)] {
            if let Some(digest) = digest {
                row.insert(name, digest.to_string());
            }
        }
        if self.accepts_others {
            row.insert(ACCEPTS_OTHERS, true);
        }
        let text = row.build().to_text();
        (text.len() <= MAX_ROW_BYTES).then(|| Arc::from(text.into_bytes()))
    }

    /// Reads what another node announced; `None` when it is no row of this tool.
    pub(crate) fn from_bytes(bytes: &[u8], key: &ToolKey) -> Option<Self> {
        if bytes.len() > MAX_ROW_BYTES {
            return None;
        }
        let value = toolmesh_json::parse(bytes).ok()?;
        let digest = |name| {
            value
                .get(name)
                .and_then(View::as_str)
                .and_then(SchemaDigest::parse)
        };
        let mut descriptor = ToolDescriptor::from_value(value.view()).ok()?;
        let is_it = descriptor.tool_id == key.tool_id
            && Version::parse(&descriptor.version).is_ok_and(|version| version == key.version);
        descriptor.node_count = 0;
        is_it.then_some(Self {
            descriptor,
            input: digest(INPUT_DIGEST),
            output: digest(OUTPUT_DIGEST),
            accepts_others: value.get(ACCEPTS_OTHERS).and_then(View::as_bool) == Some(true),
            bytes: bytes.len(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> ToolKey {
        ToolKey {
            tool_id: "t".into(),
            version: Version::new(1, 0, 0),
        }
    }

    fn schema(bytes: usize) -> Option<String> {
        Some(format!("\"{}\"", "s".repeat(bytes - 2)))
    }

    #[test]
    fn a_schema_past_the_bound_is_told_by_its_digest() {
        let mut descriptor = ToolDescriptor::new("t");
        descriptor.input_schema = schema(MAX_INLINE_SCHEMA_BYTES);
        descriptor.output_schema = schema(MAX_INLINE_SCHEMA_BYTES + 1);
        let (row, apart) = ToolRow::of(descriptor.clone());
        assert_eq!(row.descriptor.input_schema, descriptor.input_schema);
        assert_eq!((row.input, &row.descriptor.output_schema), (None, &None));
        let (digest, text) = apart.first().unwrap();
        assert_eq!(
            (Some(*digest), Some(&**text)),
            (row.output, descriptor.output_schema.as_deref())
        );
        assert_eq!(SchemaDigest::parse(&digest.to_string()), Some(*digest));
        let bytes = row.to_bytes().unwrap();
        let read = ToolRow {
            bytes: bytes.len(),
            ..row
        };
        assert_eq!(ToolRow::from_bytes(&bytes, &key()), Some(read));
    }

    #[test]
    fn a_row_has_a_bound_and_is_of_the_tool_that_it_is_told_under() {
        let of = |bytes| {
            let mut descriptor = ToolDescriptor::new("t");
            descriptor.description = Some("d".repeat(bytes));
            ToolRow::of(descriptor).0.to_bytes()
        };
        let room = MAX_ROW_BYTES - of(0).unwrap().len();
        assert_eq!(of(room).unwrap().len(), MAX_ROW_BYTES);
        assert_eq!(of(room + 1), None);
        let other = ToolKey {
            tool_id: "other".into(),
            ..key()
        };
        assert_eq!(ToolRow::from_bytes(&of(0).unwrap(), &other), None);
        assert_eq!(ToolRow::from_bytes(b"{", &key()), None);
    }
}
