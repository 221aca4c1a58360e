//! Names of properties at the root, which Anthropic refuses outside a pattern.

use toolmesh_json::{Value, View};

use super::rules::PROPERTY;
use crate::names::NameMap;
use crate::undo::{Member, Plan, Undo, step};
use crate::warning::{Report, WarningKind};

/// Keywords at the root that speak of properties by name and are not rewritten.
const BY_NAME: [&str; 7] = [
    "dependentRequired",
    "dependentSchemas",
    "propertyNames",
    "patternProperties",
    "if",
    "then",
    "else",
];

/// The schema with allowed names, and the plan that brings the own ones back.
pub(super) fn renamed(schema: Value, plan: Plan, report: &mut Report) -> (Value, Plan) {
    let properties = schema.get("properties").and_then(View::as_object);
    let names: Vec<&str> = properties.into_iter().flatten().map(|(name, _)| name).collect();
    if names.iter().all(|name| PROPERTY.allows(name)) {
        return (schema, plan);
    }
    let map = NameMap::new(PROPERTY, names.iter().copied());
    let sent = |name: &str| map.sent(name).unwrap_or(name).to_owned();
    for name in names.iter().filter(|name| !PROPERTY.allows(name)) {
        let place = step("/properties", name);
        report.add(&place, WarningKind::PropertyRenamed(sent(name)));
    }
    let mut renamed = Value::object();
    for (keyword, value) in schema.as_object().into_iter().flatten() {
        match keyword {
            "properties" => {
                let members = value.as_object().into_iter().flatten();
                let members = members.map(|(name, property)| (sent(name), property));
                renamed.insert(keyword, members.collect::<toolmesh_json::ObjectBuilder>());
            }
            "required" => {
                let names = value.as_array().into_iter().flatten().filter_map(View::as_str);
                renamed.insert(
                    keyword,
                    names.map(|name| Value::from(sent(name))).collect::<Vec<_>>(),
                );
            }
            _ if BY_NAME.contains(&keyword) => report.dropped("", keyword),
            _ => renamed.insert(keyword, value),
        }
    }
    (renamed.build(), with_names(plan, &names, sent))
}

fn with_names(plan: Plan, names: &[&str], sent: impl Fn(&str) -> String) -> Plan {
    let mut members = match plan.root {
        Undo::Object(members) => members,
        _ => Vec::new(),
    };
    for name in names {
        match members.iter_mut().find(|member| member.name == *name) {
            Some(member) => member.sent_as = sent(name),
            None => members.push(Member {
                sent_as: sent(name),
                ..Member::plain(name, Undo::Same)
            }),
        }
    }
    Plan {
        root: Undo::object(members),
        named: plan.named,
    }
}
