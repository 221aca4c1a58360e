//! JSON to values, in every accepted spelling.

use alloy_primitives::{Address, hex};
use toolmesh_json::{ArrayView, ObjectView, Pointer, View};

use super::integer::{self, IntegerFault};
use super::keys::Keys;
use super::{SolidityValue, ValueError};
use crate::model::{Parameter, SolidityType};
use crate::text::with_article;

/// Reads a value of type `ty`; `at` is where `value` stands.
///
/// # Errors
/// [`ValueError`] when the JSON does not fit: where, which rule, and what would fit.
pub fn from_json(ty: &SolidityType, value: View<'_>, at: &mut Pointer) -> Result<SolidityValue, ValueError> {
    match ty {
        SolidityType::Bool => boolean(value, at),
        SolidityType::Uint(bits) => integer::unsigned(value, *bits)
            .map(SolidityValue::Uint)
            .map_err(|fault| integer_error(fault, ty, at)),
        SolidityType::Int(bits) => integer::signed(value, *bits)
            .map(SolidityValue::Int)
            .map_err(|fault| integer_error(fault, ty, at)),
        SolidityType::Address => address(value, at).map(SolidityValue::Address),
        SolidityType::FixedBytes(length) => bytes(value, Some(usize::from(*length)), at),
        SolidityType::Bytes => bytes(value, None, at),
        SolidityType::Function => function(value, at),
        SolidityType::String => string(value, at),
        SolidityType::Array(item) => items(item, array(value, at)?, at),
        SolidityType::FixedArray(item, length) => fixed_items(item, *length, array(value, at)?, at),
        SolidityType::Tuple(members) => tuple(members, value, at),
    }
}

/// Reads the arguments of a function or constructor from an object by name, or an array in order.
///
/// # Errors
/// [`ValueError`] for the first argument that does not fit.
pub fn arguments_from_json(
    parameters: &[Parameter],
    arguments: View<'_>,
) -> Result<Vec<SolidityValue>, ValueError> {
    members(parameters, arguments, &mut Pointer::root())
}

fn boolean(value: View<'_>, at: &Pointer) -> Result<SolidityValue, ValueError> {
    let boolean = value
        .as_bool()
        .ok_or_else(|| ValueError::new(at, "not a boolean", "true or false"))?;
    Ok(SolidityValue::Bool(boolean))
}

fn string(value: View<'_>, at: &Pointer) -> Result<SolidityValue, ValueError> {
    let text = value
        .as_str()
        .ok_or_else(|| ValueError::new(at, "not a string", "a string"))?;
    Ok(SolidityValue::Text(text.as_bytes().to_vec()))
}

fn integer_error(fault: IntegerFault, ty: &SolidityType, at: &Pointer) -> ValueError {
    let (min, max) = integer::bounds(ty).unwrap_or_default();
    let rule = match fault {
        IntegerFault::Spelling => "not a whole number",
        IntegerFault::Range => "out of range",
    };
    let expected = format!(
        "a whole number from {min} to {max}: decimal digits, best as a string, or a string of 0x and hexadecimal digits"
    );
    ValueError::new(at, rule, expected)
}

/// The rule that what is no address breaks.
pub(crate) const NOT_AN_ADDRESS: &str = "not an address";

fn address(value: View<'_>, at: &Pointer) -> Result<Address, ValueError> {
    let digits = value
        .as_str()
        .and_then(|text| text.strip_prefix("0x"))
        .filter(|digits| digits.len() == 40);
    let parsed = digits.and_then(|digits| {
        Some((
            digits,
            Address::from(<[u8; 20]>::try_from(hex::decode(digits).ok()?).ok()?),
        ))
    });
    let Some((digits, address)) = parsed else {
        return Err(ValueError::new(
            at,
            NOT_AN_ADDRESS,
            "0x and 40 hexadecimal digits",
        ));
    };
    let is_one_case = !digits.bytes().any(|byte| byte.is_ascii_lowercase())
        || !digits.bytes().any(|byte| byte.is_ascii_uppercase());
    if is_one_case || address.to_checksum(None).strip_prefix("0x") == Some(digits) {
        return Ok(address);
    }
    // The right spelling is not told: a wrong checksum may also mean a wrong digit.
    Err(ValueError::new(
        at,
        "the address does not match its checksum (EIP-55)",
        "the address exactly as its source spells it, or all in lower case if it is certain",
    ))
}

fn bytes(value: View<'_>, length: Option<usize>, at: &Pointer) -> Result<SolidityValue, ValueError> {
    let expected = || match length {
        Some(length) => format!("0x and {} hexadecimal digits ({length} bytes)", length * 2),
        None => "0x and an even number of hexadecimal digits".to_owned(),
    };
    let digits = value.as_str().and_then(|text| text.strip_prefix("0x"));
    let bytes = digits
        .and_then(|digits| hex::decode(digits).ok())
        .filter(|_| digits.is_some_and(|digits| !digits.starts_with("0x")))
        .ok_or_else(|| ValueError::new(at, "not bytes in hexadecimal", expected()))?;
    if length.is_some_and(|length| length != bytes.len()) {
        return Err(ValueError::new(at, "not the right number of bytes", expected()));
    }
    Ok(SolidityValue::Bytes(bytes))
}

/// 24 bytes: an address and a selector.
fn function(value: View<'_>, at: &mut Pointer) -> Result<SolidityValue, ValueError> {
    let Some(object) = value.as_object() else {
        return bytes(value, Some(24), at);
    };
    let expected = "0x and 48 hexadecimal digits, or an object with `address` and `selector`";
    let (Some(target), Some(selector), 2) = (object.get("address"), object.get("selector"), object.len())
    else {
        return Err(ValueError::new(at, "not a function", expected));
    };
    at.push("address");
    let mut joined = address(target, at)?.to_vec();
    at.pop();
    at.push("selector");
    if let SolidityValue::Bytes(selector) = bytes(selector, Some(4), at)? {
        joined.extend(selector);
    }
    at.pop();
    Ok(SolidityValue::Bytes(joined))
}

fn array<'a>(value: View<'a>, at: &Pointer) -> Result<ArrayView<'a>, ValueError> {
    value.as_array().ok_or_else(|| {
        ValueError::new(
            at,
            format!("{} where an array is needed", with_article(value.kind())),
            "an array",
        )
    })
}

fn items(item: &SolidityType, list: ArrayView<'_>, at: &mut Pointer) -> Result<SolidityValue, ValueError> {
    let mut values = Vec::with_capacity(list.len());
    for (place, value) in list.iter().enumerate() {
        at.push_index(place);
        values.push(from_json(item, value, at)?);
        at.pop();
    }
    Ok(SolidityValue::Sequence(values))
}

fn fixed_items(
    item: &SolidityType,
    length: usize,
    list: ArrayView<'_>,
    at: &mut Pointer,
) -> Result<SolidityValue, ValueError> {
    if list.len() == length {
        items(item, list, at)
    } else {
        Err(ValueError::new(
            at,
            "not the right number of items",
            format!("an array of {length} items"),
        ))
    }
}

fn tuple(parameters: &[Parameter], value: View<'_>, at: &mut Pointer) -> Result<SolidityValue, ValueError> {
    members(parameters, value, at).map(SolidityValue::Sequence)
}

fn members(
    parameters: &[Parameter],
    value: View<'_>,
    at: &mut Pointer,
) -> Result<Vec<SolidityValue>, ValueError> {
    if let Some(list) = value.as_array() {
        return members_in_order(parameters, list, at);
    }
    let object = value.as_object().ok_or_else(|| {
        let rule = format!("{} where an object is needed", with_article(value.kind()));
        ValueError::new(at, rule, format!("an object with {}", key_list(parameters)))
    })?;
    let given = match_members(parameters, object, at)?;
    let mut values = Vec::with_capacity(parameters.len());
    for (parameter, value) in parameters.iter().zip(given) {
        at.push(parameter.key.as_str());
        let Some(value) = value else {
            return Err(ValueError::new(at, "missing", parameter.ty.to_string()));
        };
        values.push(from_json(&parameter.ty, value, at)?);
        at.pop();
    }
    Ok(values)
}

fn members_in_order(
    parameters: &[Parameter],
    list: ArrayView<'_>,
    at: &mut Pointer,
) -> Result<Vec<SolidityValue>, ValueError> {
    if list.len() != parameters.len() {
        let expected = format!(
            "{} items, or an object with {}",
            parameters.len(),
            key_list(parameters)
        );
        return Err(ValueError::new(at, "not the right number of items", expected));
    }
    let mut values = Vec::with_capacity(parameters.len());
    for (place, (parameter, value)) in parameters.iter().zip(list.iter()).enumerate() {
        at.push_index(place);
        values.push(from_json(&parameter.ty, value, at)?);
        at.pop();
    }
    Ok(values)
}

/// Finds the parameter that each member of `object` is for; the result is in the parameters' order.
fn match_members<'a>(
    parameters: &[Parameter],
    object: ObjectView<'a>,
    at: &mut Pointer,
) -> Result<Vec<Option<View<'a>>>, ValueError> {
    let keys = Keys::of(parameters);
    let mut given: Vec<Option<View<'a>>> = vec![None; parameters.len()];
    let wanted = || format!("an object with {}", key_list(parameters));
    for (name, value) in object.iter() {
        let place = keys
            .place_of(name)
            .ok_or_else(|| ValueError::new(at, "an unknown member", wanted()))?;
        let slot = given.get_mut(place);
        match slot {
            Some(slot @ None) => *slot = Some(value),
            _ => {
                return Err(ValueError::new(
                    at,
                    "a member that is given twice, in two spellings",
                    wanted(),
                ));
            }
        }
    }
    Ok(given)
}

fn key_list(parameters: &[Parameter]) -> String {
    if parameters.is_empty() {
        return "no members".to_owned();
    }
    let keys: Vec<String> = parameters
        .iter()
        .map(|parameter| format!("`{}`", parameter.key))
        .collect();
    keys.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Unnamed, assign_keys, parse_type};
    use toolmesh_json::{Value, parse};

    fn read(ty: &SolidityType, json: &str) -> Result<String, String> {
        let value = parse(json.as_bytes()).unwrap();
        let read = from_json(ty, value.view(), &mut Pointer::root());
        read.map(|value| {
            super::super::to_json(ty, &value, &mut Pointer::root(), &mut Default::default()).to_text()
        })
        .map_err(|error| format!("{} {}", error.pointer, error.rule))
    }

    fn read_as(text: &str, json: &str) -> Result<String, String> {
        read(&parse_type(text).unwrap(), json)
    }

    fn structure(members: &[(&str, &str)]) -> SolidityType {
        let mut members: Vec<Parameter> = members
            .iter()
            .map(|(name, text)| {
                let ty = parse_type(text).unwrap();
                let canonical = ty.to_string();
                Parameter {
                    name: (*name).to_owned(),
                    key: String::new(),
                    ty,
                    canonical,
                    internal_type: None,
                    indexed: false,
                }
            })
            .collect();
        assign_keys(&mut members, Unnamed::Field);
        SolidityType::Tuple(members)
    }

    const CHECKSUMMED: &str = "\"0x5FbDB2315678afecb367f032d93F642f64180aa3\"";

    #[test]
    fn addresses_are_taken_in_one_case_or_with_their_checksum() {
        assert_eq!(read_as("address", CHECKSUMMED), Ok(CHECKSUMMED.to_owned()));
        assert_eq!(
            read_as("address", &CHECKSUMMED.to_lowercase()),
            Ok(CHECKSUMMED.to_owned())
        );
        let upper = CHECKSUMMED.to_uppercase().replace("0X", "0x");
        assert_eq!(read_as("address", &upper), Ok(CHECKSUMMED.to_owned()));
        let wrong = CHECKSUMMED.replace('F', "f");
        assert_eq!(
            read_as("address", &wrong),
            Err(" the address does not match its checksum (EIP-55)".to_owned())
        );
        for json in [
            "\"0x5FbDB2315678afecb367f032d93F642f64180aa\"",
            "\"5FbDB2315678afecb367f032d93F642f64180aa3\"",
            "\"\"",
            "1",
            "\"vitalik.eth\"",
        ] {
            assert_eq!(
                read_as("address", json),
                Err(" not an address".to_owned()),
                "{json}"
            );
        }
    }

    #[test]
    fn bytes_are_whole_and_never_padded() {
        assert_eq!(read_as("bytes", "\"0x\""), Ok("\"0x\"".to_owned()));
        assert_eq!(read_as("bytes", "\"0xAB\""), Ok("\"0xab\"".to_owned()));
        for json in ["\"0x123\"", "\"1234\"", "\"\"", "\"0x0x12\"", "[1]", "\"0xzz\""] {
            assert_eq!(
                read_as("bytes", json),
                Err(" not bytes in hexadecimal".to_owned()),
                "{json}"
            );
        }
        for json in ["\"0x1234\"", "\"0x1234567890\"", "\"0x\""] {
            assert_eq!(
                read_as("bytes4", json),
                Err(" not the right number of bytes".to_owned()),
                "{json}"
            );
        }
        assert_eq!(
            read_as("bytes4", "\"0x12345678\""),
            Ok("\"0x12345678\"".to_owned())
        );
    }

    #[test]
    fn a_function_is_24_bytes_or_an_address_and_a_selector() {
        let joined = format!("\"{}12345678\"", CHECKSUMMED.trim_matches('"').to_lowercase());
        assert_eq!(read_as("function", &joined), Ok(joined.clone()));
        let object = format!(r#"{{"address":{CHECKSUMMED},"selector":"0x12345678"}}"#);
        assert_eq!(read_as("function", &object), Ok(joined));
        assert_eq!(
            read_as("function", CHECKSUMMED),
            Err(" not the right number of bytes".to_owned())
        );
        assert!(read_as("function", r#"{"address":"0x"}"#).is_err());
    }

    #[test]
    fn small_integers_are_numbers_and_large_ones_are_text() {
        assert_eq!(read_as("uint24", "\"0x10\""), Ok("16".to_owned()));
        assert_eq!(read_as("uint32", "\"5\""), Ok("5".to_owned()));
        assert_eq!(read_as("uint40", "5"), Ok("\"5\"".to_owned()));
        assert_eq!(read_as("int256", "-1"), Ok("\"-1\"".to_owned()));
    }

    #[test]
    fn the_bounds_of_an_integer_stand_in_the_error() {
        let value = Value::from(256);
        let error = from_json(&SolidityType::Uint(8), value.view(), &mut Pointer::root()).unwrap_err();
        assert!(error.expected.starts_with("a whole number from 0 to 255:"));
    }

    #[test]
    fn nested_arrays_tell_where_they_are_wrong() {
        assert_eq!(
            read_as("uint8[2][]", "[[1,2],[3,4]]"),
            Ok("[[1,2],[3,4]]".to_owned())
        );
        assert_eq!(
            read_as("uint8[2][]", "[[1,2],[1,2,3]]"),
            Err("/1 not the right number of items".to_owned())
        );
        assert_eq!(
            read_as("uint8[2][]", "[[1,256]]"),
            Err("/0/1 out of range".to_owned())
        );
        assert_eq!(
            read_as("uint8[]", "{}"),
            Err(" an object where an array is needed".to_owned())
        );
    }

    #[test]
    fn a_struct_may_be_an_object_or_an_array() {
        let ty = structure(&[("tokenIn", "uint8"), ("", "bool"), ("_to", "string")]);
        let expected = Ok(r#"{"tokenIn":1,"field_1":true,"_to":"x"}"#.to_owned());
        assert_eq!(read(&ty, r#"{"tokenIn":1,"field_1":true,"_to":"x"}"#), expected);
        assert_eq!(read(&ty, r#"[1,true,"x"]"#), expected);
        assert_eq!(read(&ty, r#"{"to":"x","token_in":1,"field_1":true}"#), expected);
    }

    #[test]
    fn members_that_are_missing_unknown_or_doubled_are_refused() {
        let ty = structure(&[("a", "uint8"), ("bC", "bool")]);
        assert_eq!(read(&ty, r#"{"a":1}"#), Err("/bC missing".to_owned()));
        assert_eq!(
            read(&ty, r#"{"a":1,"bC":true,"c":1}"#),
            Err(" an unknown member".to_owned())
        );
        assert_eq!(
            read(&ty, r#"{"a":1,"bC":true,"b_c":true}"#),
            Err(" a member that is given twice, in two spellings".to_owned())
        );
        assert_eq!(
            read(&ty, r#"{"a":1,"bC":1}"#),
            Err("/bC not a boolean".to_owned())
        );
        assert_eq!(read(&ty, "[1]"), Err(" not the right number of items".to_owned()));
        assert_eq!(read(&ty, "[1,2]"), Err("/1 not a boolean".to_owned()));
        assert_eq!(
            read(&ty, "5"),
            Err(" a number where an object is needed".to_owned())
        );
    }

    #[test]
    fn an_exact_name_wins_over_another_spelling() {
        let ty = structure(&[("foo_bar", "uint8"), ("fooBar", "uint8")]);
        assert_eq!(
            read(&ty, r#"{"fooBar":1,"foo_bar":2}"#),
            Ok(r#"{"foo_bar":2,"fooBar":1}"#.to_owned())
        );
        assert_eq!(
            read(&ty, r#"{"FooBar":1,"foo_bar":2}"#),
            Err(" an unknown member".to_owned())
        );
    }
}
