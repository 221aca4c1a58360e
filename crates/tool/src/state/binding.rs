//! What a sealed state belongs to: it opens nowhere else.

use sha2::{Digest, Sha256};
use toolmesh_json::{Value, View, canonical_text};

/// What a state belongs to.
#[derive(Debug, Clone, Copy)]
pub struct StateBinding<'a> {
    /// The endpoint's name.
    pub endpoint: &'a str,
    /// The protocol revision; empty when the front has none.
    pub revision: &'a str,
    /// The method, such as `tools/call`.
    pub method: &'a str,
    /// Whether the caller is authenticated.
    pub authenticated: bool,
    /// The caller's authorization partition.
    pub partition: &'a str,
    /// The request's params, as [`bound_parameters`] leaves them.
    pub parameters: &'a Value,
}

/// Members of `_meta` that differ between the rounds of one call.
const UNBOUND_META: [&str; 4] = ["progressToken", "traceparent", "tracestate", "baggage"];

/// Members of the params that differ between the rounds of one call.
const UNBOUND: [&str; 2] = ["inputResponses", "requestState"];

impl StateBinding<'_> {
    /// The 32 bytes that stand for all of it.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(b"soklet-mcp-request-state-binding-v1\0");
        for text in [self.endpoint, self.revision, self.method] {
            update_prefixed(&mut hash, text.as_bytes());
        }
        hash.update([u8::from(self.authenticated)]);
        update_prefixed(&mut hash, self.partition.as_bytes());
        hash.update(parameters_digest(self.parameters));
        hash.finalize().into()
    }
}

fn parameters_digest(parameters: &Value) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(b"soklet-mcp-request-state-params-v1\0");
    update_prefixed(&mut hash, canonical_text(parameters.view()).as_bytes());
    hash.finalize().into()
}

/// The length first, so that no two sequences of texts are one sequence of bytes.
fn update_prefixed(hash: &mut Sha256, bytes: &[u8]) {
    // No text here comes near 4 GiB: requests are bounded long before.
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    hash.update(length.to_be_bytes());
    hash.update(bytes);
}

/// The params of a request without what differs between the rounds of one call: the answers, the state, and the
/// members of `_meta` that belong to a single request.
#[must_use]
pub fn bound_parameters(parameters: View<'_>) -> Value {
    without(parameters, &UNBOUND, |name, member| {
        if name == "_meta" {
            without(member, &UNBOUND_META, |_, member| member.to_value())
        } else {
            member.to_value()
        }
    })
}

fn without(value: View<'_>, names: &[&str], keep: impl Fn(&str, View<'_>) -> Value) -> Value {
    let Some(object) = value.as_object() else {
        return value.to_value();
    };
    let mut kept = Value::object();
    for (name, member) in object.iter() {
        if !names.contains(&name) {
            kept.insert(name, keep(name, member));
        }
    }
    kept.build()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Value {
        toolmesh_json::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn what_differs_between_rounds_is_not_bound() {
        let parameters = json(
            r#"{"name":"t","inputResponses":{},"requestState":"s","arguments":{"requestState":1},
               "_meta":{"progressToken":1,"traceparent":"a","tracestate":"b","baggage":"c","own":2}}"#,
        );
        assert_eq!(
            bound_parameters(parameters.view()).to_text(),
            r#"{"name":"t","arguments":{"requestState":1},"_meta":{"own":2}}"#
        );
    }

    #[test]
    fn everything_else_changes_the_digest() {
        let parameters = json(r#"{"name":"t","arguments":{"a":1}}"#);
        let bound = StateBinding {
            endpoint: "e",
            revision: "2026-07-28",
            method: "tools/call",
            authenticated: true,
            partition: "p",
            parameters: &parameters,
        };
        let other = json(r#"{"name":"t","arguments":{"a":2}}"#);
        let others = [
            StateBinding {
                endpoint: "f",
                ..bound
            },
            StateBinding {
                revision: "",
                ..bound
            },
            StateBinding {
                method: "prompts/get",
                ..bound
            },
            StateBinding {
                authenticated: false,
                ..bound
            },
            StateBinding {
                partition: "q",
                ..bound
            },
            StateBinding {
                parameters: &other,
                ..bound
            },
            // The same letters, cut elsewhere.
            StateBinding {
                endpoint: "e2026-07-28",
                revision: "",
                ..bound
            },
        ];
        for other in others {
            assert_ne!(other.digest(), bound.digest(), "{other:?}");
        }
        let respelled = json(r#"{"arguments":{"a":1.0},"name":"t"}"#);
        let same = StateBinding {
            parameters: &respelled,
            ..bound
        };
        assert_eq!(same.digest(), bound.digest());
    }
}
