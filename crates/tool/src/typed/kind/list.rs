//! Lists of any length, and of one length.

use toolmesh_json::{Value, View};

use crate::typed::{
    BindFault, BindRefusal, Binding, Derivation, Publication, PublishRefusal, ToolOutput, ToolType,
    TypeRefusal,
};

impl<T: ToolType> ToolType for Vec<T> {
    fn weight() -> usize {
        T::weight().saturating_add(1)
    }

    fn schema(derivation: &mut Derivation) -> Result<Value, TypeRefusal> {
        derivation.list::<T>()
    }

    fn bind(value: View<'_>, binding: &mut Binding) -> Result<Self, BindRefusal> {
        binding.list(value)
    }

    fn publish(&self, publication: &mut Publication) -> Result<Value, PublishRefusal> {
        publication.list(self)
    }
}

impl<T: ToolType> ToolOutput for Vec<T> {}

/// Profile 1 has no word for a list's length, so the length is asked when a value is bound.
impl<T: ToolType, const N: usize> ToolType for [T; N] {
    fn weight() -> usize {
        T::weight().saturating_add(1)
    }

    fn schema(derivation: &mut Derivation) -> Result<Value, TypeRefusal> {
        derivation.list::<T>()
    }

    fn bind(value: View<'_>, binding: &mut Binding) -> Result<Self, BindRefusal> {
        let found = value.as_array().map_or(N, |elements| elements.len());
        if found != N {
            return Err(BindFault::Length { expected: N, found }.into());
        }
        // The length was just compared.
        let wrong_length = |_| BindFault::Length { expected: N, found };
        Ok(binding.list(value)?.try_into().map_err(wrong_length)?)
    }

    fn publish(&self, publication: &mut Publication) -> Result<Value, PublishRefusal> {
        publication.list(self)
    }
}

impl<T: ToolType, const N: usize> ToolOutput for [T; N] {}
