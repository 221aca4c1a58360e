//! What is published fits its own schema and comes back as it was.

use std::collections::{BTreeMap, HashMap};

use proptest::{
    collection::{btree_map, hash_map, vec},
    option,
    prelude::*,
};
use toolmesh_tool::{
    BigInt, IndexMap,
    json::{Number, parse},
    schema::{Profile, Schema},
    typed::{bind, derive, publish},
};

use super::family::{Everything, Item, Order};

fn order() -> impl Strategy<Value = Order> {
    prop_oneof![
        Just(Order::Ascending),
        Just(Order::Descending),
        Just(Order::Unsorted)
    ]
}

fn item() -> impl Strategy<Value = Item> {
    (any::<String>(), option::of(order())).prop_map(|(sku, kind)| Item { sku, kind })
}

fn big() -> impl Strategy<Value = BigInt> {
    "-?[1-9][0-9]{0,300}".prop_map(|digits| BigInt::parse_bytes(digits.as_bytes(), 10).unwrap())
}

fn decimal() -> impl Strategy<Value = Number> {
    "-?[0-9]\\.[0-9]{1,40}(e-?[0-9]{1,4})?".prop_map(|text| Number::parse(&text).unwrap())
}

type Numbers = (bool, i8, i16, i32, i64, u8, u16, u32, u64);

fn numbers() -> impl Strategy<Value = Numbers> {
    any::<Numbers>()
}

fn everything() -> impl Strategy<Value = Everything> {
    let exact = (
        big(),
        any::<f32>(),
        any::<f64>(),
        decimal(),
        any::<String>(),
        order(),
    );
    let containers = (
        vec(item(), 0..4),
        any::<[i32; 2]>(),
        btree_map(any::<String>(), any::<i64>(), 0..4),
        hash_map(any::<String>(), any::<bool>(), 0..4),
        vec((any::<String>(), vec(any::<String>(), 0..3)), 0..4),
    );
    let optional = (option::of(any::<String>()), option::of(item()));
    (numbers(), exact, containers, optional).prop_map(|(n, e, c, o)| Everything {
        flag: n.0,
        tiny: n.1,
        small: n.2,
        medium: n.3,
        large: n.4,
        byte: n.5,
        half: n.6,
        word: n.7,
        double: n.8,
        big: e.0,
        single: if e.1.is_finite() { e.1 } else { f32::MAX },
        float: if e.2.is_finite() { e.2 } else { f64::MIN },
        decimal: e.3,
        text: e.4,
        order: e.5,
        list: c.0,
        pair: c.1,
        sorted: BTreeMap::from_iter(c.2),
        hashed: HashMap::from_iter(c.3),
        ordered: IndexMap::from_iter(c.4),
        r#type: o.0,
        nested: o.1,
    })
}

proptest! {
    #[test]
    fn what_is_published_fits_its_schema_and_comes_back_as_it_was(value in everything()) {
        let schema = Schema::compile(derive::<Everything>().unwrap(), Profile::Profile1).unwrap();
        let published = publish(&value).unwrap();
        prop_assert!(schema.evaluate(&published).is_valid());
        let read = parse(published.to_text().as_bytes()).unwrap();
        let back: Everything = bind(read.view()).unwrap();
        prop_assert_eq!(&back, &value);
        prop_assert_eq!(publish(&back).unwrap().to_text(), published.to_text());
    }

    #[test]
    fn a_schema_lets_no_integer_pass_that_its_type_does_not_take(number in decimal()) {
        let schema = Schema::compile(derive::<i64>().unwrap(), Profile::Profile1).unwrap();
        let value = toolmesh_tool::json::Value::from(number);
        prop_assert_eq!(schema.evaluate(&value).is_valid(), bind::<i64>(value.view()).is_ok());
    }

    #[test]
    fn a_schema_lets_no_float_pass_that_its_type_does_not_take(number in decimal()) {
        let schema = Schema::compile(derive::<f32>().unwrap(), Profile::Profile1).unwrap();
        let value = toolmesh_tool::json::Value::from(number);
        if schema.evaluate(&value).is_valid() {
            prop_assert!(bind::<f32>(value.view()).is_ok());
        }
    }
}
