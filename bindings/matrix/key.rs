//! The arguments of both programs in Rust.

use std::env;

use hex::FromHex;

/// The argument of this number.
pub(crate) fn text(number: usize) -> Result<String, &'static str> {
    env::args().nth(number).ok_or("an argument is missing")
}

/// The argument of this number, as 32 bytes in hexadecimal.
pub(crate) fn argument(number: usize) -> Result<[u8; 32], &'static str> {
    FromHex::from_hex(text(number)?).map_err(|_| "the key is 64 hexadecimal digits")
}
