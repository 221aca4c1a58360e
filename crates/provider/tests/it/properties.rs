//! What must hold for every schema: what the provider allows the tool takes, and what the tool takes the provider can say.

use proptest::prelude::*;
use toolmesh_json::{Value, View};
use toolmesh_provider::{Provider, Toolset, WarningKind};
use toolmesh_tool::ToolDescriptor;

use crate::corpus::ways;
use crate::rules::broken;
use crate::support::instance::{Dice, instance};
use crate::support::schemas::input_schema;
use crate::support::{call, compile, json, provider_schema, sent_tools, tool, without_nulls};

/// Tries `count` values in each direction on one tool of a toolset.
#[track_caller]
pub(crate) fn check(toolset: &Toolset, tool: &ToolDescriptor, dice: &mut Dice, count: usize) {
    let own = json(tool.input_schema.as_deref().unwrap_or("{}"));
    let (Some(own_schema), Some(sent_as)) = (compile(&own), toolset.names().sent(&tool.tool_id)) else {
        return;
    };
    let tools = sent_tools(toolset);
    let sent_tool = tools.into_iter().find(|one| {
        let holder = one.get("function").unwrap_or(*one);
        holder.get("name").and_then(View::as_str) == Some(sent_as)
    });
    let asked = provider_schema(toolset.provider(), sent_tool.expect("the tool is there"));
    let asked_schema = compile(&asked).unwrap_or_else(|| panic!("no schema: {asked}"));
    let warnings: Vec<&WarningKind> = toolset
        .warnings()
        .iter()
        .filter(|warning| warning.tool == tool.tool_id)
        .map(|warning| &warning.kind)
        .collect();
    let about = |kind: fn(&WarningKind) -> bool| warnings.iter().any(|found| kind(found));
    let widened = about(|kind| kind.effect() == toolmesh_provider::Effect::Widened);
    let closed = about(|kind| matches!(kind, WarningKind::Closed | WarningKind::OnlyAs(_)));
    let scene = || {
        format!(
            "{}\nown:   {own}\nasked: {asked}\nwarnings: {:?}",
            toolset.provider(),
            warnings
        )
    };
    for _ in 0..count {
        let sent = instance(asked.view(), dice);
        if sent.as_object().is_some() && asked_schema.evaluate(&sent).is_valid() && !widened {
            let got = lower(toolset, sent_as, &sent);
            assert!(
                own_schema.evaluate(&got).is_valid(),
                "{}\nsent: {sent}\ngot: {got}",
                scene()
            );
        }
        let wanted = instance(own.view(), dice);
        if wanted.as_object().is_none() || !own_schema.evaluate(&wanted).is_valid() {
            continue;
        }
        let sent = toolset
            .express(&tool.tool_id, wanted.view())
            .expect("the tool is there");
        let sayable = asked_schema.evaluate(&sent).is_valid();
        assert!(sayable || closed, "{}\nwanted: {wanted}\nsent: {sent}", scene());
        let got = lower(toolset, sent_as, &sent);
        assert!(
            own_schema.evaluate(&got).is_valid(),
            "{}\nwanted: {wanted}\nsent: {sent}\ngot: {got}",
            scene()
        );
        assert_eq!(
            without_nulls(got.view()),
            without_nulls(wanted.view()),
            "{}\nsent: {sent}",
            scene()
        );
    }
}

fn lower(toolset: &Toolset, sent_as: &str, sent: &Value) -> Value {
    let spec = toolset
        .lower(call(toolset.provider(), sent_as, sent).view())
        .expect("the call can be read");
    json(&spec.arguments_json)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_schema_is_taken_by_every_provider_and_means_the_same(schema in input_schema(), seed: u64) {
        let tool = tool("t", &schema);
        let mut dice = Dice::new(seed);
        for (provider, options) in ways() {
            let toolset = Toolset::translate(provider, [tool.clone()], &options);
            prop_assert_eq!(broken(&toolset), Vec::<String>::new(), "{} {}", provider, schema);
            check(&toolset, &tool, &mut dice, 8);
        }
    }
}

#[test]
fn many_generated_schemas_are_strict() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let strict = (0..200)
        .filter(|_| {
            let schema = input_schema().new_tree(&mut runner).unwrap().current();
            let toolset = crate::support::translate(Provider::OpenAi, &schema);
            toolset.tools().to_text().contains(r#""strict":true"#)
        })
        .count();
    // Otherwise the property above would say nothing about the strict transform.
    assert!(strict >= 20, "only {strict} of 200");
}
