//! Headers that mirror arguments (`Mcp-Param-*`), against what the tool's schema declares.

use toolmesh_json::{Value, View};
use toolmesh_tool::{
    FrontRefusal, Tool,
    schema::{MirroredHeader, MirroredType},
};

use super::headers::{self, Fields, PARAMETER_PREFIX};
use crate::{header_text, revision::UNKNOWN_PARAMETER_HEADER};

/// The largest integer that a mirrored value may have, and with a minus sign the smallest: 2^53 - 1, which every client
/// language holds exactly.
const MAX_INTEGER: i128 = 9_007_199_254_740_991;

/// What becomes of a call with an `Mcp-Param-*` header that its tool does not declare.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UnknownParameters {
    /// The header is ignored.
    #[default]
    Ignored,
    /// The call is refused.
    Refused,
}

/// The `Mcp-Param-*` headers of a request.
#[derive(Debug, Default)]
pub(in crate::server) struct ParameterHeaders {
    /// By suffix, in lower case; `None` for one that does not have exactly one well-formed value.
    values: Vec<(String, Option<String>)>,
    unknown: UnknownParameters,
}

impl ParameterHeaders {
    pub(super) fn read(head: &Fields<'_>, unknown: UnknownParameters) -> Self {
        let mut values = Vec::new();
        if !head.has_parameters {
            return Self { values, unknown };
        }
        for name in head.all.keys() {
            // Names come in lower case.
            if let Some(suffix) = name.as_str().strip_prefix(PARAMETER_PREFIX) {
                let value = headers::single(head.all, name).ok().flatten().map(str::to_owned);
                values.push((suffix.to_owned(), value));
            }
        }
        Self { values, unknown }
    }

    /// Checks the headers against the arguments.
    ///
    /// # Errors
    /// [`FrontRefusal`] for any disagreement; it never says which.
    pub(in crate::server) fn check(&self, tool: &Tool, arguments: &Value) -> Result<(), FrontRefusal> {
        let declared = tool.input_schema().mirrored_headers();
        for header in declared {
            self.agrees(header, arguments.view())
                .ok_or_else(|| FrontRefusal {
                    key: "header_mismatch",
                    reason: format!(
                        "Mcp-Param-{} does not say what the argument says",
                        header.suffix()
                    ),
                })?;
        }
        let known = |suffix: &str| {
            declared
                .iter()
                .any(|header| header.suffix().eq_ignore_ascii_case(suffix))
        };
        let refuses = self.unknown == UnknownParameters::Refused;
        if refuses && self.values.iter().any(|(suffix, _)| !known(suffix)) {
            return Err(FrontRefusal {
                key: UNKNOWN_PARAMETER_HEADER,
                reason: "an Mcp-Param header that the tool does not declare".to_owned(),
            });
        }
        Ok(())
    }

    /// Some when header and argument agree: both absent, or both there with the same value.
    fn agrees(&self, declared: &MirroredHeader, arguments: View<'_>) -> Option<()> {
        let suffix = declared.suffix();
        let header = self
            .values
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(suffix));
        let value = declared
            .path()
            .iter()
            .try_fold(arguments, |value, name| value.get(name))
            .filter(|value| !value.is_null());
        match (header, value) {
            (None, None) => Some(()),
            (Some((_, Some(text))), Some(value)) => {
                let text = header_text::decoded(text).ok()?;
                is_same(declared.value_type(), &text, value).then_some(())
            }
            _ => None,
        }
    }
}

fn is_same(kind: MirroredType, header: &str, value: View<'_>) -> bool {
    match kind {
        MirroredType::String => value.as_str() == Some(header),
        MirroredType::Boolean => value
            .as_bool()
            .is_some_and(|value| header == if value { "true" } else { "false" }),
        MirroredType::Integer => {
            let exact = value.as_number().filter(|number| number.is_integer());
            let exact = exact.and_then(toolmesh_json::Number::to_i128);
            let exact = exact.filter(|number| (-MAX_INTEGER..=MAX_INTEGER).contains(number));
            exact.is_some() && exact == canonical_integer(header)
        }
    }
}

/// The integer that `text` spells canonically: `0`, or digits without a leading zero, perhaps after a minus sign.
fn canonical_integer(text: &str) -> Option<i128> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let canonical =
        text == "0" || (!digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit()));
    text.parse().ok().filter(|_| canonical && !digits.is_empty())
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderName, HeaderValue};
    use toolmesh_tool::{ToolResult, schema::Profile};

    use super::*;

    const SCHEMA: &str = r#"{"type":"object","properties":{
        "tenant":{"type":"string","x-mcp-header":"Tenant"},
        "at":{"type":"object","properties":{"count":{"type":"integer","x-mcp-header":"Count"}}},
        "dry":{"type":"boolean","x-mcp-header":"Dry"}}}"#;

    fn json(text: &str) -> Value {
        toolmesh_json::parse(text.as_bytes()).expect("valid")
    }

    fn tool() -> Tool {
        Tool::with_name("t")
            .input_schema(json(SCHEMA), Profile::Profile1)
            .handler(|_, _| async { ToolResult::text("") })
            .build()
            .expect("a sound tool")
    }

    /// `None` when header and arguments agree, else the key of the refusal.
    fn checked(head: &[(&str, &[u8])], arguments: &str, unknown: UnknownParameters) -> Option<&'static str> {
        let mut map = HeaderMap::new();
        for (name, value) in head {
            let name = HeaderName::from_bytes(name.as_bytes()).expect("a name");
            map.append(name, HeaderValue::from_bytes(value).expect("a value"));
        }
        let headers = ParameterHeaders::read(&Fields::of(&map), unknown);
        headers
            .check(&tool(), &json(arguments))
            .err()
            .map(|refusal| refusal.key)
    }

    fn agrees(head: &[(&str, &str)], arguments: &str) -> bool {
        let head: Vec<_> = head
            .iter()
            .map(|(name, value)| (*name, value.as_bytes()))
            .collect();
        checked(&head, arguments, UnknownParameters::Ignored).is_none()
    }

    #[test]
    fn a_header_is_there_exactly_when_its_argument_is() {
        assert!(agrees(&[], "{}"));
        assert!(agrees(&[], r#"{"tenant":null,"at":{}}"#));
        assert!(agrees(&[("Mcp-Param-Tenant", "a")], r#"{"tenant":"a"}"#));
        assert!(agrees(&[("MCP-PARAM-tenant", " a\t")], r#"{"tenant":"a"}"#));
        assert!(agrees(&[("Mcp-Param-Tenant", "")], r#"{"tenant":""}"#));
        assert!(!agrees(&[], r#"{"tenant":"a"}"#));
        assert!(!agrees(&[("Mcp-Param-Tenant", "a")], "{}"));
        assert!(!agrees(&[("Mcp-Param-Tenant", "a")], r#"{"tenant":null}"#));
        assert!(!agrees(
            &[("Mcp-Param-Tenant", "a"), ("Mcp-Param-Tenant", "a")],
            r#"{"tenant":"a"}"#
        ));
    }

    #[test]
    fn texts_are_compared_exactly_plain_or_encoded() {
        for (header, value) in [
            ("=?base64?SGVsbG8sIOS4lueVjA==?=", "Hello, 世界"),
            ("=?base64?YQ==?=", "a"),
            ("=?base64?abc", "=?base64?abc"),
            ("abc?=", "abc?="),
        ] {
            assert!(agrees(
                &[("mcp-param-tenant", header)],
                &format!(r#"{{"tenant":"{value}"}}"#)
            ));
        }
        for (header, value) in [
            ("A", "a"),
            ("=?base64?=", "=?base64?="),
            ("=?base64?YQ?=", "a"),
            ("1", "2"),
        ] {
            assert!(!agrees(
                &[("mcp-param-tenant", header)],
                &format!(r#"{{"tenant":"{value}"}}"#)
            ));
        }
        assert!(!agrees(&[("mcp-param-tenant", "1")], r#"{"tenant":1}"#));
        assert_eq!(
            checked(
                &[("mcp-param-tenant", "é".as_bytes())],
                r#"{"tenant":"é"}"#,
                UnknownParameters::Ignored
            ),
            Some("header_mismatch")
        );
    }

    #[test]
    fn integers_are_compared_by_value_within_the_safe_range() {
        let same = |header: &str, value: &str| {
            agrees(
                &[("mcp-param-count", header)],
                &format!(r#"{{"at":{{"count":{value}}}}}"#),
            )
        };
        for (header, value) in [
            ("1", "1"),
            ("1", "1.0"),
            ("1", "1e0"),
            ("100", "1e2"),
            ("0", "-0"),
            ("-7", "-7"),
            ("=?base64?Nw==?=", "7"),
            ("9007199254740991", "9007199254740991"),
            ("-9007199254740991", "-9007199254740991"),
        ] {
            assert!(same(header, value), "{header} {value}");
        }
        for (header, value) in [
            ("+1", "1"),
            ("01", "1"),
            ("-0", "0"),
            ("1.0", "1"),
            ("", "0"),
            ("-", "0"),
            ("1", "2"),
            ("1", "1.5"),
            ("1", "\"1\""),
            ("9007199254740992", "9007199254740992"),
            ("1", "1e9999"),
        ] {
            assert!(!same(header, value), "{header} {value}");
        }
    }

    #[test]
    fn booleans_have_two_spellings() {
        let same = |header: &str, value: &str| {
            agrees(&[("mcp-param-dry", header)], &format!(r#"{{"dry":{value}}}"#))
        };
        assert!(same("true", "true") && same("false", "false") && same("=?base64?dHJ1ZQ==?=", "true"));
        assert!(
            !same("True", "true")
                && !same("1", "true")
                && !same("false", "true")
                && !same("true", "\"true\"")
        );
    }

    #[test]
    fn a_mirrored_value_has_a_bound() {
        let same = |length: usize| {
            let text = "x".repeat(length);
            agrees(
                &[("mcp-param-tenant", &text)],
                &format!(r#"{{"tenant":"{text}"}}"#),
            )
        };
        assert!(same(16_384) && !same(16_385));
    }

    #[test]
    fn undeclared_headers_are_ignored_unless_the_endpoint_refuses_them() {
        let head: &[(&str, &[u8])] = &[("mcp-param-other", b"x")];
        assert_eq!(checked(head, "{}", UnknownParameters::Ignored), None);
        assert_eq!(
            checked(head, "{}", UnknownParameters::Refused),
            Some(UNKNOWN_PARAMETER_HEADER)
        );
        assert_eq!(
            checked(
                &[("mcp-param-dry", b"true")],
                r#"{"dry":true}"#,
                UnknownParameters::Refused
            ),
            None
        );
    }
}
