//! The layer under the bindings, as a binding uses it.
#![cfg(test)]

mod calls;
mod certificates;
mod formats;
mod node;
mod support;
