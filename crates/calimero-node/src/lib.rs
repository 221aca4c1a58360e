//! A loopback Calimero node for tests; never published.
//!
//! Nothing is served yet. Settled are the faults that a test can switch on, one for each way in which a real node or
//! the way to it goes wrong.

/// A way in which the node misbehaves when a test asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// Every access token is refused as expired.
    ExpiredToken,
    /// The connection is closed before an answer.
    Disconnect,
    /// The answer is no JSON.
    Garbage,
    /// The answer never comes.
    Silence,
}

impl Fault {
    /// Every fault, in a fixed order.
    pub const ALL: [Self; 4] = [Self::ExpiredToken, Self::Disconnect, Self::Garbage, Self::Silence];

    /// The name by which a test switches it on.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ExpiredToken => "expired_token",
            Self::Disconnect => "disconnect",
            Self::Garbage => "garbage",
            Self::Silence => "silence",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Fault;

    #[test]
    fn every_fault_has_a_name_of_its_own() {
        let mut names = Fault::ALL.map(Fault::name).to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Fault::ALL.len());
    }
}
