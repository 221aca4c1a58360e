//! Regular expressions of ECMA-262, matched in linear time.

mod class;
mod cursor;
mod ecma;
mod known;
mod matcher;
mod plain;
mod pool;

pub(crate) use pool::{Pattern, PatternFault, PatternPool, is_expression};
