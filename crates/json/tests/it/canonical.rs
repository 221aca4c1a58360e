//! One text for all equal values.

use crate::json;
use toolmesh_json::canonical_text;

#[test]
fn names_are_sorted_by_their_bytes_at_every_level() {
    let document = json(r#"{"b":{"y":1,"x":[{"q":1,"p":2}]},"a":1,"é":0,"z":0,"":0,"🚀":0,"\uffff":0}"#);
    assert_eq!(
        canonical_text(document.view()),
        "{\"\":0,\"a\":1,\"b\":{\"x\":[{\"p\":2,\"q\":1}],\"y\":1},\"z\":0,\"é\":0,\"\u{ffff}\":0,\"🚀\":0}"
    );
}

#[test]
fn equal_documents_have_one_canonical_text() {
    let pairs = [
        (r#"{"a":1,"b":[1.0,100,0.00]}"#, r#"{"b":[1e0,1e2,0],"a":1.00}"#),
        (r#""\u0041""#, r#""A""#),
        ("[]", "[ ]"),
    ];
    for (a, b) in pairs {
        assert_eq!(json(a), json(b));
        assert_eq!(canonical_text(json(a).view()), canonical_text(json(b).view()));
    }
    assert_ne!(
        canonical_text(json("[1,2]").view()),
        canonical_text(json("[2,1]").view())
    );
}
