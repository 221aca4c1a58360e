//! Another schema for some types.

use std::fmt::Debug;

use toolmesh_json::Value;

use super::{Profile, TypeMapper};
use crate::model::{Parameter, SolidityType};

/// Overrides the mapping of types.
///
/// It is asked at every level: for the item of an array and the member of a struct as well.
///
/// ```
/// use std::sync::Arc;
/// use toolmesh_evm::mapper::{Profile, TypeContext, TypeHook, TypeMapper};
/// use toolmesh_evm::SolidityType;
/// use toolmesh_json::Value;
///
/// #[derive(Debug)]
/// struct Large;
///
/// impl TypeHook for Large {
///     fn schema(&self, context: &TypeContext<'_>) -> Option<Value> {
///         (*context.ty == SolidityType::Uint(256)).then(|| {
///             Value::object()
///                 .put("type", "string")
///                 .put("pattern", "^[0-9]+$")
///                 .put("description", "Unsigned 256-bit integer as string")
///                 .build()
///         })
///     }
/// }
///
/// let mapper = TypeMapper::new(Profile::Compatibility).with_hook(Arc::new(Large));
/// let schema = mapper.to_json_schema(&mapper.parse_type("uint256[]")?);
/// assert_eq!(schema.pointer("/items/description").and_then(|text| text.as_str()), Some("Unsigned 256-bit integer as string"));
/// # Ok::<(), toolmesh_evm::TypeError>(())
/// ```
pub trait TypeHook: Debug + Send + Sync {
    /// The schema of a value, or `None` for what the profile says.
    fn schema(&self, context: &TypeContext<'_>) -> Option<Value>;
}

/// What a hook may know about the value that is mapped.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct TypeContext<'a> {
    /// The type.
    pub ty: &'a SolidityType,
    /// The named value that has the type; `None` for the item of an array, or a type alone.
    pub parameter: Option<&'a Parameter>,
    pub(super) mapper: &'a TypeMapper,
}

impl TypeContext<'_> {
    /// The rules that the mapping follows.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.mapper.profile()
    }

    /// What the profile says about the type, without asking the hook about the type itself.
    #[must_use]
    pub fn standard(&self) -> Value {
        self.mapper.standard(self.ty)
    }
}
