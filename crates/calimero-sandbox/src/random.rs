//! Fresh ids and keys.

/// 32 bytes that nobody can guess.
pub(crate) fn random() -> Result<[u8; 32], getrandom::Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}
