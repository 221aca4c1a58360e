//! Two numbers, a line each: read, written, compared, divided and converted as exact decimals are.
#![no_main]

use std::{
    cmp::Ordering,
    collections::hash_map::DefaultHasher,
    hash::{Hash, Hasher},
};

use libfuzzer_sys::fuzz_target;
use toolmesh_json::{IntegerBudget, Limits, Number};

fuzz_target!(|input: &str| {
    let mut lines = input.lines();
    let (Some(first), Some(second)) = (lines.next(), lines.next()) else { return };
    let (Ok(a), Ok(b)) = (Number::parse(first), Number::parse(second)) else {
        return;
    };
    for number in [&a, &b] {
        texts(number);
        integers(number);
        floats(number);
    }
    pair(&a, &b);
});

fn hash(number: &Number) -> u64 {
    let mut hasher = DefaultHasher::new();
    number.hash(&mut hasher);
    hasher.finish()
}

/// Every text form reads back as an equal number, and the canonical one is the same for all of them.
fn texts(number: &Number) {
    let text = number.as_text();
    assert!(text.len() <= Limits::MAX_NUMBER_TEXT_CHARS);
    let back = Number::parse(&text).expect("the text form can be read");
    assert_eq!((&back, back.as_text()), (number, text));
    let canonical = number.canonical_text();
    let back = Number::parse(&canonical).expect("the canonical form can be read");
    assert_eq!((&back, back.canonical_text()), (number, canonical));
    assert_eq!(hash(&back), hash(number));
}

/// Integers come out whole or not at all, by every way the same.
fn integers(number: &Number) {
    let written = number.to_integer_text(64);
    let wide = number.to_i128();
    assert_eq!(written.as_ref().and_then(|text| text.parse().ok()), wide);
    assert_eq!(number.to_i64(), wide.and_then(|integer| i64::try_from(integer).ok()));
    let positive = written.as_ref().and_then(|text| text.parse().ok());
    assert_eq!(number.to_u128(), positive);
    assert_eq!(number.to_u64(), positive.and_then(|integer| u64::try_from(integer).ok()));
    if let Some(integer) = wide {
        assert!(number.is_integer());
        assert_eq!(Number::from(integer), *number);
        assert_eq!(number.is_zero(), integer == 0);
        assert_eq!(number.is_negative(), integer < 0);
    }
    let expanded = IntegerBudget::default().expand(number);
    assert!(expanded.is_err() || number.is_integer());
}

/// The nearest float reads the same from either text.
fn floats(number: &Number) {
    let float = number.to_f64();
    assert_eq!(number.as_text().parse(), Ok(float));
    if let Some(back) = Number::from_f64(float) {
        assert_eq!(back.to_f64(), float);
    }
}

fn pair(a: &Number, b: &Number) {
    let order = a.cmp(b);
    assert_eq!(order, b.cmp(a).reverse());
    assert_eq!(order == Ordering::Equal, a.canonical_text() == b.canonical_text());
    assert!(order != Ordering::Equal || hash(a) == hash(b));
    if let (Some(x), Some(y)) = (a.to_i128(), b.to_i128()) {
        assert_eq!(order, x.cmp(&y));
        if y != 0 {
            assert_eq!(a.is_multiple_of(b), Some(x.wrapping_rem(y) == 0));
        }
    }
    // Rounding keeps the order of what stays apart.
    match a.to_f64().partial_cmp(&b.to_f64()) {
        Some(Ordering::Equal) | None => {}
        Some(rounded) => assert_eq!(order, rounded),
    }
    assert_eq!(a.is_multiple_of(b).is_none(), b.is_zero());
    if !b.is_zero() {
        assert_eq!(b.is_multiple_of(b), Some(true));
    }
}
