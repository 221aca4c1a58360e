//! Choosing nodes by their tags.

use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};
use toolmesh_tool::semver::Version;

use crate::tag::{Axis, AxisTag};

/// Longest pattern in bytes: a matcher may come from a stranger.
pub const MAX_PATTERN_BYTES: usize = 1_024;

/// Largest compiled pattern in bytes, for the same reason.
const MAX_COMPILED_BYTES: usize = 1 << 20;

/// Chooses nodes by their tags: a node is chosen when any of its tags matches. The JSON form is tagged by `kind`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum TagMatcher {
    /// Exactly this tag; `=` and `:` before a value mean the same.
    Exact {
        /// The tag.
        value: String,
    },
    /// A tag that begins with this.
    Prefix {
        /// The beginning.
        value: String,
    },
    /// Any tag of an axis.
    Axis {
        /// The axis.
        axis: Axis,
    },
    /// A tag with this key of an axis, whatever its value.
    AxisKey {
        /// The axis.
        axis: Axis,
        /// The key.
        key: String,
    },
    /// A tag in which this regular expression finds something; it is not anchored.
    Regex {
        /// The expression.
        pattern: String,
    },
    /// A tag whose value is a semantic version within these bounds, both inclusive.
    VersionRange {
        /// `<axis>.<key>`.
        axis_key: String,
        /// The lowest version.
        min: Option<String>,
        /// The highest version.
        max: Option<String>,
    },
}

/// Why a matcher can match nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MatcherError {
    /// The regular expression is longer than [`MAX_PATTERN_BYTES`], or none.
    #[error("the pattern of a tag matcher is a regular expression of at most {MAX_PATTERN_BYTES} bytes")]
    Pattern,
    /// `axis_key` is not `<axis>.<key>`.
    #[error(
        "`axis_key` of a tag matcher is <axis>.<key>, with an axis hardware, software, devices or dataforts"
    )]
    AxisKey,
    /// A bound is no semantic version.
    #[error("`{0}` of a tag matcher is a semantic version such as 3.10.0")]
    Version(&'static str),
}

/// A matcher that was checked, ready to be asked.
#[derive(Debug, Clone)]
pub struct CompiledMatcher(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Exact(String),
    Prefix(String),
    Axis(Axis),
    AxisKey(Axis, String),
    Regex(Regex),
    VersionRange {
        axis: Axis,
        key: String,
        min: Option<Version>,
        max: Option<Version>,
    },
}

impl TagMatcher {
    /// Checks the matcher.
    ///
    /// # Errors
    /// [`MatcherError`] when it could match nothing, whatever the tags.
    pub fn compile(&self) -> Result<CompiledMatcher, MatcherError> {
        Ok(CompiledMatcher(match self {
            Self::Exact { value } => Kind::Exact(value.clone()),
            Self::Prefix { value } => Kind::Prefix(value.clone()),
            Self::Axis { axis } => Kind::Axis(*axis),
            Self::AxisKey { axis, key } => Kind::AxisKey(*axis, key.clone()),
            Self::Regex { pattern } => Kind::Regex(expression(pattern)?),
            Self::VersionRange { axis_key, min, max } => {
                let tag = AxisTag::parse(axis_key).filter(|tag| tag.value.is_none());
                let tag = tag.ok_or(MatcherError::AxisKey)?;
                Kind::VersionRange {
                    axis: tag.axis,
                    key: tag.key.to_owned(),
                    min: bound("min", min.as_deref())?,
                    max: bound("max", max.as_deref())?,
                }
            }
        }))
    }

    /// Whether any of the tags matches; a matcher that is not valid matches nothing.
    #[must_use]
    pub fn matches<'a>(&self, tags: impl IntoIterator<Item = &'a str>) -> bool {
        self.compile().is_ok_and(|matcher| matcher.matches(tags))
    }
}

impl CompiledMatcher {
    /// Whether any of the tags matches.
    #[must_use]
    pub fn matches<'a>(&self, tags: impl IntoIterator<Item = &'a str>) -> bool {
        tags.into_iter().any(|tag| self.0.matches(tag))
    }
}

impl Kind {
    fn matches(&self, tag: &str) -> bool {
        match self {
            Self::Exact(value) => same(value, tag),
            Self::Prefix(value) => tag.starts_with(value.as_str()),
            Self::Axis(axis) => AxisTag::parse(tag).is_some_and(|tag| tag.axis == *axis),
            Self::AxisKey(axis, key) => {
                AxisTag::parse(tag).is_some_and(|tag| tag.axis == *axis && tag.key == key)
            }
            Self::Regex(expression) => expression.is_match(tag),
            Self::VersionRange { axis, key, min, max } => AxisTag::parse(tag)
                .filter(|tag| tag.axis == *axis && tag.key == key)
                .and_then(|tag| Version::parse(tag.value?).ok())
                .is_some_and(|version| {
                    min.as_ref().is_none_or(|min| version >= *min)
                        && max.as_ref().is_none_or(|max| version <= *max)
                }),
        }
    }
}

fn same(one: &str, other: &str) -> bool {
    one == other
        || AxisTag::parse(one)
            .zip(AxisTag::parse(other))
            .is_some_and(|(one, other)| one == other)
}

fn expression(pattern: &str) -> Result<Regex, MatcherError> {
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(MatcherError::Pattern);
    }
    RegexBuilder::new(pattern)
        .size_limit(MAX_COMPILED_BYTES)
        .build()
        .map_err(|_| MatcherError::Pattern)
}

fn bound(name: &'static str, text: Option<&str>) -> Result<Option<Version>, MatcherError> {
    text.map(|text| Version::parse(text).map_err(|_| MatcherError::Version(name)))
        .transpose()
}

#[cfg(test)]
mod tests {
    use toolmesh_json::Value;

    use super::*;

    fn matcher(text: &str) -> TagMatcher {
        toolmesh_json::parse(text.as_bytes())
            .unwrap()
            .deserialize()
            .unwrap()
    }

    fn version_range(axis_key: &str, min: Option<&str>, max: Option<&str>) -> TagMatcher {
        TagMatcher::VersionRange {
            axis_key: axis_key.into(),
            min: min.map(Into::into),
            max: max.map(Into::into),
        }
    }

    #[test]
    fn each_kind_has_its_json_form_and_comes_back() {
        for text in [
            r#"{"kind":"exact","value":"region.eu"}"#,
            r#"{"kind":"prefix","value":"region."}"#,
            r#"{"kind":"axis","axis":"hardware"}"#,
            r#"{"kind":"axis_key","axis":"software","key":"python"}"#,
            r#"{"kind":"regex","pattern":"^region\\."}"#,
            r#"{"kind":"version_range","axis_key":"software.python","min":"3.10.0","max":null}"#,
        ] {
            assert_eq!(Value::from_serialize(&matcher(text)).unwrap().to_text(), text);
        }
        let unknown = toolmesh_json::parse(br#"{"kind":"other"}"#).unwrap();
        assert!(unknown.deserialize::<TagMatcher>().is_err());
    }

    #[test]
    fn each_kind_matches_what_it_says() {
        let tags = ["region.eu-west", "hardware.gpu:nvidia", "software.python=3.11.5"];
        for (text, expected) in [
            (r#"{"kind":"exact","value":"hardware.gpu=nvidia"}"#, true),
            (r#"{"kind":"exact","value":"region.eu"}"#, false),
            (r#"{"kind":"prefix","value":"region.eu"}"#, true),
            (r#"{"kind":"prefix","value":"region.us"}"#, false),
            (r#"{"kind":"axis","axis":"hardware"}"#, true),
            (r#"{"kind":"axis","axis":"devices"}"#, false),
            (r#"{"kind":"axis_key","axis":"software","key":"python"}"#, true),
            (r#"{"kind":"axis_key","axis":"software","key":"pyth"}"#, false),
            (r#"{"kind":"regex","pattern":"eu-(west|east)"}"#, true),
            (r#"{"kind":"regex","pattern":"^eu"}"#, false),
        ] {
            assert_eq!(matcher(text).matches(tags), expected, "{text}");
        }
    }

    #[test]
    fn a_version_range_is_inclusive_and_skips_what_is_no_version() {
        let tags = ["software.python=3.11.5", "software.cuda=twelve"];
        for (matcher, expected) in [
            (
                version_range("software.python", Some("3.11.5"), Some("3.11.5")),
                true,
            ),
            (version_range("software.python", Some("3.12.0"), None), false),
            (version_range("software.python", None, Some("3.11.4")), false),
            (version_range("software.python", None, None), true),
            (version_range("software.cuda", None, None), false),
        ] {
            assert_eq!(matcher.matches(tags), expected, "{matcher:?}");
        }
    }

    #[test]
    fn a_matcher_that_is_not_valid_says_why_and_matches_nothing() {
        let long = |bytes| TagMatcher::Regex {
            pattern: "x".repeat(bytes),
        };
        assert!(long(MAX_PATTERN_BYTES).compile().is_ok());
        let tags = ["xx"];
        for (matcher, error) in [
            (long(MAX_PATTERN_BYTES + 1), MatcherError::Pattern),
            (
                matcher(r#"{"kind":"regex","pattern":"("}"#),
                MatcherError::Pattern,
            ),
            (version_range("python", None, None), MatcherError::AxisKey),
            (
                version_range("software.python", Some("3"), None),
                MatcherError::Version("min"),
            ),
        ] {
            assert_eq!(matcher.compile().unwrap_err(), error);
            assert!(!matcher.matches(tags));
        }
    }
}
