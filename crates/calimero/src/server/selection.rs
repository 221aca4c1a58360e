//! Selected contexts, apart for each client.

use toolmesh_tool::{CallContext, IndexMap, Transport};

/// The most selections that are remembered. Sessions end without a word, so the oldest selection goes when there are more.
const MAX_SELECTIONS: usize = 10_000;

/// Who selects: a process that serves one client, or one session of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Selector {
    /// The client of this process: on stdio, of the command line, of the program.
    Process,
    /// A session over HTTP.
    Session(u64),
}

impl Selector {
    /// Who selects by a call; nobody where requests stand alone, because strangers would share a selection there.
    pub(super) fn of(context: &CallContext) -> Option<Self> {
        match context.caller().transport {
            Transport::Stdio | Transport::CommandLine | Transport::InProcess => Some(Self::Process),
            Transport::Http => context.front().session.map(Self::Session),
            _ => None,
        }
    }
}

/// The selected context of each application, by who selected it.
#[derive(Debug, Default)]
pub(super) struct Selections(IndexMap<(Selector, String), String>);

impl Selections {
    /// Remembers a context of an application.
    pub(super) fn select(&mut self, selector: Selector, application: &str, context: &str) {
        let key = (selector, application.to_owned());
        // Selecting again makes it the newest.
        self.0.shift_remove(&key);
        if self.0.len() >= MAX_SELECTIONS {
            self.0.shift_remove_index(0);
        }
        self.0.insert(key, context.to_owned());
    }

    /// The selected context of an application.
    pub(super) fn of(&self, selector: Selector, application: &str) -> Option<String> {
        self.0.get(&(selector, application.to_owned())).cloned()
    }

    /// Forgets a context that is no more.
    pub(super) fn forget(&mut self, context: &str) {
        self.0.retain(|_, selected| selected != context);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selections_are_apart_and_the_oldest_goes_when_there_are_too_many() {
        let mut selections = Selections::default();
        let session = |number: usize| Selector::Session(u64::try_from(number).unwrap());
        (0..MAX_SELECTIONS).for_each(|number| selections.select(session(number), "app", "c"));
        assert_eq!(selections.of(session(0), "app").as_deref(), Some("c"));
        assert_eq!(selections.of(session(0), "other"), None);
        assert_eq!(selections.of(Selector::Process, "app"), None);
        selections.select(session(0), "app", "d");
        selections.select(Selector::Process, "app", "e");
        assert_eq!(selections.of(session(0), "app").as_deref(), Some("d"));
        assert_eq!(selections.of(session(1), "app"), None);
        assert_eq!(selections.of(session(2), "app").as_deref(), Some("c"));
        selections.forget("c");
        assert_eq!(selections.of(session(2), "app"), None);
        assert_eq!(selections.of(Selector::Process, "app").as_deref(), Some("e"));
    }
}
