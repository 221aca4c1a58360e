//! Type texts: from `uint256[3][]` to a [`SolidityType`].

use thiserror::Error;

use super::{Parameter, SolidityType};
use crate::text;

/// The most array dimensions of one type: real interfaces have three, and each costs a level of
/// nesting in schemas and values.
pub const MAX_ARRAY_DEPTH: usize = 8;

/// The most structs inside each other.
pub const MAX_TUPLE_DEPTH: usize = 8;

/// The most values that the fixed lengths of one parameter may multiply to: a caller has to give
/// every one of them.
pub const MAX_FIXED_ITEMS: usize = 4_096;

/// The most parameters and struct members of one entry of an interface, all levels together.
pub const MAX_PARAMETERS: usize = 256;

/// Why a type cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TypeError {
    /// A parameter that is no object with a `type`.
    #[error("a parameter is an object with a `type`")]
    NoType,
    /// Nothing that Solidity knows.
    #[error("`{0}` is not a Solidity type")]
    Unknown(String),
    /// An integer, byte string or array of an impossible size.
    #[error("`{0}` has a size that Solidity does not have")]
    Size(String),
    /// A fixed point number: the ABI names the type, but no compiler implements it.
    #[error("`{0}` is a fixed point number, which no compiler can encode")]
    FixedPoint(String),
    /// A library's pointer into the storage of its caller.
    #[error("`{0}` is a storage pointer, which only code inside the contract can pass")]
    StoragePointer(String),
    /// A name of the source, without a word about what it stands for.
    #[error("`{0}` is a name from the source, and the interface does not say what it stands for")]
    Unresolved(String),
    /// A struct without its members.
    #[error("`{0}` does not list its components")]
    NoComponents(String),
    /// More array dimensions than [`MAX_ARRAY_DEPTH`].
    #[error("arrays nested deeper than {MAX_ARRAY_DEPTH} are not taken")]
    ArrayDepth,
    /// More nested structs than [`MAX_TUPLE_DEPTH`].
    #[error("structs nested deeper than {MAX_TUPLE_DEPTH} are not taken")]
    TupleDepth,
    /// More items than [`MAX_FIXED_ITEMS`].
    #[error("a fixed array of more than {MAX_FIXED_ITEMS} values is not taken")]
    FixedItems,
    /// More parameters than [`MAX_PARAMETERS`].
    #[error("an entry with more than {MAX_PARAMETERS} parameters and members is not taken")]
    Parameters,
}

/// A type as an entry of an ABI spells it.
#[derive(Clone, Debug)]
pub(crate) struct RawType<'a> {
    /// The `type` member.
    pub(crate) text: &'a str,
    /// The `internalType` member.
    pub(crate) internal: Option<&'a str>,
    /// The members, when there is a `components` array (already resolved).
    pub(crate) components: Option<Vec<Parameter>>,
}

/// Parses the text of a type without struct members: `uint256`, `bytes4[]`, `address[2][3]`.
///
/// The aliases `uint`, `int` and `byte` and the spelling `address payable` are understood.
///
/// # Errors
/// [`TypeError`] when the text is no type, or a type that no value can be given for; `tuple` is
/// [`TypeError::NoComponents`], since a text does not list them.
pub fn parse_type(text: &str) -> Result<SolidityType, TypeError> {
    resolve(RawType {
        text,
        internal: None,
        components: None,
    })
    .map(|(ty, _)| ty)
}

/// The type, and its text for selectors and topics.
pub(crate) fn resolve(raw: RawType<'_>) -> Result<(SolidityType, String), TypeError> {
    let trimmed = raw.text.trim();
    if let Some(pointer) = trimmed.strip_suffix(" storage") {
        return Err(TypeError::StoragePointer(shown(pointer)));
    }
    let (base, lengths) = split_dimensions(trimmed)?;
    let (mut ty, mut canonical) = resolve_base(base, raw)?;
    let mut items = fixed_items(&ty);
    for length in lengths {
        if let Some(length) = length {
            items = items.saturating_mul(length);
            if items > MAX_FIXED_ITEMS {
                return Err(TypeError::FixedItems);
            }
            canonical.push_str(&format!("[{length}]"));
            ty = SolidityType::FixedArray(Box::new(ty), length);
        } else {
            canonical.push_str("[]");
            ty = SolidityType::Array(Box::new(ty));
        }
    }
    Ok((ty, canonical))
}

/// How many values the fixed arrays in `ty` multiply to (a dynamic array counts as one item).
fn fixed_items(ty: &SolidityType) -> usize {
    match ty {
        SolidityType::FixedArray(item, length) => fixed_items(item).saturating_mul(*length),
        SolidityType::Array(item) => fixed_items(item),
        SolidityType::Tuple(members) => members
            .iter()
            .fold(0usize, |sum, member| sum.saturating_add(fixed_items(&member.ty)))
            .max(1),
        _ => 1,
    }
}

/// `uint256[3][]` is `uint256` and the lengths `[Some(3), None]`, innermost first.
fn split_dimensions(text: &str) -> Result<(&str, Vec<Option<usize>>), TypeError> {
    let mut base = text;
    let mut lengths = Vec::new();
    while let Some(rest) = base.strip_suffix(']') {
        let (front, length) = rest
            .rsplit_once('[')
            .ok_or_else(|| TypeError::Unknown(shown(text)))?;
        lengths.push(parse_length(length, text)?);
        if lengths.len() > MAX_ARRAY_DEPTH {
            return Err(TypeError::ArrayDepth);
        }
        base = front;
    }
    lengths.reverse();
    Ok((base, lengths))
}

fn parse_length(length: &str, text: &str) -> Result<Option<usize>, TypeError> {
    if length.is_empty() {
        return Ok(None);
    }
    if !length.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(TypeError::Unknown(shown(text)));
    }
    if length.starts_with('0') {
        return Err(TypeError::Size(shown(text)));
    }
    match length.parse() {
        Ok(length) if length <= MAX_FIXED_ITEMS => Ok(Some(length)),
        _ => Err(TypeError::FixedItems),
    }
}

fn resolve_base(base: &str, raw: RawType<'_>) -> Result<(SolidityType, String), TypeError> {
    if base == "tuple" {
        let members = raw
            .components
            .ok_or_else(|| TypeError::NoComponents(shown(raw.text)))?;
        let canonical = signature_of(&members);
        return Ok((SolidityType::Tuple(members), canonical));
    }
    if let Some(ty) = elementary(base)? {
        let canonical = ty.to_string();
        return Ok((ty, canonical));
    }
    library_type(base, raw)
}

/// The text of a parameter list for selectors and topics: `(address,uint256)`.
pub(crate) fn signature_of(parameters: &[Parameter]) -> String {
    let types: Vec<&str> = parameters
        .iter()
        .map(|parameter| parameter.canonical.as_str())
        .collect();
    format!("({})", types.join(","))
}

fn elementary(base: &str) -> Result<Option<SolidityType>, TypeError> {
    let ty = match base {
        "bool" => SolidityType::Bool,
        "address" | "address payable" => SolidityType::Address,
        "string" => SolidityType::String,
        "bytes" => SolidityType::Bytes,
        "byte" => SolidityType::FixedBytes(1),
        "function" => SolidityType::Function,
        "uint" => SolidityType::Uint(256),
        "int" => SolidityType::Int(256),
        _ => return sized(base),
    };
    Ok(Some(ty))
}

/// `uint8` ... `uint256`, `int8` ..., `bytes1` ... `bytes32`; `None` for what is a name of the source.
fn sized(base: &str) -> Result<Option<SolidityType>, TypeError> {
    let stem_length = base.bytes().take_while(u8::is_ascii_lowercase).count();
    let (stem, digits) = base.split_at(stem_length);
    if matches!(stem, "fixed" | "ufixed") && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'x')
    {
        return Err(TypeError::FixedPoint(shown(base)));
    }
    if !matches!(stem, "uint" | "int" | "bytes") || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(None);
    }
    let wrong = || TypeError::Size(shown(base));
    if digits.starts_with('0') {
        return Err(wrong());
    }
    let size: u16 = digits.parse().map_err(|_| wrong())?;
    match stem {
        "bytes" => {
            let length = u8::try_from(size).ok().filter(|length| (1..=32).contains(length));
            length.map(SolidityType::FixedBytes).ok_or_else(wrong).map(Some)
        }
        _ if size == 0 || size > 256 || !size.is_multiple_of(8) => Err(wrong()),
        "uint" => Ok(Some(SolidityType::Uint(size))),
        _ => Ok(Some(SolidityType::Int(size))),
    }
}

/// A library's interface names enums, contracts and structs by their names, and these names count in
/// the selector; `internalType` says what they are.
fn library_type(base: &str, raw: RawType<'_>) -> Result<(SolidityType, String), TypeError> {
    let is_name = !base.is_empty()
        && base
            .chars()
            .all(|character| character.is_alphanumeric() || matches!(character, '_' | '$' | '.'))
        && !base.starts_with(|character: char| character.is_ascii_digit());
    if !is_name {
        return Err(TypeError::Unknown(shown(raw.text)));
    }
    let internal = raw.internal.unwrap_or_default();
    if internal.ends_with(" storage") || internal.ends_with(" storage pointer") {
        return Err(TypeError::StoragePointer(shown(base)));
    }
    let ty = match internal.split_once(' ').map(|(keyword, _)| keyword) {
        Some("enum") => SolidityType::Uint(8),
        Some("contract") => SolidityType::Address,
        Some("struct") => match raw.components {
            Some(members) => SolidityType::Tuple(members),
            None => return Err(TypeError::NoComponents(shown(raw.text))),
        },
        _ => return Err(TypeError::Unresolved(shown(raw.text))),
    };
    Ok((ty, base.to_owned()))
}

fn shown(text: &str) -> String {
    text::clean(text, 80)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elementary_types_and_their_aliases_are_parsed() {
        for (text, expected) in [
            ("bool", "bool"),
            ("address", "address"),
            ("address payable", "address"),
            ("uint", "uint256"),
            ("int", "int256"),
            ("byte", "bytes1"),
            ("uint24", "uint24"),
            ("int8", "int8"),
            ("bytes32", "bytes32"),
            ("bytes", "bytes"),
            ("string", "string"),
            ("function", "function"),
            ("uint[]", "uint256[]"),
            ("function[]", "function[]"),
        ] {
            assert_eq!(
                parse_type(text).map(|ty| ty.to_string()),
                Ok(expected.to_owned()),
                "{text}"
            );
        }
    }

    #[test]
    fn the_outer_length_of_an_array_is_the_last_one() {
        let SolidityType::FixedArray(item, 2) = parse_type("uint256[3][2]").unwrap() else {
            panic!("not an array of two")
        };
        assert_eq!(
            *item,
            SolidityType::FixedArray(Box::new(SolidityType::Uint(256)), 3)
        );
    }

    #[test]
    fn impossible_sizes_are_refused() {
        for text in [
            "uint7",
            "uint0",
            "uint264",
            "int9",
            "bytes0",
            "bytes33",
            "uint08",
            "uint99999999",
            "bool[0]",
            "bool[01]",
        ] {
            assert!(matches!(parse_type(text), Err(TypeError::Size(_))), "{text}");
        }
    }

    #[test]
    fn texts_that_are_no_types_are_refused() {
        for text in [
            "",
            "uint256[",
            "uint256]",
            "[]",
            "mapping(address => bool)",
            "uint 8",
            "bool[x]",
            "9lives",
        ] {
            assert!(matches!(parse_type(text), Err(TypeError::Unknown(_))), "{text}");
        }
    }

    #[test]
    fn fixed_point_numbers_and_storage_pointers_say_what_they_are() {
        for text in ["fixed", "ufixed8x1", "fixed128x18[]"] {
            assert!(
                matches!(parse_type(text), Err(TypeError::FixedPoint(_))),
                "{text}"
            );
        }
        assert!(matches!(
            parse_type("Lib.Set storage"),
            Err(TypeError::StoragePointer(_))
        ));
    }

    #[test]
    fn a_library_enum_is_a_small_integer_that_counts_with_its_name() {
        let raw = RawType {
            text: "Lib.Side[2]",
            internal: Some("enum Lib.Side[2]"),
            components: None,
        };
        let (ty, canonical) = resolve(raw).unwrap();
        assert_eq!(ty.to_string(), "uint8[2]");
        assert_eq!(canonical, "Lib.Side[2]");
        assert!(matches!(parse_type("Lib.Side"), Err(TypeError::Unresolved(_))));
    }

    #[test]
    fn array_depth_is_taken_up_to_its_limit() {
        let deep = |depth: usize| format!("bool{}", "[]".repeat(depth));
        assert!(parse_type(&deep(MAX_ARRAY_DEPTH)).is_ok());
        assert_eq!(parse_type(&deep(MAX_ARRAY_DEPTH + 1)), Err(TypeError::ArrayDepth));
    }

    #[test]
    fn fixed_lengths_are_taken_up_to_their_product_limit() {
        assert!(parse_type(&format!("bool[{MAX_FIXED_ITEMS}]")).is_ok());
        assert_eq!(
            parse_type(&format!("bool[{}]", MAX_FIXED_ITEMS + 1)),
            Err(TypeError::FixedItems)
        );
        assert_eq!(
            parse_type("bool[18446744073709551616]"),
            Err(TypeError::FixedItems)
        );
        assert!(parse_type(&format!("bool[2][{}]", MAX_FIXED_ITEMS / 2)).is_ok());
        assert_eq!(
            parse_type(&format!("bool[2][{}]", MAX_FIXED_ITEMS / 2 + 1)),
            Err(TypeError::FixedItems)
        );
    }
}
