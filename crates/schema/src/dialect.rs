//! Which language a schema is written in: the draft, and which of its vocabularies.

use std::fmt;
use std::str::FromStr;

use toolmesh_json::View;

use crate::profile::Profile;
use crate::registry::Registry;

/// A draft of JSON Schema that this engine evaluates.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Draft {
    /// Draft 2020-12.
    #[default]
    Draft2020_12,
    /// Draft-07, which many published documents are still written in.
    Draft07,
}

impl Draft {
    /// The name used on the command line and in configuration: `2020-12` or `draft-07`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Draft2020_12 => "2020-12",
            Self::Draft07 => "draft-07",
        }
    }

    /// The URI that `$schema` names it by.
    pub fn uri(self) -> &'static str {
        match self {
            Self::Draft2020_12 => "https://json-schema.org/draft/2020-12/schema",
            Self::Draft07 => "http://json-schema.org/draft-07/schema#",
        }
    }
}

impl fmt::Display for Draft {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A draft name that nobody declared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is no draft that is evaluated here; use `2020-12` or `draft-07`")]
pub struct UnknownDraft {
    name: String,
}

impl FromStr for Draft {
    type Err = UnknownDraft;

    fn from_str(name: &str) -> Result<Self, UnknownDraft> {
        match name {
            "2020-12" => Ok(Self::Draft2020_12),
            "draft-07" => Ok(Self::Draft07),
            other => Err(UnknownDraft {
                name: other.to_owned(),
            }),
        }
    }
}

/// The set of rules that a schema object is read by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Profile1,
    Draft2020_12,
    Draft07,
}

/// A part of draft 2020-12 that a meta-schema may leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vocabulary {
    Core,
    Applicator,
    Unevaluated,
    Validation,
    MetaData,
    Format,
    Content,
}

const VOCABULARIES: [(&str, Vocabulary); 8] = [
    ("core", Vocabulary::Core),
    ("applicator", Vocabulary::Applicator),
    ("unevaluated", Vocabulary::Unevaluated),
    ("validation", Vocabulary::Validation),
    ("meta-data", Vocabulary::MetaData),
    ("format-annotation", Vocabulary::Format),
    (FORMAT_ASSERTION, Vocabulary::Format),
    ("content", Vocabulary::Content),
];
const VOCABULARY_PREFIX: &str = "https://json-schema.org/draft/2020-12/vocab/";
const FORMAT_ASSERTION: &str = "format-assertion";

/// How far a meta-schema may name a meta-schema that names a meta-schema.
const META_LEVELS: u32 = 8;

/// A language with the vocabularies that are in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect {
    pub(crate) language: Language,
    pub(crate) asserts_formats: bool,
    vocabularies: u8,
}

impl Dialect {
    pub(crate) const PROFILE_1: Dialect = Dialect {
        language: Language::Profile1,
        asserts_formats: false,
        vocabularies: u8::MAX,
    };

    /// A draft with all of its vocabularies.
    pub(crate) fn of(draft: Draft, asserts_formats: bool) -> Self {
        let language = match draft {
            Draft::Draft2020_12 => Language::Draft2020_12,
            Draft::Draft07 => Language::Draft07,
        };
        Self {
            language,
            asserts_formats,
            vocabularies: u8::MAX,
        }
    }

    /// What a document is in when it names no dialect.
    pub(crate) fn default_of(profile: Profile, draft: Draft, asserts_formats: bool) -> Self {
        match profile {
            Profile::Profile1 => Self::PROFILE_1,
            Profile::Draft2020_12 => Self::of(draft, asserts_formats),
        }
    }

    /// The draft that the language belongs to.
    pub(crate) fn draft(self) -> Draft {
        match self.language {
            Language::Profile1 | Language::Draft2020_12 => Draft::Draft2020_12,
            Language::Draft07 => Draft::Draft07,
        }
    }

    pub(crate) fn has(self, vocabulary: Vocabulary) -> bool {
        self.vocabularies & (1 << vocabulary as u8) != 0
    }

    /// The dialect that a `$schema` names; the error says why there is none.
    pub(crate) fn named(uri: &str, registry: &Registry, asserts_formats: bool) -> Result<Self, String> {
        Self::named_within(uri, registry, asserts_formats, META_LEVELS)
    }

    fn named_within(
        uri: &str,
        registry: &Registry,
        asserts_formats: bool,
        levels: u32,
    ) -> Result<Self, String> {
        let uri = uri.strip_suffix('#').unwrap_or(uri);
        match uri {
            "https://json-schema.org/draft/2020-12/schema" => {
                return Ok(Self::of(Draft::Draft2020_12, asserts_formats));
            }
            "http://json-schema.org/draft-07/schema" | "https://json-schema.org/draft-07/schema" => {
                return Ok(Self::of(Draft::Draft07, asserts_formats));
            }
            _ => {}
        }
        if let Some(name) = unsupported_draft(uri) {
            return Err(format!(
                "JSON Schema {name} is not evaluated here; use draft 2020-12 or draft-07"
            ));
        }
        let unknown = || {
            "this meta-schema is not known here; name draft 2020-12 or draft-07, or hand it in by a registry"
                .to_owned()
        };
        let meta_schema = registry.get(uri).ok_or_else(unknown)?;
        let levels = levels.checked_sub(1).ok_or_else(unknown)?;
        let parent = meta_schema.get("$schema").and_then(View::as_str);
        let parent = parent.unwrap_or(Draft::Draft2020_12.uri());
        let dialect = Self::named_within(parent, registry, asserts_formats, levels)?;
        match meta_schema.get("$vocabulary") {
            Some(vocabularies) if dialect.language == Language::Draft2020_12 => {
                dialect.restricted(vocabularies)
            }
            _ => Ok(dialect),
        }
    }

    /// Only the vocabularies that a meta-schema lists; one that is required and not known is refused.
    fn restricted(mut self, listed: View<'_>) -> Result<Self, String> {
        let listed = listed
            .as_object()
            .ok_or_else(|| "the meta-schema's `$vocabulary` must be an object".to_owned())?;
        self.vocabularies = 1 << Vocabulary::Core as u8;
        for (uri, required) in listed.iter() {
            let name = uri.strip_prefix(VOCABULARY_PREFIX);
            let known = VOCABULARIES.iter().find(|(known, _)| Some(*known) == name);
            match known {
                Some((name, vocabulary)) => {
                    self.vocabularies |= 1 << *vocabulary as u8;
                    self.asserts_formats |= *name == FORMAT_ASSERTION;
                }
                None if required.as_bool() == Some(true) => {
                    return Err(format!(
                        "its meta-schema requires the vocabulary {uri}, which is not known here"
                    ));
                }
                None => {}
            }
        }
        Ok(self)
    }
}

/// The drafts that are refused by name.
fn unsupported_draft(uri: &str) -> Option<&'static str> {
    let path = uri
        .strip_prefix("https://")
        .or_else(|| uri.strip_prefix("http://"))?;
    match path {
        "json-schema.org/draft/2019-09/schema" => Some("draft 2019-09"),
        "json-schema.org/draft-06/schema" => Some("draft-06"),
        "json-schema.org/draft-04/schema" => Some("draft-04"),
        "json-schema.org/draft-03/schema" => Some("draft-03"),
        "json-schema.org/v1" | "json-schema.org/v1/2026" => Some("v1"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(uri: &str) -> Result<Dialect, String> {
        Dialect::named(uri, &Registry::new(), false)
    }

    #[test]
    fn both_drafts_are_known_with_and_without_an_empty_fragment() {
        for draft in [Draft::Draft2020_12, Draft::Draft07] {
            let bare = draft.uri().trim_end_matches('#');
            assert_eq!(named(bare), Ok(Dialect::of(draft, false)));
            assert_eq!(named(&format!("{bare}#")), Ok(Dialect::of(draft, false)));
            assert_eq!(draft.as_str().parse(), Ok(draft));
        }
    }

    #[test]
    fn another_draft_is_refused_by_its_name() {
        let error = named("https://json-schema.org/draft/2019-09/schema").unwrap_err();
        assert!(error.contains("draft 2019-09"), "{error}");
        assert!(
            named("https://example.com/mine")
                .unwrap_err()
                .contains("registry")
        );
        assert!("2019-09".parse::<Draft>().is_err());
    }

    fn with_meta_schema(text: &str) -> Result<Dialect, String> {
        let meta_schema = toolmesh_json::parse(text.as_bytes()).unwrap();
        Dialect::named("urn:m", &Registry::new().with("urn:m", meta_schema), false)
    }

    #[test]
    fn a_meta_schema_chooses_vocabularies() {
        let dialect = with_meta_schema(
            r#"{"$vocabulary":{"https://json-schema.org/draft/2020-12/vocab/applicator":true,"urn:other":false}}"#,
        )
        .unwrap();
        assert!(dialect.has(Vocabulary::Core) && dialect.has(Vocabulary::Applicator));
        assert!(!dialect.has(Vocabulary::Validation) && !dialect.asserts_formats);
        let asserting = with_meta_schema(
            r#"{"$vocabulary":{"https://json-schema.org/draft/2020-12/vocab/format-assertion":false}}"#,
        );
        assert!(asserting.unwrap().asserts_formats);
    }

    #[test]
    fn a_vocabulary_that_is_required_and_unknown_is_refused_by_name() {
        let error = with_meta_schema(r#"{"$vocabulary":{"urn:other":true}}"#).unwrap_err();
        assert!(error.contains("urn:other"), "{error}");
    }

    #[test]
    fn meta_schemas_that_name_each_other_end() {
        assert!(with_meta_schema(r#"{"$schema":"urn:m"}"#).is_err());
    }
}
