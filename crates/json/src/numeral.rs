//! Reading a number's spelling: the JSON grammar and the bounds of a number, without allocating.

use crate::limits::Limits;

/// A scanned JSON number: where its digits are and what its exponent says.
pub(crate) struct Numeral<'a> {
    pub(crate) negative: bool,
    pub(crate) whole: &'a [u8],
    pub(crate) fraction: &'a [u8],
    pub(crate) exponent: i64,
    /// Length of the spelling in bytes, which are ASCII.
    pub(crate) len: usize,
}

/// Why a spelling is not a number that the limits admit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumeralFault {
    /// The grammar breaks at this many bytes from the start.
    Syntax(usize),
    TokenTooLong,
    ExponentTooLarge,
    TextTooLong,
}

/// Coefficient, scale, and length of a number of at most 18 digits without exponent: the common case, decided in one pass.
#[inline]
pub(crate) fn short_decimal(bytes: &[u8]) -> Option<(i64, i32, usize)> {
    let negative = bytes.first() == Some(&b'-');
    let unsigned = bytes.get(usize::from(negative)..)?;
    let (mut magnitude, whole) = short_digits(0, unsigned);
    if whole == 0 || (whole > 1 && unsigned.first() == Some(&b'0')) {
        return None;
    }
    let (mut length, mut scale) = (whole, 0);
    if unsigned.get(whole) == Some(&b'.') {
        let fraction = unsigned.get(whole + 1..)?;
        let (exact, digits) = short_digits(magnitude, fraction);
        if digits == 0 {
            return None;
        }
        (magnitude, scale, length) = (exact, digits, whole + 1 + digits);
    }
    if whole + scale > 18 || matches!(unsigned.get(length), Some(b'e' | b'E')) {
        return None;
    }
    let coefficient = if negative { -magnitude } else { magnitude };
    Some((
        coefficient,
        i32::try_from(scale).ok()?,
        usize::from(negative) + length,
    ))
}

/// Appends the digits at the start of `bytes`, at most 19 of them, to a magnitude, and counts them; the magnitude is right only
/// when 18 digits are not exceeded.
#[inline]
fn short_digits(magnitude: i64, bytes: &[u8]) -> (i64, usize) {
    let mut magnitude = magnitude;
    let mut count = 0;
    for &byte in bytes.iter().take(19) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        magnitude = magnitude.wrapping_mul(10).wrapping_add(i64::from(digit));
        count += 1;
    }
    (magnitude, count)
}

/// The number at the start of `bytes`; what follows it is the caller's matter.
pub(crate) fn scan<'a>(bytes: &'a [u8], limits: &Limits) -> Result<Numeral<'a>, NumeralFault> {
    let negative = bytes.first() == Some(&b'-');
    let whole = digits_at(bytes, usize::from(negative));
    let mut at = usize::from(negative) + whole.len();
    match whole {
        [] => return Err(NumeralFault::Syntax(at)),
        [b'0', _, ..] => return Err(NumeralFault::Syntax(usize::from(negative) + 1)),
        _ => {}
    }
    let fraction = fraction_at(bytes, &mut at)?;
    let exponent = exponent_at(bytes, &mut at, limits);
    let numeral = Numeral {
        negative,
        whole,
        fraction,
        exponent: 0,
        len: at,
    };
    finish(numeral, exponent, limits)
}

fn finish<'a>(
    mut numeral: Numeral<'a>,
    exponent: Result<i64, NumeralFault>,
    limits: &Limits,
) -> Result<Numeral<'a>, NumeralFault> {
    if let Err(fault @ NumeralFault::Syntax(_)) = exponent {
        return Err(fault);
    }
    if numeral.len > limits.number_chars() {
        return Err(NumeralFault::TokenTooLong);
    }
    numeral.exponent = exponent?;
    let (digits, scale) = (numeral.significant_digits(), numeral.scale());
    if adjusted_exponent(digits, scale).unsigned_abs() > u64::from(limits.exponent()) {
        return Err(NumeralFault::ExponentTooLarge);
    }
    if text_len(numeral.negative, digits, scale) > limits.number_text_chars() {
        return Err(NumeralFault::TextTooLong);
    }
    Ok(numeral)
}

fn digits_at(bytes: &[u8], from: usize) -> &[u8] {
    let rest = bytes.get(from..).unwrap_or_default();
    let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    rest.get(..count).unwrap_or_default()
}

fn fraction_at<'a>(bytes: &'a [u8], at: &mut usize) -> Result<&'a [u8], NumeralFault> {
    if bytes.get(*at) != Some(&b'.') {
        return Ok(&[]);
    }
    let fraction = digits_at(bytes, *at + 1);
    *at += 1 + fraction.len();
    if fraction.is_empty() {
        Err(NumeralFault::Syntax(*at))
    } else {
        Ok(fraction)
    }
}

/// Moves `at` past the exponent, also when it is too large, so that the token's length is known.
fn exponent_at(bytes: &[u8], at: &mut usize, limits: &Limits) -> Result<i64, NumeralFault> {
    if !matches!(bytes.get(*at), Some(b'e' | b'E')) {
        return Ok(0);
    }
    *at += 1;
    let sign = bytes.get(*at).copied();
    if matches!(sign, Some(b'+' | b'-')) {
        *at += 1;
    }
    let digits = digits_at(bytes, *at);
    *at += digits.len();
    if digits.is_empty() {
        return Err(NumeralFault::Syntax(*at));
    }
    let ceiling = i64::from(limits.exponent());
    let mut magnitude = 0i64;
    for &digit in digits {
        magnitude = magnitude * 10 + i64::from(digit - b'0');
        if magnitude > ceiling {
            return Err(NumeralFault::ExponentTooLarge);
        }
    }
    Ok(if sign == Some(b'-') { -magnitude } else { magnitude })
}

impl Numeral<'_> {
    /// All digits, leading zeros included.
    pub(crate) fn digits(&self) -> impl Iterator<Item = u8> {
        self.whole.iter().chain(self.fraction).copied()
    }

    /// How many digits remain without leading zeros; zero itself has one.
    fn significant_digits(&self) -> usize {
        let zeros = self.digits().take_while(|&digit| digit == b'0').count();
        (self.whole.len() + self.fraction.len() - zeros).max(1)
    }

    /// Digits behind the decimal point: the value is `coefficient * 10^-scale`.
    pub(crate) fn scale(&self) -> i64 {
        signed(self.fraction.len()) - self.exponent
    }
}

/// Exponent of the first digit: what scientific notation would print.
pub(crate) fn adjusted_exponent(digits: usize, scale: i64) -> i64 {
    signed(digits) - 1 - scale
}

/// Whether the text form has no exponent.
pub(crate) fn is_plain(digits: usize, scale: i64) -> bool {
    scale >= 0 && adjusted_exponent(digits, scale) >= -6
}

/// Length of the text form of a number with this many digits, without writing it.
pub(crate) fn text_len(negative: bool, digits: usize, scale: i64) -> usize {
    let sign = usize::from(negative);
    if scale == 0 {
        return sign + digits;
    }
    if is_plain(digits, scale) {
        let scale = unsigned(scale);
        return sign + if scale < digits { digits + 1 } else { scale + 2 };
    }
    let exponent = adjusted_exponent(digits, scale).unsigned_abs();
    let exponent_digits = exponent.checked_ilog10().map_or(1, |log| log as usize + 1);
    sign + digits + usize::from(digits > 1) + 2 + exponent_digits
}

/// Lengths here never exceed a document's, far below `i64::MAX`.
pub(crate) fn signed(len: usize) -> i64 {
    i64::try_from(len).unwrap_or(i64::MAX)
}

/// The counterpart of [`signed`] for what is known not to be negative.
pub(crate) fn unsigned(len: i64) -> usize {
    usize::try_from(len).unwrap_or(0)
}
