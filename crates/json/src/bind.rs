//! Between values and Rust types, by serde, within budgets.

use crate::{deserialize::ViewDeserializer, number::Number, serialize, value::Value, view::View};
use serde::{Serialize, de, de::DeserializeOwned, ser};
use std::{cell::Cell, fmt};

/// Bounds of one conversion between a value and a Rust type.
///
/// Figures from the binding budgets of the reference (Soklet 4.0, section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BindLimits {
    /// The most values visited or made.
    pub nodes: usize,
    /// The deepest that a value may stand; the root value is at depth 1. More than 256 counts as 256.
    pub depth: usize,
    /// The most elements or members of one container.
    pub entries: usize,
    /// The most characters of one integer written out in decimal, the minus sign included.
    pub integer_chars: usize,
    /// The most characters of numbers handed over as text, all together.
    pub number_chars: usize,
}

impl Default for BindLimits {
    fn default() -> BindLimits {
        BindLimits {
            nodes: 100_000,
            depth: 128,
            entries: 100_000,
            integer_chars: 1_024,
            number_chars: 4_194_304,
        }
    }
}

/// Why a value and a Rust type did not come together.
///
/// [`Mismatch`](BindError::Mismatch) may quote the value: it is for logs and authors, not for strangers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// The shapes differ; serde's own words.
    #[error("the value does not fit the type: {0}")]
    Mismatch(String),
    /// More values than [`BindLimits::nodes`].
    #[error("the value has too many parts to convert: make it smaller")]
    TooManyNodes,
    /// A value deeper than [`BindLimits::depth`].
    #[error("the value is nested too deeply to convert: flatten it")]
    TooDeep,
    /// A container with more than [`BindLimits::entries`].
    #[error("an array or object has too many entries to convert: make it smaller")]
    TooManyEntries,
    /// An integer longer than [`BindLimits::integer_chars`] when written out, or a number that no [`Number`] holds.
    #[error("a number is too long to convert: shorten it")]
    NumberTooLong,
    /// Numbers handed over as text exceed [`BindLimits::number_chars`] together.
    #[error("the numbers of the value are too long to convert: shorten them or send fewer")]
    NumberBudget,
    /// An infinity or NaN, which JSON cannot write.
    #[error(
        "a floating point number is infinite or not a number, which JSON cannot write: use null or a text"
    )]
    NotFinite,
    /// A number that the type has no room for.
    #[error("a number is outside the range of its type, or has a fraction where an integer is required")]
    OutOfRange,
    /// A map key that is neither text, a number, a boolean, nor a unit variant.
    #[error("a map has keys that are no texts: use texts, numbers or booleans as keys")]
    KeyNotText,
    /// Two members of one name, as from a flattened field that repeats one.
    #[error("an object would have two members of one name: rename a field")]
    DuplicateName,
}

impl ser::Error for BindError {
    fn custom<T: fmt::Display>(message: T) -> BindError {
        BindError::Mismatch(message.to_string())
    }
}

impl de::Error for BindError {
    fn custom<T: fmt::Display>(message: T) -> BindError {
        BindError::Mismatch(message.to_string())
    }
}

/// What is left of [`BindLimits`] during one conversion.
pub(crate) struct Budget {
    limits: BindLimits,
    nodes: Cell<usize>,
    number_chars: Cell<usize>,
}

impl Budget {
    pub(crate) fn new(limits: &BindLimits) -> Budget {
        Budget {
            limits: BindLimits {
                depth: limits.depth.min(256),
                ..*limits
            },
            nodes: Cell::new(limits.nodes),
            number_chars: Cell::new(limits.number_chars),
        }
    }

    /// One more value at this depth.
    pub(crate) fn admit(&self, depth: usize) -> Result<(), BindError> {
        if depth > self.limits.depth {
            return Err(BindError::TooDeep);
        }
        self.nodes
            .set(self.nodes.get().checked_sub(1).ok_or(BindError::TooManyNodes)?);
        Ok(())
    }

    /// A container of so many entries.
    pub(crate) fn admit_entries(&self, entries: usize) -> Result<(), BindError> {
        if entries > self.limits.entries {
            Err(BindError::TooManyEntries)
        } else {
            Ok(())
        }
    }

    /// A number handed over as a text of so many characters.
    pub(crate) fn admit_number(&self, chars: usize) -> Result<(), BindError> {
        let left = self
            .number_chars
            .get()
            .checked_sub(chars)
            .ok_or(BindError::NumberBudget)?;
        self.number_chars.set(left);
        Ok(())
    }
}

/// Writes out integers of unbounded size for one conversion, each and all together within [`BindLimits`].
///
/// ```
/// use toolmesh_json::{BindError, IntegerBudget, Number};
///
/// let mut budget = IntegerBudget::default();
/// assert_eq!(budget.expand(&"-1.5e3".parse()?), Ok("-1500".to_owned()));
/// assert_eq!(budget.expand(&"1e9999".parse()?), Err(BindError::NumberTooLong));
/// assert_eq!(budget.expand(&"0.5".parse()?), Err(BindError::OutOfRange));
/// # Ok::<(), toolmesh_json::NumberError>(())
/// ```
#[derive(Clone, Debug)]
pub struct IntegerBudget {
    one: usize,
    left: usize,
}

impl IntegerBudget {
    /// A fresh budget.
    pub const fn new(limits: &BindLimits) -> IntegerBudget {
        IntegerBudget {
            one: limits.integer_chars,
            left: limits.number_chars,
        }
    }

    /// The plain decimal digits of an integer; every call is charged, also for an integer seen before.
    ///
    /// # Errors
    /// [`BindError::OutOfRange`] when the number has a fraction, [`BindError::NumberTooLong`] when it is too long by itself,
    /// [`BindError::NumberBudget`] when it is together with those before.
    pub fn expand(&mut self, integer: &Number) -> Result<String, BindError> {
        if !integer.is_integer() {
            return Err(BindError::OutOfRange);
        }
        let text = integer
            .to_integer_text(self.one)
            .ok_or(BindError::NumberTooLong)?;
        self.left = self.left.checked_sub(text.len()).ok_or(BindError::NumberBudget)?;
        Ok(text)
    }
}

impl Default for IntegerBudget {
    fn default() -> IntegerBudget {
        IntegerBudget::new(&BindLimits::default())
    }
}

impl Value {
    /// The value that a Rust value serialises to, within [`BindLimits::default`].
    ///
    /// Integers of up to 128 bits are exact, floats become their shortest decimal, bytes an array of numbers.
    ///
    /// # Errors
    /// [`BindError`] when the type has no JSON form, or a limit is exceeded.
    pub fn from_serialize<T: Serialize + ?Sized>(value: &T) -> Result<Value, BindError> {
        Value::from_serialize_with(value, &BindLimits::default())
    }

    /// The value that a Rust value serialises to, within `limits`.
    ///
    /// # Errors
    /// [`BindError`] when the type has no JSON form, or a limit is exceeded.
    pub fn from_serialize_with<T: Serialize + ?Sized>(
        value: &T,
        limits: &BindLimits,
    ) -> Result<Value, BindError> {
        serialize::to_value(value, &Budget::new(limits))
    }

    /// The Rust value that this value deserialises to, within [`BindLimits::default`].
    ///
    /// Integers are taken from any integral spelling (`1.0`, `1e2`) and checked against the range of the type; floats are the
    /// nearest ones and must be finite.
    ///
    /// # Errors
    /// [`BindError`] when the value does not fit the type, or a limit is exceeded.
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<T, BindError> {
        self.view().deserialize()
    }
}

impl<'a> View<'a> {
    /// The Rust value that this value deserialises to, within [`BindLimits::default`]; texts may be borrowed.
    ///
    /// # Errors
    /// [`BindError`] when the value does not fit the type, or a limit is exceeded.
    pub fn deserialize<T: de::Deserialize<'a>>(self) -> Result<T, BindError> {
        self.deserialize_with(&BindLimits::default())
    }

    /// The Rust value that this value deserialises to, within `limits`; texts may be borrowed.
    ///
    /// # Errors
    /// [`BindError`] when the value does not fit the type, or a limit is exceeded.
    pub fn deserialize_with<T: de::Deserialize<'a>>(self, limits: &BindLimits) -> Result<T, BindError> {
        T::deserialize(ViewDeserializer::new(self, &Budget::new(limits)))
    }
}
