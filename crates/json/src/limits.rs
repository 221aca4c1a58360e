//! The bounds of reading and writing: their defaults, ceilings, and setters.
//!
//! Figures from the codec table of the reference (Soklet 4.0, section 1.8).

use std::fmt;

/// Which bound a [`LimitError`] or a [`WriteError`](crate::WriteError) is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LimitName {
    /// Bytes of the whole text.
    Bytes,
    /// Nesting; the root value is at depth 1.
    Depth,
    /// Values; names are not counted.
    Nodes,
    /// UTF-16 units of one decoded string or name.
    StringUnits,
    /// UTF-16 units of one string or name as spelled, quotes excluded.
    TokenUnits,
    /// Characters of one number as spelled.
    NumberChars,
    /// Magnitude of an exponent.
    Exponent,
    /// Characters of one number's text form.
    NumberTextChars,
}

impl fmt::Display for LimitName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LimitName::Bytes => "bytes",
            LimitName::Depth => "depth",
            LimitName::Nodes => "nodes",
            LimitName::StringUnits => "string units",
            LimitName::TokenUnits => "token units",
            LimitName::NumberChars => "number characters",
            LimitName::Exponent => "exponent",
            LimitName::NumberTextChars => "number text characters",
        })
    }
}

/// A limit was set to zero or above its ceiling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the limit on {name} cannot be {requested}: choose from 1 to {ceiling}")]
pub struct LimitError {
    /// The bound that was to be set.
    pub name: LimitName,
    /// What was asked for.
    pub requested: usize,
    /// The largest that may be asked for.
    pub ceiling: usize,
}

fn within(name: LimitName, requested: usize, ceiling: usize) -> Result<usize, LimitError> {
    if (1..=ceiling).contains(&requested) {
        Ok(requested)
    } else {
        Err(LimitError {
            name,
            requested,
            ceiling,
        })
    }
}

/// All bounds of reading one document. Setters refuse zero and what exceeds the ceiling.
///
/// ```
/// use toolmesh_json::{Limits, parse_with};
///
/// let limits = Limits::default().with_depth(2)?;
/// assert!(parse_with(b"[1]", &limits).is_ok());
/// assert!(parse_with(b"[[1]]", &limits).is_err());
/// # Ok::<(), toolmesh_json::LimitError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    bytes: usize,
    depth: usize,
    nodes: usize,
    string_units: usize,
    token_units: usize,
    number_chars: usize,
    exponent: u32,
    number_text_chars: usize,
}

impl Limits {
    /// Bytes of a document unless set: 4 MiB.
    pub const DEFAULT_BYTES: usize = 4 << 20;
    /// The most bytes that can be set: 16 MiB.
    pub const MAX_BYTES: usize = 16 << 20;
    /// Depth unless set; the root value is at depth 1.
    pub const DEFAULT_DEPTH: usize = 128;
    /// The most depth that can be set.
    pub const MAX_DEPTH: usize = 256;
    /// Values in a document unless set.
    pub const DEFAULT_NODES: usize = 100_000;
    /// The most values that can be set.
    pub const MAX_NODES: usize = 1_000_000;
    /// UTF-16 units of a decoded string or name unless set.
    pub const DEFAULT_STRING_UNITS: usize = 1 << 20;
    /// The most UTF-16 units of a decoded string or name that can be set.
    pub const MAX_STRING_UNITS: usize = 4 << 20;
    /// UTF-16 units of a string or name as spelled unless set.
    pub const DEFAULT_TOKEN_UNITS: usize = 1 << 20;
    /// The most UTF-16 units of a string or name as spelled that can be set.
    pub const MAX_TOKEN_UNITS: usize = 4 << 20;
    /// Characters of a number as spelled unless set.
    pub const DEFAULT_NUMBER_CHARS: usize = 1_024;
    /// The most characters of a number as spelled that can be set.
    pub const MAX_NUMBER_CHARS: usize = 4_096;
    /// Magnitude of an exponent unless set, of the written one and of the first digit's.
    pub const DEFAULT_EXPONENT: u32 = 10_000;
    /// The largest magnitude of an exponent that can be set.
    pub const MAX_EXPONENT: u32 = 100_000;
    /// Characters of a number's text form unless set.
    pub const DEFAULT_NUMBER_TEXT_CHARS: usize = 1_024;
    /// The most characters of a number's text form that can be set.
    pub const MAX_NUMBER_TEXT_CHARS: usize = 4_096;

    /// Every bound at its ceiling: for documents of the operator's own, not of strangers.
    pub const fn ceiling() -> Limits {
        Limits {
            bytes: Limits::MAX_BYTES,
            depth: Limits::MAX_DEPTH,
            nodes: Limits::MAX_NODES,
            string_units: Limits::MAX_STRING_UNITS,
            token_units: Limits::MAX_TOKEN_UNITS,
            number_chars: Limits::MAX_NUMBER_CHARS,
            exponent: Limits::MAX_EXPONENT,
            number_text_chars: Limits::MAX_NUMBER_TEXT_CHARS,
        }
    }

    /// The profile of durable task records: 32 MiB, 2,000,000 values, depth 256, the rest as by default.
    pub const fn durable() -> Limits {
        Limits {
            bytes: 32 << 20,
            depth: 256,
            nodes: 2_000_000,
            ..Limits::DEFAULT
        }
    }

    /// The profile of one answer of a mesh: 64 MiB, of which one text may be all, 2,000,000 values, the rest as at the ceiling.
    pub const fn answer() -> Limits {
        Limits {
            bytes: 64 << 20,
            nodes: 2_000_000,
            string_units: 64 << 20,
            token_units: 64 << 20,
            ..Limits::ceiling()
        }
    }

    const DEFAULT: Limits = Limits {
        bytes: Limits::DEFAULT_BYTES,
        depth: Limits::DEFAULT_DEPTH,
        nodes: Limits::DEFAULT_NODES,
        string_units: Limits::DEFAULT_STRING_UNITS,
        token_units: Limits::DEFAULT_TOKEN_UNITS,
        number_chars: Limits::DEFAULT_NUMBER_CHARS,
        exponent: Limits::DEFAULT_EXPONENT,
        number_text_chars: Limits::DEFAULT_NUMBER_TEXT_CHARS,
    };

    /// The most bytes of a document.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// The deepest that a value may stand; the root value is at depth 1.
    pub const fn depth(&self) -> usize {
        self.depth
    }

    /// The most values; names are not counted.
    pub const fn nodes(&self) -> usize {
        self.nodes
    }

    /// The most UTF-16 units of one decoded string or name.
    pub const fn string_units(&self) -> usize {
        self.string_units
    }

    /// The most UTF-16 units of one string or name as spelled, quotes excluded: `\u0061` counts six.
    pub const fn token_units(&self) -> usize {
        self.token_units
    }

    /// The most characters of one number as spelled.
    pub const fn number_chars(&self) -> usize {
        self.number_chars
    }

    /// The largest magnitude of an exponent, of the written one and of the first digit's.
    pub const fn exponent(&self) -> u32 {
        self.exponent
    }

    /// The most characters of one number's text form.
    pub const fn number_text_chars(&self) -> usize {
        self.number_text_chars
    }

    /// Sets the most bytes of a document.
    ///
    /// # Errors
    /// [`LimitError`] for zero or more than [`Limits::MAX_BYTES`].
    pub fn with_bytes(self, bytes: usize) -> Result<Limits, LimitError> {
        Ok(Limits {
            bytes: within(LimitName::Bytes, bytes, Limits::MAX_BYTES)?,
            ..self
        })
    }

    /// Sets the deepest that a value may stand.
    ///
    /// # Errors
    /// [`LimitError`] for zero or more than [`Limits::MAX_DEPTH`].
    pub fn with_depth(self, depth: usize) -> Result<Limits, LimitError> {
        Ok(Limits {
            depth: within(LimitName::Depth, depth, Limits::MAX_DEPTH)?,
            ..self
        })
    }

    /// Sets the most values.
    ///
    /// # Errors
    /// [`LimitError`] for zero or more than [`Limits::MAX_NODES`].
    pub fn with_nodes(self, nodes: usize) -> Result<Limits, LimitError> {
        Ok(Limits {
            nodes: within(LimitName::Nodes, nodes, Limits::MAX_NODES)?,
            ..self
        })
    }

    /// Sets the most UTF-16 units of one decoded string or name.
    ///
    /// # Errors
    /// [`LimitError`] for zero or more than [`Limits::MAX_STRING_UNITS`].
    pub fn with_string_units(self, units: usize) -> Result<Limits, LimitError> {
        let string_units = within(LimitName::StringUnits, units, Limits::MAX_STRING_UNITS)?;
        Ok(Limits { string_units, ..self })
    }

    /// Sets the most UTF-16 units of one string or name as spelled.
    ///
    /// # Errors
    /// [`LimitError`] for zero or more than [`Limits::MAX_TOKEN_UNITS`].
    pub fn with_token_units(self, units: usize) -> Result<Limits, LimitError> {
        let token_units = within(LimitName::TokenUnits, units, Limits::MAX_TOKEN_UNITS)?;
        Ok(Limits { token_units, ..self })
    }

    /// Sets the most characters of one number as spelled.
    ///
    /// # Errors
    /// [`LimitError`] for zero or more than [`Limits::MAX_NUMBER_CHARS`].
    pub fn with_number_chars(self, chars: usize) -> Result<Limits, LimitError> {
        let number_chars = within(LimitName::NumberChars, chars, Limits::MAX_NUMBER_CHARS)?;
        Ok(Limits { number_chars, ..self })
    }

    /// Sets the largest magnitude of an exponent.
    ///
    /// # Errors
    /// [`LimitError`] for zero or more than [`Limits::MAX_EXPONENT`].
    pub fn with_exponent(self, exponent: u32) -> Result<Limits, LimitError> {
        within(
            LimitName::Exponent,
            exponent as usize,
            Limits::MAX_EXPONENT as usize,
        )?;
        Ok(Limits { exponent, ..self })
    }

    /// Sets the most characters of one number's text form.
    ///
    /// # Errors
    /// [`LimitError`] for zero or more than [`Limits::MAX_NUMBER_TEXT_CHARS`].
    pub fn with_number_text_chars(self, chars: usize) -> Result<Limits, LimitError> {
        let number_text_chars = within(LimitName::NumberTextChars, chars, Limits::MAX_NUMBER_TEXT_CHARS)?;
        Ok(Limits {
            number_text_chars,
            ..self
        })
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::DEFAULT
    }
}

/// All bounds of writing one document, checked while it is written. The defaults are those of [`Limits`]: 4 MiB of output.
///
/// The same figures as for reading, so that what is written can be read back under the same limits. Spelled units count an
/// escape as it is written: two for a short one, six for `\u001f`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutputLimits(Limits);

impl OutputLimits {
    /// Bounds for writing that equal those for reading.
    pub const fn new(limits: Limits) -> OutputLimits {
        OutputLimits(limits)
    }

    /// The bounds as those for reading.
    pub const fn as_limits(&self) -> &Limits {
        &self.0
    }

    /// The most bytes written.
    pub const fn bytes(&self) -> usize {
        self.0.bytes
    }

    /// The deepest that a value may stand; the root value is at depth 1.
    pub const fn depth(&self) -> usize {
        self.0.depth
    }

    /// The most values; names are not counted.
    pub const fn nodes(&self) -> usize {
        self.0.nodes
    }

    /// The most UTF-16 units of one string or name as written, quotes excluded.
    pub const fn token_units(&self) -> usize {
        self.0.token_units
    }

    /// Sets the most bytes written.
    ///
    /// # Errors
    /// [`LimitError`] for zero or more than [`Limits::MAX_BYTES`].
    pub fn with_bytes(self, bytes: usize) -> Result<OutputLimits, LimitError> {
        self.0.with_bytes(bytes).map(OutputLimits)
    }

    /// Sets the deepest that a value may stand.
    ///
    /// # Errors
    /// [`LimitError`] for zero or more than [`Limits::MAX_DEPTH`].
    pub fn with_depth(self, depth: usize) -> Result<OutputLimits, LimitError> {
        self.0.with_depth(depth).map(OutputLimits)
    }

    /// Sets the most values.
    ///
    /// # Errors
    /// [`LimitError`] for zero or more than [`Limits::MAX_NODES`].
    pub fn with_nodes(self, nodes: usize) -> Result<OutputLimits, LimitError> {
        self.0.with_nodes(nodes).map(OutputLimits)
    }

    /// Sets the most UTF-16 units of one string or name as written.
    ///
    /// # Errors
    /// [`LimitError`] for zero or more than [`Limits::MAX_TOKEN_UNITS`].
    pub fn with_token_units(self, units: usize) -> Result<OutputLimits, LimitError> {
        self.0.with_token_units(units).map(OutputLimits)
    }
}
