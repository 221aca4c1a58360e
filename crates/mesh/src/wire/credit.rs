//! What a frame of a reply costs.

/// How many bytes of a frame one credit pays for. Events are mostly smaller; what is larger costs more, so that a window
/// bounds the bytes that are under way, and not only the frames.
pub const CREDIT_BYTES: usize = 16 * 1024;

/// How many credits a frame of so many bytes takes of a window: one for each [`CREDIT_BYTES`] that it begins, at most half of
/// the window. A caller grants again when it has read half of the window, so a frame never waits for what it does not get.
pub(crate) fn cost(bytes: usize, window: u32) -> u32 {
    let credits = bytes.div_ceil(CREDIT_BYTES).max(1);
    u32::try_from(credits).unwrap_or(u32::MAX).min(half(window))
}

/// Half of a window, and at least one credit.
pub(crate) fn half(window: u32) -> u32 {
    (window / 2).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_costs_a_credit_for_each_sixteen_kibibytes_that_it_begins() {
        let costs = [0, 1, CREDIT_BYTES, CREDIT_BYTES + 1, 64 * CREDIT_BYTES].map(|bytes| cost(bytes, 1_024));
        assert_eq!(costs, [1, 1, 1, 2, 64]);
    }

    #[test]
    fn a_frame_costs_at_most_half_of_its_window() {
        let costs = [1, 2, 3, 64, 1_024, u32::MAX].map(|window| cost(usize::MAX, window));
        assert_eq!(costs, [1, 1, 1, 32, 512, u32::MAX / 2]);
    }
}
