//! Between values and Rust types.

use crate::json;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use toolmesh_json::{BindError, BindLimits, Number, Value};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Transfer {
    to: String,
    amount: u128,
    #[serde(skip_serializing_if = "Option::is_none")]
    memo: Option<String>,
    flags: Vec<bool>,
    kind: Kind,
    extra: Value,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Kind {
    Plain,
    Signed(u8),
    Pair(i8, i8),
    Named { gas: u64 },
}

#[test]
fn a_struct_goes_there_and_back() {
    for (kind, text) in [
        (Kind::Plain, r#""Plain""#),
        (Kind::Signed(7), r#"{"Signed":7}"#),
        (Kind::Pair(-1, 1), r#"{"Pair":[-1,1]}"#),
        (
            Kind::Named { gas: u64::MAX },
            r#"{"Named":{"gas":18446744073709551615}}"#,
        ),
    ] {
        let extra = json(r#"{"n":1.50,"big":123456789012345678901234567890}"#);
        let transfer = Transfer {
            to: "0xé".into(),
            amount: u128::MAX,
            memo: None,
            flags: vec![true, false],
            kind,
            extra,
        };
        let value = Value::from_serialize(&transfer).unwrap();
        let expected = format!(
            r#"{{"to":"0xé","amount":{},"flags":[true,false],"kind":{text},"extra":{{"n":1.50,"big":123456789012345678901234567890}}}}"#,
            u128::MAX
        );
        assert_eq!(value.to_text(), expected);
        assert_eq!(value.deserialize::<Transfer>().unwrap(), transfer);
    }
}

#[test]
fn integers_are_taken_from_any_integral_spelling_in_range() {
    assert_eq!(json("1.0").deserialize::<u8>(), Ok(1));
    assert_eq!(json("1e2").deserialize::<i8>(), Ok(100));
    assert_eq!(json("-0").deserialize::<u64>(), Ok(0));
    assert_eq!(json(&i128::MIN.to_string()).deserialize::<i128>(), Ok(i128::MIN));
    assert!(json("256").deserialize::<u8>().is_err());
    assert!(json("-1").deserialize::<u64>().is_err());
    assert_eq!(json("1.5").deserialize::<i64>(), Err(BindError::OutOfRange));
    assert_eq!(json("1e9999").deserialize::<i64>(), Err(BindError::OutOfRange));
    assert!(json("\"1\"").deserialize::<i64>().is_err());
}

#[test]
fn floats_are_nearest_and_finite() {
    assert_eq!(json("0.1").deserialize::<f64>(), Ok(0.1));
    assert_eq!(json("1").deserialize::<f64>(), Ok(1.0));
    assert_eq!(json("0.1").deserialize::<f32>(), Ok(0.1));
    assert_eq!(json("1e9999").deserialize::<f64>(), Err(BindError::OutOfRange));
    assert_eq!(json("1e39").deserialize::<f32>(), Err(BindError::OutOfRange));
    assert_eq!(Value::from_serialize(&f64::NAN), Err(BindError::NotFinite));
    assert_eq!(Value::from_serialize(&0.1f32).unwrap().to_text(), "0.1");
    assert_eq!(Value::from_serialize(&1e21f64).unwrap(), json("1e21"));
}

#[test]
fn numbers_cross_serde_json_exactly() {
    let text = r#"{"a":[1,-1,1.50,1E+2,1E-7,18446744073709551616,0.1000000000000000055511151231257827,1E+9999],"b":null,"c":"x"}"#;
    let value = json(text);
    assert_eq!(serde_json::to_string(&value).unwrap(), text);
    assert_eq!(serde_json::from_str::<Value>(text).unwrap().to_text(), text);
    let theirs = serde_json::Value::try_from(&value).unwrap();
    assert_eq!(
        serde_json::to_string(&theirs).unwrap(),
        text.replace('E', "e"),
        "serde_json respells the exponent"
    );
    assert_eq!(Value::try_from(theirs.clone()).unwrap().to_text(), text);
    assert_eq!(serde_json::to_value(&value).unwrap(), theirs);
    assert_eq!(
        serde_json::from_value::<Value>(theirs.clone()).unwrap().to_text(),
        text
    );
    assert_eq!(Value::from_serialize(&theirs).unwrap().to_text(), text);
    assert_eq!(
        Value::try_from(value.deserialize::<serde_json::Value>().unwrap()).unwrap(),
        value
    );
}

#[test]
fn an_object_that_looks_like_a_number_of_serde_json_stays_an_object() {
    let value = json(r#"{"$serde_json::private::Number":"1"}"#);
    assert_eq!(value.deserialize::<Value>().unwrap(), value);
    assert_eq!(Value::from_serialize(&value).unwrap(), value);
    assert_eq!(
        json(r#"{"x":{"$serde_json::private::Number":[]}}"#)
            .deserialize::<HashMap<String, Value>>()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn a_number_alone_can_be_asked_for() {
    assert_eq!(json("1.50").deserialize::<Number>().unwrap().as_text(), "1.50");
    assert!(json("\"1.50\"").deserialize::<Number>().is_err());
    assert_eq!(
        json("1.50")
            .deserialize::<serde_json::Number>()
            .unwrap()
            .to_string(),
        "1.5"
    );
    assert_eq!(
        serde_json::from_str::<Number>("123456789012345678901234567890")
            .unwrap()
            .as_text(),
        "123456789012345678901234567890"
    );
}

#[test]
fn maps_have_names_of_texts_numbers_and_booleans() {
    let map = BTreeMap::from([(7u64, "seven"), (10, "ten")]);
    let value = Value::from_serialize(&map).unwrap();
    assert_eq!(value.to_text(), r#"{"7":"seven","10":"ten"}"#);
    assert_eq!(
        value.deserialize::<BTreeMap<u64, String>>().unwrap(),
        BTreeMap::from([(7, "seven".into()), (10, "ten".into())])
    );
    assert_eq!(
        json(r#"{"true":1}"#)
            .deserialize::<BTreeMap<bool, i64>>()
            .unwrap(),
        BTreeMap::from([(true, 1)])
    );
    assert!(json(r#"{"x":1}"#).deserialize::<BTreeMap<u64, i64>>().is_err());
    assert_eq!(
        Value::from_serialize(&BTreeMap::from([((1, 2), 3)])),
        Err(BindError::KeyNotText)
    );
    assert_eq!(
        Value::from_serialize(&BTreeMap::from([(None::<u8>, 3)])),
        Err(BindError::KeyNotText)
    );
}

#[test]
fn shapes_that_differ_are_refused() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Point {
        x: i64,
    }
    assert_eq!(json(r#"{"x":1}"#).deserialize::<Point>(), Ok(Point { x: 1 }));
    assert!(
        json("[1]").deserialize::<Point>().is_err(),
        "an array is no struct"
    );
    assert!(json("{}").deserialize::<Point>().is_err());
    assert!(
        json("[1,2,3]").deserialize::<(i64, i64)>().is_err(),
        "elements are left over"
    );
    assert!(json("[1]").deserialize::<(i64, i64)>().is_err());
    assert!(json("null").deserialize::<String>().is_err());
    assert!(json(r#"{"Plain":1,"Signed":2}"#).deserialize::<Kind>().is_err());
    assert!(json(r#""Signed""#).deserialize::<Kind>().is_err());
    assert_eq!(json("null").deserialize::<Option<i64>>(), Ok(None));
    assert_eq!(json("null").deserialize::<()>(), Ok(()));
    assert_eq!(json("[1,2]").deserialize::<[i64; 2]>(), Ok([1, 2]));
}

#[test]
fn untagged_and_flattened_types_are_filled() {
    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(untagged)]
    enum Id {
        Number(i64),
        Float(f64),
        Text(String),
    }
    assert_eq!(json("7").deserialize::<Id>(), Ok(Id::Number(7)));
    assert_eq!(json("0.5").deserialize::<Id>(), Ok(Id::Float(0.5)));
    assert_eq!(json("\"x\"").deserialize::<Id>(), Ok(Id::Text("x".into())));

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Outer {
        a: i64,
        #[serde(flatten)]
        rest: BTreeMap<String, Value>,
    }
    let value = json(r#"{"a":1,"b":[2],"c":{"d":null}}"#);
    let outer: Outer = value.deserialize().unwrap();
    assert_eq!(outer.rest.len(), 2);
    assert_eq!(Value::from_serialize(&outer).unwrap(), value);
    let twice = Outer {
        a: 1,
        rest: BTreeMap::from([("a".to_owned(), Value::null())]),
    };
    assert_eq!(Value::from_serialize(&twice), Err(BindError::DuplicateName));
}

#[test]
fn texts_can_be_borrowed() {
    let value = json(r#"{"a":"text"}"#);
    let map: HashMap<&str, &str> = value.view().deserialize().unwrap();
    assert_eq!(map["a"], "text");
}

#[test]
fn raw_json_of_serde_json_is_embedded() {
    let raw = serde_json::value::RawValue::from_string(r#"{"a": [1.50]}"#.to_owned()).unwrap();
    assert_eq!(
        Value::from_serialize(&vec![raw]).unwrap().to_text(),
        r#"[{"a":[1.50]}]"#
    );
}

#[test]
fn each_budget_holds_at_n_and_breaks_at_n_plus_one() {
    let limits = BindLimits {
        nodes: 4,
        depth: 2,
        entries: 3,
        ..BindLimits::default()
    };
    let read = |text: &str| {
        json(text)
            .view()
            .deserialize_with::<serde_json::Value>(&limits)
            .map(|_| ())
    };
    let write = |text: &str| {
        let source: serde_json::Value = serde_json::from_str(text).unwrap();
        Value::from_serialize_with(&source, &limits).map(|_| ())
    };
    for (text, expected) in [
        ("[1,2,3]", Ok(())),
        ("[1,2,3,4]", Err(BindError::TooManyEntries)),
        (r#"{"a":1,"b":2,"c":3}"#, Ok(())),
        (r#"{"a":1,"b":2,"c":3,"d":4}"#, Err(BindError::TooManyEntries)),
        ("[[],[],[]]", Ok(())),
        ("[[1]]", Err(BindError::TooDeep)),
    ] {
        assert_eq!(read(text), expected, "{text}");
        assert_eq!(write(text), expected, "{text}");
    }
    let limits = BindLimits {
        nodes: 3,
        ..BindLimits::default()
    };
    assert!(json("[1,2]").view().deserialize_with::<Vec<i64>>(&limits).is_ok());
    assert_eq!(
        json("[1,2,3]").view().deserialize_with::<Vec<i64>>(&limits),
        Err(BindError::TooManyNodes)
    );
    assert!(Value::from_serialize_with(&[1, 2], &limits).is_ok());
    assert_eq!(
        Value::from_serialize_with(&[1, 2, 3], &limits),
        Err(BindError::TooManyNodes)
    );
}
