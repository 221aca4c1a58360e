//! Any bytes: refused in a typed way, or a value that writes, reads, compares, binds and copies as itself.
#![no_main]

use libfuzzer_sys::fuzz_target;
use toolmesh_json::{
    BindError, Kind, Limits, ObjectBuilder, OutputLimits, ParseErrorKind, Value, View, canonical_text, parse_with,
    write_value_within,
};

fuzz_target!(|input: &[u8]| {
    let theirs = serde_json::from_slice::<serde_json::Value>(input);
    let value = match parse_with(input, &Limits::ceiling()) {
        Ok(value) => value,
        Err(error) => {
            assert!(error.offset() <= input.len());
            let _ = (error.to_string(), error.locate(input));
            let own = error.kind().is_limit() || error.kind() == ParseErrorKind::DuplicateName;
            assert!(own || theirs.is_err(), "only serde_json accepts: {error}");
            return;
        }
    };
    round_trip(&value);
    forms(&value);
    // There, an object of this one name is a number.
    let theirs = theirs.ok().filter(|_| !value.to_text().contains("$serde_json::private"));
    if let Some(theirs) = theirs {
        assert_eq!(Value::try_from(theirs).expect("it is within the ceilings"), value);
    }
    narrow(input, &value);
});

/// What is written is read back as it was, and once more.
fn round_trip(value: &Value) {
    let text = value.to_text();
    let back = parse_with(text.as_bytes(), &Limits::ceiling()).expect("what is written can be read");
    assert_eq!(&back, value);
    assert_eq!(back.to_text(), text);
    let canonical = canonical_text(value.view());
    let back = parse_with(canonical.as_bytes(), &Limits::ceiling()).expect("canonical text can be read");
    assert_eq!(&back, value);
    assert_eq!(canonical_text(back.view()), canonical);
}

/// However a value is held, it is the same.
fn forms(value: &Value) {
    for other in [value.detach(), rebuilt(value.view()), value.view().to_value()] {
        assert_eq!(&other, value);
        assert_eq!(other.to_text(), value.to_text());
    }
    match value.deserialize::<Value>() {
        Ok(bound) => assert_eq!(&bound, value),
        Err(BindError::TooDeep | BindError::TooManyNodes | BindError::TooManyEntries) => {}
        Err(error) => panic!("a value is no value: {error}"),
    }
}

fn rebuilt(view: View<'_>) -> Value {
    match view.kind() {
        Kind::Array => view.as_array().into_iter().flatten().map(rebuilt).collect(),
        Kind::Object => {
            let members = view.as_object().into_iter().flatten();
            let members: ObjectBuilder = members.map(|(name, value)| (name, rebuilt(value))).collect();
            members.build()
        }
        Kind::String => view.as_str().map(Value::from).unwrap_or_default(),
        _ => view.to_value(),
    }
}

/// Narrow limits refuse what they should, on the way in and on the way out, and change nothing of what they admit.
fn narrow(input: &[u8], value: &Value) {
    let limits = Limits::default()
        .with_depth(3)
        .and_then(|limits| limits.with_nodes(8))
        .and_then(|limits| limits.with_string_units(6))
        .and_then(|limits| limits.with_token_units(8))
        .and_then(|limits| limits.with_number_chars(6))
        .and_then(|limits| limits.with_number_text_chars(5))
        .and_then(|limits| limits.with_exponent(20))
        .expect("the limits may be chosen");
    match parse_with(input, &limits) {
        Ok(narrow) => assert_eq!(&narrow, value),
        Err(error) => assert!(error.kind().is_limit(), "{error}"),
    }
    let mut out = b"kept".to_vec();
    match write_value_within(&mut out, value.view(), &OutputLimits::new(limits)) {
        Ok(()) => {
            assert_eq!(out.get(4..), Some(value.to_text().as_bytes()));
            let back = parse_with(&out[4..], &limits).expect("what fits going out fits coming in");
            assert_eq!(&back, value);
        }
        Err(_) => assert_eq!(out, b"kept"),
    }
}
