//! Each bound at n and at n + 1, at its default, and at its ceiling.

use toolmesh_json::{
    LimitError, LimitName, Limits, OutputLimits, ParseErrorKind, Value, parse, parse_with, write_value_within,
};

fn refused(document: &str, limits: &Limits) -> Option<ParseErrorKind> {
    parse_with(document.as_bytes(), limits)
        .err()
        .map(|error| error.kind())
}

fn nested(depth: usize) -> String {
    format!("{}{}", "[".repeat(depth), "]".repeat(depth))
}

fn list(nodes: usize) -> String {
    format!("[{}]", vec!["0"; nodes - 1].join(","))
}

#[test]
fn bytes_are_bounded() {
    let limits = Limits::default().with_bytes(4).unwrap();
    assert_eq!(refused("1234", &limits), None);
    assert_eq!(refused("1234 ", &limits), Some(ParseErrorKind::TooManyBytes));
    let full = format!("1{}", " ".repeat((4 << 20) - 1));
    assert_eq!(refused(&full, &Limits::default()), None);
    assert_eq!(
        refused(&(full + " "), &Limits::default()),
        Some(ParseErrorKind::TooManyBytes)
    );
}

#[test]
fn depth_is_bounded_and_the_root_is_at_one() {
    let one = Limits::default().with_depth(1).unwrap();
    assert_eq!(refused("1", &one), None);
    assert_eq!(refused("[]", &one), None);
    assert_eq!(refused("[1]", &one), Some(ParseErrorKind::TooDeep));
    assert_eq!(refused("{\"a\":1}", &one), Some(ParseErrorKind::TooDeep));
    for (limits, depth) in [(Limits::default(), 128), (Limits::ceiling(), 256)] {
        assert_eq!(refused(&nested(depth), &limits), None);
        assert_eq!(
            refused(&nested(depth + 1), &limits),
            Some(ParseErrorKind::TooDeep)
        );
    }
}

#[test]
fn nodes_are_bounded_and_names_are_not_counted() {
    let three = Limits::default().with_nodes(3).unwrap();
    assert_eq!(refused(r#"{"a":1,"b":2}"#, &three), None);
    assert_eq!(
        refused(r#"{"a":1,"b":[2]}"#, &three),
        Some(ParseErrorKind::TooManyNodes)
    );
    assert_eq!(refused(&list(100_000), &Limits::default()), None);
    assert_eq!(
        refused(&list(100_001), &Limits::default()),
        Some(ParseErrorKind::TooManyNodes)
    );
}

#[test]
fn decoded_strings_and_names_are_bounded_in_utf_16_units() {
    let four = Limits::default().with_string_units(4).unwrap();
    for fits in [
        r#""abcd""#,
        r#""世界世界""#,
        r#""🚀🚀""#,
        r#""\u0061\u0062\u0063\u0064""#,
        r#""\uD83D\uDE80ab""#,
        r#"{"abcd":1}"#,
    ] {
        assert_eq!(refused(fits, &four), None, "{fits}");
    }
    for exceeds in [
        r#""abcde""#,
        r#""世界世界世""#,
        r#""🚀🚀a""#,
        r#""\u0061\u0062\u0063\u0064e""#,
        r#""\n\n\n\n\n""#,
        r#"{"abcde":1}"#,
    ] {
        assert_eq!(
            refused(exceeds, &four),
            Some(ParseErrorKind::StringTooLong),
            "{exceeds}"
        );
    }
}

#[test]
fn spelled_strings_and_names_are_bounded_in_utf_16_units() {
    let twelve = Limits::default().with_token_units(12).unwrap();
    for fits in [
        r#""abcdefghijkl""#,
        r#""\u0061\u0062""#,
        r#""\uD83D\uDE80""#,
        r#""🚀🚀🚀🚀🚀🚀""#,
        r#"{"\u0061\u0062":1}"#,
    ] {
        assert_eq!(refused(fits, &twelve), None, "{fits}");
    }
    for exceeds in [
        r#""abcdefghijklm""#,
        r#""\u0061\u0062c""#,
        r#""🚀🚀🚀🚀🚀🚀.""#,
        r#"{"\u0061\u0062c":1}"#,
    ] {
        assert_eq!(
            refused(exceeds, &twelve),
            Some(ParseErrorKind::TokenTooLong),
            "{exceeds}"
        );
    }
    let full = format!("\"{}\"", "x".repeat(1 << 20));
    assert_eq!(refused(&full, &Limits::default()), None);
    let above = format!("\"{}\"", "x".repeat((1 << 20) + 1));
    assert_eq!(
        refused(&above, &Limits::default()),
        Some(ParseErrorKind::TokenTooLong)
    );
}

#[test]
fn the_characters_of_a_number_are_bounded() {
    assert_eq!(refused(&"9".repeat(1_024), &Limits::default()), None);
    assert_eq!(
        refused(&"9".repeat(1_025), &Limits::default()),
        Some(ParseErrorKind::NumberTokenTooLong)
    );
    assert_eq!(refused(&"9".repeat(4_096), &Limits::ceiling()), None);
    assert_eq!(
        refused(&"9".repeat(4_097), &Limits::ceiling()),
        Some(ParseErrorKind::NumberTokenTooLong)
    );
    let three = Limits::default().with_number_chars(3).unwrap();
    assert_eq!(refused("-12", &three), None);
    assert_eq!(refused("-123", &three), Some(ParseErrorKind::NumberTokenTooLong));
}

#[test]
fn the_exponent_is_bounded_as_written_and_as_adjusted() {
    let kind = Some(ParseErrorKind::ExponentTooLarge);
    for (limits, ceiling) in [(Limits::default(), 10_000), (Limits::ceiling(), 100_000)] {
        assert_eq!(refused(&format!("1e{ceiling}"), &limits), None);
        assert_eq!(refused(&format!("1E-{ceiling}"), &limits), None);
        assert_eq!(refused(&format!("1e{}", ceiling + 1), &limits), kind);
        assert_eq!(refused(&format!("1e-{}", ceiling + 1), &limits), kind);
        assert_eq!(
            refused(&format!("12e{ceiling}"), &limits),
            kind,
            "the first digit's exponent is one more"
        );
        assert_eq!(
            refused(&format!("0.1e-{ceiling}"), &limits),
            kind,
            "the first digit's exponent is one less"
        );
        assert_eq!(refused(&format!("1e{}", "9".repeat(900)), &limits), kind);
        assert_eq!(refused(&format!("1e{}{ceiling}", "0".repeat(900)), &limits), None);
    }
}

#[test]
fn the_text_form_of_a_number_is_bounded() {
    let four = Limits::default().with_number_text_chars(4).unwrap();
    assert_eq!(refused("1e5", &four), None, "1E+5");
    assert_eq!(
        refused("1e10", &four),
        Some(ParseErrorKind::NumberTextTooLong),
        "1E+10"
    );
    assert_eq!(refused("12345", &four), Some(ParseErrorKind::NumberTextTooLong));
}

#[test]
fn a_limit_is_never_zero_nor_above_its_ceiling() {
    let limits = Limits::default();
    let refusal = |name, requested, ceiling| {
        Err(LimitError {
            name,
            requested,
            ceiling,
        })
    };
    assert_eq!(limits.with_bytes(0), refusal(LimitName::Bytes, 0, 16 << 20));
    assert_eq!(
        limits.with_bytes((16 << 20) + 1),
        refusal(LimitName::Bytes, (16 << 20) + 1, 16 << 20)
    );
    assert_eq!(limits.with_depth(257), refusal(LimitName::Depth, 257, 256));
    assert_eq!(
        limits.with_nodes(1_000_001),
        refusal(LimitName::Nodes, 1_000_001, 1_000_000)
    );
    assert_eq!(
        limits.with_string_units((4 << 20) + 1),
        refusal(LimitName::StringUnits, (4 << 20) + 1, 4 << 20)
    );
    assert_eq!(
        limits.with_token_units((4 << 20) + 1),
        refusal(LimitName::TokenUnits, (4 << 20) + 1, 4 << 20)
    );
    assert_eq!(
        limits.with_number_chars(4_097),
        refusal(LimitName::NumberChars, 4_097, 4_096)
    );
    assert_eq!(
        limits.with_exponent(100_001),
        refusal(LimitName::Exponent, 100_001, 100_000)
    );
    assert_eq!(
        limits.with_number_text_chars(4_097),
        refusal(LimitName::NumberTextChars, 4_097, 4_096)
    );
    let at_ceiling = limits
        .with_bytes(Limits::MAX_BYTES)
        .and_then(|limits| limits.with_depth(Limits::MAX_DEPTH))
        .and_then(|limits| limits.with_nodes(Limits::MAX_NODES))
        .and_then(|limits| limits.with_string_units(Limits::MAX_STRING_UNITS))
        .and_then(|limits| limits.with_token_units(Limits::MAX_TOKEN_UNITS))
        .and_then(|limits| limits.with_number_chars(Limits::MAX_NUMBER_CHARS))
        .and_then(|limits| limits.with_exponent(Limits::MAX_EXPONENT))
        .and_then(|limits| limits.with_number_text_chars(Limits::MAX_NUMBER_TEXT_CHARS));
    assert_eq!(at_ceiling, Ok(Limits::ceiling()));
}

#[test]
fn an_answer_of_a_mesh_may_be_one_text_of_sixty_four_megabytes() {
    let limits = Limits::answer();
    let text = |bytes: usize| format!("\"{}\"", "x".repeat(bytes - 2));
    assert_eq!(limits.bytes(), 64 << 20);
    assert_eq!(refused(&text(64 << 20), &limits), None);
    assert_eq!(
        refused(&text((64 << 20) + 1), &limits),
        Some(ParseErrorKind::TooManyBytes)
    );
}

#[test]
fn the_refusal_of_a_limit_says_what_may_be_chosen() {
    let error = Limits::default().with_depth(1_000).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the limit on depth cannot be 1000: choose from 1 to 256"
    );
}

fn write(value: &Value, limits: &OutputLimits) -> Result<String, LimitName> {
    let mut out = b"kept ".to_vec();
    match write_value_within(&mut out, value.view(), limits) {
        Ok(()) => Ok(String::from_utf8(out).unwrap()),
        Err(error) => {
            assert_eq!(out, b"kept ", "nothing of a refused value remains");
            Err(error.limit)
        }
    }
}

#[test]
fn output_is_bounded_in_bytes() {
    let value = parse(r#"{"a\n":["é",1.5,null,true]}"#.as_bytes()).unwrap();
    let length = value.to_text().len();
    let limits = OutputLimits::default();
    assert_eq!(
        write(&value, &limits.with_bytes(length).unwrap()),
        Ok(format!("kept {value}"))
    );
    for bytes in 1..length {
        assert_eq!(
            write(&value, &limits.with_bytes(bytes).unwrap()),
            Err(LimitName::Bytes)
        );
    }
}

#[test]
fn output_is_bounded_in_depth_and_nodes() {
    let value = parse(br#"{"a":[1,2]}"#).unwrap();
    let limits = OutputLimits::default();
    assert!(write(&value, &limits.with_depth(3).unwrap()).is_ok());
    assert_eq!(
        write(&value, &limits.with_depth(2).unwrap()),
        Err(LimitName::Depth)
    );
    assert!(write(&value, &limits.with_nodes(4).unwrap()).is_ok());
    assert_eq!(
        write(&value, &limits.with_nodes(3).unwrap()),
        Err(LimitName::Nodes)
    );
}

#[test]
fn output_strings_are_bounded_in_units_as_written() {
    let limits = OutputLimits::default().with_token_units(12).unwrap();
    for fits in [
        "abcdefghijkl",
        "\n\"\\\r\t\u{8}",
        "\u{1}\u{1f}",
        "🚀🚀🚀🚀🚀🚀",
        "世界世界世界世界世界世界",
    ] {
        assert!(write(&Value::from(fits), &limits).is_ok(), "{fits:?}");
        let exceeds = format!("{fits}x");
        assert_eq!(
            write(&Value::from(exceeds.as_str()), &limits),
            Err(LimitName::TokenUnits),
            "{exceeds:?}"
        );
        let name = Value::object().put(exceeds, 1).build();
        assert_eq!(write(&name, &limits), Err(LimitName::TokenUnits));
    }
    let newlines = |count| Value::from("\n".repeat(count));
    assert!(write(&newlines(524_288), &OutputLimits::default()).is_ok());
    assert_eq!(
        write(&newlines(524_289), &OutputLimits::default()),
        Err(LimitName::TokenUnits)
    );
}

#[test]
fn output_numbers_are_bounded() {
    let big = parse_with("9".repeat(1_025).as_bytes(), &Limits::ceiling()).unwrap();
    assert_eq!(
        write(&big, &OutputLimits::default()),
        Err(LimitName::NumberTextChars)
    );
    assert!(write(&big, &OutputLimits::new(Limits::ceiling())).is_ok());
    let far = parse_with(b"1e10001", &Limits::ceiling()).unwrap();
    assert_eq!(write(&far, &OutputLimits::default()), Err(LimitName::Exponent));
}
