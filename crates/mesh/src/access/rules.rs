//! The rules of a host: who may use it, who may call which tool, and who may speak for others.

use std::collections::BTreeMap;

use toolmesh_tool::{Catalogue, CatalogueTool, Pattern};

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
    by_pattern: BTreeMap<Pattern, AllowList>,
    deny_unlisted: bool,
}

/// What the rules say of one tool.
pub(super) enum Rule<'a> {
    /// Nothing: whoever may use the host may.
    Open,
    /// Nothing, and then nobody may.
    Denied,
    /// Those may who are in every one of the lists.
    Lists(Vec<&'a AllowList>),
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

    /// Sets who may see and call a tool: by its published name, by the name that its source gave, by an alias, or by a
    /// pattern of these (`*` stands for any characters, `?` for one). The published name counts before the other names, and
    /// these before patterns; of several patterns, the one counts that has most characters of its own. Where several lists
    /// count alike, only those may who are in all of them.
    #[must_use]
    pub fn tool(mut self, name: impl Into<String>, list: AllowList) -> Self {
        let pattern = Pattern::of_any_name(name);
        if pattern.is_whole_name() {
            self.by_name.insert(pattern.as_str().to_owned(), list);
        } else {
            self.by_pattern.insert(pattern, list);
        }
        self
    }

    /// Sets which nodes may speak for others: tell the identity of a client for which they call. Nobody without this.
    #[must_use]
    pub fn gateways(mut self, list: AllowList) -> Self {
        self.gateways = list;
        self
    }

    /// Whether any of the lists has nodes by their names, which prove nothing where nodes have no certificates.
    #[must_use]
    pub fn has_names(&self) -> bool {
        let of_tools = self.by_name.values().chain(self.by_pattern.values());
        let mut lists = of_tools.chain(&self.host).chain([&self.gateways]);
        lists.any(AllowList::has_names)
    }

    pub(super) fn of_tool(&self, catalogue: &Catalogue, tool_id: &str) -> Rule<'_> {
        let lists = self.lists(catalogue, tool_id);
        if !lists.is_empty() {
            Rule::Lists(lists)
        } else if self.deny_unlisted {
            Rule::Denied
        } else {
            Rule::Open
        }
    }

    /// The lists that count for a tool, by all the names of all its versions.
    fn lists(&self, catalogue: &Catalogue, tool_id: &str) -> Vec<&AllowList> {
        if self.by_name.is_empty() && self.by_pattern.is_empty() {
            return Vec::new();
        }
        let found = || catalogue.versions(tool_id);
        if let Some(list) = found().find_map(|tool| self.by_name.get(tool.name().as_str())) {
            return vec![list];
        }
        let mut names: Vec<&str> = found().flat_map(CatalogueTool::all_names).collect();
        names.push(tool_id);
        names.sort_unstable();
        names.dedup();
        let whole: Vec<_> = names.iter().filter_map(|name| self.by_name.get(*name)).collect();
        if whole.is_empty() {
            self.families(&names)
        } else {
            whole
        }
    }

    /// The lists of the patterns that fit one of the names and have most characters of their own.
    fn families(&self, names: &[&str]) -> Vec<&AllowList> {
        let fits = |pattern: &Pattern| names.iter().any(|name| pattern.matches(name));
        let fitting = || self.by_pattern.iter().filter(|(pattern, _)| fits(pattern));
        let most = fitting().map(|(pattern, _)| pattern.fixed_chars()).max();
        fitting()
            .filter(|(pattern, _)| Some(pattern.fixed_chars()) == most)
            .map(|(_, list)| list)
            .collect()
    }

    /// The names and patterns that fit no tool: whoever wrote one most likely meant a tool that has another name, and that
    /// is now open.
    #[must_use]
    pub fn without_a_tool(&self, catalogue: &Catalogue) -> Vec<&str> {
        let names: Vec<&str> = catalogue.all_tools().flat_map(CatalogueTool::all_names).collect();
        let whole = self.by_name.keys().map(String::as_str);
        let whole = whole.filter(|rule| !names.contains(rule));
        let patterns = self.by_pattern.keys();
        let patterns = patterns.filter(|pattern| !names.iter().any(|name| pattern.matches(name)));
        whole.chain(patterns.map(Pattern::as_str)).collect()
    }
}

#[cfg(test)]
mod tests {
    use toolmesh_tool::{Prefix, Tool, ToolResult, Toolbox};

    use super::*;

    /// `own` of a source whose tools are published with the prefix `up_`.
    fn published(own: &[&str]) -> Toolbox {
        let tool = |name: &&str| {
            Tool::with_name(*name)
                .json_object_arguments()
                .handler(|_, _| async { ToolResult::text("") })
                .alias(format!("{name}(address)"))
                .build()
                .unwrap()
        };
        let toolbox = Toolbox::new();
        let mount = toolbox.mount("up", Prefix::Name("up".into())).unwrap();
        mount.add(own.iter().map(tool).collect::<Vec<_>>()).unwrap();
        toolbox
    }

    fn list(name: &str) -> AllowList {
        AllowList::nobody().name(name)
    }

    /// The lists that count for a tool; `None` where nobody may.
    fn of(rules: &AccessRules, tool: &str) -> Option<Vec<AllowList>> {
        let catalogue = published(&["send_all", "send_one", "read", "other"]).snapshot();
        match rules.of_tool(&catalogue, tool) {
            Rule::Lists(found) => Some(found.into_iter().cloned().collect()),
            Rule::Open => Some(vec![]),
            Rule::Denied => None,
        }
    }

    #[test]
    fn the_published_name_counts_before_others_and_these_before_the_longest_pattern_and_that_before_the_default()
     {
        let rules = AccessRules::new()
            .tool("up_*", list("family"))
            .tool("*send_*", list("senders"))
            .tool("send_all", list("own"))
            .tool("up_send_all", list("one"));
        for (tool, expected) in [
            ("up_send_all", list("one")),
            ("up_send_all(address)", list("one")),
            ("up_send_one", list("senders")),
            ("up_read", list("family")),
        ] {
            assert_eq!(of(&rules, tool), Some(vec![expected]), "{tool}");
        }
        let closed = AccessRules::deny_by_default().tool("read", AllowList::everybody());
        assert_eq!(of(&closed, "up_read"), Some(vec![AllowList::everybody()]));
        assert_eq!(of(&closed, "up_other"), None);
        assert_eq!(of(&AccessRules::new(), "up_other"), Some(vec![]));
    }

    #[test]
    fn every_name_and_every_pattern_of_a_tool_is_a_rule_for_it() {
        for rule in [
            "up_read",
            "read",
            "up_read(address)",
            "read(address)",
            "*read",
            "up_*",
            "u*d",
            "up_rea?",
            "re?d",
            "*(address)",
            "*",
        ] {
            let rules = AccessRules::new().tool(rule, list("owner"));
            assert_eq!(of(&rules, "up_read"), Some(vec![list("owner")]), "{rule}");
            assert_eq!(rules.without_a_tool(&published(&["read"]).snapshot()), [""; 0]);
        }
    }

    #[test]
    fn of_lists_that_count_alike_all_hold() {
        let rules = AccessRules::new()
            .tool("*_read", list("a"))
            .tool("up_re*", list("b"))
            .tool("read", list("c"));
        assert_eq!(of(&rules, "up_read"), Some(vec![list("c")]));
        let rules = AccessRules::new()
            .tool("*_read", list("a"))
            .tool("up_r*d", list("b"));
        assert_eq!(of(&rules, "up_read"), Some(vec![list("a"), list("b")]));
    }

    #[test]
    fn every_list_with_names_counts() {
        let rules = AccessRules::new;
        assert!(!rules().tool("t", AllowList::nobody().subnet(1)).has_names());
        assert!(rules().tool("t", list("n")).has_names());
        assert!(rules().tool("t*", list("n")).has_names());
        assert!(rules().host(list("n")).has_names());
        assert!(rules().gateways(list("n")).has_names());
    }

    #[test]
    fn rules_that_fit_no_tool_are_told() {
        let rules = AccessRules::new()
            .tool("read", list("a"))
            .tool("write", list("a"))
            .tool("Up_*", list("a"))
            .tool("*d", list("a"));
        let catalogue = published(&["read"]).snapshot();
        assert_eq!(rules.without_a_tool(&catalogue), ["write", "Up_*"]);
    }
}
