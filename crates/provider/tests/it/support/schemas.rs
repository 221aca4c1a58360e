//! Input schemas made by chance, in every shape that authors and generators write.

use proptest::prelude::*;
use serde_json::{Value, json};

/// An input schema: an object, sometimes with alternatives at the root, sometimes with definitions.
pub(crate) fn input_schema() -> impl Strategy<Value = String> {
    let root = prop_oneof![
        8 => object(schema()),
        1 => prop::collection::vec(object(schema()), 1..3).prop_map(|branches| json!({"type": "object", "anyOf": branches})),
        1 => tagged(schema()).prop_map(|branches| json!({"type": "object", "oneOf": branches})),
        1 => object(schema()).prop_map(|one| json!({"type": "object", "allOf": [one]})),
    ];
    (root, schema(), object(schema())).prop_map(|(mut root, plain, mut tree)| {
        tree["properties"]["children"] = json!({"type": "array", "items": {"$ref": "#/$defs/tree"}});
        root["$defs"] = json!({"plain": plain, "tree": tree, "unused": {"type": "string"}});
        root.to_string()
    })
}

fn schema() -> BoxedStrategy<Value> {
    leaf()
        .prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                3 => object(inner.clone()),
                2 => array(inner.clone()),
                1 => prop::collection::vec(inner.clone(), 1..4).prop_map(|branches| json!({"anyOf": branches})),
                1 => inner.clone().prop_map(|one| json!({"anyOf": [one, {"type": "null"}], "default": null, "description": "Or null."})),
                1 => prop::collection::vec(inner.clone(), 1..3).prop_map(|branches| json!({"oneOf": branches})),
                1 => tagged(inner.clone()).prop_map(|branches| json!({"oneOf": branches})),
                1 => inner.clone().prop_map(|one| json!({"allOf": [one], "description": "As another."})),
                1 => (object(inner.clone()), object(inner.clone())).prop_map(|(a, b)| json!({"allOf": [a, b]})),
                1 => inner.clone().prop_map(|one| json!({"type": "object", "additionalProperties": one})),
                1 => prop::collection::vec(inner, 1..3)
                    .prop_map(|first| json!({"type": "array", "prefixItems": first, "items": false})),
            ]
        })
        .boxed()
}

fn leaf() -> BoxedStrategy<Value> {
    let texts = (
        prop::option::of(0..3_u8),
        prop::option::of(3..9_u8),
        prop::option::of(prop::sample::select(vec!["date-time", "uri", "email"])),
    )
        .prop_map(|(min, max, format)| {
            let mut text = json!({"type": "string", "description": "A text."});
            put(&mut text, "minLength", min.map(Value::from));
            put(&mut text, "maxLength", max.map(Value::from));
            put(&mut text, "format", format.map(Value::from));
            text
        });
    let numbers = (
        prop::sample::select(vec!["integer", "number"]),
        prop::option::of(prop::sample::select(vec!["minimum", "exclusiveMinimum"])),
        prop::option::of(prop::sample::select(vec!["maximum", "exclusiveMaximum"])),
        prop::option::weighted(0.2, 1..4_i64),
        -3..3_i64,
    )
        .prop_map(|(kind, low, high, step, base)| {
            let mut number = json!({"type": kind});
            if let Some(low) = low {
                number[low] = json!(base);
            }
            if let Some(high) = high {
                number[high] = json!(base + 20);
            }
            put(&mut number, "multipleOf", step.map(Value::from));
            number
        });
    prop_oneof![
        4 => texts,
        4 => numbers,
        1 => prop::sample::select(vec!["^0x[0-9a-fA-F]{40}$", "^(0|[1-9][0-9]*)$", r"^\p{L}+$", "^(?!b)"])
            .prop_map(|pattern| json!({"type": "string", "pattern": pattern})),
        1 => Just(json!({"type": "boolean", "default": true})),
        1 => Just(json!({"type": "null"})),
        1 => Just(json!({})),
        1 => Just(json!(true)),
        1 => Just(json!({"type": "object"})),
        1 => Just(json!({"type": "object", "properties": {}, "additionalProperties": false})),
        1 => Just(json!({"type": "array"})),
        1 => Just(json!({"enum": ["a", "b"]})),
        1 => Just(json!({"enum": ["", "1", 1, null, true, {"a": 1}]})),
        1 => Just(json!({"type": "integer", "enum": [1, 2, 18_446_744_073_709_551_615_u64]})),
        1 => Just(json!({"const": "only"})),
        1 => Just(json!({"const": 7})),
        1 => Just(json!({"type": ["string", "null"], "minLength": 1})),
        1 => Just(json!({"type": ["integer", "string", "boolean"]})),
        1 => Just(json!({"type": ["object", "null"], "properties": {"x": {"type": "integer"}}, "required": ["x"]})),
        1 => Just(json!({"$ref": "#/$defs/plain"})),
        1 => Just(json!({"$ref": "#/$defs/tree", "description": "A tree."})),
        1 => Just(json!({"not": {"type": "string"}})),
    ]
    .boxed()
}

fn put(schema: &mut Value, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        schema[name] = value;
    }
}

fn array(items: impl Strategy<Value = Value> + 'static) -> BoxedStrategy<Value> {
    (
        items,
        prop::option::of(0..2_u8),
        prop::option::of(2..5_u8),
        prop::option::weighted(0.1, Just(true)),
    )
        .prop_map(|(items, min, max, unique)| {
            let mut array = json!({"type": "array", "items": items});
            put(&mut array, "minItems", min.map(Value::from));
            put(&mut array, "maxItems", max.map(Value::from));
            put(&mut array, "uniqueItems", unique.map(Value::from));
            array
        })
        .boxed()
}

fn object(property: impl Strategy<Value = Value> + Clone + 'static) -> BoxedStrategy<Value> {
    let names = vec![
        "a",
        "b",
        "c",
        "filter[id]",
        "a long name, longer than the sixty-four characters that are allowed",
    ];
    let names = prop::sample::subsequence(names, 0..4);
    (
        names,
        prop::collection::vec((property, any::<bool>()), 4),
        0..4_u8,
    )
        .prop_map(|(names, parts, more)| {
            let mut properties = json!({});
            let mut required = Vec::new();
            for (name, (part, is_required)) in names.into_iter().zip(parts) {
                properties[name] = part;
                if is_required {
                    required.push(name);
                }
            }
            let mut object = json!({"type": "object", "properties": properties, "required": required});
            match more {
                0 | 1 => object["additionalProperties"] = json!(false),
                2 => object["additionalProperties"] = json!({"type": "integer"}),
                _ => {}
            }
            object
        })
        .boxed()
}

/// Objects that a constant tells apart.
fn tagged(property: impl Strategy<Value = Value> + Clone + 'static) -> BoxedStrategy<Vec<Value>> {
    prop::collection::vec(object(property), 2..4)
        .prop_map(|objects| {
            let tag = |(index, mut object): (usize, Value)| {
                object["properties"]["kind"] = json!({"const": format!("k{index}")});
                object["required"].as_array_mut().unwrap().push(json!("kind"));
                object
            };
            objects.into_iter().enumerate().map(tag).collect()
        })
        .boxed()
}
