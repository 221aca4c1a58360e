//! Types to JSON Schema.

use std::sync::Arc;

use toolmesh_json::Value;

use super::{Profile, TypeContext, TypeHook, compatible};
use crate::hint::Language;
use crate::model::{Parameter, SolidityType, TypeError, parse_type};
use crate::schema;

/// Maps types to JSON Schema.
#[derive(Clone, Debug, Default)]
pub struct TypeMapper {
    profile: Profile,
    hook: Option<Arc<dyn TypeHook>>,
}

impl TypeMapper {
    /// A mapper that follows the rules of `profile`.
    #[must_use]
    pub fn new(profile: Profile) -> Self {
        Self { profile, hook: None }
    }

    /// Asks `hook` before the profile.
    #[must_use]
    pub fn with_hook(self, hook: Arc<dyn TypeHook>) -> Self {
        Self {
            hook: Some(hook),
            ..self
        }
    }

    /// The rules that it follows.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// Parses the text of a type: `uint256`, `bytes4[]`, `address[2][3]`.
    ///
    /// # Errors
    /// [`TypeError`] when it is none, or one that no value can be given for.
    pub fn parse_type(&self, text: &str) -> Result<SolidityType, TypeError> {
        parse_type(text)
    }

    /// The schema of a type.
    #[must_use]
    pub fn to_json_schema(&self, ty: &SolidityType) -> Value {
        self.schema(ty, None)
    }

    /// The object schema of a struct's members.
    #[must_use]
    pub fn map_components(&self, components: &[Parameter]) -> Value {
        self.object(components.iter().map(|component| (component, None)))
    }

    /// The Python type of a value, from the text of its type: `List[str]` for `address[]`. Here `tuple` is
    /// understood although it does not list its components.
    ///
    /// # Errors
    /// Those of [`TypeMapper::parse_type`].
    pub fn python_type(&self, text: &str) -> Result<String, TypeError> {
        let ty = match text.trim().strip_prefix("tuple") {
            Some(dimensions) if dimensions.is_empty() || dimensions.starts_with('[') => {
                // Any struct will do: in Python all of them are dictionaries.
                parse_type(&format!("bool{dimensions}"))?.with_base(SolidityType::Tuple(Vec::new()))
            }
            _ => parse_type(text)?,
        };
        Ok(Language::Python.type_name(&ty))
    }

    /// The schema of a named value; in the default profile with what is known about it.
    pub(super) fn parameter_schema(&self, parameter: &Parameter, comment: Option<&str>) -> Value {
        let schema = self.schema(&parameter.ty, Some(parameter));
        if self.profile.is_compatible() {
            schema
        } else {
            schema::described(&schema, parameter, comment)
        }
    }

    /// An object with all of these members.
    pub(super) fn object<'a>(
        &self,
        members: impl Iterator<Item = (&'a Parameter, Option<&'a str>)>,
    ) -> Value {
        let members =
            members.map(|(member, comment)| (member.key.clone(), self.parameter_schema(member, comment)));
        if self.profile.is_compatible() {
            compatible::open_object(members)
        } else {
            schema::closed_object(members)
        }
    }

    fn schema(&self, ty: &SolidityType, parameter: Option<&Parameter>) -> Value {
        let context = TypeContext {
            ty,
            parameter,
            mapper: self,
        };
        let own = self.hook.as_ref().and_then(|hook| hook.schema(&context));
        own.unwrap_or_else(|| self.standard(ty))
    }

    pub(super) fn standard(&self, ty: &SolidityType) -> Value {
        match ty {
            SolidityType::Array(item) => schema::array_schema(self.schema(item, None), None),
            SolidityType::FixedArray(item, length) => {
                schema::array_schema(self.schema(item, None), Some(*length))
            }
            SolidityType::Tuple(members) => self.map_components(members),
            leaf if self.profile.is_compatible() => compatible::leaf_schema(leaf),
            leaf => schema::type_schema(leaf),
        }
    }
}
