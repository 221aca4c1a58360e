//! Values of random types: to bytes and to JSON, and back.

use proptest::prelude::{Strategy, prop_assert, prop_assert_eq, proptest};
use proptest::strategy::BoxedStrategy;
use toolmesh_evm::{
    InvalidUtf8, Parameter, SolidityValue, arguments_from_json, decode, encode, from_json, to_json,
    type_schema,
};
use toolmesh_json::{Pointer, Value};
use toolmesh_schema::{Profile, Schema};

use crate::generate;

fn typed_values() -> BoxedStrategy<(Vec<Parameter>, Vec<SolidityValue>)> {
    proptest::collection::vec(generate::types(), 1..4)
        .prop_map(generate::parameters)
        .prop_flat_map(|parameters| {
            let values = generate::values(&parameters);
            (proptest::prelude::Just(parameters), values)
        })
        .boxed()
}

fn json_of(parameters: &[Parameter], values: &[SolidityValue]) -> Value {
    let mut invalid = InvalidUtf8::default();
    let mut object = Value::object();
    for (parameter, value) in parameters.iter().zip(values) {
        object.insert(
            parameter.key.as_str(),
            to_json(&parameter.ty, value, &mut Pointer::root(), &mut invalid),
        );
    }
    assert_eq!(invalid.to_value(), None);
    object.build()
}

proptest! {
    #[test]
    fn what_is_encoded_is_decoded((parameters, values) in typed_values()) {
        prop_assert_eq!(decode(&parameters, &encode(&parameters, &values)), Ok(values));
    }

    #[test]
    fn what_is_written_as_json_is_read((parameters, values) in typed_values()) {
        let json = json_of(&parameters, &values);
        prop_assert_eq!(arguments_from_json(&parameters, json.view()), Ok(values));
    }

    #[test]
    fn what_is_written_as_json_fits_the_schema((parameters, values) in typed_values()) {
        for (parameter, value) in parameters.iter().zip(&values) {
            let schema = Schema::compile(type_schema(&parameter.ty), Profile::Draft2020_12).unwrap();
            let json = to_json(&parameter.ty, value, &mut Pointer::root(), &mut InvalidUtf8::default());
            prop_assert!(schema.evaluate(&json).is_valid(), "{} does not fit {}", json, schema.document());
        }
    }

    #[test]
    fn data_that_was_cut_or_changed_never_panics(
        (parameters, values) in typed_values(),
        length in 0usize..600,
        place in 0usize..600,
        byte in proptest::prelude::any::<u8>(),
    ) {
        let mut data = encode(&parameters, &values);
        if let Some(changed) = data.get_mut(place) {
            *changed = byte;
        }
        data.truncate(length);
        if let Ok(decoded) = decode(&parameters, &data) {
            prop_assert_eq!(decoded.len(), parameters.len());
        }
    }

    #[test]
    fn json_of_another_type_is_refused_or_read_but_never_panics(
        ty in generate::types(),
        (parameters, values) in typed_values(),
    ) {
        let json = json_of(&parameters, &values);
        if let Err(error) = from_json(&ty, json.view(), &mut Pointer::root()) {
            prop_assert!(!error.rule.is_empty());
            prop_assert!(!error.expected.is_empty());
        }
    }
}
