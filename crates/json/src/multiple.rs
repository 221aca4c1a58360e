//! Division without rest, in exact decimal arithmetic.

use crate::number::Number;
use std::cmp::Ordering;

/// A divisor of at most so many digits fits a `u64`.
const NARROW: usize = 19;

impl Number {
    /// Whether this number is an integer times the divisor, exactly; `None` for the divisor zero.
    ///
    /// No exponent is expanded and no float involved: `0.0075` is a multiple of `0.0001`, `1e9999` one of `0.3` is not. The time it
    /// takes grows with the digits of this number, and for a divisor of more than 19 digits with the product of both numbers'
    /// digits.
    pub fn is_multiple_of(&self, divisor: &Number) -> Option<bool> {
        if divisor.is_zero() {
            return None;
        }
        if self.is_zero() {
            return Some(true);
        }
        let (mut own_space, mut divisor_space) = ([0; 20], [0; 20]);
        let (own, own_exponent) = self.significant(&mut own_space);
        let (digits, exponent) = divisor.significant(&mut divisor_space);
        // Our digits end in no zero, so that no power of ten can be taken out of them for a coarser divisor.
        let Ok(shift) = usize::try_from(own_exponent - exponent) else {
            return Some(false);
        };
        if digits.len() <= NARROW {
            Some(divides_narrow(digits, own, shift))
        } else {
            Some(divides_wide(digits, own, shift))
        }
    }
}

fn value(digit: u8) -> u64 {
    u64::from(digit.wrapping_sub(b'0'))
}

/// Whether the divisor divides the digits followed by so many zeros.
fn divides_narrow(divisor: &[u8], digits: &[u8], zeros: usize) -> bool {
    let divisor = divisor
        .iter()
        .fold(0, |all, &digit| all * 10 + u128::from(value(digit)));
    let mut rest = digits
        .iter()
        .fold(0, |rest, &digit| (rest * 10 + u128::from(value(digit))) % divisor);
    // Each zero brings one factor two and one factor five; more than the divisor has of them change nothing.
    for _ in 0..zeros.min(64) {
        rest = rest * 10 % divisor;
    }
    rest == 0
}

fn divides_wide(divisor: &[u8], digits: &[u8], zeros: usize) -> bool {
    let divisor = Limbs::of(divisor);
    let mut rest = Limbs::zero(divisor.0.len());
    for &digit in digits {
        rest.append(value(digit), &divisor);
    }
    // As above: a limb holds 18 digits, which have fewer than 60 factors two.
    for _ in 0..zeros.min(60 * divisor.0.len()) {
        if rest.is_zero() {
            break;
        }
        rest.append(0, &divisor);
    }
    rest.is_zero()
}

const LIMB_DIGITS: usize = 18;
const LIMB: u64 = 1_000_000_000_000_000_000;

/// A large integer, 18 decimal digits a limb, the lowest first; with room for one digit more than the divisor has.
struct Limbs(Vec<u64>);

impl Limbs {
    fn zero(limbs: usize) -> Limbs {
        Limbs(vec![0; limbs])
    }

    fn of(digits: &[u8]) -> Limbs {
        let limb = |chunk: &[u8]| chunk.iter().fold(0, |limb, &digit| limb * 10 + value(digit));
        let mut limbs: Vec<u64> = digits.rchunks(LIMB_DIGITS).map(limb).collect();
        limbs.push(0);
        Limbs(limbs)
    }

    fn is_zero(&self) -> bool {
        self.0.iter().all(|&limb| limb == 0)
    }

    /// Appends a digit and keeps the rest of a division by the divisor, which was above the value before.
    fn append(&mut self, digit: u64, divisor: &Limbs) {
        let mut carry = digit;
        for limb in &mut self.0 {
            let wide = *limb * 10 + carry;
            (*limb, carry) = (wide % LIMB, wide / LIMB);
        }
        while self.compare(divisor) != Ordering::Less {
            self.subtract(divisor);
        }
    }

    fn compare(&self, other: &Limbs) -> Ordering {
        self.0.iter().rev().cmp(other.0.iter().rev())
    }

    fn subtract(&mut self, other: &Limbs) {
        let mut borrow = 0;
        for (limb, less) in self.0.iter_mut().zip(&other.0) {
            let less = less + borrow;
            borrow = u64::from(*limb < less);
            *limb = *limb + borrow * LIMB - less;
        }
    }
}
