//! Asking a host to tell what changes among its tools.

use serde::{Deserialize, Serialize};

use crate::TagMatcher;

/// The question of the service [`crate::TOOL_WATCH_SERVICE`]; everything is optional, and `{}` is one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolWatchRequest {
    /// Only while a tag of the host matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matcher: Option<TagMatcher>,
    /// Shortest time between two looks, in milliseconds; the host has one of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval_ms: Option<u64>,
    /// Whether edits under one version are told, as `changed`. Programs that do not know the word leave this out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub changed: bool,
}

#[cfg(test)]
mod tests {
    use toolmesh_json::{Value, parse};

    use super::*;

    #[test]
    fn a_request_comes_back_as_it_went_and_leaves_out_what_was_not_said() {
        for (request, text) in [
            (ToolWatchRequest::default(), "{}"),
            (
                ToolWatchRequest {
                    matcher: Some(TagMatcher::Prefix {
                        value: "region.".into(),
                    }),
                    interval_ms: Some(250),
                    changed: true,
                },
                r#"{"matcher":{"kind":"prefix","value":"region."},"interval_ms":250,"changed":true}"#,
            ),
        ] {
            assert_eq!(Value::from_serialize(&request).unwrap().to_text(), text);
            let read: ToolWatchRequest = parse(text.as_bytes()).unwrap().deserialize().unwrap();
            assert_eq!(read, request);
        }
    }
}
