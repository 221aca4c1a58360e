//! The arguments of both programs in Rust.

use std::env;

/// The argument of this number.
pub(crate) fn text(number: usize) -> Result<String, &'static str> {
    env::args().nth(number).ok_or("an argument is missing")
}

/// The argument of this number, as 32 bytes in hexadecimal.
pub(crate) fn argument(number: usize) -> Result<[u8; 32], &'static str> {
    let (text, mut key) = (text(number)?, [0; 32]);
    for (byte, place) in key.iter_mut().zip((0..).step_by(2)) {
        let digits = text.get(place..place + 2).ok_or("the key is too short")?;
        *byte = u8::from_str_radix(digits, 16).map_err(|_| "the key is hexadecimal")?;
    }
    Ok(key)
}
