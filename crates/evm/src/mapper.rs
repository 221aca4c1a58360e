//! The mapping from Solidity to tools and resources as a library, without a chain.
//!
//! It is for whoever makes catalogues, client code or documentation from an interface. What is served
//! ([`tools`](crate::tools)) is what [`Profile::Default`] says here.
//!
//! ```
//! use toolmesh_evm::mapper::{FunctionMapper, Profile, TypeMapper};
//!
//! let interface = toolmesh_evm::read(b"function transferFrom(address from, address to, uint256 amount) returns (bool)")?;
//! let mapper = FunctionMapper::new(TypeMapper::new(Profile::Compatibility));
//! let tool = &mapper.map_interface(&interface)[0];
//! assert_eq!((tool.name.as_str(), tool.original_name.as_str()), ("transfer_from", "transferFrom"));
//! assert_eq!(tool.parameters[0].name, "from_");
//! assert_eq!(
//!     tool.python_signature,
//!     "async def transfer_from(from_: str, to: str, amount: str, simulate: bool = True) -> Dict[str, Any]"
//! );
//! # Ok::<(), toolmesh_evm::EvmError>(())
//! ```
//!
//! | step | |
//! |---|---|
//! | text of a type to a type, type to JSON Schema, struct members to an object schema | [`TypeMapper`] |
//! | function to tool | [`FunctionMapper`] |
//! | event to resource | [`EventMapper`] |
//! | the schema of a whole tool or resource | [`SchemaBuilder`] |
//! | another schema for some types | [`TypeHook`] |
//! | what types and functions are called in programming languages | [`Language`](crate::hint::Language) |

mod compatible;
mod description;
mod event_mapper;
mod function_mapper;
mod hook;
mod meaning;
mod parameter_name;
mod profile;
mod schema_builder;
mod type_mapper;

pub use event_mapper::{EventMapper, MappedField, MappedResource};
pub use function_mapper::{FunctionMapper, MappedParameter, MappedTool, ToolKind};
pub use hook::{TypeContext, TypeHook};
pub use profile::Profile;
pub use schema_builder::SchemaBuilder;
pub use type_mapper::TypeMapper;

pub(crate) use parameter_name::{first_free, python_names};
