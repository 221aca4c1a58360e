//! What can be wrong with a document.

/// A document that is not JSON as this crate reads it, or exceeds a limit.
///
/// The message is fixed per kind and repeats nothing of the document, so it may be shown to strangers. For people,
/// [`locate`](ParseError::locate) turns the offset into line and column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}, at byte {offset}")]
pub struct ParseError {
    kind: ParseErrorKind,
    offset: usize,
}

impl ParseError {
    pub(crate) const fn new(kind: ParseErrorKind, offset: usize) -> ParseError {
        ParseError { kind, offset }
    }

    /// What is wrong.
    pub const fn kind(&self) -> ParseErrorKind {
        self.kind
    }

    /// Where, in bytes from the start: the offending byte, or the first byte of the value or name that exceeds a limit.
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// Line and column of the error in `bytes`, the document that was parsed; both count from 1, columns in characters.
    pub fn locate(&self, bytes: &[u8]) -> (usize, usize) {
        let before = bytes.get(..self.offset).unwrap_or(bytes);
        let line_start = before
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |newline| newline + 1);
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        let rest = before.get(line_start..).unwrap_or_default();
        let is_character_start = |byte: &&u8| **byte & 0b1100_0000 != 0b1000_0000;
        (line, rest.iter().filter(is_character_start).count() + 1)
    }
}

/// The kinds of [`ParseError`]; each displays as one fixed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// The document has no value.
    #[error("the document is empty: one JSON value is required")]
    Empty,
    /// The document ends inside a value.
    #[error("the document ends too early: a value is not complete")]
    UnexpectedEnd,
    /// A byte that cannot stand where it stands.
    #[error("the document is not JSON: a character is not allowed here")]
    UnexpectedByte,
    /// Something follows the value.
    #[error("the document goes on after its value: only one value is allowed")]
    TrailingContent,
    /// A byte order mark at the start.
    #[error("the document begins with a byte order mark: remove it")]
    ByteOrderMark,
    /// Bytes that are not UTF-8.
    #[error("the document is not valid UTF-8")]
    InvalidUtf8,
    /// A number that breaks the grammar of RFC 8259.
    #[error("a number is malformed")]
    InvalidNumber,
    /// An escape that does not exist or is not complete.
    #[error("a string has an invalid escape")]
    InvalidEscape,
    /// A surrogate without its other half.
    #[error("a string has an unpaired surrogate")]
    UnpairedSurrogate,
    /// A raw control character below U+0020 in a string.
    #[error("a string has a raw control character: escape it")]
    ControlCharacter,
    /// A member name that the object already has.
    #[error("an object has two members of one name")]
    DuplicateName,
    /// More bytes than [`Limits::bytes`](crate::Limits::bytes).
    #[error("the document has too many bytes")]
    TooManyBytes,
    /// A value deeper than [`Limits::depth`](crate::Limits::depth).
    #[error("the document is nested too deeply")]
    TooDeep,
    /// More values than [`Limits::nodes`](crate::Limits::nodes).
    #[error("the document has too many values")]
    TooManyNodes,
    /// A string or name beyond [`Limits::string_units`](crate::Limits::string_units).
    #[error("a string is too long")]
    StringTooLong,
    /// A string or name beyond [`Limits::token_units`](crate::Limits::token_units).
    #[error("a string is spelled with too many characters")]
    TokenTooLong,
    /// A number beyond [`Limits::number_chars`](crate::Limits::number_chars).
    #[error("a number is spelled with too many characters")]
    NumberTokenTooLong,
    /// A number beyond [`Limits::exponent`](crate::Limits::exponent).
    #[error("a number's exponent is too large")]
    ExponentTooLarge,
    /// A number beyond [`Limits::number_text_chars`](crate::Limits::number_text_chars).
    #[error("a number's text form is too long")]
    NumberTextTooLong,
}

impl ParseErrorKind {
    /// Whether a limit was exceeded, as opposed to a document that is no JSON.
    pub const fn is_limit(self) -> bool {
        matches!(
            self,
            ParseErrorKind::TooManyBytes
                | ParseErrorKind::TooDeep
                | ParseErrorKind::TooManyNodes
                | ParseErrorKind::StringTooLong
                | ParseErrorKind::TokenTooLong
                | ParseErrorKind::NumberTokenTooLong
                | ParseErrorKind::ExponentTooLarge
                | ParseErrorKind::NumberTextTooLong
        )
    }
}
