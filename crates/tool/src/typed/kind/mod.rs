//! The types that the library itself puts into the family, one file a kind.

mod float;
mod integer;
mod list;
mod map;
mod simple;
