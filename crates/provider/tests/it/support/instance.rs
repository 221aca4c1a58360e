//! Values that a schema takes, made by chance.

use toolmesh_json::{Number, Value, View};

/// Chance, the same for the same seed (SplitMix64).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(limit.max(1)).unwrap()).unwrap()
    }

    fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }
}

/// A value that probably fits `schema`; whether it does is for the caller to judge.
pub(crate) fn instance(root: View<'_>, dice: &mut Dice) -> Value {
    value(root, root, dice, 0)
}

fn value(root: View<'_>, schema: View<'_>, dice: &mut Dice, depth: usize) -> Value {
    // Some schemas ask for values without end.
    if depth > 24 {
        return Value::null();
    }
    if let Some(reference) = schema.get("$ref").and_then(View::as_str) {
        let target = root.pointer(reference.trim_start_matches('#'));
        return match target {
            Some(target) if depth < 12 => value(root, target, dice, depth + 1),
            _ => Value::null(),
        };
    }
    if let Some(constant) = schema.get("const") {
        return constant.to_value();
    }
    if let Some(values) = schema.get("enum").and_then(View::as_array) {
        return values
            .get(dice.below(values.len()))
            .map(View::to_value)
            .unwrap_or_default();
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(branches) = schema.get(keyword).and_then(View::as_array) {
            // Deep inside, the last alternative is the one that ends (null, a scalar).
            let index = if depth > 6 {
                branches.len() - 1
            } else {
                dice.below(branches.len())
            };
            let branch = branches.get(index).map(View::to_value).unwrap_or_default();
            return value(root, beside(schema, &branch).view(), dice, depth + 1);
        }
    }
    if let Some(parts) = schema.get("allOf").and_then(View::as_array) {
        let all = parts.iter().fold(schema.to_value(), |all, part| {
            beside(all.view(), &resolved(root, part))
        });
        return value(root, all.view(), dice, depth + 1);
    }
    of_kind(root, schema, &kind(schema, dice), dice, depth)
}

fn resolved(root: View<'_>, part: View<'_>) -> Value {
    let reference = part.get("$ref").and_then(View::as_str);
    let target = reference.and_then(|reference| root.pointer(reference.trim_start_matches('#')));
    target.unwrap_or(part).to_value()
}

/// Both schemas' keywords, the branch's first; properties of both.
fn beside(schema: View<'_>, branch: &Value) -> Value {
    let mut both = Value::object();
    for (name, value) in schema.as_object().into_iter().flatten() {
        if !matches!(name, "anyOf" | "oneOf" | "allOf") {
            both.insert(name, value);
        }
    }
    for (name, value) in branch.as_object().into_iter().flatten() {
        let old = schema.get(name);
        if let ("properties", Some(old)) = (name, old) {
            let mut all: toolmesh_json::ObjectBuilder = old.as_object().into_iter().flatten().collect();
            all.extend(value.as_object().into_iter().flatten());
            both.insert(name, all);
        } else if let ("required", Some(old)) = (name, old) {
            let lists = [old, value];
            let names = lists
                .iter()
                .flat_map(|list| list.as_array().into_iter().flatten());
            both.insert(name, names.map(View::to_value).collect::<Vec<_>>());
        } else {
            both.insert(name, value);
        }
    }
    both.build()
}

fn kind(schema: View<'_>, dice: &mut Dice) -> String {
    let said = schema.get("type");
    if let Some(kinds) = said.and_then(View::as_array) {
        return kinds
            .get(dice.below(kinds.len()))
            .and_then(View::as_str)
            .unwrap_or("null")
            .to_owned();
    }
    if let Some(kind) = said.and_then(View::as_str) {
        return kind.to_owned();
    }
    let has = |names: &[&str]| names.iter().any(|name| schema.get(name).is_some());
    if has(&["properties", "required", "additionalProperties"]) {
        return "object".to_owned();
    }
    if has(&["items", "prefixItems", "minItems"]) {
        return "array".to_owned();
    }
    if has(&["minLength", "maxLength", "pattern"]) {
        return "string".to_owned();
    }
    if has(&["minimum", "maximum", "multipleOf"]) {
        return "number".to_owned();
    }
    let any = [
        "null", "boolean", "integer", "number", "string", "array", "object",
    ];
    any[dice.below(any.len())].to_owned()
}

fn of_kind(root: View<'_>, schema: View<'_>, kind: &str, dice: &mut Dice, depth: usize) -> Value {
    match kind {
        "null" => Value::null(),
        "boolean" => Value::from(dice.one_in(2)),
        "integer" => integer(schema, dice),
        "number" if dice.one_in(2) => integer(schema, dice),
        "number" => {
            let whole = integer(schema, dice).to_text();
            Value::from(Number::parse(&format!("{whole}.5")).unwrap_or_else(|_| Number::from(0)))
        }
        "string" => text(schema, dice),
        "array" => array(root, schema, dice, depth),
        _ => object(root, schema, dice, depth),
    }
}

fn integer(schema: View<'_>, dice: &mut Dice) -> Value {
    let bound = |name| {
        schema
            .get(name)
            .and_then(View::as_number)
            .and_then(Number::to_i128)
    };
    let low = bound("minimum").or_else(|| bound("exclusiveMinimum").map(|low| low + 1));
    let high = bound("maximum").or_else(|| bound("exclusiveMaximum").map(|high| high - 1));
    let spread = i128::try_from(dice.below(5)).unwrap();
    let near = match (low, high) {
        (Some(low), _) if dice.one_in(2) || high.is_none() => low + spread,
        (_, Some(high)) => high - spread,
        // Beyond what a double holds.
        _ if dice.one_in(3) => 9_007_199_254_740_993 + spread,
        _ => spread - 2,
    };
    let step = bound("multipleOf").filter(|step| *step > 0).unwrap_or(1);
    Value::from(near.div_euclid(step) * step)
}

/// Texts that some pattern in use takes.
const TEXTS: [&str; 12] = [
    "",
    "a",
    "ab",
    "abc",
    "0",
    "42",
    "-7",
    "0x",
    "0xab",
    "2026-01-02",
    "null",
    "\"quoted\"",
];

fn text(schema: View<'_>, dice: &mut Dice) -> Value {
    let count = |name| {
        schema
            .get(name)
            .and_then(View::as_u64)
            .and_then(|count| usize::try_from(count).ok())
    };
    if let Some(pattern) = schema.get("pattern").and_then(View::as_str) {
        // `^0x[0-9a-f]{64}$`
        let length = pattern.split_once('{').and_then(|(_, rest)| rest.split_once('}'));
        if let Some(length) = length
            .and_then(|(length, _)| length.parse::<usize>().ok())
            .filter(|n| pattern.contains("0x") && *n > 2)
        {
            return Value::from(format!("0x{}", "a".repeat(length)));
        }
        let regex = regex::Regex::new(pattern).ok();
        let fitting: Vec<&str> = TEXTS
            .into_iter()
            .filter(|text| regex.as_ref().is_some_and(|regex| regex.is_match(text)))
            .collect();
        return Value::from(*fitting.get(dice.below(fitting.len())).unwrap_or(&"0"));
    }
    let mut text = TEXTS[dice.below(TEXTS.len())].to_owned();
    let low = count("minLength").unwrap_or(0);
    while text.chars().count() < low {
        text.push('é');
    }
    if let Some(high) = count("maxLength") {
        text = text.chars().take(high).collect();
    }
    Value::from(text)
}

fn array(root: View<'_>, schema: View<'_>, dice: &mut Dice, depth: usize) -> Value {
    let count = |name| {
        schema
            .get(name)
            .and_then(View::as_u64)
            .and_then(|count| usize::try_from(count).ok())
    };
    let first: Vec<View<'_>> = schema
        .get("prefixItems")
        .and_then(View::as_array)
        .into_iter()
        .flatten()
        .collect();
    let low = count("minItems")
        .unwrap_or(0)
        .max(if first.is_empty() { 0 } else { first.len() });
    let more = if depth > 6 { 0 } else { dice.below(3) };
    let length = (low + more).min(count("maxItems").unwrap_or(usize::MAX));
    let anything = Value::object().build();
    let items = schema.get("items").unwrap_or_else(|| anything.view());
    (0..length)
        .map(|index| value(root, *first.get(index).unwrap_or(&items), dice, depth + 1))
        .collect()
}

fn object(root: View<'_>, schema: View<'_>, dice: &mut Dice, depth: usize) -> Value {
    let required: Vec<&str> = schema
        .get("required")
        .and_then(View::as_array)
        .into_iter()
        .flatten()
        .filter_map(View::as_str)
        .collect();
    let mut object = Value::object();
    for (name, property) in schema
        .get("properties")
        .and_then(View::as_object)
        .into_iter()
        .flatten()
    {
        if required.contains(&name) || (depth <= 6 && dice.one_in(2)) {
            object.insert(name, value(root, property, dice, depth + 1));
        }
    }
    let more = schema
        .get("additionalProperties")
        .filter(|more| more.as_object().is_some());
    if let Some(more) = more.filter(|_| dice.one_in(2)) {
        object.insert("more", value(root, more, dice, depth + 1));
    }
    object.build()
}
