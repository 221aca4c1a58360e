//! Which types are in, asked of the compiler without failing to compile.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    marker::PhantomData,
    rc::Rc,
};

use toolmesh_tool::{
    BigInt, Outcome, ToolArguments, ToolField, ToolOutput, ToolResult, ToolReturn, ToolType,
    json::{Number, Value},
};

use super::family::{Everything, Item, Never, Order, Page};

/// An inherent constant is preferred to a trait's, and is there only when its bound holds.
struct Probe<T>(PhantomData<T>);

macro_rules! ask {
    ($question:ident, $answer:ident, $bound:path) => {
        trait $question {
            const $answer: bool = false;
        }
        impl<T> $question for Probe<T> {}
        impl<T: $bound> Probe<T> {
            const $answer: bool = true;
        }
    };
}

ask!(IsType, TYPE, ToolType);
ask!(IsField, FIELD, ToolField);
ask!(IsArguments, ARGUMENTS, ToolArguments);
ask!(IsOutput, OUTPUT, ToolOutput);
ask!(IsReturn, RETURN, ToolReturn);

macro_rules! all {
    ($answer:ident is $expected:literal: $($ty:ty),* $(,)?) => {
        $(assert_eq!(<Probe<$ty>>::$answer, $expected, stringify!($ty));)*
    };
}

#[test]
fn the_family_is_closed() {
    all!(TYPE is true: bool, i8, i16, i32, i64, u8, u16, u32, u64, BigInt, f32, f64, Number, String, Order, Never, Item,
        Everything, Vec<Item>, [bool; 3], BTreeMap<String, Vec<f32>>, HashMap<String, Item>, Page<Order>);
    // The reference's UNSUPPORTED_TYPE, CHAR_SEQUENCE_TYPE, OBJECT_TYPE, FRAMEWORK_TYPE.
    all!(TYPE is false: (), (i32, i32), char, BTreeSet<String>, HashSet<i32>, Value, serde_json::Value, serde_json::Number,
        usize, isize, i128, u128, &'static str, Box<str>, std::sync::Arc<str>, Rc<Item>, Box<Item>, &'static [i32],
        std::time::Duration, std::time::SystemTime, ToolResult, Outcome, PhantomData<Item>, std::path::PathBuf);
}

#[test]
fn a_map_has_texts_as_keys() {
    // MAP_KEY_NOT_STRING
    all!(TYPE is false: BTreeMap<i32, bool>, HashMap<Order, bool>, BTreeMap<char, bool>, BTreeMap<Number, bool>);
}

#[test]
fn an_option_stands_directly_as_a_field_and_nowhere_else() {
    all!(FIELD is true: i32, Option<i32>, Option<Vec<Item>>);
    // OPTIONAL_OUTSIDE_PROPERTY
    all!(TYPE is false: Option<i32>, Vec<Option<i32>>, BTreeMap<String, Option<i32>>, Page<Option<i32>>, [Option<bool>; 1]);
    all!(FIELD is false: Option<Option<i32>>, Vec<Option<i32>>, Option<(i32, i32)>, Option<char>);
}

#[test]
fn what_holds_a_foreign_type_is_foreign_itself() {
    all!(TYPE is false: Vec<char>, Vec<(i32, i32)>, BTreeMap<String, Value>, Page<char>, Page<BTreeSet<i32>>);
}

#[test]
fn arguments_are_an_object() {
    all!(ARGUMENTS is true: Item, Page<i32>, BTreeMap<String, i32>, HashMap<String, Item>);
    // INPUT_ROOT_NOT_OBJECT
    all!(ARGUMENTS is false: bool, i64, String, Order, Vec<Item>, [Item; 2], Option<Item>, BTreeMap<i32, i32>);
}

#[test]
fn an_output_is_anything_of_the_family_but_a_bare_text() {
    all!(OUTPUT is true: Item, bool, i64, Number, Order, Vec<String>, BTreeMap<String, String>, Page<String>);
    // AMBIGUOUS_OUTPUT_STRING
    all!(OUTPUT is false: String, Option<Item>, (), Value);
}

#[test]
fn a_handler_returns_an_output_or_a_word_of_the_protocol() {
    all!(RETURN is true: Item, ToolResult, Outcome, Result<Item, toolmesh_tool::HandlerError>,
        Result<ToolResult, toolmesh_tool::CallError>);
    all!(RETURN is false: String, (), Option<Item>, Result<String, toolmesh_tool::HandlerError>, Result<Item, String>);
}
