//! From a Rust value to its one JSON form, within budgets.

use std::fmt;

use toolmesh_json::{BindLimits, Number, ObjectBuilder, Value};

use super::{Place, ToolField, ToolType};

/// Why a value cannot be published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PublishFault {
    /// An infinity or NaN, which JSON cannot write.
    #[error("a float is infinite or not a number, which JSON cannot write: leave it out or use a text")]
    NotFinite,
    /// An integer that has more characters than [`BindLimits::integer_chars`].
    #[error("an integer has too many digits: no peer would take it back")]
    IntegerTooLong,
    /// More values than [`BindLimits::nodes`].
    #[error("the value has too many parts: publish less at once")]
    TooManyNodes,
    /// A value deeper than [`BindLimits::depth`].
    #[error("the value is nested too deeply: flatten it")]
    TooDeep,
    /// A container with more than [`BindLimits::entries`].
    #[error("a list or map has too many entries: publish less at once")]
    TooManyEntries,
}

/// Why a value cannot be published, and which part of it. For authors and the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishRefusal(Box<(PublishFault, Place)>);

impl PublishRefusal {
    /// What is wrong.
    #[must_use]
    pub fn fault(&self) -> PublishFault {
        self.0.0
    }

    /// Where in the value.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.0.1
    }

    fn inside(self, segment: impl Into<String>) -> Self {
        let (fault, place) = *self.0;
        Self(Box::new((fault, place.inside(segment))))
    }
}

impl From<PublishFault> for PublishRefusal {
    fn from(fault: PublishFault) -> Self {
        Self(Box::new((fault, Place::default())))
    }
}

impl fmt::Display for PublishRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place(), self.fault())
    }
}

impl std::error::Error for PublishRefusal {}

/// The JSON form of a value, within the default [`BindLimits`].
///
/// # Errors
/// [`PublishRefusal`] says which part has no JSON form.
pub fn publish<T: ToolType>(value: &T) -> Result<Value, PublishRefusal> {
    publish_with(value, &BindLimits::default())
}

/// The JSON form of a value, within `limits` (all but `number_chars`, which is a budget of reading).
///
/// # Errors
/// [`PublishRefusal`] says which part has no JSON form.
pub fn publish_with<T: ToolType>(value: &T, limits: &BindLimits) -> Result<Value, PublishRefusal> {
    Publication::new(limits).publish(value)
}

/// What is left of the budgets of one publication.
#[derive(Debug)]
pub struct Publication {
    entries: usize,
    integer_chars: usize,
    nodes_left: usize,
    depth_left: usize,
}

impl Publication {
    fn new(limits: &BindLimits) -> Self {
        Self {
            entries: limits.entries,
            integer_chars: limits.integer_chars,
            nodes_left: limits.nodes,
            depth_left: limits.depth,
        }
    }

    /// Publishes a value that stands here.
    ///
    /// # Errors
    /// As [`ToolType::publish`]; and when a budget is spent.
    pub fn publish<T: ToolType>(&mut self, value: &T) -> Result<Value, PublishRefusal> {
        self.nodes_left = self.nodes_left.checked_sub(1).ok_or(PublishFault::TooManyNodes)?;
        self.depth_left = self.depth_left.checked_sub(1).ok_or(PublishFault::TooDeep)?;
        let published = value.publish(self);
        self.depth_left += 1;
        published
    }

    /// The integer of these plain decimal digits.
    ///
    /// # Errors
    /// [`PublishFault::IntegerTooLong`].
    pub fn integer(&mut self, text: &str) -> Result<Value, PublishRefusal> {
        self.admit_integer(text.len())?;
        let number = Number::parse(text).map_err(|_| PublishFault::IntegerTooLong)?;
        Ok(Value::from(number))
    }

    /// Whether an integer of so many characters can be published.
    pub(super) fn admit_integer(&self, chars: usize) -> Result<(), PublishRefusal> {
        if chars > self.integer_chars {
            return Err(PublishFault::IntegerTooLong.into());
        }
        Ok(())
    }

    /// Publishes a list.
    ///
    /// # Errors
    /// As [`ToolType::publish`] of the elements; and when there are too many.
    pub fn list<T: ToolType>(&mut self, elements: &[T]) -> Result<Value, PublishRefusal> {
        self.admit_entries(elements.len())?;
        let mut list = Value::array();
        for (index, element) in elements.iter().enumerate() {
            let published = self
                .publish(element)
                .map_err(|refusal| refusal.inside(index.to_string()))?;
            list = list.push(published);
        }
        Ok(list.build())
    }

    /// Publishes a map, its members sorted by the bytes of their names, so that equal maps are equal texts.
    ///
    /// # Errors
    /// As [`ToolType::publish`] of the values; and when there are too many.
    pub fn map<'m, T: ToolType>(
        &mut self,
        members: impl ExactSizeIterator<Item = (&'m String, &'m T)>,
    ) -> Result<Value, PublishRefusal> {
        self.admit_entries(members.len())?;
        let mut members: Vec<_> = members.collect();
        members.sort_unstable_by_key(|(name, _)| *name);
        let mut map = Value::object();
        for (name, member) in members {
            let published = self.publish(member).map_err(|refusal| refusal.inside(name))?;
            map.insert(name, published);
        }
        Ok(map.build())
    }

    /// Publishes a struct, its members in the order in which `fields` puts them.
    ///
    /// # Errors
    /// What `fields` gives.
    pub fn record(
        &mut self,
        fields: impl FnOnce(&mut PublishedMembers<'_>) -> Result<(), PublishRefusal>,
    ) -> Result<Value, PublishRefusal> {
        let mut members = PublishedMembers {
            publication: self,
            object: Value::object(),
        };
        fields(&mut members)?;
        Ok(members.object.build())
    }

    fn admit_entries(&self, entries: usize) -> Result<(), PublishRefusal> {
        if entries > self.entries {
            return Err(PublishFault::TooManyEntries.into());
        }
        Ok(())
    }
}

/// The members of a struct while they are being published.
pub struct PublishedMembers<'p> {
    publication: &'p mut Publication,
    object: ObjectBuilder,
}

impl PublishedMembers<'_> {
    /// Puts the member of a field, unless it is absent.
    ///
    /// # Errors
    /// As [`ToolField::publish`].
    pub fn put<F: ToolField>(&mut self, name: &str, field: &F) -> Result<(), PublishRefusal> {
        let published = field
            .publish(self.publication)
            .map_err(|refusal| refusal.inside(name))?;
        if let Some(value) = published {
            self.object.insert(name, value);
        }
        Ok(())
    }
}
