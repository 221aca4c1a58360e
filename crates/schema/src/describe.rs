//! A schema in words: what a diagnostic says was expected. Made from the schema alone, and of bounded length.

use toolmesh_json::{Number, Value};

use crate::keywords;
use crate::program::{Body, Keyword, Member, NodeId, Program};

/// Longest piece of schema text that is repeated, in bytes.
const LONGEST_PIECE: usize = 200;

/// Most names, values or alternatives that are listed.
const MOST_LISTED: usize = 12;

/// How far alternatives of alternatives are spelled out.
const DEPTH: u32 = 2;

/// A text that is short enough to be repeated.
pub(crate) fn clip(text: &str) -> String {
    if text.len() <= LONGEST_PIECE {
        return text.to_owned();
    }
    let end = (0..=LONGEST_PIECE)
        .rev()
        .find(|end| text.is_char_boundary(*end))
        .unwrap_or(0);
    format!("{}...", text.get(..end).unwrap_or_default())
}

/// A value of the schema as JSON.
pub(crate) fn literal(value: &Value) -> String {
    clip(&value.to_text())
}

/// Some values of the schema as JSON.
pub(crate) fn literals(values: &[Value]) -> String {
    listed(values.iter().map(literal), values.len())
}

/// A number of the schema, in the spelling that the document is published in.
pub(crate) fn number(number: &Number) -> String {
    clip(&number.as_text())
}

/// A member name, quoted.
pub(crate) fn name(name: &str) -> String {
    let mut quoted = Vec::new();
    toolmesh_json::write_string(&mut quoted, &clip(name));
    String::from_utf8_lossy(&quoted).into_owned()
}

/// Some member names, quoted.
pub(crate) fn names<T: AsRef<str>>(names: &[T]) -> String {
    listed(names.iter().map(|each| name(each.as_ref())), names.len())
}

fn listed(pieces: impl Iterator<Item = String>, count: usize) -> String {
    let mut text = pieces.take(MOST_LISTED).collect::<Vec<_>>().join(", ");
    if count > MOST_LISTED {
        text.push_str(&format!(" and {} more", count - MOST_LISTED));
    }
    text
}

/// Joins words as `a`, `a or b`, `a, b or c`.
pub(crate) fn alternatives<'w>(words: impl Iterator<Item = &'w str>) -> String {
    let words: Vec<&str> = words.collect();
    match words.split_last() {
        None => String::new(),
        Some((only, [])) => (*only).to_owned(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}

/// A schema in words.
pub(crate) fn schema(program: &Program, node: NodeId) -> String {
    schema_within(program, node, DEPTH)
}

/// What `anyOf` expects.
pub(crate) fn any_of(program: &Program, nodes: &[NodeId]) -> String {
    format!("at least one of: {}", branches(program, nodes, DEPTH))
}

/// What `oneOf` expects.
pub(crate) fn one_of(program: &Program, nodes: &[NodeId]) -> String {
    format!("exactly one of: {}", branches(program, nodes, DEPTH))
}

fn branches(program: &Program, nodes: &[NodeId], depth: u32) -> String {
    let words = nodes
        .iter()
        .take(MOST_LISTED)
        .map(|node| schema_within(program, *node, depth));
    let mut text = words.collect::<Vec<_>>().join("; ");
    if nodes.len() > MOST_LISTED {
        text.push_str(&format!("; and {} more", nodes.len() - MOST_LISTED));
    }
    text
}

fn schema_within(program: &Program, node: NodeId, depth: u32) -> String {
    let list = match &program.node(node).body {
        Body::Boolean(true) => return "any value".to_owned(),
        Body::Boolean(false) => return "no value".to_owned(),
        Body::Keywords(list) => list,
    };
    let words: Vec<String> = list
        .iter()
        .filter(|keyword| !is_implied(keyword, list))
        .filter_map(|keyword| keyword_within(program, keyword, depth))
        .collect();
    if words.is_empty() {
        place(program, node)
    } else {
        words.join(", ")
    }
}

/// `a string matching ...` and a list of values say their type already.
fn is_implied(keyword: &Keyword, siblings: &[Keyword]) -> bool {
    let tells_type = |sibling: &Keyword| {
        matches!(
            sibling,
            Keyword::Pattern(_) | Keyword::Const(_) | Keyword::Enum(_)
        )
    };
    matches!(keyword, Keyword::Type(_)) && siblings.iter().any(tells_type)
}

fn keyword_within(program: &Program, keyword: &Keyword, depth: u32) -> Option<String> {
    match keyword {
        Keyword::AnyOf(nodes) | Keyword::OneOf(nodes) if depth > 0 => {
            Some(format!("({})", branches(program, nodes, depth - 1)))
        }
        Keyword::Reference(target) if depth > 0 => Some(schema_within(program, *target, depth - 1)),
        Keyword::Reference(target) => Some(place(program, *target)),
        simple => keywords::expected(simple),
    }
}

/// The words for a schema that is too large for words.
fn place(program: &Program, node: NodeId) -> String {
    format!("a value that fits #{}", clip(&program.location(node).to_string()))
}

/// The words for a place where the schema `false` stands.
pub(crate) fn refusal(program: &Program, node: NodeId) -> String {
    let origin = &program.node(node).origin;
    match (origin.keyword, &origin.member) {
        ("additionalProperties" | "unevaluatedProperties", Member::Whole) => {
            no_such_member(program, origin.parent)
        }
        ("items" | "additionalItems" | "unevaluatedItems", Member::Whole) => "no further item".to_owned(),
        ("properties", Member::Name(_)) => "no such member".to_owned(),
        _ => "no value".to_owned(),
    }
}

fn no_such_member(program: &Program, parent: Option<NodeId>) -> String {
    let Some(Body::Keywords(list)) = parent.map(|parent| &program.node(parent).body) else {
        return "no such member".to_owned();
    };
    let patterned = list
        .iter()
        .any(|keyword| matches!(keyword, Keyword::PatternProperties(_)));
    let declared = list.iter().find_map(|keyword| match keyword {
        Keyword::Properties(declared) if !declared.is_empty() && !patterned => Some(declared),
        _ => None,
    });
    match declared {
        None => "no such member".to_owned(),
        Some(declared) => {
            let declared: Vec<&str> = declared.iter().map(|(name, _)| name.as_ref()).collect();
            format!("no such member; the members are {}", names(&declared))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let long = "€".repeat(100);
        assert_eq!(clip(&long), format!("{}...", "€".repeat(66)));
        assert_eq!(clip("short"), "short");
    }

    #[test]
    fn a_long_list_says_how_much_it_leaves_out() {
        let many: Vec<String> = (0..15).map(|index| format!("n{index}")).collect();
        assert!(names(&many).ends_with("\"n11\" and 3 more"));
    }
}
