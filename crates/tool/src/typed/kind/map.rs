//! Maps from text.

use std::{
    collections::{BTreeMap, HashMap},
    hash::BuildHasher,
};

use indexmap::IndexMap;
use toolmesh_json::{Value, View};

use crate::typed::{
    BindRefusal, Binding, Derivation, Publication, PublishRefusal, ToolArguments, ToolOutput, ToolType,
    TypeRefusal,
};

macro_rules! map {
    ($(($($hasher:ident)?) $map:ty;)*) => {$(
        impl<T: ToolType $(, $hasher: BuildHasher + Default + Send + 'static)?> ToolType for $map {
            fn weight() -> usize {
                T::weight().saturating_add(1)
            }

            fn schema(derivation: &mut Derivation) -> Result<Value, TypeRefusal> {
                derivation.map::<T>()
            }

            fn bind(value: View<'_>, binding: &mut Binding) -> Result<Self, BindRefusal> {
                binding.map(value)
            }

            fn publish(&self, publication: &mut Publication) -> Result<Value, PublishRefusal> {
                publication.map(self.iter())
            }
        }

        impl<T: ToolType $(, $hasher: BuildHasher + Default + Send + 'static)?> ToolArguments for $map {}
        impl<T: ToolType $(, $hasher: BuildHasher + Default + Send + 'static)?> ToolOutput for $map {}
    )*};
}

map! {
    () BTreeMap<String, T>;
    (S) HashMap<String, T, S>;
    (S) IndexMap<String, T, S>;
}
