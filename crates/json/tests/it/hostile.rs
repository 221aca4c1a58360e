//! Documents and values that are made to hurt are answered at once.

use crate::json;
use toolmesh_json::{
    ArrayBuilder, BindError, BridgeError, Limits, ParseErrorKind, Value, canonical_text, parse, parse_with,
};

/// A value that only a builder can make: arrays and objects in each other, far deeper than a stack holds.
fn deep(levels: u32) -> Value {
    (0..levels).fold(Value::from(1), |inner, level| {
        if level % 2 == 0 {
            Value::array().push(inner).build()
        } else {
            Value::object().put("a", inner).build()
        }
    })
}

#[test]
fn a_document_of_a_hundred_thousand_brackets_is_refused_at_the_bound() {
    let error = parse("[".repeat(100_000).as_bytes()).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ParseErrorKind::TooDeep, 128));
    let error = parse("{\"a\":".repeat(100_000).as_bytes()).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ParseErrorKind::TooDeep, 128 * 5));
}

#[test]
fn a_value_of_any_depth_is_written_compared_hashed_and_dropped() {
    let (a, b) = (deep(200_000), deep(200_000));
    assert_eq!(a, b);
    assert_ne!(a, deep(200_001));
    assert_eq!(a.to_text().len(), 100_000 * 2 + 100_000 * 6 + 1);
    assert_eq!(a.to_text(), canonical_text(b.view()));
    assert_eq!(std::collections::HashSet::from([a, b]).len(), 1);
}

#[test]
fn a_shared_deep_value_is_dropped_by_its_last_owner() {
    let a = deep(100_000);
    let inner = a.pointer("/a/0/a/0").unwrap().to_value();
    let wide: ArrayBuilder = std::iter::repeat_n(&inner, 10).collect();
    drop(a);
    drop(wide);
    assert!(inner.view().get("a").is_some());
    drop(inner);
}

#[test]
fn what_would_recurse_refuses_a_value_that_is_too_deep() {
    let (fits, exceeds) = (deep(255), deep(256));
    assert!(serde_json::to_string(&fits).is_ok());
    assert!(serde_json::to_string(&exceeds).is_err());
    assert!(serde_json::Value::try_from(&fits).is_ok());
    assert_eq!(serde_json::Value::try_from(&exceeds), Err(BridgeError::TooDeep));
    assert_eq!(
        deep(300).deserialize::<serde_json::Value>(),
        Err(BindError::TooDeep)
    );
    let nested = (0..300).fold(serde_json::Value::Null, |inner, _| {
        serde_json::Value::Array(vec![inner])
    });
    assert_eq!(Value::try_from(nested), Err(BridgeError::TooDeep));
}

#[test]
fn an_object_of_many_like_names_is_read_in_good_time() {
    let members: Vec<String> = (0..90_000).map(|index| format!(r#""{index:>40}":0"#)).collect();
    let document = format!("{{{}}}", members.join(","));
    let value = parse_with(document.as_bytes(), &Limits::ceiling()).unwrap();
    assert_eq!(value.as_object().unwrap().len(), 90_000);
    assert!(value.get(&format!("{:>40}", 89_999)).is_some());
}

#[test]
fn a_far_exponent_costs_nothing() {
    let numbers = json("[1e9999,-1e9999,1e-9999]");
    assert_eq!(numbers, json("[10e9998,-0.1e10000,0.1e-9998]"));
    for number in numbers.as_array().unwrap() {
        assert_eq!(number.as_i64(), None);
    }
}

#[test]
fn a_value_too_deep_to_detach_stays_as_it_is() {
    let deep = deep(1_000);
    assert_eq!(deep.detach(), deep);
    let wrapped = Value::array().push(deep).push(json("[1]")).build();
    assert_eq!(wrapped.detach().to_text(), wrapped.to_text());
}

#[test]
fn names_that_begin_alike_are_told_apart_and_twins_among_them_found() {
    for count in [2usize, 8, 9, 200] {
        let members: Vec<String> = (0..count)
            .map(|index| format!("\"{}{index}\\u0000\":0", "long prefix ".repeat(20)))
            .collect();
        let fine = format!("{{{}}}", members.join(","));
        assert_eq!(json(&fine).as_object().unwrap().len(), count);
        let twin = format!("{},{}}}", &fine[..fine.len() - 1], members[1]);
        let error = parse(twin.as_bytes()).unwrap_err();
        assert_eq!(
            (error.kind(), error.offset()),
            (ParseErrorKind::DuplicateName, fine.len())
        );
    }
    let zeros: Vec<String> = (0..20)
        .map(|count| format!("\"{}\":0", "\\u0000".repeat(count)))
        .collect();
    let document = json(&format!("{{{}}}", zeros.join(",")));
    assert_eq!(document.as_object().unwrap().len(), 20);
    assert!(document.get(&"\0".repeat(19)).is_some());
}
