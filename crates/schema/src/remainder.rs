//! Whether a long decimal number divides another, digit by digit.

/// A divisor of more digits than a machine word holds, with its double, fourfold and eightfold.
pub(crate) struct LongDivisor {
    /// From the eightfold down to the divisor itself, least significant limb first, all of one length.
    multiples: [Box<[u64]>; 4],
}

/// Limb steps that one operation pays for.
const STEPS_PER_OPERATION: u64 = 16;

impl LongDivisor {
    /// A divisor by its decimal digits; it is above zero.
    pub(crate) fn of(digits: &str) -> Self {
        // A limb holds more than 19 digits; one more has room for ten times the divisor.
        let mut once = vec![0_u64; digits.len() / 19 + 2];
        for digit in digits.bytes() {
            push_digit(&mut once, digit);
        }
        let twice = doubled(&once);
        let fourfold = doubled(&twice);
        let eightfold = doubled(&fourfold);
        Self {
            multiples: [eightfold, fourfold, twice, once.into_boxed_slice()],
        }
    }

    /// What dividing a number of so many digits costs.
    pub(crate) fn charge(&self, digits: u64) -> u64 {
        let [once, ..] = &self.multiples;
        digits.saturating_mul(once.len() as u64) / STEPS_PER_OPERATION
    }

    /// Whether it divides the number of these digits with zeros behind them.
    pub(crate) fn divides(&self, digits: &str, zeros: u64) -> bool {
        let [once, ..] = &self.multiples;
        let mut rest = vec![0_u64; once.len()];
        for digit in digits.bytes() {
            push_digit(&mut rest, digit);
            self.reduce(&mut rest);
        }
        for _ in 0..zeros {
            // Zero stays zero, however many more zeros follow.
            if is_zero(&rest) {
                return true;
            }
            push_digit(&mut rest, b'0');
            self.reduce(&mut rest);
        }
        is_zero(&rest)
    }

    /// Takes the divisor out of a rest below its tenfold.
    fn reduce(&self, rest: &mut [u64]) {
        for multiple in &self.multiples {
            if at_least(rest, multiple) {
                subtract(rest, multiple);
            }
        }
    }
}

/// The number with one more decimal digit.
fn push_digit(limbs: &mut [u64], digit: u8) {
    let mut carry = u128::from(digit.wrapping_sub(b'0'));
    for limb in limbs {
        let sum = u128::from(*limb) * 10 + carry;
        (*limb, carry) = (low(sum), sum >> 64);
    }
}

fn doubled(limbs: &[u64]) -> Box<[u64]> {
    let mut carry = 0;
    let double = |limb: &u64| {
        let sum = (*limb << 1) | carry;
        carry = *limb >> 63;
        sum
    };
    limbs.iter().map(double).collect()
}

fn at_least(left: &[u64], right: &[u64]) -> bool {
    left.iter().rev().cmp(right.iter().rev()).is_ge()
}

fn subtract(left: &mut [u64], right: &[u64]) {
    let mut borrow = false;
    for (left, right) in left.iter_mut().zip(right) {
        let (difference, first) = left.overflowing_sub(*right);
        let (difference, second) = difference.overflowing_sub(u64::from(borrow));
        (*left, borrow) = (difference, first || second);
    }
}

fn is_zero(limbs: &[u64]) -> bool {
    limbs.iter().all(|limb| *limb == 0)
}

fn low(value: u128) -> u64 {
    u64::try_from(value & u128::from(u64::MAX)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIVISOR: u128 = 123_456_789_012_345_678_901;

    #[test]
    fn the_answer_is_that_of_machine_words_where_they_reach() {
        let divisor = LongDivisor::of(&DIVISOR.to_string());
        for factor in [0, 1, 2, 9, 10, 1_000_003, 987_654_321] {
            for more in [0, 1, 7, DIVISOR - 1] {
                let number = DIVISOR * factor + more;
                assert_eq!(
                    divisor.divides(&number.to_string(), 0),
                    number.is_multiple_of(DIVISOR),
                    "{number}"
                );
            }
        }
    }

    #[test]
    fn zeros_behind_the_digits_count() {
        let divisor = LongDivisor::of("25000000000000000000001");
        assert!(divisor.divides("25000000000000000000001", 5) && !divisor.divides("1", 10_000));
        let power = LongDivisor::of(&format!("{}", 1_u128 << 100));
        assert!(!power.divides("1", 99) && power.divides("1", 100) && power.divides("3", 10_000));
    }

    #[test]
    fn the_longest_divisor_fits() {
        let digits = "9".repeat(1_024);
        let divisor = LongDivisor::of(&digits);
        assert!(divisor.divides(&digits, 3) && !divisor.divides("9", 1_000));
        assert_eq!(divisor.charge(32), 32 * 55 / 16);
    }
}
