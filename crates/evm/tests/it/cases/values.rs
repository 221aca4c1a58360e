use toolmesh_evm::{
    InvalidUtf8, SolidityType, SolidityValue, decode, encode, from_json, inspect, parse_type, to_json,
};
use toolmesh_json::{Pointer, parse};

use super::{accepted, declared, tool};
use crate::mapping::interface;

const MAX: &str = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
const OVER: &str = "115792089237316195423570985008687907853269984665640564039457584007913129639936";

/// What a value of the type becomes, or where and why it does not fit.
fn read(text: &str, json: &str) -> Result<String, String> {
    let ty = parse_type(text).unwrap();
    let value = parse(json.as_bytes()).unwrap();
    let mut at = Pointer::root().join("amount");
    let value = from_json(&ty, value.view(), &mut at)
        .map_err(|error| format!("{} {}; {}", error.pointer, error.rule, error.expected))?;
    Ok(to_json(&ty, &value, &mut Pointer::root(), &mut InvalidUtf8::default()).to_text())
}

/// Case 3. A JSON number is exact here, however large, so it is taken instead of being refused.
#[test]
fn large_integers_are_taken_exactly_and_given_back_as_text() {
    for digits in ["9007199254740993", "18446744073709551616", MAX] {
        let text = format!("\"{digits}\"");
        assert_eq!(read("uint256", &text).as_ref(), Ok(&text));
        assert_eq!(read("uint256", digits).as_ref(), Ok(&text));
    }
    for json in [OVER.to_owned(), format!("\"{OVER}\"")] {
        let refused = read("uint256", &json).unwrap_err();
        assert!(
            refused.starts_with("/amount out of range")
                && refused.contains(MAX)
                && refused.contains("as a string"),
            "{refused}"
        );
    }
}

/// Case 4.
#[test]
fn what_is_no_unsigned_integer_is_refused_at_its_place() {
    let pay = declared("function pay(uint256 amount)");
    let pay = tool(&pay, "pay");
    for json in [
        "\"-1\"",
        "-1",
        "1.5",
        "1e18",
        "\"\"",
        "\" 5 \"",
        "\"1_000\"",
        "null",
        "true",
        "[]",
        "\"1.0\"",
    ] {
        let refused = accepted(&pay, &format!(r#"{{"amount":{json}}}"#)).unwrap_err();
        assert!(
            refused.starts_with("/amount: expected a whole number from 0"),
            "{json}: {refused}"
        );
    }
    assert_eq!(
        accepted(&pay, r#"{"amount":"0x10"}"#).unwrap(),
        r#"{"amount":"16","simulate":true}"#
    );
}

/// Case 5.
#[test]
fn signed_integers_reach_to_both_of_their_ends() {
    let half = "57896044618658097711785492504343953926634992332820282019728792003956564819968";
    assert_eq!(read("int256", "\"-1\""), Ok("\"-1\"".to_owned()));
    let lowest = format!("\"-{half}\"");
    assert_eq!(read("int256", &lowest).as_ref(), Ok(&lowest));
    assert!(read("int256", half).unwrap_err().contains("out of range"));
    assert_eq!(read("int24", "-8388608"), Ok("-8388608".to_owned()));
    assert!(
        read("int24", "-8388609")
            .unwrap_err()
            .contains("from -8388608 to 8388607")
    );
}

/// Case 6. `0x` is required: `1234` could as well be meant as a number.
#[test]
fn bytes_are_whole_and_of_their_length() {
    assert_eq!(read("bytes", "\"0x\""), Ok("\"0x\"".to_owned()));
    for (ty, json) in [
        ("bytes", "\"0x123\""),
        ("bytes", "\"1234\""),
        ("bytes4", "\"0x1234\""),
        ("bytes4", "\"0x1234567890\""),
        ("bytes32", "\"0x1234\""),
    ] {
        assert!(
            read(ty, json).unwrap_err().starts_with("/amount not "),
            "{ty} {json}"
        );
    }
}

/// Case 7. The right spelling of an address is not told: a wrong checksum may also mean a wrong digit.
#[test]
fn addresses_are_taken_in_one_case_or_with_their_checksum() {
    let right = "\"0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266\"";
    let upper = right.to_uppercase().replace("0X", "0x");
    for spelling in [right, &right.to_lowercase(), &upper] {
        assert_eq!(read("address", spelling), Ok(right.to_owned()));
    }
    let wrong = right.replace("aad88F", "aad88f");
    assert!(read("address", &wrong).unwrap_err().contains("checksum (EIP-55)"));
    for json in ["\"0xf39Fd6e51aad88F6F4ce6aB8827279cffFb9226\"", "\"vitalik.eth\""] {
        assert!(
            read("address", json)
                .unwrap_err()
                .starts_with("/amount not an address")
        );
    }
}

/// Case 11.
#[test]
fn arrays_of_arrays_keep_their_order_and_tell_where_they_are_wrong() {
    let torture = interface("testdata/solidity/solc_torture_artifact.json");
    let grid = tool(&torture, "grid");
    let h = r#"[["1","2","3"],["4","5","6"]]"#;
    let arguments = format!(r#"{{"g":[[1,2]],"h":{h}}}"#);
    assert_eq!(accepted(&grid, &arguments).as_ref(), Ok(&arguments));
    let refused = accepted(&grid, &format!(r#"{{"g":[[1,2,3]],"h":{h}}}"#)).unwrap_err();
    assert_eq!(
        refused,
        "/g/0: expected an array of 2 items (not the right number of items)"
    );
    let refused = accepted(&grid, r#"{"g":[],"h":[["1","2"],["3","4"],["5","6"]]}"#).unwrap_err();
    assert!(
        refused.starts_with("/h: expected an array of 2 items"),
        "{refused}"
    );
    let router = interface("testdata/solidity/curve_router_ng.json");
    let has_square = router
        .functions()
        .flat_map(|function| function.inputs.iter())
        .any(|input| input.ty.to_string() == "uint256[5][5]");
    assert!(has_square);
}

/// Case 12.
#[test]
fn arrays_of_arrays_of_structs_have_their_whole_schema() {
    let handmade = interface("testdata/solidity/handmade_torture.json");
    let tuple2d = tool(&handmade, "tuple2d");
    let schema = tuple2d.input_schema().document();
    let innermost = schema.pointer("/properties/m/items/items/properties/inner/items/properties/z/pattern");
    assert_eq!(
        innermost.and_then(|pattern| pattern.as_str()),
        Some("^0x[0-9a-fA-F]{6}$")
    );
    let arguments = r#"{"m":[[{"a":1,"inner":[{"z":"0x010203"}]},{"a":2,"inner":[]}]]}"#;
    assert_eq!(accepted(&tuple2d, arguments), Ok(arguments.to_owned()));
    let refused = accepted(&tuple2d, r#"{"m":[[{"a":1,"inner":[{"z":"0x01"}]},[2,[]]]]}"#).unwrap_err();
    assert!(refused.starts_with("/m/0/0/inner/0/z:"), "{refused}");
}

/// Case 13.
#[test]
fn functions_are_values_of_24_bytes_and_fixed_point_numbers_are_reported() {
    let joined = format!("\"0x{}12345678\"", "ab".repeat(20));
    assert_eq!(read("function", &joined).as_ref(), Ok(&joined));
    assert!(read("function", &format!("\"0x{}\"", "ab".repeat(20))).is_err());
    let handmade = interface("testdata/solidity/handmade_torture.json");
    let report = inspect(&handmade, "handmade");
    let fixed = report
        .functions
        .iter()
        .find(|entry| entry.signature.starts_with("fp("))
        .unwrap();
    assert!(fixed.skipped && fixed.reason.as_deref().unwrap().contains("fixed point number"));
    assert!(
        report
            .functions
            .iter()
            .filter(|entry| entry.tool.is_some())
            .count()
            > 10
    );
}

/// Case 24.
#[test]
fn a_string_that_is_no_utf8_keeps_its_bytes_beside_it() {
    let interface = declared("function badUtf8() view returns (string s)");
    let function = interface.functions().next().unwrap();
    let given = vec![SolidityValue::Text(vec![0xff, 0x00, 0xfe, 0x41])];
    let values = decode(&function.outputs, &encode(&function.outputs, &given)).unwrap();
    assert_eq!(values, given);
    let mut invalid = InvalidUtf8::default();
    let mut at = Pointer::root().join("result");
    let json = to_json(&SolidityType::String, &values[0], &mut at, &mut invalid);
    assert_eq!(json.as_str(), Some("\u{fffd}\0\u{fffd}A"));
    assert_eq!(
        invalid.to_value().unwrap().to_text(),
        r#"{"/result":"0xff00fe41"}"#
    );
}
