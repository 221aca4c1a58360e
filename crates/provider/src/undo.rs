//! The way back from the form in which a provider asked for arguments to the form that the tool published.

use std::borrow::Cow;

use toolmesh_json::{Value, View};
use toolmesh_schema::Schema;

/// Steps from the root to a value; deeper values come back as they were sent, and a chain of named plans that refer to each
/// other without end stops here.
const MAX_STEPS: u32 = 256;

/// How a value comes back.
#[derive(Debug, Clone, Default)]
pub(crate) enum Undo {
    /// As it was sent.
    #[default]
    Same,
    /// Member by member; members that are not listed come back as they were sent.
    Object(Vec<Member>),
    /// Item by item.
    Items(Box<Undo>),
    /// By the first alternative whose own schema takes what comes back.
    Choice(Vec<Alternative>),
    /// Out of a string that holds JSON text.
    JsonText,
    /// Null as it is, anything else by the inner plan.
    OrNull(Box<Undo>),
    /// Out of the one member that it was put into.
    Unwrap(String, Box<Undo>),
    /// By the plan of a definition.
    Named(usize),
}

/// How one member of an object comes back.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    /// Its own name.
    pub(crate) name: String,
    /// The name it is sent by.
    pub(crate) sent_as: String,
    /// Absent is said as null.
    pub(crate) null_if_absent: bool,
    /// Null means absent.
    pub(crate) drop_null: bool,
    pub(crate) undo: Undo,
}

impl Member {
    pub(crate) fn plain(name: &str, undo: Undo) -> Self {
        Self {
            name: name.to_owned(),
            sent_as: name.to_owned(),
            null_if_absent: false,
            drop_null: false,
            undo,
        }
    }

    fn is_same(&self) -> bool {
        matches!(self.undo, Undo::Same)
            && !self.null_if_absent
            && !self.drop_null
            && self.name == self.sent_as
    }
}

/// One of several schemas, and how what was sent for it comes back.
#[derive(Debug, Clone)]
pub(crate) struct Alternative {
    /// The tool's own schema.
    pub(crate) own: Schema,
    pub(crate) undo: Undo,
}

impl Undo {
    /// An object whose unchanged members need no listing.
    pub(crate) fn object(members: Vec<Member>) -> Self {
        let changed: Vec<Member> = members.into_iter().filter(|member| !member.is_same()).collect();
        if changed.is_empty() {
            Self::Same
        } else {
            Self::Object(changed)
        }
    }

    pub(crate) fn items(undo: Self) -> Self {
        match undo {
            Self::Same => Self::Same,
            other => Self::Items(Box::new(other)),
        }
    }

    pub(crate) fn or_null(undo: Self) -> Self {
        match undo {
            Self::Same | Self::OrNull(_) => undo,
            other => Self::OrNull(Box::new(other)),
        }
    }

    /// Whether a string that is sent is not the string that comes back.
    pub(crate) fn reads_text(&self) -> bool {
        match self {
            Self::JsonText => true,
            Self::OrNull(inner) => inner.reads_text(),
            _ => false,
        }
    }

    pub(crate) fn choice(alternatives: Vec<Alternative>) -> Self {
        if alternatives.iter().all(|one| matches!(one.undo, Self::Same)) {
            Self::Same
        } else {
            Self::Choice(alternatives)
        }
    }
}

impl Plan {
    /// The plan for arguments that travel in the one member `name`, made from the plan of the object with that member.
    pub(crate) fn unwrapping(self, name: &str) -> Self {
        let inner = match self.root {
            Undo::Object(members) => {
                let wrapped = members.into_iter().find(|member| member.sent_as == name);
                wrapped.map(|member| member.undo).unwrap_or_default()
            }
            other => other,
        };
        Self {
            root: Undo::Unwrap(name.to_owned(), Box::new(inner)),
            named: self.named,
        }
    }
}

/// The way back of one tool's arguments, and the way there.
#[derive(Debug, Clone, Default)]
pub(crate) struct Plan {
    pub(crate) root: Undo,
    pub(crate) named: Vec<Undo>,
}

impl Plan {
    /// A plan without definitions.
    pub(crate) fn of(root: Undo) -> Self {
        Self {
            root,
            named: Vec::new(),
        }
    }

    /// Whether arguments come back as they were sent, to the byte.
    pub(crate) fn is_same(&self) -> bool {
        matches!(self.root, Undo::Same)
    }

    /// What the tool gets for what the provider sent.
    pub(crate) fn lower(&self, sent: View<'_>) -> Value {
        Walk::new(&self.named).lower(&self.root, sent)
    }

    /// What the provider would send so that the tool gets `own`.
    pub(crate) fn express(&self, own: View<'_>) -> Value {
        Walk::new(&self.named).express(&self.root, own)
    }
}

/// Steps left, and the plans of definitions.
#[derive(Clone, Copy)]
struct Walk<'p> {
    named: &'p [Undo],
    left: u32,
}

impl<'p> Walk<'p> {
    fn new(named: &'p [Undo]) -> Self {
        Self {
            named,
            left: MAX_STEPS,
        }
    }

    fn deeper(self) -> Self {
        Self {
            left: self.left.saturating_sub(1),
            ..self
        }
    }

    fn lower(self, undo: &Undo, sent: View<'_>) -> Value {
        if self.left == 0 {
            return sent.to_value();
        }
        let walk = self.deeper();
        match undo {
            Undo::Same => sent.to_value(),
            Undo::Object(members) => walk.lower_object(members, sent),
            Undo::Items(item) => each(sent, |one| walk.lower(item, one)),
            Undo::Choice(alternatives) => walk.lower_choice(alternatives, sent),
            Undo::OrNull(_) if sent.is_null() => sent.to_value(),
            Undo::OrNull(inner) => walk.lower(inner, sent),
            Undo::JsonText => json_text(sent).unwrap_or_else(|| sent.to_value()),
            // A model that ignored the wrapping is understood as well.
            Undo::Unwrap(name, inner) => walk.lower(inner, sent.get(name).unwrap_or(sent)),
            Undo::Named(index) => match self.named.get(*index) {
                Some(plan) => walk.lower(plan, sent),
                None => sent.to_value(),
            },
        }
    }

    fn lower_object(self, members: &[Member], sent: View<'_>) -> Value {
        let Some(object) = sent.as_object() else {
            return sent.to_value();
        };
        let mut lowered = Value::object();
        for (name, value) in object {
            match members.iter().find(|member| member.sent_as == name) {
                Some(member) if member.drop_null && value.is_null() => {}
                Some(member) => lowered.insert(member.name.as_str(), self.lower(&member.undo, value)),
                None => lowered.insert(name, value),
            }
        }
        lowered.build()
    }

    fn lower_choice(self, alternatives: &[Alternative], sent: View<'_>) -> Value {
        let fitting = |one: &Alternative| {
            let lowered = self.lower(&one.undo, sent);
            one.own.evaluate(&lowered).is_valid().then_some(lowered)
        };
        // What is asked for as text and comes as something else was meant for another alternative, even where it fits
        // as it is; only when none of the others takes it is it understood so.
        let meant = |one: &&Alternative| !one.undo.reads_text() || sent.as_str().is_some() || sent.is_null();
        alternatives
            .iter()
            .filter(meant)
            .find_map(fitting)
            .or_else(|| alternatives.iter().find_map(fitting))
            .unwrap_or_else(|| sent.to_value())
    }

    fn express(self, undo: &Undo, own: View<'_>) -> Value {
        if self.left == 0 {
            return own.to_value();
        }
        let walk = self.deeper();
        match undo {
            Undo::Same => own.to_value(),
            Undo::Object(members) => walk.express_object(members, own),
            Undo::Items(item) => each(own, |one| walk.express(item, one)),
            Undo::Choice(alternatives) => alternatives
                .iter()
                .find(|one| one.own.evaluate(own).is_valid())
                .map_or_else(|| own.to_value(), |one| walk.express(&one.undo, own)),
            Undo::OrNull(_) if own.is_null() => own.to_value(),
            Undo::OrNull(inner) => walk.express(inner, own),
            Undo::JsonText => Value::from(own.to_text()),
            Undo::Unwrap(name, inner) => Value::object()
                .put(name.as_str(), walk.express(inner, own))
                .build(),
            Undo::Named(index) => match self.named.get(*index) {
                Some(plan) => walk.express(plan, own),
                None => own.to_value(),
            },
        }
    }

    fn express_object(self, members: &[Member], own: View<'_>) -> Value {
        let Some(object) = own.as_object() else {
            return own.to_value();
        };
        let mut sent = Value::object();
        for (name, value) in object {
            match members.iter().find(|member| member.name == name) {
                Some(member) => sent.insert(member.sent_as.as_str(), self.express(&member.undo, value)),
                None => sent.insert(name, value),
            }
        }
        for member in members {
            if member.null_if_absent && !sent.contains(&member.sent_as) {
                sent.insert(member.sent_as.as_str(), Value::null());
            }
        }
        sent.build()
    }
}

fn each(value: View<'_>, change: impl Fn(View<'_>) -> Value) -> Value {
    match value.as_array() {
        Some(items) => items.iter().map(change).collect(),
        None => value.to_value(),
    }
}

/// The value in a string of JSON text; `None` when the model wrote something else.
fn json_text(sent: View<'_>) -> Option<Value> {
    toolmesh_json::parse(sent.as_str()?.as_bytes()).ok()
}

/// A pointer one step further in.
pub(crate) fn step(place: &str, token: &str) -> String {
    let token: Cow<'_, str> = if token.contains(['~', '/']) {
        token.replace('~', "~0").replace('/', "~1").into()
    } else {
        token.into()
    };
    format!("{place}/{token}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        toolmesh_json::parse(text.as_bytes()).unwrap()
    }

    fn optional(name: &str) -> Member {
        Member {
            null_if_absent: true,
            drop_null: true,
            ..Member::plain(name, Undo::Same)
        }
    }

    #[test]
    fn a_null_for_an_absent_member_is_removed_and_put_back() {
        let plan = Plan::of(Undo::object(vec![optional("a"), optional("b")]));
        let sent = value(r#"{"a":null,"b":18446744073709551616,"c":null}"#);
        let own = plan.lower(sent.view());
        assert_eq!(own.to_text(), r#"{"b":18446744073709551616,"c":null}"#);
        assert_eq!(plan.express(own.view()), sent);
    }

    #[test]
    fn an_object_is_not_taken_for_the_alternative_that_was_asked_for_as_text() {
        let alternative = |own: &str, undo| Alternative {
            own: Schema::compile(value(own), toolmesh_schema::Profile::Draft2020_12).unwrap(),
            undo,
        };
        let plan = Plan::of(Undo::choice(vec![
            alternative(
                r#"{"type":"object","additionalProperties":{"type":"string"}}"#,
                Undo::JsonText,
            ),
            alternative(
                r#"{"type":"object","properties":{"a":{"type":"object"}}}"#,
                Undo::object(vec![Member::plain("a", Undo::JsonText)]),
            ),
        ]));
        for own in [r#"{"a":{}}"#, r#"{"a":"{}"}"#] {
            let own = value(own);
            assert_eq!(plan.lower(plan.express(own.view()).view()), own);
        }
        let as_it_is = value(r#"{"b":"x","a":"no JSON"}"#);
        assert_eq!(plan.lower(as_it_is.view()), as_it_is);
    }

    #[test]
    fn renamed_and_wrapped_members_come_back() {
        let renamed = Member {
            sent_as: "filter_id".to_owned(),
            ..Member::plain("filter[id]", Undo::JsonText)
        };
        let inner = Undo::object(vec![renamed]);
        let plan = Plan::of(Undo::Unwrap("arguments".to_owned(), Box::new(inner)));
        let own = value(r#"{"filter[id]":{"x":1.0}}"#);
        let sent = plan.express(own.view());
        assert_eq!(sent.to_text(), r#"{"arguments":{"filter_id":"{\"x\":1.0}"}}"#);
        assert_eq!(plan.lower(sent.view()).to_text(), own.to_text());
    }

    #[test]
    fn a_plan_is_followed_as_deep_as_the_bound_and_no_deeper() {
        let follows = |steps: u32| {
            // The last step reads the text.
            let plan = (1..steps).fold(Undo::JsonText, |inner, _| Undo::OrNull(Box::new(inner)));
            Plan::of(plan).lower(value("\"1\"").view()) == value("1")
        };
        assert!(follows(MAX_STEPS));
        assert!(!follows(MAX_STEPS + 1));
    }

    #[test]
    fn definitions_that_refer_to_each_other_without_end_stop() {
        let plan = Plan {
            root: Undo::Named(0),
            named: vec![Undo::Named(0)],
        };
        assert_eq!(plan.lower(value("1").view()), value("1"));
    }
}
