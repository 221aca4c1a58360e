//! Properties over all values.

use proptest::prelude::*;
use toolmesh_json::{Limits, Number, Value, canonical_text, parse, parse_with};

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i64>().prop_map(|integer| integer.to_string()),
        any::<u128>().prop_map(|integer| integer.to_string()),
        "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?",
        "-?[1-9]e-?[0-9]{4}",
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::null()),
        any::<bool>().prop_map(Value::from),
        number().prop_map(|text| Value::from(Number::parse(&text).unwrap())),
        any::<String>().prop_map(Value::from),
        "[a-z\"\\\\\n\u{1}é🚀]{0,20}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 200, 20, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..20).prop_map(Value::from),
            prop::collection::vec(("[a-f\"\u{7f}é]{0,4}", inner), 0..20).prop_map(|members| members
                .into_iter()
                .collect::<toolmesh_json::ObjectBuilder>()
                .build()),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back_equal_and_writes_the_same(value in value()) {
        let text = value.to_text();
        let back = parse(text.as_bytes()).unwrap();
        prop_assert_eq!(&back, &value);
        prop_assert_eq!(back.to_text(), text);
    }

    #[test]
    fn canonical_text_is_a_fixed_point_of_equal_values(value in value()) {
        let canonical = canonical_text(value.view());
        let back = parse(canonical.as_bytes()).unwrap();
        prop_assert_eq!(&back, &value);
        prop_assert_eq!(canonical_text(back.view()), canonical);
    }

    #[test]
    fn serde_json_reads_and_writes_the_same(value in value()) {
        let text = value.to_text();
        prop_assert_eq!(&serde_json::to_string(&value).unwrap(), &text);
        let theirs: serde_json::Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&Value::try_from(&theirs).unwrap(), &value);
        prop_assert_eq!(Value::try_from(serde_json::Value::try_from(&value).unwrap()).unwrap().to_text(), text);
    }

    #[test]
    fn numbers_order_as_their_expansion(a in number(), b in number()) {
        let (a, b) = (Number::parse(&a).unwrap(), Number::parse(&b).unwrap());
        if let (Some(x), Some(y)) = (a.to_i128(), b.to_i128()) {
            prop_assert_eq!(a.cmp(&b), x.cmp(&y));
        }
        let (x, y) = (a.to_f64(), b.to_f64());
        if x < y {
            prop_assert!(a < b);
        }
        prop_assert_eq!(a.cmp(&b), b.cmp(&a).reverse());
        prop_assert_eq!(a == b, a.canonical_text() == b.canonical_text());
    }

    #[test]
    fn multiples_are_those_of_wide_integers(a in any::<i128>(), b in any::<i64>(), factor in any::<i32>()) {
        let (wide, narrow) = (i128::from(b), Number::from(b));
        if b != 0 {
            prop_assert_eq!(Number::from(a).is_multiple_of(&narrow), Some(a % wide == 0));
            let multiple = Number::from(wide * i128::from(factor));
            prop_assert_eq!(multiple.is_multiple_of(&narrow), Some(true));
        }
        if a != 0 {
            prop_assert_eq!(Number::from(a).is_multiple_of(&Number::from(a)), Some(true));
            prop_assert_eq!(narrow.is_multiple_of(&Number::from(a)), Some(wide % a == 0));
        }
    }

    #[test]
    fn any_bytes_are_answered_and_agree_with_serde_json(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        agree(&bytes)?;
    }

    #[test]
    fn any_near_json_is_answered_and_agrees_with_serde_json(text in r#"[\[\]{}:,"\\/a-fnrtu0-9eE+\-. \n]{0,60}"#) {
        agree(text.as_bytes())?;
    }

    #[test]
    fn a_damaged_document_is_answered_and_agrees_with_serde_json(
        value in value(), at in any::<prop::sample::Index>(), byte in any::<u8>(),
    ) {
        let mut bytes = value.to_text().into_bytes();
        let position = at.index(bytes.len());
        bytes[position] = byte;
        agree(&bytes)?;
    }
}

/// Both accept, or this crate refuses for one of its own reasons, or both refuse.
fn agree(bytes: &[u8]) -> Result<(), TestCaseError> {
    let theirs: Result<serde_json::Value, _> = serde_json::from_slice(bytes);
    match (parse_with(bytes, &Limits::ceiling()), theirs) {
        (Ok(ours), Ok(theirs)) => prop_assert_eq!(ours, Value::try_from(theirs).unwrap()),
        (Ok(ours), Err(error)) => prop_assert!(false, "only serde_json refuses {}: {}", ours, error),
        (Err(error), Ok(_)) => {
            let own = error.kind().is_limit() || error.kind() == toolmesh_json::ParseErrorKind::DuplicateName;
            prop_assert!(own, "only serde_json accepts: {}", error);
            prop_assert!(error.offset() <= bytes.len());
        }
        (Err(error), Err(_)) => prop_assert!(error.offset() <= bytes.len()),
    }
    Ok(())
}
