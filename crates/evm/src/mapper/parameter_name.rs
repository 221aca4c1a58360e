//! What parameters are called in a mapping.

use std::collections::HashSet;

use super::Profile;
use crate::hint::Language;
use crate::model::Parameter;
use crate::name::{snake_case, valid_key};

/// The names of a list of parameters, all different: as they are published, or in snake case and never a
/// word that Python reserves.
pub(super) fn names(parameters: &[Parameter], profile: Profile) -> Vec<String> {
    if profile.is_compatible() {
        python_names(parameters)
    } else {
        parameters.iter().map(|parameter| parameter.key.clone()).collect()
    }
}

/// Names that a Python function can have for its arguments.
pub(crate) fn python_names(parameters: &[Parameter]) -> Vec<String> {
    let mut taken = HashSet::new();
    parameters
        .iter()
        .enumerate()
        .map(|(place, parameter)| {
            let name = valid_key(&parameter.name).unwrap_or_else(|| format!("arg{place}"));
            let wish = Language::Python.identifier(&snake_case(&name));
            first_free(wish, &mut taken)
        })
        .collect()
}

/// `wish`, or `wish_2`, `wish_3`, ...
pub(crate) fn first_free(wish: String, taken: &mut HashSet<String>) -> String {
    let mut name = wish.clone();
    let mut number: usize = 2;
    while !taken.insert(name.clone()) {
        name = format!("{wish}_{number}");
        number += 1;
    }
    name
}
