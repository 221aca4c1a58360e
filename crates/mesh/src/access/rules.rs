//! The rules of a host: who may use it, who may call which tool, and who may speak for others.

use std::collections::BTreeMap;

use super::AllowList;

/// The rules of a host. They hold for lists as for calls, are decided by the host alone, and are told to nobody.
///
/// ```
/// use toolmesh_mesh::{AccessRules, AllowList};
///
/// // Nobody sees or calls anything but the searches, and the administrators the rest.
/// let rules = AccessRules::deny_by_default()
///     .tool("*", AllowList::nobody().group([7; 32]))
///     .tool("search_*", AllowList::everybody())
///     .gateways(AllowList::nobody().name("edge"));
/// # drop(rules);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AccessRules {
    pub(super) host: Option<AllowList>,
    pub(super) gateways: AllowList,
    by_name: BTreeMap<String, AllowList>,
    by_prefix: BTreeMap<String, AllowList>,
    deny_unlisted: bool,
}

/// What the rules say of one tool.
pub(super) enum Rule<'a> {
    /// Nothing: whoever may use the host may.
    Open,
    /// Nothing, and then nobody may.
    Denied,
    /// Those in the list may.
    List(&'a AllowList),
}

impl AccessRules {
    /// Everybody may, where no list says otherwise; nobody may speak for others.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Nobody may call a tool for which there is no list.
    #[must_use]
    pub fn deny_by_default() -> Self {
        Self {
            deny_unlisted: true,
            ..Self::default()
        }
    }

    /// Sets who may use the host at all; everybody without this. It comes on top of the lists of
    /// [`crate::CapabilitySet`]: a node has to be in both. Where that set lists nodes, clients behind them pass only if
    /// they are allowed here.
    #[must_use]
    pub fn host(mut self, list: AllowList) -> Self {
        self.host = Some(list);
        self
    }

    /// Sets who may see and call a tool, by its published name. A name that ends in `*` stands for every tool whose name
    /// begins so; where several fit, the longest counts, and a whole name before all of them.
    #[must_use]
    pub fn tool(mut self, name: impl Into<String>, list: AllowList) -> Self {
        let name = name.into();
        match name.strip_suffix('*') {
            Some(prefix) => self.by_prefix.insert(prefix.to_owned(), list),
            None => self.by_name.insert(name, list),
        };
        self
    }

    /// Sets which nodes may speak for others: tell the identity of a client for which they call. Nobody without this.
    #[must_use]
    pub fn gateways(mut self, list: AllowList) -> Self {
        self.gateways = list;
        self
    }

    pub(super) fn of_tool(&self, tool_id: &str) -> Rule<'_> {
        let family = || {
            let fits = self
                .by_prefix
                .iter()
                .filter(|(prefix, _)| tool_id.starts_with(prefix.as_str()));
            fits.max_by_key(|(prefix, _)| prefix.len()).map(|(_, list)| list)
        };
        match self.by_name.get(tool_id).or_else(family) {
            Some(list) => Rule::List(list),
            None if self.deny_unlisted => Rule::Denied,
            None => Rule::Open,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_name_counts_before_the_longest_beginning_and_that_before_the_default() {
        let list = |name: &str| AllowList::nobody().name(name);
        let rules = AccessRules::new()
            .tool("evm_*", list("family"))
            .tool("evm_send_*", list("senders"))
            .tool("evm_send_all", list("one"));
        let of = |rules: &AccessRules, tool: &str| match rules.of_tool(tool) {
            Rule::List(found) => Some(found.clone()),
            Rule::Open => Some(AllowList::everybody()),
            Rule::Denied => None,
        };
        for (tool, expected) in [
            ("evm_send_all", list("one")),
            ("evm_send_one", list("senders")),
            ("evm_read", list("family")),
            ("other", AllowList::everybody()),
        ] {
            assert_eq!(of(&rules, tool), Some(expected), "{tool}");
        }
        let closed = AccessRules::deny_by_default().tool("open", AllowList::everybody());
        assert_eq!(of(&closed, "open"), Some(AllowList::everybody()));
        assert_eq!(of(&closed, "other"), None);
    }
}
