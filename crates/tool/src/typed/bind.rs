//! From a JSON value to a Rust value, within budgets.

use std::{collections::HashSet, fmt};

use toolmesh_json::{BindLimits, Kind, Number, ObjectView, View};

use super::{Place, ToolField, ToolType};

/// Why a value does not fit its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BindFault {
    /// The value is of another kind; null fits nothing.
    #[error("expected {expected}, found {found}")]
    Kind {
        /// The kind that the type takes.
        expected: Kind,
        /// The kind that came.
        found: Kind,
    },
    /// A member that the struct does not have.
    #[error("the object has no place for this member")]
    UnknownMember,
    /// A member that must be there.
    #[error("the member is missing")]
    MissingMember,
    /// A text that names none of an enum's variants.
    #[error("the text is none of the names allowed here")]
    UnknownName,
    /// A number with a fraction where an integer is taken.
    #[error("expected an integer, found a number with a fraction")]
    NotAnInteger,
    /// An integer outside its type, or a float beyond the largest.
    #[error("the number is outside the range of its type")]
    OutOfRange,
    /// An integer that has more characters than [`BindLimits::integer_chars`] when written out.
    #[error("the integer has too many digits when written out")]
    IntegerTooLong,
    /// Integers that have more characters than [`BindLimits::number_chars`] together when written out.
    #[error("the integers of the value have too many digits together when written out")]
    IntegerBudget,
    /// A list of another length than the array's.
    #[error("expected {expected} elements, found {found}")]
    Length {
        /// The array's length.
        expected: usize,
        /// The list's length.
        found: usize,
    },
    /// More values than [`BindLimits::nodes`].
    #[error("the value has too many parts")]
    TooManyNodes,
    /// A value deeper than [`BindLimits::depth`].
    #[error("the value is nested too deeply")]
    TooDeep,
    /// A container with more than [`BindLimits::entries`].
    #[error("the list or object has too many entries")]
    TooManyEntries,
}

/// Why a value does not fit its type, and where in the value. For authors and the log: the place may hold a submitted key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BindRefusal(Box<(BindFault, Place)>);

impl BindRefusal {
    /// What does not fit.
    #[must_use]
    pub fn fault(&self) -> BindFault {
        self.0.0
    }

    /// Where in the value.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.0.1
    }

    pub(super) fn missing() -> Self {
        BindFault::MissingMember.into()
    }

    pub(super) fn inside(self, segment: impl Into<String>) -> Self {
        let (fault, place) = *self.0;
        Self(Box::new((fault, place.inside(segment))))
    }
}

impl From<BindFault> for BindRefusal {
    fn from(fault: BindFault) -> Self {
        Self(Box::new((fault, Place::default())))
    }
}

impl fmt::Display for BindRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place(), self.fault())
    }
}

impl std::error::Error for BindRefusal {}

/// Binds a value to a type within the default [`BindLimits`].
///
/// # Errors
/// [`BindRefusal`] says where the value does not fit and why.
pub fn bind<T: ToolType>(value: View<'_>) -> Result<T, BindRefusal> {
    bind_with(value, &BindLimits::default())
}

/// Binds a value to a type within `limits`.
///
/// # Errors
/// [`BindRefusal`] says where the value does not fit and why.
pub fn bind_with<T: ToolType>(value: View<'_>, limits: &BindLimits) -> Result<T, BindRefusal> {
    Binding::new(limits).bind(value)
}

/// What is left of the budgets of one binding.
#[derive(Debug)]
pub struct Binding {
    entries: usize,
    integer_chars: usize,
    nodes_left: usize,
    depth_left: usize,
    number_chars_left: usize,
}

impl Binding {
    fn new(limits: &BindLimits) -> Self {
        Self {
            entries: limits.entries,
            integer_chars: limits.integer_chars,
            nodes_left: limits.nodes,
            depth_left: limits.depth,
            number_chars_left: limits.number_chars,
        }
    }

    /// Binds a value that stands here.
    ///
    /// # Errors
    /// As [`ToolType::bind`]; and when a budget is spent.
    pub fn bind<T: ToolType>(&mut self, value: View<'_>) -> Result<T, BindRefusal> {
        self.nodes_left = self.nodes_left.checked_sub(1).ok_or(BindFault::TooManyNodes)?;
        self.depth_left = self.depth_left.checked_sub(1).ok_or(BindFault::TooDeep)?;
        let bound = T::bind(value, self);
        self.depth_left += 1;
        bound
    }

    /// The text of a value.
    ///
    /// # Errors
    /// [`BindFault::Kind`] when the value is none.
    pub fn text<'v>(&mut self, value: View<'v>) -> Result<&'v str, BindRefusal> {
        value.as_str().ok_or_else(|| kind(value, Kind::String))
    }

    /// The number of a value.
    ///
    /// # Errors
    /// [`BindFault::Kind`] when the value is none.
    pub fn number<'v>(&mut self, value: View<'v>) -> Result<&'v Number, BindRefusal> {
        value.as_number().ok_or_else(|| kind(value, Kind::Number))
    }

    /// Pays for an integer that has so many characters when written out.
    ///
    /// # Errors
    /// [`BindFault::IntegerTooLong`] for this one, [`BindFault::IntegerBudget`] for all together.
    pub fn pay_for_integer(&mut self, chars: usize) -> Result<(), BindRefusal> {
        if chars > self.integer_chars {
            return Err(BindFault::IntegerTooLong.into());
        }
        let left = self.number_chars_left.checked_sub(chars);
        self.number_chars_left = left.ok_or(BindFault::IntegerBudget)?;
        Ok(())
    }

    /// The plain decimal digits of an integer, paid for; nothing longer than the budget is ever written out.
    ///
    /// # Errors
    /// As [`Binding::pay_for_integer`]; [`BindFault::NotAnInteger`] for a number with a fraction.
    pub fn integer_text(&mut self, number: &Number) -> Result<String, BindRefusal> {
        if !number.is_integer() {
            return Err(BindFault::NotAnInteger.into());
        }
        let text = number
            .to_integer_text(self.integer_chars)
            .ok_or(BindFault::IntegerTooLong)?;
        self.pay_for_integer(text.len())?;
        Ok(text)
    }

    /// The elements of a list, collected.
    ///
    /// # Errors
    /// As [`ToolType::bind`] of the elements; and when the value is no list or has too many elements.
    pub fn list<T: ToolType>(&mut self, value: View<'_>) -> Result<Vec<T>, BindRefusal> {
        let elements = value.as_array().ok_or_else(|| kind(value, Kind::Array))?;
        self.admit_entries(elements.len())?;
        let bound = elements.iter().enumerate().map(|(index, element)| {
            self.bind(element)
                .map_err(|refusal| refusal.inside(index.to_string()))
        });
        bound.collect()
    }

    /// The members of a map from text, collected in their order.
    ///
    /// # Errors
    /// As [`ToolType::bind`] of the values; and when the value is no object or has too many members.
    pub fn map<T: ToolType, M: FromIterator<(String, T)>>(
        &mut self,
        value: View<'_>,
    ) -> Result<M, BindRefusal> {
        let members = self.members(value)?;
        let bound = members.iter().map(|(name, member)| {
            let member = self.bind(member).map_err(|refusal| refusal.inside(name))?;
            Ok((name.to_owned(), member))
        });
        bound.collect()
    }

    /// The fields of a struct whose members have these names, and no others.
    ///
    /// # Errors
    /// What `fields` gives; and when the value is no object or has a member of another name.
    pub fn record<T>(
        &mut self,
        value: View<'_>,
        names: &[&str],
        fields: impl FnOnce(&mut BoundMembers<'_, '_>) -> Result<T, BindRefusal>,
    ) -> Result<T, BindRefusal> {
        let object = self.members(value)?;
        let mut members = BoundMembers {
            binding: self,
            object,
            found: 0,
        };
        let bound = fields(&mut members)?;
        if members.found < object.len() {
            let names: HashSet<&str> = names.iter().copied().collect();
            let unknown = object.keys().find(|name| !names.contains(name));
            return Err(BindRefusal::from(BindFault::UnknownMember).inside(unknown.unwrap_or_default()));
        }
        Ok(bound)
    }

    fn members<'v>(&self, value: View<'v>) -> Result<ObjectView<'v>, BindRefusal> {
        let object = value.as_object().ok_or_else(|| kind(value, Kind::Object))?;
        self.admit_entries(object.len())?;
        Ok(object)
    }

    fn admit_entries(&self, entries: usize) -> Result<(), BindRefusal> {
        if entries > self.entries {
            return Err(BindFault::TooManyEntries.into());
        }
        Ok(())
    }
}

pub(super) fn kind(value: View<'_>, expected: Kind) -> BindRefusal {
    BindFault::Kind {
        expected,
        found: value.kind(),
    }
    .into()
}

/// The members of an object while a struct is made of them.
#[derive(Debug)]
pub struct BoundMembers<'b, 'v> {
    binding: &'b mut Binding,
    object: ObjectView<'v>,
    found: usize,
}

impl BoundMembers<'_, '_> {
    /// The field of the member of this name.
    ///
    /// # Errors
    /// As [`ToolField::bind`].
    pub fn take<F: ToolField>(&mut self, name: &str) -> Result<F, BindRefusal> {
        let member = self.object.get(name);
        self.found += usize::from(member.is_some());
        F::bind(member, self.binding).map_err(|refusal| refusal.inside(name))
    }
}
