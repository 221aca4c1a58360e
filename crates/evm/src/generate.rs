//! Typed client code for the tools of an interface.
//!
//! A generated client has a method for each tool, types for the structs of the interface, and nothing else: how a tool
//! is called (over MCP, or in the process) is a function that its user gives it. Names and comments come from whoever
//! wrote the contract, so they are made identifiers, or escaped, before they stand in code.

mod go;
mod plan;
mod python;
mod rust;
mod solidity;
mod structs;
mod typescript;

use crate::hint::Language;
use crate::model::Interface;
use plan::Plan;

pub use plan::NOTICE;
pub use solidity::solidity_interface;

/// A file of generated code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedFile {
    /// Its name, without a folder: `token.py`, `token.ts`, `token.rs`, `token.go`.
    pub name: String,
    /// What stands in it.
    pub content: String,
}

/// Writes a client in `language`. It is called after `name`, else after the contract, else `Contract`.
///
/// ```
/// use toolmesh_evm::generate::generate;
/// use toolmesh_evm::hint::Language;
///
/// let interface = toolmesh_evm::read(b"function owner() view returns (address)")?;
/// let file = generate(&interface, Language::Python, Some("Vault"));
/// assert_eq!(file.name, "vault.py");
/// assert!(file.content.contains("async def owner(self"));
/// # Ok::<(), toolmesh_evm::EvmError>(())
/// ```
#[must_use]
pub fn generate(interface: &Interface, language: Language, name: Option<&str>) -> GeneratedFile {
    let plan = Plan::of(interface, language, name);
    let (ending, content) = match language {
        Language::Python => ("py", python::render(&plan)),
        Language::TypeScript => ("ts", typescript::render(&plan)),
        Language::Rust => ("rs", rust::render(&plan)),
        Language::Go => ("go", go::render(&plan)),
    };
    GeneratedFile {
        name: format!("{}.{ending}", plan.module),
        content,
    }
}
