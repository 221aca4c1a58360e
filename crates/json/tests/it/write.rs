//! The compact text.

use crate::json;
use toolmesh_json::{Value, write_string, write_value};

#[test]
fn text_is_compact_and_in_order() {
    let document = json(
        " { \"b\" : [ 1 , 2.50 , null , true , false , \"x\" , [ ] , { } ] , \"a\" : { \"c\" : 1e2 } } ",
    );
    assert_eq!(
        document.to_text(),
        r#"{"b":[1,2.50,null,true,false,"x",[],{}],"a":{"c":1E+2}}"#
    );
    assert_eq!(document.to_string(), document.to_text());
    assert_eq!(format!("{document:?}"), document.to_text());
}

#[test]
fn only_what_must_be_is_escaped() {
    let mut out = Vec::new();
    write_string(&mut out, "\"\\/\u{8}\u{c}\n\r\t\0\u{1}\u{1f}\u{7f}é世🚀\u{2028}");
    let expected = "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u0001\\u001f\u{7f}é世🚀\u{2028}\"";
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}

#[test]
fn writing_appends() {
    let mut out = b"data: ".to_vec();
    write_value(&mut out, Value::from(1).view());
    json("[2]").view().write_to(&mut out);
    assert_eq!(out, b"data: 1[2]");
}
