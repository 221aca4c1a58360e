//! From JSON to Rust values: what fits, what does not, and the budgets.

use std::collections::BTreeMap;

use toolmesh_tool::{
    BigInt, IndexMap,
    json::{BindLimits, Number, Value},
    typed::{BindFault, bind_with},
};

use super::{
    bound,
    family::{Grid, Item, Never, Nothing, Order, Page, Pair},
    refused,
};
use crate::support::json;

#[test]
fn an_integer_may_be_spelled_in_any_integral_way() {
    for (text, expected) in [
        ("1", 1),
        ("1.0", 1),
        ("1e2", 100),
        ("100e-2", 1),
        ("-0", 0),
        ("-1.50e1", -15),
    ] {
        assert_eq!(bound::<i64>(text), Ok(expected), "{text}");
        assert_eq!(bound::<BigInt>(text), Ok(BigInt::from(expected)), "{text}");
    }
    assert_eq!(bound::<u64>("1.8e1"), Ok(18));
    assert_eq!(
        refused::<i64>("1.5"),
        "$: expected an integer, found a number with a fraction"
    );
    assert_eq!(
        refused::<u8>("0.1"),
        "$: expected an integer, found a number with a fraction"
    );
    assert_eq!(
        refused::<BigInt>("1e-1"),
        "$: expected an integer, found a number with a fraction"
    );
}

macro_rules! exact_range {
    ($($integer:ty)*) => {$(
        let (low, high) = (i128::from(<$integer>::MIN), i128::from(<$integer>::MAX));
        assert_eq!(bound::<$integer>(&low.to_string()), Ok(<$integer>::MIN));
        assert_eq!(bound::<$integer>(&high.to_string()), Ok(<$integer>::MAX));
        for outside in [low - 1, high + 1] {
            assert_eq!(
                refused::<$integer>(&outside.to_string()),
                "$: the number is outside the range of its type"
            );
        }
    )*};
}

#[test]
fn an_integer_of_fixed_width_has_exactly_its_range() {
    exact_range!(i8 i16 i32 i64 u8 u16 u32 u64);
}

#[test]
fn an_expansion_bomb_is_refused_before_anything_is_allocated() {
    assert_eq!(
        refused::<i64>("1e9999"),
        "$: the number is outside the range of its type"
    );
    assert_eq!(
        refused::<u64>("-1e9999"),
        "$: the number is outside the range of its type"
    );
    assert_eq!(
        refused::<BigInt>("1e9999"),
        "$: the integer has too many digits when written out"
    );
    assert_eq!(
        refused::<f64>("1e9999"),
        "$: the number is outside the range of its type"
    );
    assert_eq!(bound::<Number>("1e9999").unwrap().as_text(), "1E+9999");
    assert_eq!(bound::<BigInt>("0e9999"), Ok(BigInt::ZERO));
}

#[test]
fn a_big_integer_has_up_to_1024_characters_the_minus_counted() {
    let digits = |count: usize| "9".repeat(count);
    assert!(bound::<BigInt>(&digits(1_024)).is_ok());
    assert!(bound::<BigInt>(&format!("-{}", digits(1_023))).is_ok());
    assert!(bound::<BigInt>("1e1023").is_ok());
    assert!(bound::<BigInt>("-1e1022").is_ok());
    for too_long in ["1e1024", "-1e1023"] {
        assert_eq!(
            refused::<BigInt>(too_long),
            "$: the integer has too many digits when written out",
            "{too_long}"
        );
    }
}

/// So many copies of an integer of 1,000 characters.
fn thousands(count: usize) -> Value {
    let thousand = Value::from(Number::parse("1e999").unwrap());
    std::iter::repeat_n(thousand, count).collect()
}

#[test]
fn all_integers_of_a_binding_have_4194304_characters_together() {
    // 4,194 thousands leave 304 characters.
    let (count, rest) = (4_194, 304);
    let with_rest = |digits: usize| {
        let rest = Number::parse(&"7".repeat(digits)).unwrap();
        Value::object()
            .put("a", thousands(count))
            .put("b", Value::from(rest))
            .build()
    };
    let limits = BindLimits::default();
    assert!(bind_with::<Pair<Vec<BigInt>, BigInt>>(with_rest(rest).view(), &limits).is_ok());
    let refusal = bind_with::<Pair<Vec<BigInt>, BigInt>>(with_rest(rest + 1).view(), &limits).unwrap_err();
    assert_eq!(
        (refusal.fault(), refusal.place().to_string()),
        (BindFault::IntegerBudget, "$/b".to_owned())
    );
    // Every binding has its own budget.
    assert!(bind_with::<Pair<Vec<BigInt>, BigInt>>(with_rest(rest).view(), &limits).is_ok());
}

#[test]
fn every_conversion_is_charged_also_of_fixed_width_and_of_zero() {
    let limits = |number_chars| BindLimits {
        number_chars,
        ..BindLimits::default()
    };
    for (text, chars) in [("[0,0,0]", 3), ("[-10,7,1e3]", 8), ("[0.0,1.0]", 2)] {
        let value = json(text);
        assert!(
            bind_with::<Vec<i64>>(value.view(), &limits(chars)).is_ok(),
            "{text}"
        );
        let refusal = bind_with::<Vec<i64>>(value.view(), &limits(chars - 1)).unwrap_err();
        assert_eq!(refusal.fault(), BindFault::IntegerBudget, "{text}");
        assert!(
            bind_with::<Vec<BigInt>>(value.view(), &limits(chars)).is_ok(),
            "{text}"
        );
        let refusal = bind_with::<Vec<BigInt>>(value.view(), &limits(chars - 1)).unwrap_err();
        assert_eq!(refusal.fault(), BindFault::IntegerBudget, "{text}");
    }
}

#[test]
fn a_float_is_the_nearest_one_and_finite() {
    assert_eq!(bound::<f64>("0.1"), Ok(0.1));
    assert_eq!(bound::<f64>("1"), Ok(1.0));
    assert_eq!(bound::<f64>("1e-9999"), Ok(0.0));
    assert_eq!(bound::<f64>("1.7976931348623157e308"), Ok(f64::MAX));
    assert_eq!(
        refused::<f64>("1.8e308"),
        "$: the number is outside the range of its type"
    );
    assert_eq!(
        bound::<f32>("340282346638528859811704183484516925440"),
        Ok(f32::MAX)
    );
    assert_eq!(
        refused::<f32>("3.5e38"),
        "$: the number is outside the range of its type"
    );
    // Halfway between two f32, and a trifle above: over f64 the trifle would be lost and the even neighbour taken.
    assert_eq!(
        bound::<f32>("1.000000059604644775390625000000001"),
        Ok(1.000_000_1)
    );
}

#[test]
fn a_decimal_keeps_its_scale() {
    for text in ["1.0", "1.00", "100", "1E+2", "0.000001"] {
        assert_eq!(bound::<Number>(text).unwrap().as_text(), text);
    }
}

#[test]
fn null_fits_nothing_also_where_a_field_may_be_absent() {
    assert_eq!(refused::<bool>("null"), "$: expected boolean, found null");
    assert_eq!(refused::<i64>("null"), "$: expected number, found null");
    assert_eq!(refused::<BigInt>("null"), "$: expected number, found null");
    assert_eq!(refused::<f64>("null"), "$: expected number, found null");
    assert_eq!(refused::<Number>("null"), "$: expected number, found null");
    assert_eq!(refused::<String>("null"), "$: expected string, found null");
    assert_eq!(refused::<Order>("null"), "$: expected string, found null");
    assert_eq!(
        refused::<Vec<bool>>("[true,null]"),
        "$/1: expected boolean, found null"
    );
    assert_eq!(refused::<[bool; 1]>("null"), "$: expected array, found null");
    assert_eq!(
        refused::<BTreeMap<String, bool>>(r#"{"a":null}"#),
        "$/a: expected boolean, found null"
    );
    assert_eq!(refused::<Nothing>("null"), "$: expected object, found null");
    assert_eq!(
        refused::<Item>(r#"{"sku":"a","type":null}"#),
        "$/type: expected string, found null"
    );
}

#[test]
fn a_struct_takes_its_members_in_any_order_and_no_others() {
    let item = bound::<Item>(r#"{"type":"Descending","sku":"a"}"#).unwrap();
    assert_eq!(item.kind, Some(Order::Descending));
    assert_eq!(bound::<Item>(r#"{"sku":"a"}"#).unwrap().kind, None);
    assert_eq!(
        refused::<Item>(r#"{"type":"Ascending"}"#),
        "$/sku: the member is missing"
    );
    assert_eq!(
        refused::<Item>(r#"{"sku":"a","kind":"Ascending"}"#),
        "$/kind: the object has no place for this member"
    );
    assert_eq!(
        refused::<Nothing>(r#"{"a/b":1}"#),
        "$/a~1b: the object has no place for this member"
    );
    assert_eq!(refused::<Item>("[]"), "$: expected object, found array");
    assert_eq!(
        refused::<Page<Page<Item>>>(r#"{"items":[{"items":[{"sku":"a"},{"sku":1}]}]}"#),
        "$/items/0/items/1/sku: expected string, found number"
    );
}

#[test]
fn a_name_outside_the_enum_is_refused() {
    assert_eq!(bound::<Order>(r#""as they come""#), Ok(Order::Unsorted));
    for text in [r#""Unsorted""#, r#""ascending""#, r#""""#] {
        assert_eq!(
            refused::<Order>(text),
            "$: the text is none of the names allowed here"
        );
    }
    assert_eq!(
        refused::<Never>(r#""a""#),
        "$: the text is none of the names allowed here"
    );
}

#[test]
fn an_array_has_exactly_its_length() {
    assert_eq!(
        bound::<Grid<2>>(r#"{"cells":[1,2.5]}"#).unwrap().cells,
        [1.0, 2.5]
    );
    assert_eq!(
        refused::<Grid<2>>(r#"{"cells":[1]}"#),
        "$/cells: expected 2 elements, found 1"
    );
    assert_eq!(
        refused::<Grid<2>>(r#"{"cells":[1,2,3]}"#),
        "$/cells: expected 2 elements, found 3"
    );
    assert_eq!(bound::<[bool; 0]>("[]"), Ok([]));
}

#[test]
fn an_ordered_map_keeps_the_order_in_which_members_came() {
    let map: IndexMap<String, i64> = bound(r#"{"b":1,"a":2,"c":3}"#).unwrap();
    assert_eq!(map.keys().collect::<Vec<_>>(), ["b", "a", "c"]);
}

#[test]
fn nodes_depth_and_entries_are_bounded() {
    let limits = BindLimits {
        nodes: 4,
        depth: 3,
        entries: 2,
        ..BindLimits::default()
    };
    let fault = |text: &str| {
        let result = bind_with::<Vec<Vec<Vec<bool>>>>(json(text).view(), &limits);
        result.err().map(|refusal| refusal.fault())
    };
    assert_eq!(fault("[[[],[]]]"), None);
    assert_eq!(fault("[[[],[]],[]]"), Some(BindFault::TooManyNodes));
    assert_eq!(fault("[[[true]]]"), Some(BindFault::TooDeep));
    assert_eq!(fault("[[[],[],[]]]"), Some(BindFault::TooManyEntries));
    let map = bind_with::<BTreeMap<String, bool>>(json(r#"{"a":true,"b":true,"c":true}"#).view(), &limits);
    assert_eq!(map.unwrap_err().fault(), BindFault::TooManyEntries);
    let three = bind_with::<Nothing>(json(r#"{"a":true,"b":true,"c":true}"#).view(), &limits);
    assert_eq!(three.unwrap_err().fault(), BindFault::TooManyEntries);
}

#[test]
fn by_default_a_value_has_100000_nodes() {
    let list = |count: usize| -> Value { std::iter::repeat_n(Value::from(true), count).collect() };
    let limits = BindLimits::default();
    assert!(bind_with::<Vec<bool>>(list(99_999).view(), &limits).is_ok());
    let refusal = bind_with::<Vec<bool>>(list(100_000).view(), &limits).unwrap_err();
    assert_eq!(refusal.fault(), BindFault::TooManyNodes);
    let refusal = bind_with::<Vec<bool>>(list(100_001).view(), &limits).unwrap_err();
    assert_eq!(refusal.fault(), BindFault::TooManyEntries);
}
