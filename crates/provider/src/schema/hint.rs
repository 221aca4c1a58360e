//! What a provider's schema cannot say, said in the description instead.

use toolmesh_json::View;

/// The longest text of one value in a hint, in characters.
const MAX_VALUE: usize = 200;

/// Keywords with their values, to be told in words.
#[derive(Debug, Default)]
pub(crate) struct Hints(Vec<String>);

impl Hints {
    /// The schema's default, which is no assertion and which few providers know.
    pub(crate) fn of_default(schema: View<'_>) -> Self {
        let mut hints = Self::default();
        if let Some(default) = schema.get("default").filter(|value| !value.is_null()) {
            hints.add("default", default);
        }
        hints
    }

    pub(crate) fn add(&mut self, keyword: &str, value: View<'_>) {
        self.0
            .push(format!("{keyword}: {}", cut(&value.to_text(), MAX_VALUE)));
    }

    /// The description with the hints after it; none when there is neither.
    pub(crate) fn after(&self, description: Option<&str>) -> Option<String> {
        let hints = (!self.0.is_empty()).then(|| format!("({})", self.0.join("; ")));
        match (description.filter(|text| !text.is_empty()), hints) {
            (Some(text), Some(hints)) => Some(format!("{text} {hints}")),
            (text, hints) => text.map(str::to_owned).or(hints),
        }
    }
}

/// At most `limit` characters, the cut marked.
pub(crate) fn cut(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(limit.saturating_sub(1)).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_stand_after_the_description() {
        let mut hints = Hints::default();
        assert_eq!(hints.after(None), None);
        assert_eq!(hints.after(Some("d")).as_deref(), Some("d"));
        hints.add("default", toolmesh_json::Value::from(10).view());
        assert_eq!(
            hints.after(Some("How many.")).as_deref(),
            Some("How many. (default: 10)")
        );
        assert_eq!(hints.after(None).as_deref(), Some("(default: 10)"));
    }

    #[test]
    fn a_cut_is_by_characters_and_marked() {
        assert_eq!(cut("äöü", 3), "äöü");
        assert_eq!(cut("äöüx", 3), "äö…");
    }
}
