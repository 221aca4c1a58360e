//! Exact decimal numbers.

use crate::{
    limits::Limits,
    numeral::{self, Numeral, NumeralFault, signed, unsigned},
};
use std::{
    cmp::Ordering,
    fmt,
    hash::{Hash, Hasher},
    str::FromStr,
    sync::Arc,
};

/// An exact decimal number: a coefficient and the written scale.
///
/// `1`, `1.0` and `1e0` are equal, order and hash alike, and print as they were written. An exponent is never expanded to compare,
/// hash, or hold a number: `1e9999` costs as much as `1`. A number whose coefficient fits `i64` does not allocate.
///
/// The text form is that of Java's `BigDecimal.toString`: plain when the scale is not negative and the first digit's exponent is
/// at least -6 (`100`, `0.000001`), scientific otherwise (`1E+2`, `1E-7`). There is no negative zero: `-0` reads as `0`.
#[derive(Clone)]
pub struct Number(Repr);

#[derive(Clone)]
enum Repr {
    Small { coefficient: i64, scale: i32 },
    Big(Arc<Big>),
}

/// `digits` has no leading zero and does not fit an `i64`.
struct Big {
    negative: bool,
    digits: Box<[u8]>,
    scale: i32,
}

/// Sign, digits, and scale of either representation; `digits` is `0` for zero and otherwise has no leading zero.
struct Parts<'a> {
    negative: bool,
    digits: &'a [u8],
    scale: i64,
}

/// Why a text is not a number this crate holds. The messages repeat nothing of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NumberError {
    /// Not one JSON number from first to last character (RFC 8259 section 6).
    #[error(
        "the text is not a JSON number: write digits with an optional fraction and exponent, such as -12.5e3"
    )]
    Syntax,
    /// The spelling is longer than the limit on a number's characters.
    #[error("the number has too many characters: shorten it or raise the limit on number characters")]
    TokenTooLong,
    /// The written exponent, or that of the first digit, is beyond the limit on magnitude.
    #[error("the number's exponent is too large: bring it closer to zero or raise the limit on exponents")]
    ExponentTooLarge,
    /// The text form would be longer than the limit.
    #[error("the number's text form is too long: shorten it or raise the limit on number text")]
    TextTooLong,
}

impl From<NumeralFault> for NumberError {
    fn from(fault: NumeralFault) -> NumberError {
        match fault {
            NumeralFault::Syntax(_) => NumberError::Syntax,
            NumeralFault::TokenTooLong => NumberError::TokenTooLong,
            NumeralFault::ExponentTooLarge => NumberError::ExponentTooLarge,
            NumeralFault::TextTooLong => NumberError::TextTooLong,
        }
    }
}

impl Number {
    /// Reads one JSON number, whole text, within the ceilings of [`Limits`] (4,096 characters, exponent magnitude 100,000).
    ///
    /// # Errors
    /// [`NumberError`] when the text is no JSON number or exceeds a ceiling.
    pub fn parse(text: &str) -> Result<Number, NumberError> {
        Number::parse_with(text, &Limits::ceiling())
    }

    /// Reads one JSON number, whole text, within `limits`.
    ///
    /// # Errors
    /// [`NumberError`] when the text is no JSON number or exceeds a limit.
    pub fn parse_with(text: &str, limits: &Limits) -> Result<Number, NumberError> {
        let numeral = numeral::scan(text.as_bytes(), limits)?;
        if numeral.len == text.len() {
            Ok(Number::from_numeral(&numeral))
        } else {
            Err(NumberError::Syntax)
        }
    }

    /// The shortest decimal that reads back as this `f64`; `None` for infinities and NaN, which JSON cannot write.
    pub fn from_f64(float: f64) -> Option<Number> {
        if float.is_finite() {
            Number::parse(&format!("{float:?}")).ok()
        } else {
            None
        }
    }

    /// The shortest decimal that reads back as this `f32`; `None` for infinities and NaN, which JSON cannot write.
    pub fn from_f32(float: f32) -> Option<Number> {
        if float.is_finite() {
            Number::parse(&format!("{float:?}")).ok()
        } else {
            None
        }
    }

    pub(crate) const fn small(coefficient: i64) -> Number {
        Number(Repr::Small {
            coefficient,
            scale: 0,
        })
    }

    #[inline]
    pub(crate) const fn short(coefficient: i64, scale: i32) -> Number {
        Number(Repr::Small { coefficient, scale })
    }

    pub(crate) fn from_numeral(numeral: &Numeral<'_>) -> Number {
        // Bounded by the ceilings on token length and exponent, far inside i32.
        let scale = i32::try_from(numeral.scale()).unwrap_or(i32::MAX);
        match small_coefficient(numeral) {
            Some(coefficient) => Number(Repr::Small { coefficient, scale }),
            None => {
                let digits = numeral.digits().skip_while(|&digit| digit == b'0').collect();
                Number(Repr::Big(Arc::new(Big {
                    negative: numeral.negative,
                    digits,
                    scale,
                })))
            }
        }
    }

    /// Whether the value has no fractional part, however it is spelled: `1.0`, `1e2` and `-0` are integers.
    #[inline]
    pub fn is_integer(&self) -> bool {
        matches!(self.0, Repr::Small { scale: ..=0, .. }) || self.strips_to_integer()
    }

    fn strips_to_integer(&self) -> bool {
        let mut space = [0; 20];
        let (_, exponent) = self.parts(&mut space).stripped();
        exponent >= 0
    }

    /// Whether the value is zero.
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Repr::Small { coefficient: 0, .. })
    }

    /// Whether the value is below zero.
    pub fn is_negative(&self) -> bool {
        match &self.0 {
            Repr::Small { coefficient, .. } => *coefficient < 0,
            Repr::Big(big) => big.negative,
        }
    }

    /// The value as `i64`, or `None` when it is no integer or does not fit.
    pub fn to_i64(&self) -> Option<i64> {
        match self.0 {
            Repr::Small {
                coefficient,
                scale: 0,
            } => Some(coefficient),
            _ => i64::try_from(self.to_i128()?).ok(),
        }
    }

    /// The value as `u64`, or `None` when it is no integer or does not fit.
    pub fn to_u64(&self) -> Option<u64> {
        u64::try_from(self.to_u128()?).ok()
    }

    /// The value as `i128`, or `None` when it is no integer or does not fit.
    pub fn to_i128(&self) -> Option<i128> {
        if let Repr::Small {
            coefficient,
            scale: 0,
        } = self.0
        {
            return Some(i128::from(coefficient));
        }
        let magnitude = self.integer_magnitude()?;
        if self.is_negative() {
            0i128.checked_sub_unsigned(magnitude)
        } else {
            i128::try_from(magnitude).ok()
        }
    }

    /// The value as `u128`, or `None` when it is negative, no integer, or does not fit.
    pub fn to_u128(&self) -> Option<u128> {
        if self.is_negative() {
            None
        } else {
            self.integer_magnitude()
        }
    }

    /// The nearest `f64`, which in general is *not* this number; beyond its range an infinity.
    pub fn to_f64(&self) -> f64 {
        let mut space = [0; 20];
        let parts = self.parts(&mut space);
        let digits = str::from_utf8(parts.digits).unwrap_or_default();
        let sign = if parts.negative { "-" } else { "" };
        format!("{sign}{digits}e{}", -parts.scale)
            .parse()
            .unwrap_or(f64::NAN)
    }

    /// The integer written out in plain decimal digits, or `None` when it is no integer or needs more than `max_chars` characters
    /// (the minus sign counts). Nothing longer than `max_chars` is ever allocated.
    pub fn to_integer_text(&self, max_chars: usize) -> Option<String> {
        let mut space = [0; 20];
        let parts = self.parts(&mut space);
        let (digits, exponent) = parts.stripped();
        let zeros = usize::try_from(exponent).ok()?;
        let (digits, zeros) = if digits.is_empty() {
            (b"0".as_slice(), 0)
        } else {
            (digits, zeros)
        };
        let sign = if parts.negative { "-" } else { "" };
        if sign.len() + digits.len() + zeros > max_chars {
            return None;
        }
        Some(format!(
            "{sign}{}{}",
            str::from_utf8(digits).unwrap_or_default(),
            "0".repeat(zeros)
        ))
    }

    /// The text form, the same as [`Display`](fmt::Display).
    pub fn as_text(&self) -> String {
        let mut out = Vec::new();
        self.write_to(&mut out);
        String::from_utf8(out).unwrap_or_default()
    }

    /// The text form without trailing zeros in the coefficient, the same for all equal numbers: `1.0` gives `1`, `100` gives
    /// `1E+2`, every zero gives `0`.
    pub fn canonical_text(&self) -> String {
        let mut out = Vec::new();
        self.write_canonical_to(&mut out);
        String::from_utf8(out).unwrap_or_default()
    }

    pub(crate) fn write_to(&self, out: &mut Vec<u8>) {
        self.parts(&mut [0; 20]).write_to(out);
    }

    pub(crate) fn write_canonical_to(&self, out: &mut Vec<u8>) {
        let mut space = [0; 20];
        let parts = self.parts(&mut space);
        let (digits, exponent) = parts.stripped();
        let digits = if digits.is_empty() {
            b"0".as_slice()
        } else {
            digits
        };
        Parts {
            negative: parts.negative,
            digits,
            scale: -exponent,
        }
        .write_to(out);
    }

    /// Length of the text form.
    pub(crate) fn text_len(&self) -> usize {
        let mut space = [0; 20];
        let parts = self.parts(&mut space);
        numeral::text_len(parts.negative, parts.digits.len(), parts.scale)
    }

    /// Magnitude of the exponent of the first digit.
    pub(crate) fn exponent_magnitude(&self) -> u64 {
        let mut space = [0; 20];
        let parts = self.parts(&mut space);
        numeral::adjusted_exponent(parts.digits.len(), parts.scale).unsigned_abs()
    }

    /// Whether the text form is an integer without point or exponent.
    pub(crate) fn is_plain_integer(&self) -> bool {
        match &self.0 {
            Repr::Small { scale, .. } => *scale == 0,
            Repr::Big(big) => big.scale == 0,
        }
    }

    /// Digits without zeros at either end and the exponent of the last one; no digits for zero.
    pub(crate) fn significant<'a>(&'a self, space: &'a mut [u8; 20]) -> (&'a [u8], i64) {
        self.parts(space).stripped()
    }

    fn integer_magnitude(&self) -> Option<u128> {
        let mut space = [0; 20];
        let (digits, exponent) = self.parts(&mut space).stripped();
        let zeros = usize::try_from(exponent).ok()?;
        // u128::MAX has 39 digits; the check keeps a large exponent from being walked.
        if digits.len() + zeros > 39 {
            return None;
        }
        let zeros = std::iter::repeat_n(&b'0', if digits.is_empty() { 0 } else { zeros });
        digits.iter().chain(zeros).try_fold(0u128, |value, digit| {
            value
                .checked_mul(10)?
                .checked_add(u128::from(digit.wrapping_sub(b'0')))
        })
    }

    fn cmp_by_parts(&self, other: &Number) -> Ordering {
        let sign = self.signum();
        sign.cmp(&other.signum()).then_with(|| {
            let (mut a, mut b) = ([0; 20], [0; 20]);
            let magnitude = self.parts(&mut a).cmp_magnitude(&other.parts(&mut b));
            match sign {
                0 => Ordering::Equal,
                -1 => magnitude.reverse(),
                _ => magnitude,
            }
        })
    }

    fn parts<'a>(&'a self, space: &'a mut [u8; 20]) -> Parts<'a> {
        match &self.0 {
            Repr::Small { coefficient, scale } => Parts {
                negative: *coefficient < 0,
                digits: decimal_digits(coefficient.unsigned_abs(), space),
                scale: i64::from(*scale),
            },
            Repr::Big(big) => Parts {
                negative: big.negative,
                digits: &big.digits,
                scale: i64::from(big.scale),
            },
        }
    }

    fn signum(&self) -> i8 {
        match (self.is_zero(), self.is_negative()) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }
}

impl<'a> Parts<'a> {
    /// Digits without trailing zeros (none at all for zero) and the exponent of the last one left.
    fn stripped(&self) -> (&'a [u8], i64) {
        let zeros = self
            .digits
            .iter()
            .rev()
            .take_while(|&&digit| digit == b'0')
            .count();
        let digits = self.digits.get(..self.digits.len() - zeros).unwrap_or_default();
        if digits.is_empty() {
            (digits, 0)
        } else {
            (digits, signed(zeros) - self.scale)
        }
    }

    fn cmp_magnitude(&self, other: &Parts<'_>) -> Ordering {
        let adjusted = |parts: &Parts<'_>| numeral::adjusted_exponent(parts.digits.len(), parts.scale);
        adjusted(self)
            .cmp(&adjusted(other))
            .then_with(|| self.stripped().0.cmp(other.stripped().0))
    }

    fn write_to(&self, out: &mut Vec<u8>) {
        if self.negative {
            out.push(b'-');
        }
        if self.scale == 0 {
            out.extend_from_slice(self.digits);
        } else if numeral::is_plain(self.digits.len(), self.scale) {
            self.write_plain(out);
        } else {
            self.write_scientific(out);
        }
    }

    fn write_plain(&self, out: &mut Vec<u8>) {
        let scale = unsigned(self.scale);
        match self.digits.len().checked_sub(scale) {
            Some(whole @ 1..) => {
                let (whole, fraction) = self.digits.split_at(whole);
                out.extend_from_slice(whole);
                out.push(b'.');
                out.extend_from_slice(fraction);
            }
            _ => {
                out.extend_from_slice(b"0.");
                out.extend(std::iter::repeat_n(b'0', scale - self.digits.len()));
                out.extend_from_slice(self.digits);
            }
        }
    }

    fn write_scientific(&self, out: &mut Vec<u8>) {
        let (first, rest) = self.digits.split_at(1);
        out.extend_from_slice(first);
        if !rest.is_empty() {
            out.push(b'.');
            out.extend_from_slice(rest);
        }
        let exponent = numeral::adjusted_exponent(self.digits.len(), self.scale);
        out.extend_from_slice(if exponent < 0 { b"E-" } else { b"E+" });
        out.extend_from_slice(decimal_digits(exponent.unsigned_abs(), &mut [0; 20]));
    }
}

fn small_coefficient(numeral: &Numeral<'_>) -> Option<i64> {
    let magnitude = numeral.digits().try_fold(0u64, |value, digit| {
        value
            .checked_mul(10)?
            .checked_add(u64::from(digit.wrapping_sub(b'0')))
    })?;
    if numeral.negative {
        0i64.checked_sub_unsigned(magnitude)
    } else {
        i64::try_from(magnitude).ok()
    }
}

fn decimal_digits(mut value: u64, space: &mut [u8; 20]) -> &[u8] {
    let mut start = space.len();
    for slot in space.iter_mut().rev() {
        *slot = b'0' + u8::try_from(value % 10).unwrap_or_default();
        value /= 10;
        start -= 1;
        if value == 0 {
            break;
        }
    }
    space.get(start..).unwrap_or_default()
}

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Number {}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    #[inline]
    fn cmp(&self, other: &Number) -> Ordering {
        match (&self.0, &other.0) {
            (
                Repr::Small {
                    coefficient: own,
                    scale: own_scale,
                },
                Repr::Small { coefficient, scale },
            ) if own_scale == scale => own.cmp(coefficient),
            _ => self.cmp_by_parts(other),
        }
    }
}

impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let mut space = [0; 20];
        let parts = self.parts(&mut space);
        let (digits, exponent) = parts.stripped();
        (parts.negative, digits, exponent).hash(state);
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad_integral(true, "", &self.as_text())
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.as_text())
    }
}

impl FromStr for Number {
    type Err = NumberError;

    fn from_str(text: &str) -> Result<Number, NumberError> {
        Number::parse(text)
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Number {
        Number::small(value)
    }
}

impl From<i32> for Number {
    fn from(value: i32) -> Number {
        Number::small(i64::from(value))
    }
}

impl From<u32> for Number {
    fn from(value: u32) -> Number {
        Number::small(i64::from(value))
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Number {
        i64::try_from(value).map_or_else(|_| Number::big_integer(false, u128::from(value)), Number::small)
    }
}

impl From<i128> for Number {
    fn from(value: i128) -> Number {
        i64::try_from(value).map_or_else(
            |_| Number::big_integer(value < 0, value.unsigned_abs()),
            Number::small,
        )
    }
}

impl From<u128> for Number {
    fn from(value: u128) -> Number {
        i64::try_from(value).map_or_else(|_| Number::big_integer(false, value), Number::small)
    }
}

impl Number {
    fn big_integer(negative: bool, magnitude: u128) -> Number {
        let digits = magnitude.to_string().into_bytes().into_boxed_slice();
        Number(Repr::Big(Arc::new(Big {
            negative,
            digits,
            scale: 0,
        })))
    }
}
