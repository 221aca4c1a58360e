//! JSON Pointer, by the examples of RFC 6901.

use crate::json;
use toolmesh_json::pointer::{Pointer, PointerError, parse};

#[test]
fn the_examples_of_rfc_6901_resolve() {
    let document =
        json(r#"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#);
    assert_eq!(document.pointer(""), Some(document.view()));
    assert_eq!(document.pointer("/foo").unwrap().to_text(), r#"["bar","baz"]"#);
    assert_eq!(document.pointer("/foo/0").unwrap().as_str(), Some("bar"));
    for (pointer, value) in [
        ("/", 0),
        ("/a~1b", 1),
        ("/c%d", 2),
        ("/e^f", 3),
        ("/g|h", 4),
        ("/i\\j", 5),
        ("/k\"l", 6),
        ("/ ", 7),
        ("/m~0n", 8),
    ] {
        assert_eq!(
            document.pointer(pointer).and_then(|view| view.as_i64()),
            Some(value),
            "{pointer}"
        );
        assert_eq!(
            parse(pointer)
                .unwrap()
                .resolve(document.view())
                .and_then(|view| view.as_i64()),
            Some(value)
        );
        assert_eq!(parse(pointer).unwrap().to_string(), pointer);
    }
}

#[test]
fn what_is_not_there_does_not_resolve() {
    let document = json(r#"{"foo":["bar"],"n":1}"#);
    for pointer in [
        "/foo/1",
        "/foo/-",
        "/foo/00",
        "/foo/+0",
        "/foo/",
        "/foo/18446744073709551616",
        "/n/0",
        "/bar",
        "foo",
        "/m~2n",
        "/~",
    ] {
        assert_eq!(document.pointer(pointer), None, "{pointer}");
    }
}

#[test]
fn malformed_pointers_are_refused() {
    assert_eq!(parse("a"), Err(PointerError::NoSlash));
    assert_eq!(parse("/a~"), Err(PointerError::InvalidEscape));
    assert_eq!(parse("/a~2"), Err(PointerError::InvalidEscape));
}

#[test]
fn tokens_are_pushed_and_popped_decoded() {
    let mut pointer = Pointer::root();
    assert!(pointer.is_root());
    pointer.push("~/x~1");
    pointer.push_index(7);
    assert_eq!(pointer.to_string(), "/~0~1x~01/7");
    assert_eq!(parse(&pointer.to_string()), Ok(pointer.clone()));
    assert_eq!(pointer.pop().as_deref(), Some("7"));
    assert_eq!(pointer.join("").to_string(), "/~0~1x~01/");
    assert_eq!(pointer.tokens(), ["~/x~1"]);
}
