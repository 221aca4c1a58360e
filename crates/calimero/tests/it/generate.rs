//! Values for schemas, by chance: what a client that reads the schema could send.

use proptest::prelude::{BoxedStrategy, Just, Strategy, any, prop};
use toolmesh_json::{ObjectBuilder, Value, View};

/// Values that fit a schema as this crate writes schemas. Deep parts of unknown type are null.
pub(crate) fn fitting(schema: View<'_>) -> BoxedStrategy<Value> {
    if let Some(alternatives) = schema.get("anyOf").and_then(View::as_array) {
        let all: Vec<_> = alternatives.iter().map(fitting).collect();
        return prop::sample::select((0..all.len()).collect::<Vec<_>>())
            .prop_flat_map(move |place| all[place].clone())
            .boxed();
    }
    if let Some(constant) = schema.get("const") {
        return Just(constant.to_value()).boxed();
    }
    if let Some(names) = schema.get("enum").and_then(View::as_array) {
        let names: Vec<Value> = names.iter().map(View::to_value).collect();
        return prop::sample::select(names).boxed();
    }
    let Some(kind) = schema.get("type") else {
        return Just(Value::null()).boxed();
    };
    match kind.as_array() {
        None => of_kind(kind.as_str().unwrap(), schema),
        Some(kinds) => {
            let all: Vec<_> = kinds
                .iter()
                .map(|kind| of_kind(kind.as_str().unwrap(), schema))
                .collect();
            proptest::strategy::Union::new(all).boxed()
        }
    }
}

fn of_kind(kind: &str, schema: View<'_>) -> BoxedStrategy<Value> {
    match kind {
        "null" => Just(Value::null()).boxed(),
        "boolean" => any::<bool>().prop_map(Value::from).boxed(),
        "number" => any::<i32>()
            .prop_map(|number| {
                toolmesh_json::Number::from_f64(f64::from(number) / 4.0)
                    .unwrap()
                    .into()
            })
            .boxed(),
        "integer" => integer(schema),
        "string" => text(schema),
        "array" => array(schema),
        "object" => object(schema),
        other => panic!("{other}"),
    }
}

fn integer(schema: View<'_>) -> BoxedStrategy<Value> {
    let min = schema.get("minimum").and_then(View::as_i64).unwrap();
    let max = schema.get("maximum").and_then(View::as_u64).unwrap();
    let (min, max) = (i128::from(min), i128::from(max));
    let edges = prop::sample::select(vec![min, max]);
    proptest::strategy::Union::new(vec![(min..=max).boxed(), edges.boxed()])
        .prop_map(|number| match u64::try_from(number) {
            Ok(number) => Value::from(number),
            Err(_) => Value::from(i64::try_from(number).unwrap()),
        })
        .boxed()
}

fn text(schema: View<'_>) -> BoxedStrategy<Value> {
    match schema.get("pattern").and_then(View::as_str) {
        None => ".{0,6}".prop_map(|text: String| Value::from(text)).boxed(),
        Some(pattern) => {
            let digits = pattern.split(['{', '}']).nth(1).unwrap();
            let count = if pattern.contains('*') {
                (0..4_usize).prop_map(|pairs| pairs * 2).boxed()
            } else {
                Just(digits.parse().unwrap()).boxed()
            };
            count
                .prop_flat_map(|count| prop::collection::vec("[0-9a-fA-F]", count..=count))
                .prop_map(|digits| Value::from(digits.concat()))
                .boxed()
        }
    }
}

fn array(schema: View<'_>) -> BoxedStrategy<Value> {
    if let Some(places) = schema.get("prefixItems").and_then(View::as_array) {
        let places: Vec<_> = places.iter().map(fitting).collect();
        return places
            .prop_map(|items| items.into_iter().collect::<Value>())
            .boxed();
    }
    let bound = |key| {
        schema
            .get(key)
            .and_then(View::as_u64)
            .and_then(|n| usize::try_from(n).ok())
    };
    let (min, max) = (bound("minItems").unwrap_or(0), bound("maxItems").unwrap_or(3));
    let item = schema
        .get("items")
        .map_or_else(|| Just(Value::null()).boxed(), fitting);
    prop::collection::vec(item, min..=max)
        .prop_map(|items| items.into_iter().collect::<Value>())
        .boxed()
}

fn object(schema: View<'_>) -> BoxedStrategy<Value> {
    let required: Vec<String> = schema
        .get("required")
        .and_then(View::as_array)
        .into_iter()
        .flatten()
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect();
    let mut members = Vec::new();
    for (name, member) in schema
        .get("properties")
        .and_then(View::as_object)
        .into_iter()
        .flatten()
    {
        let name = name.to_owned();
        let always = required.contains(&name);
        members.push(
            (fitting(member), any::<bool>())
                .prop_map(move |(value, there)| (there || always).then(|| (name.clone(), value))),
        );
    }
    let others = schema
        .get("additionalProperties")
        .filter(|others| others.as_object().is_some());
    let others = match others {
        Some(item) => prop::collection::vec(("[a-z]{1,3}", fitting(item)), 0..3).boxed(),
        None => Just(Vec::new()).boxed(),
    };
    (members, others)
        .prop_map(|(members, others)| {
            // Declared members win over others of the same name.
            let mut object: ObjectBuilder = others.into_iter().collect();
            object.extend(members.into_iter().flatten());
            object.build()
        })
        .boxed()
}
