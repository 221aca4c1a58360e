//! The derive of the closed family of tool types, and the one `#[tool]` attribute of the project.
//!
//! Both write no logic of their own: they name the fields, names and types, and the library (`toolmesh_tool::typed`) does the
//! work. They are used through `toolmesh_tool` or the facade `toolmesh`, which re-export them; the code that they write finds
//! whichever of the two is in the user's `Cargo.toml`, or the path that `crate = ...` gives.

mod crate_path;
mod description;
mod enumeration;
mod expand;
mod function;
mod property;
mod record;
mod settings;

use proc_macro::TokenStream;
use syn::{Data, DeriveInput, ItemFn, parse_macro_input};

/// Makes a struct with named fields, or an enum without data, a type of the closed family: implements
/// the trait `ToolType`, and for whole arguments and outputs `ToolArguments` (structs) and `ToolOutput`.
///
/// Doc comments of fields become descriptions. `#[property(..)]` on a field changes what is published:
///
/// * `name = "..."`: the member's name (the field's name otherwise),
/// * `title = "..."`, `description = "..."`,
/// * `header = "..."`: the suffix of the header `Mcp-Param-<suffix>` that repeats the value (`x-mcp-header`).
///
/// `#[property(name = "...")]` may stand on a variant of an enum, `#[property(crate = path)]` on the type itself: the path of
/// `toolmesh_tool` when neither it nor `toolmesh` is a direct dependency.
#[proc_macro_derive(ToolType, attributes(property))]
pub fn derive_tool_type(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let code = match &input.data {
        Data::Struct(data) => record::derive(&input, data),
        Data::Enum(data) => enumeration::derive(&input, data),
        Data::Union(_) => Err(syn::Error::new_spanned(
            &input.ident,
            "a union has no JSON form: use a struct with named fields",
        )),
    };
    code.unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes a tool of an async function.
///
/// Beside the function itself stand then, with the function's visibility:
///
/// * `<fn>_tool() -> Result<Tool, ToolBuildError>`: the tool, checked;
/// * `<fn>_descriptor() -> Result<ToolDescriptor, ToolBuildError>`: the form in which it is told of;
/// * `<fn>_register(&registry)`: offers it there: in a toolbox by its `Mount` (`Result<(), RegisterError>`), or on a mesh by
///   its node (`Result<ToolServeHandle, ServeError>`).
///
/// A first argument of type `CallContext` gets the call's context. Every other argument is a member of the tool's arguments
/// object: any type of the closed family, or `Option` of one for a member that may be absent. Doc comments of the function
/// and of its arguments become descriptions; `#[property(name, title, description, header)]` may stand on an argument. The
/// function returns what `ToolReturn` says: an output of the closed family, `ToolResult`, `Outcome`, or a `Result` of one.
///
/// Settings, all optional: `name = "..."` (the function's name otherwise), `title = "..."`, `description = "..."` (the doc
/// comment otherwise), `version = "1.0.0"`, `tag = "..."` (repeatable), `tags("...", ..)`, `requires = "..."` (repeatable),
/// `estimated_time_ms = 200`, `read_only`, `destructive`, `idempotent`, `open_world`, `stateless`, `streaming` (each may be
/// `= false`), `crate = path`.
#[proc_macro_attribute]
pub fn tool(settings: TokenStream, item: TokenStream) -> TokenStream {
    let settings = parse_macro_input!(settings with settings::Settings::parse);
    let function = parse_macro_input!(item as ItemFn);
    expand::expand(&settings, function)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
