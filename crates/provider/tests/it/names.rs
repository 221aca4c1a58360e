//! Names: within each provider's pattern, reversible, the same every time.

use std::collections::HashSet;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use toolmesh_provider::{Options, Provider, Toolset};
use toolmesh_tool::ToolDescriptor;

use crate::rules::broken;
use crate::support::tool;

/// Sets of names, and names in each: 10,000 for each provider.
const CASES: u32 = 20;
const NAMES: usize = 500;

/// Names as they occur on the mesh, from MCP servers, and from attackers.
fn names() -> impl Strategy<Value = Vec<String>> {
    let name = prop_oneof![
        3 => "[a-z]{1,6}[./_-][a-z]{1,6}",
        2 => "[a-zA-Z0-9_-]{1,64}",
        1 => "[a-z./_-]{60,220}",
        1 => "[0-9][a-z]{0,3}",
        1 => "\\PC{0,12}",
        1 => "[a-c][./:]{1,2}[a-c]",
    ];
    prop::collection::vec(name, NAMES)
}

#[test]
fn ten_thousand_names_per_provider_come_back() {
    for provider in Provider::ALL {
        let mut runner = TestRunner::new(Config::with_cases(CASES));
        let result = runner.run(&names(), |names| {
            let tools = || names.iter().map(|name| ToolDescriptor::new(name.as_str()));
            let toolset = Toolset::translate(provider, tools(), &Options::default());
            prop_assert_eq!(broken(&toolset), Vec::<String>::new());
            let sent: HashSet<&str> = toolset.names().pairs().map(|(_, sent)| sent).collect();
            prop_assert_eq!(sent.len(), toolset.names().len());
            for name in &names {
                let sent = toolset.names().sent(name).unwrap();
                prop_assert_eq!(toolset.names().own(sent), Some(name.as_str()));
            }
            let again = Toolset::translate(provider, tools(), &Options::default());
            prop_assert_eq!(again.tools().to_text(), toolset.tools().to_text());
            Ok(())
        });
        result.unwrap_or_else(|error| panic!("{provider}: {error}"));
    }
}

#[test]
fn names_that_differ_only_in_what_is_not_allowed_stay_apart() {
    for provider in Provider::ALL {
        let tools = ["a/b", "a.b", "a b", "a_b", "a:b"].map(|name| tool(name, r#"{"type":"object"}"#));
        let toolset = Toolset::translate(provider, tools, &Options::default());
        assert_eq!(toolset.names().len(), 5);
        assert_eq!(broken(&toolset), Vec::<String>::new());
    }
}
