//! What a method says of itself: its signature, and its documentation around it.

use crate::model::{Intent, Manifest, Method, Parameter, Scalar, TypeRef};

/// A method as one line: `[view] get(key: string) -> string | null`.
///
/// `[view]` marks a method that only reads, `[mut]` every other; `?` a parameter that may be null or left out.
#[must_use]
pub fn signature(method: &Method) -> String {
    let mark = match method.intent {
        Intent::ReadOnly => "[view]",
        Intent::Mutating | Intent::Unspecified => "[mut] ",
    };
    // The marks take one width, so that signatures stand under each other.
    format!("{mark} {}", call(method))
}

/// The signature without the mark in front.
#[must_use]
pub(crate) fn call(method: &Method) -> String {
    let params: Vec<String> = method.params.iter().map(parameter).collect();
    let returns = method
        .returns
        .as_ref()
        .map_or_else(|| Scalar::Unit.as_str().to_owned(), type_name);
    let null = if method.returns_nullable { " | null" } else { "" };
    format!("{}({}) -> {returns}{null}", method.name, params.join(", "))
}

fn parameter(parameter: &Parameter) -> String {
    let mark = if parameter.nullable { "?" } else { "" };
    format!("{}{mark}: {}", parameter.name, type_name(&parameter.ty))
}

/// A type as signatures name it: by the rules of the schemas, so that what an agent reads is what the tool takes.
#[must_use]
pub fn type_name(ty: &TypeRef) -> String {
    match ty {
        TypeRef::Reference(name) => name.clone(),
        TypeRef::Scalar(scalar) => scalar.as_str().to_owned(),
        TypeRef::Bytes { .. } => "bytes".to_owned(),
        TypeRef::List(item) => format!("{}[]", type_name(item)),
        TypeRef::Map(value) => format!("map<string, {}>", type_name(value)),
        TypeRef::Tuple(elements) => {
            let names: Vec<String> = elements.iter().map(type_name).collect();
            format!("({})", names.join(", "))
        }
        TypeRef::Record(record) => record
            .transparent()
            .map_or_else(|| "record".to_owned(), type_name),
        TypeRef::Unknown(_) => "unknown".to_owned(),
    }
}

/// The description of a method's tool: its documentation, if there is any, and its signature.
#[must_use]
pub fn description(method: &Method) -> String {
    let signature = signature(method);
    let mut parts: Vec<String> = method.doc.clone().into_iter().collect();
    parts.push(signature);
    if let Some(returns) = &method.returns_doc {
        parts.push(format!("Returns: {returns}"));
    }
    parts.join("\n\n")
}

/// A method for a listing: the description, and a line for each documented parameter.
#[must_use]
pub fn listing(method: &Method) -> String {
    let documented = method.params.iter().filter_map(|parameter| {
        let doc = parameter.doc.as_ref()?;
        Some(format!("\n  {}: {}", parameter.name, doc.replace('\n', "\n    ")))
    });
    std::iter::once(description(method)).chain(documented).collect()
}

/// The signatures of all methods of a manifest, in its order.
#[must_use]
pub fn signatures(manifest: &Manifest) -> Vec<String> {
    manifest.methods().map(|method| signature(method)).collect()
}

/// A title for people: the method's name as words, and the application.
#[must_use]
pub fn title(method: &Method, application: &str) -> String {
    let words = method.name.replace('_', " ");
    let mut letters = words.chars();
    let capital: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{capital}{} ({application})", letters.as_str())
}
