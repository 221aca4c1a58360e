//! How a call ended, as a number.

/// The status of an answer that says that the arguments do not fit.
pub const NRPC_TYPED_BAD_REQUEST: u16 = 0x8000;

/// The status of an answer in which a handler reports its own error.
pub const NRPC_TYPED_HANDLER_ERROR: u16 = 0x8001;

/// How a call ended. From `0x8000` on the numbers are a program's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Status {
    /// It is done.
    Ok,
    /// The host has no such service, or does not show it to this caller.
    NotFound,
    /// The caller is not known.
    Unauthorized,
    /// The deadline passed at the host.
    Timeout,
    /// The host is busy: try again, or elsewhere.
    Backpressure,
    /// The caller gave up.
    Cancelled,
    /// A fault of the host or of the handler: a panic, or a result that does not fit the tool's output schema.
    Internal,
    /// The host does not have the version.
    UnknownVersion,
    /// The caller may not call this.
    CapabilityDenied,
    /// Admission refused.
    AdmissionDenied,
    /// A program's own number.
    Application(u16),
}

impl Status {
    /// The number on the wire.
    #[must_use]
    pub fn code(self) -> u16 {
        match self {
            Self::Ok => 0,
            Self::NotFound => 1,
            Self::Unauthorized => 2,
            Self::Timeout => 3,
            Self::Backpressure => 4,
            Self::Cancelled => 5,
            Self::Internal => 6,
            Self::UnknownVersion => 7,
            Self::CapabilityDenied => 8,
            Self::AdmissionDenied => 9,
            Self::Application(code) => code,
        }
    }

    /// The status of a number; one that is neither known nor a program's own is a fault of the host.
    #[must_use]
    pub fn from_code(code: u16) -> Self {
        match code {
            0 => Self::Ok,
            1 => Self::NotFound,
            2 => Self::Unauthorized,
            3 => Self::Timeout,
            4 => Self::Backpressure,
            5 => Self::Cancelled,
            7 => Self::UnknownVersion,
            8 => Self::CapabilityDenied,
            9 => Self::AdmissionDenied,
            0x8000.. => Self::Application(code),
            _ => Self::Internal,
        }
    }

    /// Whether a host that answers so has not run the handler: another try, or another host, does no work twice.
    pub(crate) fn is_not_run(self) -> bool {
        matches!(self, Self::NotFound | Self::UnknownVersion | Self::Backpressure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_has_its_number_and_comes_back() {
        for code in (0..=9).chain([NRPC_TYPED_BAD_REQUEST, NRPC_TYPED_HANDLER_ERROR, u16::MAX]) {
            assert_eq!(Status::from_code(code).code(), code);
        }
        assert_eq!(Status::from_code(10), Status::Internal);
        assert_eq!(Status::from_code(0x7fff), Status::Internal);
    }
}
