//! What is JSON, what is not, and where it stops being so.

use crate::json;
use toolmesh_json::{Kind, ParseErrorKind, parse};

/// The kind and offset of the refusal.
fn refusal(document: &[u8]) -> (ParseErrorKind, usize) {
    let error = parse(document).expect_err("the document is to be refused");
    (error.kind(), error.offset())
}

#[test]
fn every_kind_of_value_is_read() {
    let document =
        json(r#" { "n" : null , "t":true,"f":false,"i":-12,"s":"text","a":[1,[],{}],"o":{"p":0.5} } "#);
    assert_eq!(document.kind(), Kind::Object);
    assert!(document.get("n").unwrap().is_null());
    assert_eq!(document.get("t").unwrap().as_bool(), Some(true));
    assert_eq!(document.get("f").unwrap().as_bool(), Some(false));
    assert_eq!(document.get("i").unwrap().as_i64(), Some(-12));
    assert_eq!(document.get("s").unwrap().as_str(), Some("text"));
    assert_eq!(document.get("a").unwrap().as_array().unwrap().len(), 3);
    assert_eq!(
        document
            .get("o")
            .unwrap()
            .get("p")
            .unwrap()
            .as_number()
            .unwrap()
            .as_text(),
        "0.5"
    );
    assert!(document.get("missing").is_none());
    assert_eq!(json(" \t\r\n7\n").as_u64(), Some(7));
}

#[test]
fn members_keep_their_order() {
    let document = json(r#"{"z":1,"a":2,"m":3}"#);
    let names: Vec<&str> = document.as_object().unwrap().keys().collect();
    assert_eq!(names, ["z", "a", "m"]);
}

#[test]
fn an_object_of_any_size_finds_each_of_its_members() {
    for size in [0usize, 1, 7, 8, 9, 10, 100, 5_000] {
        let members: Vec<String> = (0..size)
            .map(|index| format!(r#""name {index}":{index}"#))
            .collect();
        let document = json(&format!("{{{}}}", members.join(",")));
        let object = document.as_object().unwrap();
        assert_eq!(object.len(), size);
        for index in 0..size {
            assert_eq!(
                object.get(&format!("name {index}")).unwrap().as_u64(),
                Some(index as u64)
            );
        }
        assert!(!object.contains("name"));
        assert!(!object.contains("zzz"));
        assert_eq!(
            object
                .iter()
                .filter_map(|(_, value)| value.as_u64())
                .collect::<Vec<_>>(),
            (0..size as u64).collect::<Vec<_>>()
        );
    }
}

#[test]
fn every_escape_is_decoded() {
    let document = json(r#""\" \\ \/ \b \f \n \r \t \u0041 \u00e9 \u4e16 \uD83D\uDE80 \ud83d\ude80 \u0000""#);
    assert_eq!(
        document.as_str(),
        Some("\" \\ / \u{8} \u{c} \n \r \t A é 世 🚀 🚀 \0")
    );
    assert_eq!(json(r#"{"\u0061\n":1}"#).get("a\n").unwrap().as_i64(), Some(1));
    assert_eq!(
        json("\"é世🚀\u{7f}\u{ffff}\"").as_str(),
        Some("é世🚀\u{7f}\u{ffff}")
    );
}

#[test]
fn syntax_faults_are_told_by_kind_and_byte() {
    use ParseErrorKind::*;
    let cases: &[(&str, ParseErrorKind, usize)] = &[
        ("", Empty, 0),
        ("  \n", Empty, 3),
        ("nul", UnexpectedEnd, 3),
        ("nulx", UnexpectedByte, 3),
        ("True", UnexpectedByte, 0),
        ("[1,2", UnexpectedEnd, 4),
        ("[1 2]", UnexpectedByte, 3),
        ("[1,]", UnexpectedByte, 3),
        ("[,1]", UnexpectedByte, 1),
        ("[1}", UnexpectedByte, 2),
        ("{\"a\":1]", UnexpectedByte, 6),
        ("{\"a\"}", UnexpectedByte, 4),
        ("{\"a\" 1}", UnexpectedByte, 5),
        ("{\"a\":1,}", UnexpectedByte, 7),
        ("{a:1}", UnexpectedByte, 1),
        ("{1:1}", UnexpectedByte, 1),
        ("{\"a\":", UnexpectedEnd, 5),
        ("{\"a\"", UnexpectedEnd, 4),
        ("{", UnexpectedEnd, 1),
        ("[", UnexpectedEnd, 1),
        ("]", UnexpectedByte, 0),
        ("1 2", TrailingContent, 2),
        ("{}}", TrailingContent, 2),
        ("null,", TrailingContent, 4),
        ("'a'", UnexpectedByte, 0),
        ("\u{a0}1", UnexpectedByte, 0),
        ("// c\n1", UnexpectedByte, 0),
        ("\"abc", UnexpectedEnd, 4),
        ("\"a\\", UnexpectedEnd, 3),
        ("\"a\\\"", UnexpectedEnd, 4),
        ("\"a\nb\"", ControlCharacter, 2),
        ("\"a\0b\"", ControlCharacter, 2),
        ("\"a\\x\"", InvalidEscape, 2),
        ("\"a\\é\"", InvalidEscape, 2),
        ("\"\\u12g4\"", InvalidEscape, 1),
        ("\"\\u12\"", InvalidEscape, 1),
        ("\"\\U0041\"", InvalidEscape, 1),
        ("\"\\u+041\"", InvalidEscape, 1),
        ("\"\\ud83d\"", UnpairedSurrogate, 1),
        ("\"x\\ude80\"", UnpairedSurrogate, 2),
        ("\"\\ud83d\\n\"", UnpairedSurrogate, 1),
        ("\"\\ud83d \\ude80\"", UnpairedSurrogate, 1),
        ("\"\\ud83d\\ud83d\"", UnpairedSurrogate, 1),
        ("\"\\ude80\\ud83d\"", UnpairedSurrogate, 1),
    ];
    for (document, kind, offset) in cases {
        assert_eq!(refusal(document.as_bytes()), (*kind, *offset), "{document:?}");
    }
}

#[test]
fn malformed_numbers_are_refused() {
    use ParseErrorKind::*;
    let cases: &[(&str, ParseErrorKind, usize)] = &[
        ("01", InvalidNumber, 1),
        ("-01", InvalidNumber, 2),
        ("00", InvalidNumber, 1),
        ("[-]", InvalidNumber, 2),
        ("-", UnexpectedEnd, 1),
        ("+1", UnexpectedByte, 0),
        (".5", UnexpectedByte, 0),
        ("[1.]", InvalidNumber, 3),
        ("1.", UnexpectedEnd, 2),
        ("[1.e5]", InvalidNumber, 3),
        ("[1e]", InvalidNumber, 3),
        ("[1e+]", InvalidNumber, 4),
        ("1e", UnexpectedEnd, 2),
        ("1.5.2", TrailingContent, 3),
        ("0x10", TrailingContent, 1),
        ("1_000", TrailingContent, 1),
        ("NaN", UnexpectedByte, 0),
        ("-Infinity", InvalidNumber, 1),
    ];
    for (document, kind, offset) in cases {
        assert_eq!(refusal(document.as_bytes()), (*kind, *offset), "{document:?}");
    }
}

#[test]
fn utf_8_is_strict_and_the_first_fault_wins() {
    use ParseErrorKind::*;
    assert_eq!(refusal(b"\xEF\xBB\xBF{}"), (ByteOrderMark, 0));
    assert_eq!(refusal(b"\"\xFF\""), (InvalidUtf8, 1));
    assert_eq!(refusal(b"\"\xC0\xAF\""), (InvalidUtf8, 1), "an overlong slash");
    assert_eq!(
        refusal(b"\"ab\xED\xA0\x80\""),
        (InvalidUtf8, 3),
        "an encoded surrogate"
    );
    assert_eq!(
        refusal(b"\"\xF4\x90\x80\x80\""),
        (InvalidUtf8, 1),
        "above U+10FFFF"
    );
    assert_eq!(refusal(b"\"\xE4\xB8"), (InvalidUtf8, 1), "cut short");
    assert_eq!(refusal(b"1\xFF"), (InvalidUtf8, 1));
    assert_eq!(refusal(b"[x, \"\xFF\"]"), (UnexpectedByte, 1));
}

#[test]
fn duplicate_names_are_refused_where_the_second_one_stands() {
    assert_eq!(
        refusal(br#"{"a":1,"b":2,"a":3}"#),
        (ParseErrorKind::DuplicateName, 13)
    );
    assert_eq!(
        refusal(br#"[{"x":{"a":1, "\u0061":2}}]"#),
        (ParseErrorKind::DuplicateName, 14)
    );
    assert_eq!(refusal(br#"{"":1,"":2}"#), (ParseErrorKind::DuplicateName, 6));
    let many: Vec<String> = (0..50).map(|index| format!(r#""n{index:02}":0"#)).collect();
    let document = format!("{{{},\"n07\":1}}", many.join(","));
    assert_eq!(
        refusal(document.as_bytes()),
        (ParseErrorKind::DuplicateName, 1 + 50 * 8)
    );
    assert!(
        parse(br#"{"a":{"a":{"a":1}},"b":{"a":1}}"#).is_ok(),
        "names repeat freely in different objects"
    );
}

#[test]
fn messages_are_fixed_and_say_nothing_of_the_document() {
    let error = parse(br#"{"secret": passw0rd}"#).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the document is not JSON: a character is not allowed here, at byte 11"
    );
}

#[test]
fn an_offset_becomes_line_and_column_for_people() {
    let document = "{\n  \"é\": 1,\n  \"世界\": x\n}".as_bytes();
    let error = parse(document).unwrap_err();
    assert_eq!(error.locate(document), (3, 9));
    assert_eq!(parse(b"").unwrap_err().locate(b""), (1, 1));
}
