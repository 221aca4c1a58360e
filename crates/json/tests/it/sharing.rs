//! Values of a document, values of builders, and copies of either are one kind of value.

use crate::json;
use std::{
    collections::{HashSet, hash_map::DefaultHasher},
    hash::{Hash, Hasher},
};
use toolmesh_json::{Kind, NodeId, ObjectBuilder, Value, View, canonical_text};

fn hash(view: View<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    view.hash(&mut hasher);
    hasher.finish()
}

/// The same value put together by builders, one container and one scalar at a time.
fn rebuilt(view: View<'_>) -> Value {
    match view.kind() {
        Kind::Null => Value::null(),
        Kind::Boolean => Value::from(view.as_bool().unwrap()),
        Kind::Number => Value::from(view.as_number().unwrap().clone()),
        Kind::String => Value::from(view.as_str().unwrap()),
        Kind::Array => view.as_array().unwrap().iter().map(rebuilt).collect(),
        Kind::Object => {
            let members = view.as_object().unwrap().iter();
            members
                .map(|(name, value)| (name, rebuilt(value)))
                .collect::<ObjectBuilder>()
                .build()
        }
    }
}

/// Empty and full containers of both kinds, small and large objects, texts with and without escapes, numbers of every size.
fn documents() -> Vec<String> {
    let many: Vec<String> = (0..40)
        .map(|index| format!(r#""name {index}\n":[{index},null]"#))
        .collect();
    let few = r#"{"":"","a\"b":"\u00e9\t","c":[[],{},[{}],true,false,null],"d":-0.50,"e":123456789012345678901234567890}"#;
    vec![
        few.to_owned(),
        format!("{{{}}}", many.join(",")),
        format!("[{few},{{{}}},{few}]", many.join(", ")),
        format!(
            "[{}1, \"é\", \"\", \"\", \"x\\ny\"{}]",
            " ".repeat(5_000),
            "\n".repeat(5_000)
        ),
        format!(r#"{}{{"":{{"":""}}}}"#, " ".repeat(5_000)),
        r#"[1e9999,"🚀",""]"#.to_owned(),
        "[]".to_owned(),
        "{}".to_owned(),
        r#""alone\n""#.to_owned(),
        "-12.5".to_owned(),
    ]
}

fn every_view<'a>(view: View<'a>, into: &mut Vec<View<'a>>) {
    into.push(view);
    view.as_array()
        .into_iter()
        .flatten()
        .for_each(|item| every_view(item, into));
    view.as_object()
        .into_iter()
        .flatten()
        .for_each(|(_, value)| every_view(value, into));
}

#[test]
fn a_value_is_the_same_however_it_is_held() {
    for text in documents() {
        let read = json(&text);
        for other in [
            rebuilt(read.view()),
            read.detach(),
            rebuilt(read.view()).detach(),
            read.view().to_value(),
        ] {
            assert_eq!(other, read, "{text}");
            assert_eq!(hash(other.view()), hash(read.view()), "{text}");
            assert_eq!(other.to_text(), read.to_text());
            assert_eq!(canonical_text(other.view()), canonical_text(read.view()));
            assert_eq!(
                other.deserialize::<serde_json::Value>(),
                read.deserialize::<serde_json::Value>()
            );
            assert_eq!(json(&other.to_text()), read);
        }
    }
}

#[test]
fn every_member_is_found_however_the_object_is_held() {
    for text in documents() {
        let read = json(&text);
        let (built, detached) = (rebuilt(read.view()), read.detach());
        let mut views = Vec::new();
        for value in [&read, &built, &detached] {
            every_view(value.view(), &mut views);
        }
        for object in views.into_iter().filter_map(View::as_object) {
            for (name, value) in object {
                assert_eq!(object.get(name), Some(value));
            }
            assert_eq!(object.contains(""), object.keys().any(str::is_empty));
            assert!(!object.contains("name"), "a name that only begins like others");
        }
    }
}

#[test]
fn elements_are_reached_by_position_and_from_both_ends() {
    let read = json(r#"[10,[11],{"a":12},"13"]"#);
    for value in [&read, &rebuilt(read.view()), &read.detach()] {
        let array = value.as_array().unwrap();
        let forth: Vec<View<'_>> = array.iter().collect();
        let mut back: Vec<View<'_>> = array.iter().rev().collect();
        back.reverse();
        assert_eq!(forth, back);
        assert_eq!(array.iter().len(), 4);
        for (index, item) in forth.into_iter().enumerate() {
            assert_eq!(array.get(index), Some(item));
        }
        assert_eq!(array.get(4), None);
        let object = array.get(2).unwrap().as_object().unwrap();
        assert_eq!(object.iter().next_back().map(|(name, _)| name), Some("a"));
    }
}

#[test]
fn a_builder_takes_parts_of_documents_as_they_are() {
    let document = json(r#"{"to":"0xab","amounts":[1,2.50]}"#);
    let call = Value::object()
        .put("first", document.get("amounts").unwrap())
        .put("all", &document)
        .put("to", document.get("to").unwrap())
        .put("one", document.pointer("/amounts/1").unwrap())
        .build();
    drop(document);
    let text = r#"{"first":[1,2.50],"all":{"to":"0xab","amounts":[1,2.50]},"to":"0xab","one":2.50}"#;
    assert_eq!(call.to_text(), text);
    assert_eq!(call, json(text));
    assert_eq!(call.detach(), json(text));
}

#[test]
fn places_of_a_document_differ_whatever_stands_there() {
    for text in documents() {
        let read = json(&text);
        let detached = read.detach();
        for value in [&read, &detached] {
            let mut views = Vec::new();
            every_view(value.view(), &mut views);
            let places: HashSet<NodeId> = views.iter().map(|view| view.id()).collect();
            assert_eq!(places.len(), views.len(), "{text}");
        }
    }
    let document = json("[[],[1]]");
    let inner = document.pointer("/1").unwrap();
    assert_eq!(
        inner.id(),
        inner.to_value().view().id(),
        "a shared part is the same place"
    );
    assert_ne!(inner.id(), inner.detach().view().id());
}

#[test]
fn a_value_taken_out_shares_the_text_and_a_detached_one_does_not() {
    let document = json(r#"{"a":["text"],"rest":"more"}"#);
    let place = |value: &Value| value.pointer("/0").unwrap().as_str().unwrap().as_ptr();
    let inner = document.get("a").unwrap();
    assert_eq!(
        place(&inner.to_value()),
        document.pointer("/a/0").unwrap().as_str().unwrap().as_ptr()
    );
    assert_ne!(place(&inner.detach()), place(&inner.to_value()));
}

#[test]
fn a_view_takes_two_words() {
    assert_eq!(size_of::<View<'_>>(), 2 * size_of::<u64>());
    assert!(size_of::<Value>() <= 3 * size_of::<u64>());
}
