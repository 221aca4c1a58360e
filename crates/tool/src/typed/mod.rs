//! Tools over Rust types.
//!
//! Two doors lead from a type to a tool:
//!
//! * **The closed family** ([`ToolType`], derived): schemas are Tool Schema Profile 1 with exact bounds and nothing left
//!   implicit, arguments are bound by this library's own binder within budgets, results are published in one fixed form.
//!   What is outside the family is refused when the program is compiled, at the latest when the tool is built.
//!   [`crate::ToolNamed::arguments`], [`crate::ToolNamed::arguments_and_output`] and the attribute [`macro@crate::tool`]
//!   lead here.
//! * **The open door** ([`SchemarsInput`]): any type of `schemars` and `serde`, over the 2020-12 profile. The schema and the
//!   binder are two foreign descriptions of one type, so this door lacks guarantees; see
//!   [`crate::ToolNamed::schemars_arguments`].
//!
//! The whole family, its schemas and its refusals are told in `docs/typed-tools.md`.
//!
//! ```
//! use toolmesh_tool::{HandlerError, Tool, ToolType};
//!
//! #[derive(ToolType)]
//! struct Add {
//!     /// The first summand.
//!     a: i64,
//!     /// The second summand; 1 when left out.
//!     b: Option<i64>,
//! }
//!
//! #[derive(ToolType)]
//! struct Sum {
//!     sum: i64,
//! }
//!
//! let tool = Tool::with_name("add")
//!     .arguments_and_output::<Add, Sum>()
//!     .handler(|_context, add| async move {
//!         let sum = add.a.checked_add(add.b.unwrap_or(1));
//!         sum.map(|sum| Sum { sum }).ok_or_else(|| HandlerError::new("the sum is too large"))
//!     })
//!     .build()?;
//! let required = tool.input_schema().document().pointer("/required").map(|names| names.to_text());
//! assert_eq!(required.as_deref(), Some(r#"["a"]"#));
//! # Ok::<(), toolmesh_tool::ToolBuildError>(())
//! ```

mod arguments;
mod bind;
mod closed;
mod derive;
mod family;
mod handler;
mod kind;
mod open;
mod place;
mod publish;
mod register;
mod returns;

pub use arguments::TypedArguments;
pub use bind::{BindFault, BindRefusal, Binding, BoundMembers, bind, bind_with};
pub use closed::{TypedInput, TypedOutput};
pub use derive::{Derivation, MAX_PROPERTY_NAME_UNITS, Properties, Property, TypeFault, TypeRefusal, derive};
pub use family::{ToolArguments, ToolField, ToolOutput, ToolType};
pub use open::{SchemarsInput, SchemarsOutput};
pub use place::Place;
pub use publish::{Publication, PublishFault, PublishRefusal, PublishedMembers, publish, publish_with};
pub use register::{RegisterError, Registry, register};
pub use returns::ToolReturn;

/// The guide's examples are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/typed-tools.md")]
struct Guide;
