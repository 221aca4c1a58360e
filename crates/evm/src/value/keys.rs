//! Which parameter a name in JSON means.

use std::cell::OnceCell;

use crate::model::Parameter;
use crate::name;

/// The names under which some parameters are found.
pub(crate) struct Keys<'a> {
    parameters: &'a [Parameter],
    /// Made when a name is first not found as it is.
    folded: OnceCell<Vec<String>>,
}

impl<'a> Keys<'a> {
    pub(crate) fn of(parameters: &'a [Parameter]) -> Self {
        Self {
            parameters,
            folded: OnceCell::new(),
        }
    }

    /// The parameter that `name` means: by its key, by its name in the interface, and else by the one that
    /// is the same but for case and underscores.
    pub(crate) fn place_of(&self, name: &str) -> Option<usize> {
        self.parameters
            .iter()
            .position(|parameter| parameter.key == name)
            .or_else(|| only_place(self.parameters, |parameter| parameter.name == name))
            .or_else(|| self.place_of_folded(&name::fold(name)))
    }

    fn place_of_folded(&self, wanted: &str) -> Option<usize> {
        if wanted.is_empty() {
            return None;
        }
        let fold_all = || {
            self.parameters
                .iter()
                .map(|parameter| name::fold(&parameter.key))
                .collect()
        };
        only_place(self.folded.get_or_init(fold_all), |folded| folded == wanted)
    }
}

/// The place of the only item that matches: a name that could mean two means none.
fn only_place<T>(items: &[T], matches: impl Fn(&T) -> bool) -> Option<usize> {
    let mut places = items
        .iter()
        .enumerate()
        .filter(|(_, item)| matches(item))
        .map(|(place, _)| place);
    let first = places.next()?;
    if places.next().is_none() {
        Some(first)
    } else {
        None
    }
}
