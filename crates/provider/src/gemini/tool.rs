//! A tool in Gemini's form.

use toolmesh_json::{Value, View};
use toolmesh_tool::ToolDescriptor;

use super::json_schema;
use super::sanitise::{Part, Sanitiser};
use crate::options::{GeminiForm, Options};
use crate::schema::WRAPPER;
use crate::toolset::{Input, Sent};
use crate::undo::{Plan, Undo};
use crate::warning::{Report, WarningKind};

/// `{"name","description","parameters"}`, or with `parametersJsonSchema`. A tool without arguments has neither.
pub(crate) fn tool(
    descriptor: &ToolDescriptor,
    name: &str,
    input: Input,
    options: Options,
    report: &mut Report,
) -> Sent {
    // The description is required.
    let description = descriptor
        .description
        .as_deref()
        .or(descriptor.title.as_deref())
        .filter(|text| !text.is_empty())
        .unwrap_or(name);
    let declaration = Value::object().put("name", name).put("description", description);
    let (declaration, plan) = match options.gemini {
        GeminiForm::Parameters => {
            let (schema, undo) = parameters(&input, report);
            (declaration.put_opt("parameters", schema), Plan::of(undo))
        }
        GeminiForm::JsonSchema => {
            let (document, wrapped) = input.document.without_root_combinators(report);
            let schema = json_schema::sanitised(&document, report);
            let plan = Plan::default();
            let plan = if wrapped { plan.unwrapping(WRAPPER) } else { plan };
            (declaration.put("parametersJsonSchema", schema), plan)
        }
    };
    Sent {
        tool: declaration.build(),
        plan,
    }
}

/// `[{"functionDeclarations":[...]}]`
pub(crate) fn wrapped(declarations: Vec<Value>) -> Value {
    if declarations.is_empty() {
        return Value::array().build();
    }
    let tools = Value::object().put("functionDeclarations", declarations);
    Value::array().push(tools).build()
}

fn parameters(input: &Input, report: &mut Report) -> (Option<Value>, Undo) {
    let root = input.document.root();
    let mut work = Sanitiser::new(&input.document, report);
    let part = work.schema(root, "");
    if has_properties(part.schema.view()) {
        return (Some(part.schema), part.undo);
    }
    if takes_no_arguments(root) {
        return (None, Undo::Same);
    }
    let Part { schema, undo } = part;
    report.add("", WarningKind::Wrapped(WRAPPER.to_owned()));
    let wrapper = Value::object()
        .put("type", "object")
        .put("properties", Value::object().put(WRAPPER, schema))
        .put("required", Value::array().push(WRAPPER));
    (
        Some(wrapper.build()),
        Undo::Unwrap(WRAPPER.to_owned(), Box::new(undo)),
    )
}

fn has_properties(schema: View<'_>) -> bool {
    schema.get("type").and_then(View::as_str) == Some("object")
        && schema
            .get("properties")
            .and_then(View::as_object)
            .is_some_and(|all| !all.is_empty())
}

/// An object of which no member is named, and whose members are nowhere else described.
fn takes_no_arguments(root: View<'_>) -> bool {
    let named = root.get("properties").and_then(View::as_object);
    let closed = root.get("additionalProperties").and_then(View::as_bool) == Some(false);
    let described = [
        "$ref",
        "anyOf",
        "oneOf",
        "allOf",
        "enum",
        "const",
        "patternProperties",
    ];
    !described.iter().any(|name| root.get(name).is_some())
        && named.map_or(closed, |all| all.is_empty())
        && (closed || root.get("additionalProperties").is_none())
}
