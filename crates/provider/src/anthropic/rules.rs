//! What Anthropic refuses, as published: "Define tools" and "Structured outputs", section "JSON Schema limitations"
//! (platform.claude.com/docs), the schema transform of its own `anthropic` package, and public issues.

use toolmesh_json::View;

use crate::names::NameRule;
use crate::strict::{Dialect, Optional, Refusal};

/// "Define tools": letters, digits, underscores and dashes, at most 64.
pub(crate) const NAME: NameRule = NameRule {
    first: is_name_character,
    rest: is_name_character,
    max: 64,
};

fn is_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// Keys of `input_schema.properties` at the root must match `^[a-zA-Z0-9_.-]{1,64}$`
/// (github.com/anthropics/claude-code/issues/79418).
pub(crate) const PROPERTY: NameRule = NameRule {
    first: is_property_character,
    rest: is_property_character,
    max: 64,
};

fn is_property_character(c: char) -> bool {
    is_name_character(c) || c == '.'
}

/// The strict subset: no bounds, no patterns, no recursion; optional members stay optional. Where `enum` or `const` stands,
/// the package's transform leaves `type` out.
pub(crate) const STRICT: Dialect = Dialect {
    optional: Optional::Kept,
    literal_types: false,
    type_lists: false,
    recursion: false,
    assertions: &[],
    max_min_items: 1,
    formats: &[
        "date-time",
        "time",
        "date",
        "duration",
        "email",
        "hostname",
        "uri",
        "ipv4",
        "ipv6",
        "uuid",
    ],
};

// The limits of a request are published in "Structured outputs", section "Schema complexity limits"
// (platform.claude.com/docs/en/build-with-claude/structured-outputs); elizaOS/eliza#16499 and elie222/inbox-zero#2323 show
// the refusals.

/// Strict tools in one request.
pub(crate) const MAX_STRICT_TOOLS: usize = 20;
/// Optional members in all strict schemas of one request.
pub(crate) const MAX_OPTIONAL: usize = 24;
/// Members with alternatives in all strict schemas of one request.
pub(crate) const MAX_UNIONS: usize = 16;

/// What the strict tools of one request have used up.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Budget {
    tools: usize,
    optional: usize,
    unions: usize,
}

impl Budget {
    /// Takes what a strict schema needs, or nothing.
    pub(crate) fn take(&mut self, schema: View<'_>) -> Result<(), Refusal> {
        let mut next = Self {
            tools: self.tools + 1,
            ..*self
        };
        next.count(schema);
        for (_, definition) in schema
            .get("$defs")
            .and_then(View::as_object)
            .into_iter()
            .flatten()
        {
            next.count(definition);
        }
        let over = [
            ("strict tools", next.tools, MAX_STRICT_TOOLS),
            ("optional members in strict tools", next.optional, MAX_OPTIONAL),
            ("alternatives in strict tools", next.unions, MAX_UNIONS),
        ];
        if let Some((what, _, limit)) = over.into_iter().find(|(_, found, limit)| found > limit) {
            return Err(Refusal::new(
                "",
                format!("one request takes at most {limit} {what}"),
            ));
        }
        *self = next;
        Ok(())
    }

    fn count(&mut self, schema: View<'_>) {
        let properties = schema
            .get("properties")
            .and_then(View::as_object)
            .into_iter()
            .flatten();
        let required = schema.get("required").and_then(View::as_array);
        let is_required = |name: &str| {
            let mut names = required.into_iter().flatten();
            names.any(|one| one.as_str() == Some(name))
        };
        for (name, property) in properties {
            self.optional += usize::from(!is_required(name));
            self.count(property);
        }
        let branches = schema.get("anyOf").and_then(View::as_array);
        self.unions += usize::from(branches.is_some());
        let branches = branches.into_iter().flatten();
        branches
            .chain(schema.get("items"))
            .for_each(|part| self.count(part));
    }
}
