//! A tool in Anthropic's form.

use toolmesh_json::Value;
use toolmesh_tool::ToolDescriptor;

use super::property::renamed;
use super::rules::{Budget, STRICT};
use crate::options::{Options, Strictness};
use crate::schema::{Document, WRAPPER, loose};
use crate::strict::{self, Refusal, Transformed};
use crate::toolset::{Input, Sent};
use crate::undo::{Plan, Undo};
use crate::warning::{Report, WarningKind};

/// `{"name","description","input_schema"}`, with `"strict": true` where that is asked for and possible.
pub(crate) fn tool(
    descriptor: &ToolDescriptor,
    name: &str,
    input: Input,
    options: Options,
    budget: &mut Budget,
    report: &mut Report,
) -> Sent {
    let whole = input.whole;
    let (document, wrapped) = input.document.without_root_combinators(report);
    let forced = match (options.strictness, whole) {
        (Strictness::Safe | Strictness::Never, _) => Err(None),
        (Strictness::Lossless, Ok(())) => forced(&document, budget).map_err(Some),
        (Strictness::Lossless, Err(reason)) => Err(Some(Refusal::new("", reason))),
    };
    let strict = forced.is_ok();
    let (schema, plan) = match forced {
        Ok(found) => {
            report.append(found.report);
            (found.schema, found.plan)
        }
        Err(reason) => {
            if let Some(reason) = reason {
                report.add("", WarningKind::NotStrict(reason.to_string()));
            }
            (loose(&document, report), Plan::of(Undo::Same))
        }
    };
    let plan = if wrapped { plan.unwrapping(WRAPPER) } else { plan };
    let (schema, plan) = renamed(schema, plan, report);
    let tool = Value::object()
        .put("name", name)
        .put_opt("description", descriptor.description.as_deref())
        .put("input_schema", schema)
        .put_opt("strict", strict.then_some(true));
    Sent {
        tool: tool.build(),
        plan,
    }
}

fn forced(document: &Document, budget: &mut Budget) -> Result<Transformed, Refusal> {
    if document.is_free_form() {
        return Err(Refusal::new("", "it takes any object"));
    }
    let found = strict::transform(document, STRICT)?;
    budget.take(found.schema.view())?;
    Ok(found)
}
