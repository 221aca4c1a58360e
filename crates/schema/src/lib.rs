//! JSON Schema 2020-12: compile, evaluate, meter; Profile 1.
//!
//! A [`Schema`] is made once from a document and a [`Profile`], is shared between threads, and answers for any JSON
//! value whether the value fits: exactly (numbers are decimals, never floats) and within a budget ([`Evaluation`]).
//!
//! ```
//! use toolmesh_schema::{Profile, Schema};
//!
//! let document = toolmesh_json::parse(br#"{"type":"object","required":["to"]}"#)?;
//! let schema = Schema::compile_tool_input(document, Profile::Profile1)?;
//! let arguments = toolmesh_json::parse(br#"{"to":"alice"}"#)?;
//! assert!(schema.evaluate(&arguments).is_valid());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The stages
//!
//! * Compile: one walk over the document turns every schema position into a node of one arena; each keyword has a
//!   rule in its own file under `keywords/`. What a profile does not know is refused here, with a typed
//!   [`CompileError`], never when a value is judged. References are resolved after the walk.
//! * Use: [`Schema::compile_tool_input`] adds what a tool's input schema must satisfy (an object root, sound
//!   `x-mcp-header` declarations).
//! * Evaluate: the nodes are run over a borrowed value under a meter. Every step is charged before it is done, so a
//!   hostile schema or value ends as [`EvaluationOutcome::LimitExceeded`], never as a hang or a stack overflow.
//!
//! Diagnostics say where and what was expected, in words taken from the schema; they never repeat the judged value.

mod compile;
mod declared;
mod describe;
mod diagnostic;
mod dialect;
mod equality;
mod error;
mod evaluate;
mod format;
mod instance;
mod keywords;
mod limits;
mod meter;
mod name_key;
mod options;
mod order;
mod outcome;
mod path;
mod pattern;
mod profile;
mod program;
mod reference;
mod registry;
mod remainder;
mod resource;
mod schema;
mod short;
mod tool_input;
mod tracking;
mod uri;

pub use diagnostic::{Diagnostic, DiagnosticCode, Diagnostics};
pub use dialect::{Draft, UnknownDraft};
pub use error::{CompileError, CompileErrorKind};
pub use limits::{CompileLimit, CompileLimits, EvaluationLimit, EvaluationLimits, LimitError};
pub use options::{CompileOptions, Formats};
pub use outcome::{Evaluation, EvaluationOutcome};
pub use profile::{Profile, UnknownProfile};
pub use registry::Registry;
pub use schema::{Schema, UnknownKeyword};
pub use tool_input::{MirroredHeader, MirroredType};
