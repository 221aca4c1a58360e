//! Numbers are exact, compare by value, and never expand.

use std::{
    collections::{HashSet, hash_map::DefaultHasher},
    hash::{Hash, Hasher},
};
use toolmesh_json::{Number, NumberError};

fn number(text: &str) -> Number {
    Number::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn hash(number: &Number) -> u64 {
    let mut hasher = DefaultHasher::new();
    number.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn text_is_that_of_a_big_decimal() {
    let cases = [
        ("0", "0"),
        ("-0", "0"),
        ("0.0", "0.0"),
        ("-0.00", "0.00"),
        ("0e5", "0E+5"),
        ("0e-7", "0E-7"),
        ("0.000000", "0.000000"),
        ("0.0000000", "0E-7"),
        ("1", "1"),
        ("1.0", "1.0"),
        ("1e0", "1"),
        ("1e2", "1E+2"),
        ("1E2", "1E+2"),
        ("100", "100"),
        ("12e-1", "1.2"),
        ("1.50e3", "1.50E+3"),
        ("-12.340", "-12.340"),
        ("0.000001", "0.000001"),
        ("0.0000001", "1E-7"),
        ("1e-6", "0.000001"),
        ("1e-7", "1E-7"),
        ("123e-9", "1.23E-7"),
        ("123e-8", "0.00000123"),
        ("1e9999", "1E+9999"),
        ("-1.5E-9999", "-1.5E-9999"),
        ("9223372036854775807", "9223372036854775807"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("9223372036854775808", "9223372036854775808"),
        (
            "123456789012345678901234567890.12345",
            "123456789012345678901234567890.12345",
        ),
        ("12345678901234567890123e5", "1.2345678901234567890123E+27"),
        ("0.000000000000000000000000000000000000001", "1E-39"),
        ("0.0012345678901234567890123", "0.0012345678901234567890123"),
    ];
    for (written, text) in cases {
        assert_eq!(number(written).as_text(), text, "{written}");
        assert_eq!(number(text).as_text(), text, "the text form reads back as itself");
        assert_eq!(number(text), number(written));
    }
}

#[test]
fn equality_order_and_hash_are_by_value() {
    let groups: &[&[&str]] = &[
        &["-1e400", "-10e399"],
        &[
            "-99999999999999999999",
            "-9999999999999999999.9e1",
            "-99999999999999999999.000",
        ],
        &["-1.5", "-15e-1", "-1.500"],
        &["-1e-9999"],
        &["0", "-0", "0.0", "0e99", "0e-99"],
        &["1e-9999", "0.1e-9998"],
        &["0.09", "9e-2"],
        &["0.1", "1e-1", "0.10000000000000000000000000000000"],
        &["1", "1.0", "1e0", "10e-1", "1000000000000000000000000e-24"],
        &["1.00000000000000000000000000000001"],
        &["9", "9.0"],
        &["10", "1e1", "1.0e1"],
        &["9223372036854775807"],
        &["9223372036854775808", "9223372036854775.808e3"],
        &["18446744073709551616"],
        &["1e400", "10e399"],
        &["2e400"],
        &["1e9999", "1.0e9999"],
    ];
    let numbers: Vec<(usize, Number)> = groups
        .iter()
        .enumerate()
        .flat_map(|(rank, group)| group.iter().map(move |text| (rank, number(text))))
        .collect();
    for (rank_a, a) in &numbers {
        for (rank_b, b) in &numbers {
            assert_eq!(a.cmp(b), rank_a.cmp(rank_b), "{a} and {b}");
            assert_eq!(a == b, rank_a == rank_b, "{a} and {b}");
            if rank_a == rank_b {
                assert_eq!(hash(a), hash(b), "{a} and {b}");
            }
        }
    }
    let distinct: HashSet<Number> = numbers.into_iter().map(|(_, number)| number).collect();
    assert_eq!(distinct.len(), groups.len());
}

#[test]
fn integers_are_recognised_however_spelled() {
    for integer in [
        "0",
        "-0",
        "0.0",
        "0e-5",
        "1.0",
        "1e2",
        "10e-1",
        "1e9999",
        "1.5e1",
        "100000000000000000000000.000",
        "-12",
    ] {
        assert!(number(integer).is_integer(), "{integer}");
    }
    for fraction in ["0.5", "1.01", "15e-1", "1e-9999", "100000000000000000000000.001"] {
        assert!(!number(fraction).is_integer(), "{fraction}");
    }
}

#[test]
fn integers_come_out_whole_or_not_at_all() {
    assert_eq!(number("1.0").to_i64(), Some(1));
    assert_eq!(number("1e2").to_u64(), Some(100));
    assert_eq!(number("0.5").to_i64(), None);
    assert_eq!(number("0e99").to_i64(), Some(0));
    assert_eq!(number("0.00").to_u128(), Some(0));
    assert_eq!(number("9223372036854775807").to_i64(), Some(i64::MAX));
    assert_eq!(number("9223372036854775808").to_i64(), None);
    assert_eq!(number("-9223372036854775808").to_i64(), Some(i64::MIN));
    assert_eq!(number("-9223372036854775809").to_i64(), None);
    assert_eq!(number("18446744073709551615").to_u64(), Some(u64::MAX));
    assert_eq!(number("18446744073709551616").to_u64(), None);
    assert_eq!(number("-1").to_u64(), None);
    assert_eq!(number(&i128::MIN.to_string()).to_i128(), Some(i128::MIN));
    assert_eq!(number(&i128::MAX.to_string()).to_i128(), Some(i128::MAX));
    assert_eq!(number("170141183460469231731687303715884105728").to_i128(), None);
    assert_eq!(number(&u128::MAX.to_string()).to_u128(), Some(u128::MAX));
    assert_eq!(number("340282366920938463463374607431768211456").to_u128(), None);
    assert_eq!(number("1e38").to_u128(), Some(10u128.pow(38)));
    assert_eq!(number("1e9999").to_u128(), None);
}

#[test]
fn an_integer_is_written_out_only_within_the_bound() {
    assert_eq!(number("-1.5e3").to_integer_text(5).as_deref(), Some("-1500"));
    assert_eq!(number("-1.5e3").to_integer_text(4), None);
    assert_eq!(number("1e9999").to_integer_text(1_024), None);
    assert_eq!(
        number("1e1023").to_integer_text(1_024).map(|text| text.len()),
        Some(1_024)
    );
    assert_eq!(number("1e1024").to_integer_text(1_024), None);
    assert_eq!(number("0e9999").to_integer_text(1).as_deref(), Some("0"));
    assert_eq!(number("12.00").to_integer_text(9).as_deref(), Some("12"));
    assert_eq!(number("0.5").to_integer_text(9), None);
    assert_eq!(
        number("123456789012345678901234567890")
            .to_integer_text(30)
            .as_deref(),
        Some("123456789012345678901234567890")
    );
}

#[test]
fn floats_are_the_nearest() {
    assert_eq!(number("0.1").to_f64(), 0.1);
    assert_eq!(number("-1.5e3").to_f64(), -1500.0);
    assert_eq!(number("9007199254740993").to_f64(), 9_007_199_254_740_992.0);
    assert_eq!(number("1e9999").to_f64(), f64::INFINITY);
    assert_eq!(number("-1e9999").to_f64(), f64::NEG_INFINITY);
    assert_eq!(number("1e-9999").to_f64(), 0.0);
    assert_eq!(Number::from_f64(0.1).unwrap().as_text(), "0.1");
    assert_eq!(Number::from_f64(1e300).unwrap().as_text(), "1E+300");
    assert_eq!(Number::from_f64(f64::NAN), None);
    assert_eq!(Number::from_f64(f64::INFINITY), None);
    assert_eq!(Number::from_f32(0.1).unwrap().as_text(), "0.1");
}

#[test]
fn canonical_text_is_one_for_equal_numbers() {
    for (written, canonical) in [
        ("100", "1E+2"),
        ("1.500", "1.5"),
        ("0.00", "0"),
        ("0e9", "0"),
        ("1e2", "1E+2"),
        ("-0.10e-9", "-1E-10"),
        ("12", "12"),
    ] {
        assert_eq!(number(written).canonical_text(), canonical, "{written}");
        assert_eq!(number(canonical), number(written));
    }
}

#[test]
fn signs_are_told() {
    assert!(number("-1e-99").is_negative());
    assert!(!number("-0.0").is_negative());
    assert!(number("-0.0").is_zero());
    assert!(number("-123456789012345678901234567890").is_negative());
}

#[test]
fn a_text_that_is_no_number_is_refused() {
    for text in [
        "", "-", "1 ", " 1", "01", "1.", "+1", "1e", "0x1", "abc", "--1", "1e1.5", "١",
    ] {
        assert_eq!(Number::parse(text).unwrap_err(), NumberError::Syntax, "{text:?}");
    }
    assert_eq!(
        Number::parse(&"1".repeat(4_097)).unwrap_err(),
        NumberError::TokenTooLong
    );
    assert_eq!(
        Number::parse("1e100001").unwrap_err(),
        NumberError::ExponentTooLarge
    );
    assert_eq!(
        Number::parse(&format!("1e{}", "9".repeat(4_000))).unwrap_err(),
        NumberError::ExponentTooLarge
    );
}

#[test]
fn integers_of_rust_become_numbers() {
    assert_eq!(Number::from(u64::MAX).as_text(), u64::MAX.to_string());
    assert_eq!(Number::from(i128::MIN).as_text(), i128::MIN.to_string());
    assert_eq!(Number::from(u128::MAX).as_text(), u128::MAX.to_string());
    assert_eq!(Number::from(i64::MIN).as_text(), i64::MIN.to_string());
    assert_eq!(Number::from(5u128), Number::from(5i32));
}

#[test]
fn display_honours_width() {
    assert_eq!(
        format!("{:>6}|{:<6}|", number("1.50"), number("-2")),
        "  1.50|-2    |"
    );
}

#[test]
fn multiples_are_told_exactly() {
    let wide = "3".repeat(40);
    let wider = format!("{}e5", "9".repeat(40));
    let multiples = [
        ("0.0075", "0.0001"),
        ("4.02", "0.01"),
        ("-10", "2"),
        ("0", "7"),
        ("0.000", "1e9999"),
        ("1e9999", "1e9999"),
        ("1e9999", "12.5"),
        ("1e308", "0.5"),
        ("100", "-10"),
        ("123456789012345678901234567890", "3"),
        ("18446744073709551615", "18446744073709551615"),
        (wider.as_str(), wide.as_str()),
        (
            "1e64",
            "0.0000000000000000000000000000000000000000000000000000000000000000000016",
        ),
        ("1e100000", "1267650600228229401496703205376"),
    ];
    for (multiple, divisor) in multiples {
        assert_eq!(
            number(multiple).is_multiple_of(&number(divisor)),
            Some(true),
            "{multiple} {divisor}"
        );
    }
    let others = [
        ("0.00751", "0.0001"),
        ("35", "1.5"),
        ("7", "2"),
        ("10", "100"),
        ("100", "1e3"),
        ("0.1", "2"),
        ("1e9999", "0.3"),
        ("1e308", "0.123456789"),
        ("123456789012345678901234567891", "3"),
        ("1e29", "1267650600228229401496703205376"),
        (wide.as_str(), wider.as_str()),
    ];
    for (other, divisor) in others {
        assert_eq!(
            number(other).is_multiple_of(&number(divisor)),
            Some(false),
            "{other} {divisor}"
        );
    }
    assert_eq!(number("1").is_multiple_of(&number("0.0")), None);
}

#[test]
fn a_multiple_of_the_longest_numbers_is_told_in_good_time() {
    let (long, longer) = ("7".repeat(2_048), format!("{}e90000", "7".repeat(4_000)));
    let start = std::time::Instant::now();
    assert_eq!(number(&longer).is_multiple_of(&number(&long)), Some(false));
    assert_eq!(
        number(&"7".repeat(4_096)).is_multiple_of(&number(&long)),
        Some(true)
    );
    assert!(start.elapsed() < std::time::Duration::from_secs(5));
}
