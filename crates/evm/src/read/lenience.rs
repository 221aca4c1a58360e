//! What was taken although it is not as a compiler writes it.

use toolmesh_json::View;

use crate::model::EntryBody;

/// The most entries that a note lists.
const MAX_PLACES: usize = 10;

/// What an entry lacks, and how the note about it reads for one entry and for several.
struct Oddity {
    found: fn(View<'_>, &EntryBody) -> bool,
    one: &'static str,
    several: &'static str,
}

const ODDITIES: [Oddity; 6] = [
    Oddity {
        found: |view, _| view.get("type").is_none(),
        one: "does not tell its `type` and is read as a function",
        several: "do not tell their `type` and are read as functions",
    },
    Oddity {
        found: |view, body| {
            let lists = matches!(
                body,
                EntryBody::Function(_) | EntryBody::Event(_) | EntryBody::Error(_)
            );
            lists && is_missing(view, "inputs")
        },
        one: "does not list its `inputs`, so it has none",
        several: "do not list their `inputs`, so they have none",
    },
    Oddity {
        found: |view, body| matches!(body, EntryBody::Function(_)) && is_missing(view, "outputs"),
        one: "does not list its `outputs`, so it returns nothing",
        several: "do not list their `outputs`, so they return nothing",
    },
    Oddity {
        found: |view, body| matches!(body, EntryBody::Event(_)) && is_missing(view, "anonymous"),
        one: "does not tell whether the event is `anonymous`, so it is not",
        several: "do not tell whether the event is `anonymous`, so they are not",
    },
    Oddity {
        found: |view, body| !matches!(body, EntryBody::Event(_)) && has_indexed_input(view),
        one: "has `indexed` where it means nothing",
        several: "have `indexed` where it means nothing",
    },
    Oddity {
        found: |view, _| {
            is_missing(view, "stateMutability") && is_set(view, "constant") && is_set(view, "payable")
        },
        one: "is both `constant` and `payable` and is read as payable",
        several: "are both `constant` and `payable` and are read as payable",
    },
];

/// A note for each oddity, with the entries that have it, counted from 1.
pub(super) fn notes<'a>(entries: impl Iterator<Item = (View<'a>, &'a EntryBody)> + Clone) -> Vec<String> {
    ODDITIES
        .iter()
        .filter_map(|oddity| {
            let places: Vec<usize> = entries
                .clone()
                .enumerate()
                .filter(|(_, (_, body))| !matches!(body, EntryBody::Unusable { .. }))
                .filter(|(_, (view, body))| (oddity.found)(*view, body))
                .map(|(place, _)| place + 1)
                .collect();
            note(oddity, &places)
        })
        .collect()
}

fn note(oddity: &Oddity, places: &[usize]) -> Option<String> {
    let listed: Vec<String> = places.iter().take(MAX_PLACES).map(usize::to_string).collect();
    let listed = listed.join(", ");
    match places.len() {
        0 => None,
        1 => Some(format!("entry {listed} {}", oddity.one)),
        count if count <= MAX_PLACES => Some(format!("entries {listed} {}", oddity.several)),
        count => Some(format!(
            "entries {listed} and {} others {}",
            count - MAX_PLACES,
            oddity.several
        )),
    }
}

fn is_missing(view: View<'_>, member: &str) -> bool {
    view.get(member).is_none_or(View::is_null)
}

fn is_set(view: View<'_>, member: &str) -> bool {
    view.get(member).and_then(View::as_bool) == Some(true)
}

fn has_indexed_input(view: View<'_>) -> bool {
    view.get("inputs")
        .and_then(View::as_array)
        .into_iter()
        .flat_map(|inputs| inputs.iter())
        .any(|input| is_set(input, "indexed"))
}
