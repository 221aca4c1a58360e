//! The ABI's encoding to values.
//!
//! The rules are those of the Solidity ABI specification. The decoder is strict where libraries are lenient:
//! a `bool` is 0 or 1, an integer is within its bounds, padding is zero, bytes of a string are kept as they
//! are. And it is bounded: crafted offsets can make a few bytes stand for endless arrays.

use alloy_primitives::{Address, I256, U256};
use thiserror::Error;

use super::SolidityValue;
use super::integer::{fits_int, max_uint};
use crate::model::{Parameter, SolidityType};

const WORD: usize = 32;

/// The most values that are decoded from one answer, all levels together.
pub const MAX_DECODED_VALUES: usize = 200_000;

/// The most bytes that are decoded from one answer, strings and byte strings together: several of them may
/// be read from the same place.
const MAX_DECODED_BYTES: usize = 8 << 20;

/// Bytes are not what the interface says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// They end before the value does.
    #[error("the data ends too early")]
    TooShort,
    /// A word is no value of its type.
    #[error("the data holds a word that is no value of its type")]
    Word,
    /// More than [`MAX_DECODED_VALUES`] values, or too many bytes.
    #[error("the data holds more values than are taken ({MAX_DECODED_VALUES})")]
    TooMany,
}

/// Decodes the values of `parameters`; bytes behind them are ignored.
///
/// # Errors
/// [`DecodeError`] when `data` does not hold such values.
pub fn decode(parameters: &[Parameter], data: &[u8]) -> Result<Vec<SolidityValue>, DecodeError> {
    let mut decoder = Decoder {
        data,
        values: MAX_DECODED_VALUES,
        bytes: MAX_DECODED_BYTES,
    };
    decoder.members(parameters, 0)
}

struct Decoder<'a> {
    data: &'a [u8],
    values: usize,
    bytes: usize,
}

impl Decoder<'_> {
    fn members(&mut self, parameters: &[Parameter], base: usize) -> Result<Vec<SolidityValue>, DecodeError> {
        let mut head = base;
        let mut values = Vec::with_capacity(parameters.len());
        for parameter in parameters {
            values.push(self.at_head(&parameter.ty, base, &mut head)?);
        }
        Ok(values)
    }

    fn items(
        &mut self,
        item: &SolidityType,
        length: usize,
        base: usize,
    ) -> Result<SolidityValue, DecodeError> {
        let mut head = base;
        let mut values = Vec::new();
        for _ in 0..length {
            values.push(self.at_head(item, base, &mut head)?);
        }
        Ok(SolidityValue::Sequence(values))
    }

    /// The value whose head is at `head`; offsets count from `base`.
    fn at_head(
        &mut self,
        ty: &SolidityType,
        base: usize,
        head: &mut usize,
    ) -> Result<SolidityValue, DecodeError> {
        let place = *head;
        *head = place.saturating_add(ty.head_words().saturating_mul(WORD));
        if !ty.is_dynamic() {
            return self.value(ty, place);
        }
        let offset = self.length(place)?;
        self.value(ty, base.checked_add(offset).ok_or(DecodeError::TooShort)?)
    }

    fn value(&mut self, ty: &SolidityType, place: usize) -> Result<SolidityValue, DecodeError> {
        self.values = self.values.checked_sub(1).ok_or(DecodeError::TooMany)?;
        match ty {
            SolidityType::Array(item) => {
                let length = self.length(place)?;
                self.items(item, length, place.saturating_add(WORD))
            }
            SolidityType::FixedArray(item, length) => self.items(item, *length, place),
            SolidityType::Tuple(members) => self.members(members, place).map(SolidityValue::Sequence),
            SolidityType::Bytes => self.tail(place).map(SolidityValue::Bytes),
            SolidityType::String => self.tail(place).map(SolidityValue::Text),
            elementary => word_value(elementary, self.word(place)?),
        }
    }

    fn tail(&mut self, place: usize) -> Result<Vec<u8>, DecodeError> {
        let length = self.length(place)?;
        self.bytes = self.bytes.checked_sub(length).ok_or(DecodeError::TooMany)?;
        self.slice(place.saturating_add(WORD), length).map(<[u8]>::to_vec)
    }

    /// A word that is a length or an offset. Nothing longer than the data can be one.
    fn length(&self, place: usize) -> Result<usize, DecodeError> {
        let number = U256::from_be_bytes(self.word(place)?);
        usize::try_from(number)
            .ok()
            .filter(|number| *number <= self.data.len())
            .ok_or(DecodeError::TooShort)
    }

    fn word(&self, place: usize) -> Result<[u8; WORD], DecodeError> {
        self.slice(place, WORD)?
            .try_into()
            .map_err(|_| DecodeError::TooShort)
    }

    fn slice(&self, place: usize, length: usize) -> Result<&[u8], DecodeError> {
        let end = place.checked_add(length).ok_or(DecodeError::TooShort)?;
        self.data.get(place..end).ok_or(DecodeError::TooShort)
    }
}

fn word_value(ty: &SolidityType, word: [u8; WORD]) -> Result<SolidityValue, DecodeError> {
    let number = U256::from_be_bytes(word);
    match ty {
        SolidityType::Bool if number <= U256::ONE => Ok(SolidityValue::Bool(!number.is_zero())),
        SolidityType::Uint(bits) if number <= max_uint(*bits) => Ok(SolidityValue::Uint(number)),
        SolidityType::Int(bits) if fits_int(I256::from_raw(number), *bits) => {
            Ok(SolidityValue::Int(I256::from_raw(number)))
        }
        SolidityType::Address if number <= max_uint(160) => {
            Ok(SolidityValue::Address(Address::from_word(word.into())))
        }
        SolidityType::FixedBytes(length) => front_bytes(word, usize::from(*length)),
        SolidityType::Function => front_bytes(word, 24),
        _ => Err(DecodeError::Word),
    }
}

fn front_bytes(word: [u8; WORD], length: usize) -> Result<SolidityValue, DecodeError> {
    let (front, padding) = word.split_at_checked(length).ok_or(DecodeError::Word)?;
    if padding.iter().all(|byte| *byte == 0) {
        Ok(SolidityValue::Bytes(front.to_vec()))
    } else {
        Err(DecodeError::Word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::parse_type;

    fn parameter(text: &str) -> Parameter {
        let ty = parse_type(text).unwrap();
        let canonical = ty.to_string();
        Parameter {
            name: String::new(),
            key: String::new(),
            ty,
            canonical,
            internal_type: None,
            indexed: false,
        }
    }

    fn decode_as(text: &str, words: &[U256]) -> Result<Vec<SolidityValue>, DecodeError> {
        let data: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes::<32>()).collect();
        decode(&[parameter(text)], &data)
    }

    fn n(value: u64) -> U256 {
        U256::from(value)
    }

    #[test]
    fn words_outside_their_type_are_refused() {
        for (text, word) in [
            ("bool", n(2)),
            ("uint8", n(256)),
            ("int8", n(128)),
            ("address", U256::ONE << 160usize),
            ("bytes4", n(1)),
            ("function", n(1)),
        ] {
            assert_eq!(decode_as(text, &[word]), Err(DecodeError::Word), "{text}");
        }
        assert_eq!(
            decode_as("int8", &[U256::MAX]),
            Ok(vec![SolidityValue::Int(I256::MINUS_ONE)])
        );
        assert_eq!(
            decode_as("uint8", &[n(255)]),
            Ok(vec![SolidityValue::Uint(n(255))])
        );
    }

    #[test]
    fn data_that_ends_too_early_is_refused() {
        assert_eq!(decode_as("uint256", &[]), Err(DecodeError::TooShort));
        assert_eq!(decode_as("uint256[]", &[n(32)]), Err(DecodeError::TooShort));
        assert_eq!(
            decode_as("uint256[]", &[n(32), n(2), n(7)]),
            Err(DecodeError::TooShort)
        );
        assert_eq!(decode_as("bytes", &[n(32), n(1)]), Err(DecodeError::TooShort));
        assert_eq!(
            decode_as("string", &[U256::MAX, n(1)]),
            Err(DecodeError::TooShort)
        );
    }

    #[test]
    fn arrays_that_stand_for_endless_values_are_refused() {
        // Each of the items of each level is the same list of the next level.
        let width = 300;
        let mut words = vec![n(32)];
        for _ in 0..3 {
            words.push(n(width));
            words.extend((0..width).map(|_| n(width * 32)));
        }
        words.push(n(0));
        assert_eq!(decode_as("uint8[][][][]", &words), Err(DecodeError::TooMany));
    }
}
