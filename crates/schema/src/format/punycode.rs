//! Punycode: RFC 3492 with the parameters of internationalised domain names.

const BASE: u32 = 36;
const T_MIN: u32 = 1;
const T_MAX: u32 = 26;
const SKEW: u32 = 38;
const DAMP: u32 = 700;
const INITIAL_BIAS: u32 = 72;
const INITIAL_N: u32 = 0x80;

/// The text that a Punycode spelling stands for (without the `xn--` before it).
pub(super) fn decode(input: &str) -> Option<String> {
    let (basic, extended) = input.rsplit_once('-').unwrap_or(("", input));
    let mut output: Vec<char> = basic.chars().collect();
    let (mut n, mut index, mut bias) = (INITIAL_N, 0_u32, INITIAL_BIAS);
    let mut digits = extended.bytes().peekable();
    while digits.peek().is_some() {
        let start = index;
        index = read_delta(&mut digits, index, bias)?;
        let length = u32::try_from(output.len()).ok()?.checked_add(1)?;
        bias = adapt(index - start, length, start == 0);
        n = n.checked_add(index / length)?;
        index %= length;
        output.insert(index as usize, char::from_u32(n)?);
        index += 1;
    }
    Some(output.into_iter().collect())
}

fn read_delta(digits: &mut impl Iterator<Item = u8>, from: u32, bias: u32) -> Option<u32> {
    let (mut index, mut weight, mut k) = (from, 1_u32, BASE);
    loop {
        let digit = digit_of(digits.next()?)?;
        index = index.checked_add(digit.checked_mul(weight)?)?;
        let threshold = threshold(k, bias);
        if digit < threshold {
            return Some(index);
        }
        weight = weight.checked_mul(BASE - threshold)?;
        k += BASE;
    }
}

/// The Punycode spelling of a text, without the `xn--` before it.
pub(super) fn encode(input: &str) -> Option<String> {
    let mut output: String = input.chars().filter(char::is_ascii).collect();
    let basic = u32::try_from(output.len()).ok()?;
    if basic > 0 {
        output.push('-');
    }
    let (mut n, mut delta, mut bias, mut handled) = (INITIAL_N, 0_u32, INITIAL_BIAS, basic);
    let total = u32::try_from(input.chars().count()).ok()?;
    while handled < total {
        let next = input.chars().map(u32::from).filter(|code| *code >= n).min()?;
        delta = delta.checked_add((next - n).checked_mul(handled + 1)?)?;
        n = next;
        for code in input.chars().map(u32::from) {
            if code < n {
                delta = delta.checked_add(1)?;
            }
            if code == n {
                write_delta(delta, bias, &mut output);
                bias = adapt(delta, handled + 1, handled == basic);
                delta = 0;
                handled += 1;
            }
        }
        delta = delta.checked_add(1)?;
        n += 1;
    }
    Some(output)
}

fn write_delta(delta: u32, bias: u32, output: &mut String) {
    let (mut rest, mut k) = (delta, BASE);
    loop {
        let threshold = threshold(k, bias);
        if rest < threshold {
            output.push(character_of(rest));
            return;
        }
        output.push(character_of(threshold + (rest - threshold) % (BASE - threshold)));
        rest = (rest - threshold) / (BASE - threshold);
        k += BASE;
    }
}

fn threshold(k: u32, bias: u32) -> u32 {
    k.saturating_sub(bias).clamp(T_MIN, T_MAX)
}

fn adapt(delta: u32, length: u32, first: bool) -> u32 {
    let mut delta = if first { delta / DAMP } else { delta / 2 };
    delta += delta / length;
    let mut k = 0;
    while delta > (BASE - T_MIN) * T_MAX / 2 {
        delta /= BASE - T_MIN;
        k += BASE;
    }
    k + (BASE - T_MIN + 1) * delta / (delta + SKEW)
}

fn digit_of(byte: u8) -> Option<u32> {
    match byte {
        b'a'..=b'z' => Some(u32::from(byte - b'a')),
        b'A'..=b'Z' => Some(u32::from(byte - b'A')),
        b'0'..=b'9' => Some(u32::from(byte - b'0') + 26),
        _ => None,
    }
}

fn character_of(digit: u32) -> char {
    char::from_digit(if digit < 26 { digit + 10 } else { digit - 26 }, BASE).unwrap_or('0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_and_texts_lead_to_each_other() {
        for (text, spelling) in [
            ("bücher", "bcher-kva"),
            ("실례", "9n2bp8q"),
            ("ü", "tda"),
            ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"),
        ] {
            assert_eq!(encode(text).as_deref(), Some(spelling));
            assert_eq!(decode(spelling).as_deref(), Some(text));
        }
    }

    #[test]
    fn what_stands_for_nothing_is_refused() {
        for spelling in ["X", "é", "99999999", "a-!"] {
            assert_eq!(decode(spelling), None, "{spelling}");
        }
    }
}
