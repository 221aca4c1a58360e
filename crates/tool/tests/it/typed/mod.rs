//! Tools over Rust types: the closed family and the open door.

mod binding;
mod closed_door;
mod family;
mod function;
mod open;
mod publishing;
mod refusal;
mod round_trip;
mod schema;

use toolmesh_tool::{
    ToolType,
    typed::{BindRefusal, bind, derive, publish},
};

use crate::support::json;

/// The schema of a type, as text.
fn schema_of<T: ToolType>() -> String {
    derive::<T>().unwrap().to_text()
}

fn bound<T: ToolType>(text: &str) -> Result<T, BindRefusal> {
    bind(json(text).view())
}

/// The refusal of a text, as its place and its reason.
fn refused<T: ToolType>(text: &str) -> String {
    match bound::<T>(text) {
        Ok(_) => panic!("{text} was bound"),
        Err(refusal) => refusal.to_string(),
    }
}

fn published<T: ToolType>(value: &T) -> String {
    publish(value).unwrap().to_text()
}
