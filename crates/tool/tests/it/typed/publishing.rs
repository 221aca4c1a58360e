//! From Rust values to their one JSON form.

use std::collections::{BTreeMap, HashMap};

use toolmesh_tool::{
    BigInt, IndexMap,
    json::{BindLimits, Number},
    schema::{Profile, Schema},
    typed::{PublishFault, derive, publish, publish_with},
};

use super::{
    bound,
    family::{Grid, Item, Nothing, Order, Page, Pair},
    published,
};

#[test]
fn members_come_in_declaration_order_and_absent_ones_not_at_all() {
    let item = Item {
        sku: "a".to_owned(),
        kind: Some(Order::Unsorted),
    };
    assert_eq!(published(&item), r#"{"sku":"a","type":"as they come"}"#);
    assert_eq!(published(&Item { kind: None, ..item }), r#"{"sku":"a"}"#);
    assert_eq!(published(&Nothing {}), "{}");
}

#[test]
fn maps_come_sorted_whatever_their_own_order() {
    let members = [("b", 1), ("\u{e9}", 4), ("a", 2), ("B", 3)].map(|(name, value)| (name.to_owned(), value));
    let sorted = r#"{"B":3,"a":2,"b":1,"é":4}"#;
    assert_eq!(
        published(&IndexMap::<String, i32>::from_iter(members.clone())),
        sorted
    );
    assert_eq!(
        published(&HashMap::<String, i32>::from_iter(members.clone())),
        sorted
    );
    assert_eq!(published(&BTreeMap::from_iter(members)), sorted);
}

#[test]
fn floats_have_their_shortest_text_and_must_be_finite() {
    assert_eq!(published(&vec![0.1f64, 1.0, 1e300]), "[0.1,1.0,1E+300]");
    assert_eq!(published(&vec![0.1f32, 16_777_216.0]), "[0.1,16777216.0]");
    for float in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let refusal = publish(&Page {
            items: vec![Grid { cells: [1.0, float] }],
            next: None,
        })
        .unwrap_err();
        assert_eq!(refusal.fault(), PublishFault::NotFinite);
        assert_eq!(refusal.place().to_string(), "$/items/0/cells/1");
    }
    assert_eq!(
        publish(&f32::INFINITY).unwrap_err().fault(),
        PublishFault::NotFinite
    );
}

#[test]
fn the_largest_floats_stay_within_their_published_range() {
    let narrow = Schema::compile(derive::<f32>().unwrap(), Profile::Profile1).unwrap();
    for float in [f32::MAX, f32::MIN, f32::MIN_POSITIVE, -0.0] {
        let value = publish(&float).unwrap();
        assert!(narrow.evaluate(&value).is_valid(), "{value}");
        assert_eq!(bound::<f32>(&value.to_text()), Ok(float));
    }
    let wide = Schema::compile(derive::<f64>().unwrap(), Profile::Profile1).unwrap();
    for float in [f64::MAX, f64::MIN, f64::MIN_POSITIVE] {
        let value = publish(&float).unwrap();
        assert!(wide.evaluate(&value).is_valid(), "{value}");
        assert_eq!(bound::<f64>(&value.to_text()), Ok(float));
    }
}

#[test]
fn a_decimal_comes_out_as_it_went_in() {
    let decimals = ["1.0", "1E+9999", "0.10"].map(|text| Number::parse(text).unwrap());
    assert_eq!(published(&decimals.to_vec()), "[1.0,1E+9999,0.10]");
}

#[test]
fn a_big_integer_that_no_peer_would_take_back_is_refused() {
    let ten = BigInt::from(10);
    let fault = |integer: BigInt| publish(&integer).err().map(|refusal| refusal.fault());
    assert_eq!(fault(ten.pow(1_023)), None);
    assert_eq!(fault(ten.pow(1_024)), Some(PublishFault::IntegerTooLong));
    assert_eq!(fault(-ten.pow(1_022)), None);
    assert_eq!(fault(-ten.pow(1_023)), Some(PublishFault::IntegerTooLong));
    assert_eq!(
        fault(BigInt::from(1) << 10_000_000),
        Some(PublishFault::IntegerTooLong)
    );
}

#[test]
fn nodes_depth_and_entries_are_bounded() {
    let limits = BindLimits {
        nodes: 4,
        depth: 3,
        entries: 2,
        ..BindLimits::default()
    };
    let fault =
        |value: Vec<Vec<Vec<bool>>>| publish_with(&value, &limits).err().map(|refusal| refusal.fault());
    assert_eq!(fault(vec![vec![vec![], vec![]]]), None);
    assert_eq!(
        fault(vec![vec![vec![], vec![]], vec![]]),
        Some(PublishFault::TooManyNodes)
    );
    assert_eq!(fault(vec![vec![vec![true]]]), Some(PublishFault::TooDeep));
    assert_eq!(
        fault(vec![vec![vec![], vec![], vec![]]]),
        Some(PublishFault::TooManyEntries)
    );
    let three = BTreeMap::from(["a", "b", "c"].map(|name| (name.to_owned(), true)));
    assert_eq!(
        publish_with(&three, &limits).unwrap_err().fault(),
        PublishFault::TooManyEntries
    );
    let place = publish_with(
        &Pair {
            a: vec![true; 2],
            b: vec![false; 3],
        },
        &limits,
    )
    .unwrap_err();
    assert_eq!(place.place().to_string(), "$/b");
}
