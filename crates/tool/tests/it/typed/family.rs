//! Types of every kind, shared by the tests.

use std::collections::{BTreeMap, HashMap};

use toolmesh_tool::{BigInt, IndexMap, ToolType, json::Number};

#[derive(Debug, Clone, Copy, PartialEq, ToolType)]
pub(super) enum Order {
    Ascending,
    Descending,
    #[property(name = "as they come")]
    Unsorted,
}

#[derive(Debug, Clone, Copy, PartialEq, ToolType)]
pub(super) enum Never {}

/// What a struct is for is not published; what its fields are for is.
#[derive(Debug, Clone, PartialEq, ToolType)]
pub(super) struct Item {
    /// The stock keeping unit.
    pub(super) sku: String,
    #[property(name = "type", title = "Kind", description = "What sort of item it is.")]
    pub(super) kind: Option<Order>,
}

#[derive(Debug, Clone, PartialEq, ToolType)]
pub(super) struct Everything {
    pub(super) flag: bool,
    pub(super) tiny: i8,
    pub(super) small: i16,
    pub(super) medium: i32,
    pub(super) large: i64,
    pub(super) byte: u8,
    pub(super) half: u16,
    pub(super) word: u32,
    pub(super) double: u64,
    pub(super) big: BigInt,
    pub(super) single: f32,
    pub(super) float: f64,
    pub(super) decimal: Number,
    pub(super) text: String,
    pub(super) order: Order,
    pub(super) list: Vec<Item>,
    pub(super) pair: [i32; 2],
    pub(super) sorted: BTreeMap<String, i64>,
    pub(super) hashed: HashMap<String, bool>,
    pub(super) ordered: IndexMap<String, Vec<String>>,
    pub(super) r#type: Option<String>,
    pub(super) nested: Option<Item>,
}

#[derive(Debug, Clone, PartialEq, ToolType)]
pub(super) struct Page<T> {
    pub(super) items: Vec<T>,
    pub(super) next: Option<String>,
}

#[derive(Debug, Clone, PartialEq, ToolType)]
pub(super) struct Pair<A, B> {
    pub(super) a: A,
    pub(super) b: B,
}

#[derive(Debug, Clone, PartialEq, ToolType)]
pub(super) struct Nothing {}

#[derive(Debug, Clone, PartialEq, ToolType)]
pub(super) struct Grid<const N: usize> {
    pub(super) cells: [f64; N],
}

/// Holds itself: it has no schema.
#[derive(Debug, Clone, PartialEq, ToolType)]
pub(super) struct Node {
    pub(super) name: String,
    pub(super) children: Vec<Node>,
}

/// Holds itself over another.
#[derive(Debug, Clone, PartialEq, ToolType)]
pub(super) struct Person {
    pub(super) employer: Option<Vec<Company>>,
}

#[derive(Debug, Clone, PartialEq, ToolType)]
pub(super) struct Company {
    pub(super) staff: BTreeMap<String, Person>,
}
