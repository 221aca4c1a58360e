//! Building values and comparing them.

use crate::json;
use std::{
    collections::{HashSet, hash_map::DefaultHasher},
    hash::{Hash, Hasher},
};
use toolmesh_json::{ObjectBuilder, Value};

#[test]
fn builders_make_what_the_text_says() {
    let built = Value::object()
        .put("name", "transfer")
        .put(
            "arguments",
            Value::array()
                .push(1)
                .push(u128::MAX)
                .push(true)
                .push("x")
                .push(Value::null()),
        )
        .put_opt("absent", None::<i64>)
        .put_opt("present", Some(2i64))
        .put("empty", Value::object())
        .build();
    let expected = r#"{"name":"transfer","arguments":[1,340282366920938463463374607431768211455,true,"x",null],"present":2,"empty":{}}"#;
    assert_eq!(built.to_text(), expected);
    assert_eq!(built, json(expected));
}

#[test]
fn a_second_put_replaces_and_keeps_the_place() {
    for size in [3usize, 8, 9, 10, 40] {
        let mut builder: ObjectBuilder = (0..size as u64)
            .map(|index| (format!("n{index}"), index))
            .collect();
        builder.insert("n1", "new");
        assert_eq!(builder.len(), size);
        let value = builder.build();
        assert_eq!(
            value
                .as_object()
                .unwrap()
                .iter()
                .nth(1)
                .map(|(name, value)| (name, value.to_text())),
            Some(("n1", "\"new\"".to_owned()))
        );
        assert_eq!(
            value.get(&format!("n{}", size - 1)).unwrap().as_u64(),
            Some(size as u64 - 1)
        );
    }
}

#[test]
fn equality_ignores_order_and_spelling_of_numbers_only() {
    let equal = [
        ("1", "1.0"),
        ("[1,2]", "[1e0,20e-1]"),
        (r#"{"a":1,"b":{"c":2}}"#, r#"{"b":{"c":2.0},"a":1}"#),
    ];
    for (a, b) in equal {
        assert_eq!(json(a), json(b));
        assert_eq!(hash(&json(a)), hash(&json(b)));
    }
    let different = [
        ("1", "true"),
        ("0", "null"),
        ("1", "\"1\""),
        ("[1,2]", "[2,1]"),
        ("[]", "{}"),
        ("[1]", "[1,1]"),
        (r#"{"a":1}"#, r#"{"a":1,"b":1}"#),
        (r#"{"a":1}"#, r#"{"b":1}"#),
        (r#""é""#, "\"e\u{301}\""),
        ("0", "false"),
        (r#"{"a":[1]}"#, r#"{"a":[2]}"#),
    ];
    for (a, b) in different {
        assert_ne!(json(a), json(b), "{a} {b}");
    }
    let many = |order: &mut dyn Iterator<Item = u32>| {
        order
            .map(|n| (n.to_string(), n))
            .collect::<ObjectBuilder>()
            .build()
    };
    let (up, down) = (many(&mut (0..100)), many(&mut (0..100).rev()));
    assert_eq!(up, down);
    assert_eq!(HashSet::from([up, down]).len(), 1);
}

fn hash(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn a_view_becomes_a_value_without_copying() {
    let document = json(r#"{"a":["text",{"b":1}]}"#);
    let inner = document.get("a").unwrap().to_value();
    assert_eq!(
        inner
            .view()
            .as_array()
            .unwrap()
            .get(0)
            .unwrap()
            .as_str()
            .unwrap()
            .as_ptr(),
        document.pointer("/a/0").unwrap().as_str().unwrap().as_ptr()
    );
    assert_eq!(Value::from(document.view()), document);
}

#[test]
fn node_ids_tell_places_apart_not_values() {
    let document = json("[1,1]");
    let array = document.as_array().unwrap();
    assert_eq!(array.get(0).unwrap().id(), array.get(0).unwrap().id());
    assert_ne!(array.get(0).unwrap().id(), array.get(1).unwrap().id());
}

#[test]
fn an_iterator_of_values_is_an_array() {
    let array: Value = (0..3i64).map(Value::from).collect();
    assert_eq!(array.to_text(), "[0,1,2]");
    assert_eq!(
        array
            .as_array()
            .unwrap()
            .iter()
            .rev()
            .filter_map(|item| item.as_i64())
            .collect::<Vec<_>>(),
        [2, 1, 0]
    );
    assert_eq!(Value::from(vec![Value::from(true)]).to_text(), "[true]");
    assert_eq!(Value::default(), Value::null());
}
