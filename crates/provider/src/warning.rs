//! What a translation could not carry over, or changed.

/// One thing about one tool that its user should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The tool, by its own identifier; empty when the whole toolset is meant.
    pub tool: String,
    /// Where in its input schema, a JSON Pointer into the schema as the provider is asked (refs followed); empty for the
    /// whole.
    pub place: String,
    /// What.
    pub kind: WarningKind,
}

/// What happened to a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WarningKind {
    /// The tool is not in the array.
    LeftOut(String),
    /// The provider does not allow its name: it goes by this one.
    Renamed(String),
    /// It is not strict, because of this.
    NotStrict(String),
    /// Its schema could not be read: it is offered as taking any object.
    UnreadableSchema(String),
    /// The description was cut to this many characters.
    DescriptionCut(usize),
    /// The provider takes no schema of this shape at the root: the arguments travel in one member of this name.
    Wrapped(String),
    /// The provider does not allow a property's name: it goes by this one.
    PropertyRenamed(String),
    /// Members that the schema does not name cannot be sent.
    Closed,
    /// The schema takes several kinds of values here; only this one can be sent.
    OnlyAs(&'static str),
    /// The model cannot leave this out: it says null, which the tool gets as null.
    AbsentIsNull,
    /// The provider does not know this keyword: the model may break it, which the dispatcher then tells it.
    Dropped(String),
    /// The model writes this value as JSON text in a string, because the provider has no way to say its shape.
    AsJsonText,
    /// More tools than the provider takes in one request: this many.
    TooManyTools(usize),
}

/// What a warning means for arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing: every valid argument can be sent and every argument that the provider allows is valid.
    None,
    /// The provider allows arguments that the tool refuses.
    Widened,
    /// Some arguments that the tool allows cannot be sent as they are.
    Narrowed,
    /// The tool cannot be called at all.
    LeftOut,
}

impl WarningKind {
    /// What it means for arguments.
    #[must_use]
    pub fn effect(&self) -> Effect {
        match self {
            Self::LeftOut(_) => Effect::LeftOut,
            Self::UnreadableSchema(_) | Self::Dropped(_) | Self::AsJsonText => Effect::Widened,
            Self::Closed | Self::OnlyAs(_) | Self::AbsentIsNull => Effect::Narrowed,
            Self::Renamed(_)
            | Self::NotStrict(_)
            | Self::DescriptionCut(_)
            | Self::Wrapped(_)
            | Self::PropertyRenamed(_)
            | Self::TooManyTools(_) => Effect::None,
        }
    }
}

impl std::fmt::Display for WarningKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::LeftOut(reason) => write!(f, "left out: {reason}"),
            Self::Renamed(name) => write!(f, "sent as `{name}`"),
            Self::NotStrict(reason) => write!(f, "not strict: {reason}"),
            Self::UnreadableSchema(reason) => {
                write!(f, "offered without declared arguments: {reason}")
            }
            Self::DescriptionCut(limit) => write!(f, "description cut to {limit} characters"),
            Self::Wrapped(name) => write!(f, "arguments travel in one member `{name}`"),
            Self::PropertyRenamed(name) => write!(f, "this property is sent as `{name}`"),
            Self::Closed => f.write_str("members that the schema does not name cannot be sent"),
            Self::OnlyAs(kind) => write!(f, "can only be sent as {kind}"),
            Self::AbsentIsNull => f.write_str("cannot be left out, only be null"),
            Self::Dropped(keyword) => {
                write!(
                    f,
                    "`{keyword}` is not told to the model, only checked when it calls"
                )
            }
            Self::AsJsonText => f.write_str("the model writes it as JSON text"),
            Self::TooManyTools(limit) => write!(
                f,
                "more than {limit} tools, which the provider refuses in one request; offer fewer"
            ),
        }
    }
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.tool.is_empty(), self.place.is_empty()) {
            (true, _) => write!(f, "{}", self.kind),
            (false, true) => write!(f, "tool `{}`: {}", self.tool, self.kind),
            (false, false) => write!(f, "tool `{}` at {}: {}", self.tool, self.place, self.kind),
        }
    }
}

/// Collects the warnings of one tool, each once.
#[derive(Debug, Default)]
pub(crate) struct Report {
    found: Vec<(String, WarningKind)>,
}

impl Report {
    pub(crate) fn add(&mut self, place: &str, kind: WarningKind) {
        let entry = (place.to_owned(), kind);
        if !self.found.contains(&entry) {
            self.found.push(entry);
        }
    }

    pub(crate) fn dropped(&mut self, place: &str, keyword: &str) {
        self.add(place, WarningKind::Dropped(keyword.to_owned()));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    pub(crate) fn append(&mut self, other: Self) {
        for (place, kind) in other.found {
            self.add(&place, kind);
        }
    }

    pub(crate) fn into_warnings(self, tool: &str) -> impl Iterator<Item = Warning> {
        self.found.into_iter().map(move |(place, kind)| Warning {
            tool: tool.to_owned(),
            place,
            kind,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_names_the_tool_and_the_place() {
        let mut report = Report::default();
        report.dropped("/properties/a", "uniqueItems");
        report.dropped("/properties/a", "uniqueItems");
        let warnings: Vec<String> = report.into_warnings("t").map(|w| w.to_string()).collect();
        assert_eq!(
            warnings,
            ["tool `t` at /properties/a: `uniqueItems` is not told to the model, only checked when it calls"]
        );
    }
}
