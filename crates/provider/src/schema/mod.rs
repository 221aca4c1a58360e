//! What is the same for every provider: a schema made uniform, read, pulled apart, and put together.

mod disjoint;
mod document;
mod hint;
mod keyword;
mod kinds;
mod literals;
mod loose;
mod merge;
mod normal;
mod pattern;
mod root;
mod split;

pub(crate) use disjoint::all_disjoint;
pub(crate) use document::Document;
pub(crate) use hint::{Hints, cut};
pub(crate) use keyword::{is_annotation, is_assertion, kind_of_keyword};
pub(crate) use kinds::{Kind, declared, kinds};
pub(crate) use literals::literals;
pub(crate) use loose::loose;
pub(crate) use merge::merge;
pub(crate) use pattern::Pattern;
pub(crate) use root::WRAPPER;
pub(crate) use split::{restricted, without};
