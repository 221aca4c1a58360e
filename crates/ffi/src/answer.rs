//! What comes back: a code, and a text that belongs to its receiver.

use std::{ptr, slice};

use toolmesh_embed::{Fault, FaultKind, FormatError, json::Value};

/// How something ended.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolmeshCode {
    /// Nothing failed.
    Ok = 0,
    /// Nothing follows: the last event or change has come.
    End = -1,
    /// The library itself failed; what was under way is over.
    Panicked = -2,
    /// A model's reply holds no tool call of that provider's form.
    NoToolCall = -3,
    /// No node that this one can see serves the tool, meets the predicate and has the version.
    NoRoute = 1,
    /// The deadline passed.
    Timeout = 2,
    /// The caller gave up.
    Cancelled = 3,
    /// The host does not let this node call.
    Denied = 4,
    /// The arguments do not fit the tool's schema.
    InvalidArguments = 5,
    /// The tool itself says no; the text is its own.
    ToolFailed = 6,
    /// The host answered with another status.
    Server = 7,
    /// The way to the host failed.
    Transport = 8,
    /// A text is not the JSON that it has to be.
    Json = 9,
    /// A descriptor, an option or another argument is not allowed.
    Invalid = 10,
    /// This node serves this version of the tool already.
    AlreadyServing = 11,
    /// A source or a configuration cannot be used.
    Configuration = 12,
    /// The node, stream or call is over.
    Closed = 13,
    /// The system refuses something: threads, an address, a file.
    System = 14,
}

impl ToolmeshCode {
    /// Every code that there is.
    const ALL: [Self; 18] = [
        Self::Ok,
        Self::End,
        Self::Panicked,
        Self::NoToolCall,
        Self::NoRoute,
        Self::Timeout,
        Self::Cancelled,
        Self::Denied,
        Self::InvalidArguments,
        Self::ToolFailed,
        Self::Server,
        Self::Transport,
        Self::Json,
        Self::Invalid,
        Self::AlreadyServing,
        Self::Configuration,
        Self::Closed,
        Self::System,
    ];

    fn word(self) -> &'static str {
        let kind = FaultKind::ALL.into_iter().find(|kind| Self::from(*kind) == self);
        match (kind, self) {
            (Some(kind), _) => kind.as_str(),
            (None, Self::Ok) => "ok",
            (None, Self::End) => "end",
            (None, Self::NoToolCall) => "no_tool_call",
            (None, _) => "panicked",
        }
    }
}

impl From<FaultKind> for ToolmeshCode {
    fn from(kind: FaultKind) -> Self {
        match kind {
            FaultKind::NoRoute => Self::NoRoute,
            FaultKind::Timeout => Self::Timeout,
            FaultKind::Cancelled => Self::Cancelled,
            FaultKind::Denied => Self::Denied,
            FaultKind::InvalidArguments => Self::InvalidArguments,
            FaultKind::ToolFailed => Self::ToolFailed,
            FaultKind::Server => Self::Server,
            FaultKind::Transport => Self::Transport,
            FaultKind::Json => Self::Json,
            FaultKind::Invalid => Self::Invalid,
            FaultKind::AlreadyServing => Self::AlreadyServing,
            FaultKind::Configuration => Self::Configuration,
            FaultKind::Closed => Self::Closed,
            FaultKind::System => Self::System,
        }
    }
}

/// What did not go well.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{0}")]
    Fault(#[from] Fault),
    #[error("{0}")]
    NoToolCall(String),
    #[error("nothing follows")]
    End,
    #[error("toolmesh failed in a way that it should not: this is a defect of it")]
    Panicked,
}

impl From<FormatError> for Failure {
    fn from(error: FormatError) -> Self {
        match error {
            FormatError::Given(fault) => Self::Fault(fault),
            FormatError::Reply(reason) => Self::NoToolCall(reason.to_string()),
        }
    }
}

/// What is the outcome of something, as a text when there is one.
pub(crate) type Outcome = Result<String, Failure>;

/// A JSON array.
pub(crate) fn array<T: Into<Value>>(items: impl IntoIterator<Item = T>) -> Value {
    items.into_iter().map(Into::into).collect()
}

/// A text of an object; it is there as long as the object.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct ToolmeshText {
    /// The first byte, or NULL when there is none.
    pub data: *const u8,
    /// How many bytes there are.
    pub len: usize,
}

impl From<&str> for ToolmeshText {
    fn from(text: &str) -> Self {
        Self {
            data: if text.is_empty() {
                ptr::null()
            } else {
                text.as_ptr()
            },
            len: text.len(),
        }
    }
}

/// How something ended; it belongs to who receives it, see `toolmesh_answer_free`.
#[repr(C)]
#[derive(Debug)]
pub struct ToolmeshAnswer {
    /// A ToolmeshCode.
    pub code: i32,
    /// The status with which the host answered, or 0.
    pub status: u32,
    /// The result's first byte, or that of the reason why there is none, or NULL when there are no bytes.
    pub data: *mut u8,
    /// How many bytes there are.
    pub len: usize,
}

impl ToolmeshAnswer {
    fn new(code: ToolmeshCode, status: Option<u16>, text: String) -> Self {
        let (data, len) = if text.is_empty() {
            (ptr::null_mut(), 0)
        } else {
            let bytes = text.into_bytes().into_boxed_slice();
            let len = bytes.len();
            (Box::into_raw(bytes).cast(), len)
        };
        Self {
            code: code as i32,
            status: status.map_or(0, u32::from),
            data,
            len,
        }
    }

    /// Nothing failed, and there is nothing to tell.
    pub(crate) fn ok() -> Self {
        Self::new(ToolmeshCode::Ok, None, String::new())
    }
}

impl From<Outcome> for ToolmeshAnswer {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Ok(text) => Self::new(ToolmeshCode::Ok, None, text),
            Err(failure) => failure.into(),
        }
    }
}

impl From<Failure> for ToolmeshAnswer {
    fn from(failure: Failure) -> Self {
        let text = failure.to_string();
        match failure {
            Failure::Fault(fault) => Self::new(fault.kind.into(), fault.status, text),
            Failure::NoToolCall(_) => Self::new(ToolmeshCode::NoToolCall, None, text),
            Failure::End => Self::new(ToolmeshCode::End, None, text),
            Failure::Panicked => Self::new(ToolmeshCode::Panicked, None, text),
        }
    }
}

/// Frees the text of an answer.
///
/// # Safety
/// The answer came from this library, and was not freed before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_answer_free(answer: ToolmeshAnswer) {
    if !answer.data.is_null() {
        // SAFETY: `ToolmeshAnswer::new` made both of one boxed slice, and the caller gives it back once.
        drop(unsafe { Box::from_raw(ptr::from_mut(slice::from_raw_parts_mut(answer.data, answer.len))) });
    }
}

/// A code as a word in snake case, which never changes: `no_route`. A number that is no code has no bytes.
#[unsafe(no_mangle)]
pub extern "C" fn toolmesh_code_word(code: i32) -> ToolmeshText {
    let found = ToolmeshCode::ALL.into_iter().find(|known| *known as i32 == code);
    found.map_or("", ToolmeshCode::word).into()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_kind_of_fault_has_its_own_number_as_code() {
        for kind in FaultKind::ALL {
            assert_eq!(ToolmeshCode::from(kind) as i32, kind.code(), "{kind:?}");
            assert_eq!(ToolmeshCode::from(kind).word(), kind.as_str());
        }
    }

    #[test]
    fn every_code_has_a_word_of_its_own() {
        let words: BTreeSet<&str> = ToolmeshCode::ALL.map(ToolmeshCode::word).into();
        assert_eq!(words.len(), ToolmeshCode::ALL.len());
        assert_eq!(toolmesh_code_word(99).len, 0);
        assert!(toolmesh_code_word(99).data.is_null());
    }

    #[test]
    fn an_answer_without_bytes_has_no_pointer() {
        let answer = ToolmeshAnswer::from(Ok(String::new()));
        assert!(answer.data.is_null() && answer.len == 0);
        // SAFETY: it was made two lines above.
        unsafe { toolmesh_answer_free(answer) };
    }
}
