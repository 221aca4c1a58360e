//! Every schema in a schema.

use toolmesh_json::View;

/// Calls `visit` with each schema and its place, parents first.
pub(crate) fn schemas<'a>(schema: View<'a>, place: &str, visit: &mut impl FnMut(View<'a>, &str)) {
    visit(schema, place);
    for (name, value) in schema.as_object().into_iter().flatten() {
        let inner = format!("{place}/{name}");
        match name {
            "items"
            | "additionalProperties"
            | "contains"
            | "not"
            | "if"
            | "then"
            | "else"
            | "propertyNames"
                if value.as_object().is_some() =>
            {
                schemas(value, &inner, visit);
            }
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
                for (index, one) in value.as_array().into_iter().flatten().enumerate() {
                    schemas(one, &format!("{inner}/{index}"), visit);
                }
            }
            "properties" | "patternProperties" | "$defs" | "dependentSchemas" => {
                for (key, one) in value.as_object().into_iter().flatten() {
                    schemas(one, &format!("{inner}/{key}"), visit);
                }
            }
            _ => {}
        }
    }
}
