//! Rules as an operator writes them down: a JSON document.

use hex::FromHex;
use toolmesh_json::{Value, View};

use super::{AccessRules, AllowList};
use crate::engine::NodeId;

/// Why a document is no rules: the place in it, and what stands there in ones that are.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("access rules: {place}: write {expected}")]
pub struct AccessRulesError {
    /// The place, such as `tools.search_*.names`.
    pub place: String,
    /// What would fit.
    pub expected: &'static str,
}

impl AccessRulesError {
    fn at(place: &str, expected: &'static str) -> Self {
        Self {
            place: place.to_owned(),
            expected,
        }
    }
}

const LIST: &str =
    "\"everybody\", \"nobody\", or an object of nodes, names, subnets, groups, clients and any_client";
const NODES: &str =
    "\"everybody\", \"nobody\", or an object of nodes, names, subnets and groups, and no clients";
const DOCUMENT: &str = "an object of host, gateways, tools and unlisted";

impl AccessRules {
    /// Reads rules from a JSON document:
    ///
    /// ```
    /// let rules = toolmesh_mesh::AccessRules::parse(
    ///     r#"{
    ///         "unlisted": "deny",
    ///         "gateways": { "names": ["edge"] },
    ///         "tools": {
    ///             "search_*": "everybody",
    ///             "evm_transfer": { "names": ["edge"], "clients": ["alice"] }
    ///         }
    ///     }"#,
    /// )?;
    /// # drop(rules);
    /// # Ok::<(), toolmesh_mesh::AccessRulesError>(())
    /// ```
    ///
    /// A list is `"everybody"`, `"nobody"`, or an object: `nodes` (numbers of nodes in 16 hexadecimal digits), `names`,
    /// `subnets` (numbers), `groups` (64 hexadecimal digits), `clients`, `any_client`. `unlisted` says what holds for tools
    /// without a list: `"allow"`, as without it, or `"deny"`.
    ///
    /// # Errors
    /// [`AccessRulesError`] at the first thing that is not understood: a rule that is left out would let somebody in.
    pub fn parse(text: &str) -> Result<Self, AccessRulesError> {
        let value = toolmesh_json::parse(text.as_bytes())
            .map_err(|_| AccessRulesError::at("the document", "one JSON object"))?;
        Self::from_value(value.view())
    }

    fn from_value(value: View<'_>) -> Result<Self, AccessRulesError> {
        let members = value
            .as_object()
            .ok_or_else(|| AccessRulesError::at("the document", DOCUMENT))?;
        let mut rules = match value.get("unlisted").map(|unlisted| unlisted.to_value()) {
            None => Self::new(),
            Some(unlisted) => match unlisted.as_str() {
                Some("allow") => Self::new(),
                Some("deny") => Self::deny_by_default(),
                _ => return Err(AccessRulesError::at("unlisted", "\"allow\" or \"deny\"")),
            },
        };
        for (name, value) in members.iter() {
            rules = match name {
                "unlisted" => rules,
                "host" => rules.host(list(name, value)?),
                "gateways" => rules.gateways(list(name, value)?),
                "tools" => tools(rules, value)?,
                other => return Err(AccessRulesError::at(other, DOCUMENT)),
            };
        }
        Ok(rules)
    }
}

impl AllowList {
    /// Reads a list in the form that [`AccessRules::parse`] describes.
    ///
    /// # Errors
    /// [`AccessRulesError`] at the first thing that is not understood.
    pub fn parse(text: &str) -> Result<Self, AccessRulesError> {
        let value =
            toolmesh_json::parse(text.as_bytes()).map_err(|_| AccessRulesError::at("the list", LIST))?;
        list("the list", value.view())
    }

    /// Reads a list of nodes alone, such as that of [`crate::Mesh::trust`], in the same form. Clients serve no tools: whoever has
    /// them in such a list means something else.
    ///
    /// # Errors
    /// [`AccessRulesError`] at the first thing that is not understood, and where there are clients.
    pub fn parse_nodes(text: &str) -> Result<Self, AccessRulesError> {
        let list = Self::parse(text).map_err(|error| match error.expected {
            LIST => AccessRulesError {
                expected: NODES,
                ..error
            },
            _ => error,
        })?;
        if list.has_clients() {
            return Err(AccessRulesError::at("the list", NODES));
        }
        Ok(list)
    }
}

fn tools(mut rules: AccessRules, value: View<'_>) -> Result<AccessRules, AccessRulesError> {
    let expected = "an object of lists by the names of tools";
    let tools = value
        .as_object()
        .ok_or_else(|| AccessRulesError::at("tools", expected))?;
    for (name, value) in tools.iter() {
        rules = rules.tool(name, list(&format!("tools.{name}"), value)?);
    }
    Ok(rules)
}

fn list(place: &str, value: View<'_>) -> Result<AllowList, AccessRulesError> {
    match value.as_str() {
        Some("everybody") => return Ok(AllowList::everybody()),
        Some("nobody") => return Ok(AllowList::nobody()),
        Some(_) => return Err(AccessRulesError::at(place, LIST)),
        None => {}
    }
    let members = value
        .as_object()
        .ok_or_else(|| AccessRulesError::at(place, LIST))?;
    let mut list = AllowList::nobody();
    for (name, value) in members.iter() {
        let place = format!("{place}.{name}");
        list = member(list, name, value).map_err(|expected| AccessRulesError { place, expected })?;
    }
    Ok(list)
}

fn member(list: AllowList, name: &str, value: View<'_>) -> Result<AllowList, &'static str> {
    const NAMES: &str = "an array of names";
    let all = |add: fn(AllowList, &Value) -> Option<AllowList>, list: AllowList, expected| {
        let items = value.as_array().ok_or(expected)?;
        let mut items = items.iter().map(|item| item.to_value());
        items
            .try_fold(list, |list, item| add(list, &item))
            .ok_or(expected)
    };
    match name {
        "names" => all(|list, name| Some(list.name(name.as_str()?)), list, NAMES),
        "clients" => all(|list, name| Some(list.client(name.as_str()?)), list, NAMES),
        "nodes" => all(
            |list, number| {
                let number = FromHex::from_hex(number.as_str()?).ok()?;
                Some(list.node(NodeId::new(u64::from_be_bytes(number))))
            },
            list,
            "an array of numbers of nodes, each 16 hexadecimal digits",
        ),
        "groups" => all(
            |list, group| Some(list.group(FromHex::from_hex(group.as_str()?).ok()?)),
            list,
            "an array of groups, each 64 hexadecimal digits",
        ),
        "subnets" => all(
            |list, subnet| Some(list.subnet(subnet.as_u64()?.try_into().ok()?)),
            list,
            "an array of numbers from 0 to 4294967295",
        ),
        "any_client" => match value.as_bool() {
            Some(true) => Ok(list.any_client()),
            Some(false) => Ok(list),
            None => Err("true or false"),
        },
        _ => Err(LIST),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_rule_is_read() {
        let group = "ab".repeat(32);
        let text = format!(
            r#"{{"unlisted":"deny","host":{{"subnets":[7],"any_client":true}},"gateways":"nobody",
               "tools":{{"a_*":"everybody","b":{{"nodes":["00000000000000ff"],"groups":["{group}"],"names":["n"],"clients":["c"]}}}}}}"#
        );
        let expected = AccessRules::deny_by_default()
            .host(AllowList::nobody().subnet(7).any_client())
            .gateways(AllowList::nobody())
            .tool("a_*", AllowList::everybody())
            .tool(
                "b",
                AllowList::nobody()
                    .node(NodeId::new(255))
                    .group([0xab; 32])
                    .name("n")
                    .client("c"),
            );
        assert_eq!(AccessRules::parse(&text), Ok(expected));
        assert_eq!(AccessRules::parse("{}"), Ok(AccessRules::new()));
        assert_eq!(
            AccessRules::parse(r#"{"unlisted":"allow"}"#),
            Ok(AccessRules::new())
        );
    }

    #[test]
    fn a_list_alone_is_read() {
        let parse = |text| AllowList::parse(text);
        assert_eq!(parse(r#""everybody""#), Ok(AllowList::everybody()));
        assert_eq!(
            parse(r#"{"names":["a"],"subnets":[7]}"#),
            Ok(AllowList::nobody().name("a").subnet(7))
        );
        for (text, place) in [("a", "the list"), (r#"{"names":"a"}"#, "the list.names")] {
            assert_eq!(parse(text).unwrap_err().place, place);
        }
    }

    #[test]
    fn a_list_of_nodes_has_no_clients() {
        let parse = |text| AllowList::parse_nodes(text);
        assert_eq!(parse(r#""nobody""#), Ok(AllowList::nobody()));
        assert_eq!(parse(r#"{"names":["a"]}"#), Ok(AllowList::nobody().name("a")));
        for text in [
            r#"{"names":["a"],"clients":["c"]}"#,
            r#"{"any_client":true}"#,
            r#"{"name":["a"]}"#,
            r#""all""#,
        ] {
            assert_eq!(parse(text).unwrap_err().expected, NODES, "{text}");
        }
        let of_names = parse(r#"{"names":"a"}"#).unwrap_err();
        assert_eq!(of_names.place, "the list.names");
    }

    #[test]
    fn what_is_not_understood_is_refused_with_its_place() {
        for (text, message) in [
            ("{", "access rules: the document: write one JSON object"),
            (
                "[]",
                "access rules: the document: write an object of host, gateways, tools and unlisted",
            ),
            (
                r#"{"hosts":"everybody"}"#,
                "access rules: hosts: write an object of host, gateways, tools and unlisted",
            ),
            (
                r#"{"unlisted":"maybe"}"#,
                "access rules: unlisted: write \"allow\" or \"deny\"",
            ),
            (
                r#"{"tools":[]}"#,
                "access rules: tools: write an object of lists by the names of tools",
            ),
            (
                r#"{"tools":{"t":{"names":"edge"}}}"#,
                "access rules: tools.t.names: write an array of names",
            ),
            (
                r#"{"host":{"nodes":["ff"]}}"#,
                "access rules: host.nodes: write an array of numbers of nodes, each 16 hexadecimal digits",
            ),
            (
                r#"{"host":{"subnets":[4294967296]}}"#,
                "access rules: host.subnets: write an array of numbers from 0 to 4294967295",
            ),
            (
                r#"{"host":{"groups":["+1"]}}"#,
                "access rules: host.groups: write an array of groups, each 64 hexadecimal digits",
            ),
            (
                r#"{"host":{"any_client":1}}"#,
                "access rules: host.any_client: write true or false",
            ),
        ] {
            assert_eq!(
                AccessRules::parse(text).unwrap_err().to_string(),
                message,
                "{text}"
            );
        }
        for text in [r#"{"host":"all"}"#, r#"{"host":7}"#, r#"{"host":{"name":["n"]}}"#] {
            assert_eq!(AccessRules::parse(text).unwrap_err().expected, LIST, "{text}");
        }
    }
}
