//! `multipleOf`: numbers that a divisor divides without a rest, in exact decimal arithmetic.

use toolmesh_json::Number;

use super::rule::{Rule, Scope};
use crate::compile::{Compiler, Site};
use crate::describe;
use crate::diagnostic::DiagnosticCode;
use crate::dialect::Vocabulary;
use crate::error::CompileError;
use crate::evaluate::{Run, Scene};
use crate::instance::Instance;
use crate::meter::{Meter, Metered};
use crate::program::Keyword;
use crate::remainder::LongDivisor;

pub(super) const RULE: Rule = Rule {
    names: &["multipleOf"],
    scope: Scope::Drafts,
    vocabulary: Vocabulary::Validation,
    compile,
};

/// A divisor: a coefficient and a power of ten.
pub(crate) struct MultipleOf {
    divisor: Number,
    coefficient: Coefficient,
    exponent: i64,
}

/// Digits without a zero at the end.
enum Coefficient {
    Short(u64),
    Long(Box<LongDivisor>),
}

fn compile(compiler: &mut Compiler<'_>, site: &Site<'_>) -> Result<Option<Keyword>, CompileError> {
    let Some(value) = site.value("multipleOf") else {
        return Ok(None);
    };
    let divisor = value.as_number().and_then(MultipleOf::of);
    let divisor = divisor
        .ok_or_else(|| compiler.invalid(site, "multipleOf", "it must be a number greater than zero"))?;
    Ok(Some(Keyword::MultipleOf(divisor)))
}

impl MultipleOf {
    /// Nothing when the number is not above zero.
    fn of(number: &Number) -> Option<Self> {
        let decimal = Decimal::of(number)?;
        if number.is_negative() || decimal.is_zero() {
            return None;
        }
        let coefficient = match decimal.digits.parse() {
            Ok(short) => Coefficient::Short(short),
            Err(_) => Coefficient::Long(Box::new(LongDivisor::of(&decimal.digits))),
        };
        Some(Self {
            divisor: number.clone(),
            coefficient,
            exponent: decimal.exponent,
        })
    }

    pub(super) fn evaluate<'v>(&self, run: &mut Run<'v>, scene: Scene<'v>) -> Metered<bool> {
        if self.check(&mut run.meter, scene.instance)? {
            return Ok(true);
        }
        run.tell(scene, DiagnosticCode::MultipleOfMismatch, "multipleOf", || {
            self.expected()
        })?;
        Ok(false)
    }

    /// Whether the instance fits, at the charge.
    pub(crate) fn check(&self, meter: &mut Meter, instance: Instance<'_>) -> Metered<bool> {
        let Some(number) = instance.as_number() else {
            return Ok(true);
        };
        meter.charge(1)?;
        self.divides(meter, number)
    }

    pub(super) fn expected(&self) -> String {
        format!("a multiple of {}", describe::number(&self.divisor))
    }

    fn divides(&self, meter: &mut Meter, number: &Number) -> Metered<bool> {
        let Some(decimal) = Decimal::of(number) else {
            return Ok(false);
        };
        if decimal.is_zero() {
            return Ok(true);
        }
        // The digits end in no zero, so that no power of ten can be taken out of them for a finer divisor.
        let scale = decimal.exponent.checked_sub(self.exponent);
        let Some(scale) = scale.and_then(|scale| u64::try_from(scale).ok()) else {
            return Ok(false);
        };
        match &self.coefficient {
            Coefficient::Short(coefficient) => Ok(short_divides(*coefficient, &decimal.digits, scale)),
            Coefficient::Long(divisor) => {
                let digits = scale.saturating_add(decimal.digits.len() as u64);
                meter.charge(divisor.charge(digits))?;
                Ok(divisor.divides(&decimal.digits, scale))
            }
        }
    }
}

fn short_divides(divisor: u64, digits: &str, scale: u64) -> bool {
    let modulus = u128::from(divisor);
    let rest = digits
        .bytes()
        .fold(0, |rest, digit| (rest * 10 + u128::from(digit - b'0')) % modulus);
    (rest * power_of_ten(scale, modulus)).is_multiple_of(modulus)
}

/// `10^exponent` modulo a modulus below 2^64, by squaring: an exponent of any size is cheap.
fn power_of_ten(mut exponent: u64, modulus: u128) -> u128 {
    let (mut power, mut square) = (1 % modulus, 10 % modulus);
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = power * square % modulus;
        }
        square = square * square % modulus;
        exponent >>= 1;
    }
    power
}

/// A number without its sign as digits (no zero at either end) and a power of ten.
struct Decimal {
    digits: String,
    exponent: i64,
}

impl Decimal {
    fn of(number: &Number) -> Option<Self> {
        let text = number.as_text();
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((&text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{}{fraction}", whole.trim_start_matches('-'));
        let kept = digits.trim_end_matches('0');
        let dropped = i64::try_from(digits.len() - kept.len()).ok()?;
        let shift = i64::try_from(fraction.len()).ok()?;
        let exponent = exponent
            .parse::<i64>()
            .ok()?
            .checked_sub(shift)?
            .checked_add(dropped)?;
        Some(Self {
            digits: kept.trim_start_matches('0').to_owned(),
            exponent,
        })
    }

    fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::EvaluationLimits;

    fn divides(divisor: &str, number: &str) -> bool {
        let keyword = MultipleOf::of(&Number::parse(divisor).unwrap()).unwrap();
        let mut meter = Meter::new(&EvaluationLimits::default());
        keyword
            .divides(&mut meter, &Number::parse(number).unwrap())
            .unwrap()
    }

    #[test]
    fn a_multiple_is_found_exactly_where_floats_would_err() {
        for (divisor, number) in [
            ("0.0001", "0.0075"),
            ("0.01", "4.02"),
            ("1.5", "4.5"),
            ("1.5", "0"),
            ("2", "-10"),
            ("0.5", "1e308"),
            ("10", "100"),
            ("100", "1e9999"),
            ("3", "123456789012345678901234567890"),
            ("1e-8", "12391239123"),
            ("18446744073709551615", "18446744073709551615"),
            ("123456789012345678901.5", "246913578024691357803e9999"),
        ] {
            assert!(divides(divisor, number), "{divisor} divides {number}");
        }
    }

    #[test]
    fn anything_else_is_no_multiple() {
        for (divisor, number) in [
            ("0.0001", "0.00751"),
            ("1.5", "35"),
            ("2", "7"),
            ("100", "10"),
            ("1e3", "100"),
            ("0.123456789", "1e308"),
            ("3", "123456789012345678901234567891"),
            ("2", "1e-1"),
            ("123456789012345678901.5", "246913578024691357802"),
        ] {
            assert!(!divides(divisor, number), "{divisor} does not divide {number}");
        }
    }
}
