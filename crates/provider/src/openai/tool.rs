//! A tool in OpenAI's form.

use toolmesh_json::{ObjectBuilder, Value};
use toolmesh_tool::ToolDescriptor;

use super::rules;
use crate::options::{Options, Strictness};
use crate::schema::{Document, WRAPPER, cut, loose};
use crate::strict::{self, Refusal, Transformed};
use crate::toolset::{Input, Sent};
use crate::undo::{Plan, Undo};
use crate::warning::{Report, WarningKind};

/// `{"type":"function","function":{...}}`
pub(crate) fn tool(
    descriptor: &ToolDescriptor,
    name: &str,
    input: Input,
    options: Options,
    report: &mut Report,
) -> Sent {
    let (function, plan) = function(Value::object(), descriptor, name, input, options, report);
    let tool = Value::object().put("type", "function").put("function", function);
    Sent {
        tool: tool.build(),
        plan,
    }
}

/// `name`, `description`, `parameters` and `strict`, which both of OpenAI's forms have.
pub(crate) fn function(
    mut into: ObjectBuilder,
    descriptor: &ToolDescriptor,
    name: &str,
    input: Input,
    options: Options,
    report: &mut Report,
) -> (Value, Plan) {
    into.insert("name", name);
    if let Some(description) = &descriptor.description {
        let short = cut(description, rules::MAX_DESCRIPTION);
        if short != *description {
            report.add("", WarningKind::DescriptionCut(rules::MAX_DESCRIPTION));
        }
        into.insert("description", short);
    }
    let parameters = parameters(input, options, report);
    let function = into
        .put("parameters", parameters.schema)
        .put("strict", parameters.strict);
    (function.build(), parameters.plan)
}

struct Parameters {
    schema: Value,
    strict: bool,
    plan: Plan,
}

fn parameters(input: Input, options: Options, report: &mut Report) -> Parameters {
    let whole = input.whole;
    let (document, wrapped) = input.document.without_root_combinators(report);
    let forced = match (options.strictness, whole) {
        (Strictness::Never, _) => Err(None),
        (_, Ok(())) => forced(&document).map_err(Some),
        (_, Err(reason)) => Err(Some(Refusal::new("", reason))),
    };
    let (schema, strict, plan) = match forced {
        Ok(found) => {
            report.append(found.report);
            (found.schema, true, found.plan)
        }
        Err(reason) => {
            if let Some(reason) = reason {
                report.add("", WarningKind::NotStrict(reason.to_string()));
            }
            (loose(&document, report), false, Plan::of(Undo::Same))
        }
    };
    Parameters {
        schema,
        strict,
        plan: if wrapped { plan.unwrapping(WRAPPER) } else { plan },
    }
}

fn forced(document: &Document) -> Result<Transformed, Refusal> {
    if document.is_free_form() {
        return Err(Refusal::new("", "it takes any object"));
    }
    let found = strict::transform(document, rules::STRICT)?;
    rules::within_limits(found.schema.view())?;
    Ok(found)
}
