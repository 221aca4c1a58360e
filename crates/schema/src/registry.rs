//! Documents that a schema may refer to beside itself.

use std::collections::HashMap;
use std::sync::LazyLock;

use toolmesh_json::Value;

/// Documents by their URI, handed to the compiler by its caller. Nothing is ever fetched: a reference that leads out
/// of the document and to no entry here is an error.
///
/// The meta-schemas of draft 2020-12 (with its vocabularies) and of draft-07 are always there.
///
/// ```
/// use toolmesh_schema::{CompileOptions, Profile, Registry, Schema};
///
/// let amount = toolmesh_json::parse(br#"{"type":"integer","minimum":0}"#)?;
/// let options = CompileOptions::default()
///     .with_registry(Registry::new().with("https://example.com/amount", amount));
/// let document = toolmesh_json::parse(br#"{"items":{"$ref":"https://example.com/amount"}}"#)?;
/// let schema = Schema::compile_with(document, Profile::Draft2020_12, &options)?;
/// assert!(!schema.evaluate(&toolmesh_json::parse(b"[-1]")?).is_valid());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Registry {
    documents: HashMap<String, Value>,
}

impl Registry {
    /// A registry of nothing but the meta-schemas.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a document under the URI that references spell, without a fragment. A second one under the same URI takes
    /// the place of the first; a built-in meta-schema is replaced the same way.
    #[must_use = "with returns the registry"]
    pub fn with(mut self, uri: impl Into<String>, document: Value) -> Self {
        let mut uri = uri.into();
        if let Some(fragment) = uri.find('#') {
            uri.truncate(fragment);
        }
        self.documents.insert(uri, document);
        self
    }

    /// The document of a URI without a fragment.
    pub(crate) fn get(&self, uri: &str) -> Option<&Value> {
        self.documents.get(uri).or_else(|| META_SCHEMAS.get(uri))
    }
}

/// The published meta-schemas, as they are published.
const SOURCES: [(&str, &str); 10] = [
    (
        "https://json-schema.org/draft/2020-12/schema",
        include_str!("metaschema/draft2020-12.json"),
    ),
    (
        "https://json-schema.org/draft/2020-12/meta/core",
        include_str!("metaschema/vocabulary-core.json"),
    ),
    (
        "https://json-schema.org/draft/2020-12/meta/applicator",
        include_str!("metaschema/vocabulary-applicator.json"),
    ),
    (
        "https://json-schema.org/draft/2020-12/meta/unevaluated",
        include_str!("metaschema/vocabulary-unevaluated.json"),
    ),
    (
        "https://json-schema.org/draft/2020-12/meta/validation",
        include_str!("metaschema/vocabulary-validation.json"),
    ),
    (
        "https://json-schema.org/draft/2020-12/meta/meta-data",
        include_str!("metaschema/vocabulary-meta-data.json"),
    ),
    (
        "https://json-schema.org/draft/2020-12/meta/format-annotation",
        include_str!("metaschema/vocabulary-format-annotation.json"),
    ),
    (
        "https://json-schema.org/draft/2020-12/meta/format-assertion",
        include_str!("metaschema/vocabulary-format-assertion.json"),
    ),
    (
        "https://json-schema.org/draft/2020-12/meta/content",
        include_str!("metaschema/vocabulary-content.json"),
    ),
    (
        "http://json-schema.org/draft-07/schema",
        include_str!("metaschema/draft-07.json"),
    ),
];

static META_SCHEMAS: LazyLock<HashMap<&'static str, Value>> = LazyLock::new(|| {
    SOURCES
        .iter()
        .filter_map(|(uri, text)| Some((*uri, toolmesh_json::parse(text.as_bytes()).ok()?)))
        .collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_meta_schema_is_there_under_its_own_id() {
        for (uri, _) in SOURCES {
            let document = Registry::new().get(uri).cloned().unwrap();
            let id = document.get("$id").and_then(|id| id.as_str().map(str::to_owned));
            assert_eq!(id.unwrap().trim_end_matches('#'), uri);
        }
    }

    #[test]
    fn a_fragment_is_no_part_of_a_documents_uri() {
        let registry = Registry::new().with("https://a/b#", Value::object().build());
        assert!(registry.get("https://a/b").is_some() && registry.get("https://a/c").is_none());
    }
}
