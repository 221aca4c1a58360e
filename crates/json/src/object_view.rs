//! Reading an object.

use crate::{
    document::Document,
    value::Member,
    view::{self, Text, View},
    word::Word,
};
use std::{fmt, slice, sync::Arc};

/// A handle to the members of an object.
#[derive(Clone, Copy)]
pub struct ObjectView<'a>(Members<'a>);

#[derive(Clone, Copy)]
enum Members<'a> {
    Built {
        members: &'a [Member],
        /// Positions sorted by name; empty when the members are so few that they are searched one by one.
        order: &'a [u32],
    },
    Parsed(&'a Arc<Document>, Word),
}

impl<'a> ObjectView<'a> {
    #[inline]
    pub(crate) const fn built(members: &'a [Member], order: &'a [u32]) -> ObjectView<'a> {
        ObjectView(Members::Built { members, order })
    }

    /// The object at a place in a document.
    #[inline]
    pub(crate) const fn parsed(document: &'a Arc<Document>, word: Word) -> ObjectView<'a> {
        ObjectView(Members::Parsed(document, word))
    }

    /// How many members there are.
    #[inline]
    pub fn len(self) -> usize {
        match self.0 {
            Members::Built { members, .. } => members.len(),
            Members::Parsed(_, word) => word.count(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The value of the member of this name.
    #[inline]
    pub fn get(self, name: &str) -> Option<View<'a>> {
        match self.0 {
            Members::Built { members, order } => built_member(members, order, name),
            Members::Parsed(document, word) => {
                let value = document.member(word, name)?;
                Some(View::parsed(document, value))
            }
        }
    }

    /// Whether there is a member of this name.
    pub fn contains(self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Names and values in the order of the document.
    #[inline]
    pub fn iter(self) -> ObjectIter<'a> {
        ObjectIter(match self.0 {
            Members::Built { members, .. } => Rest::Built(members.iter()),
            Members::Parsed(document, word) => Rest::Parsed(document, document.members(word).iter()),
        })
    }

    /// The names in the order of the document.
    pub fn keys(self) -> impl ExactSizeIterator<Item = &'a str> + Clone {
        self.iter().map(|(name, _)| name)
    }

    /// The values in the order of the document.
    pub fn values(self) -> impl ExactSizeIterator<Item = View<'a>> + Clone {
        self.iter().map(|(_, value)| value)
    }

    /// Names and values sorted by the names' UTF-8 bytes.
    pub(crate) fn sorted(self) -> Vec<(&'a str, View<'a>)> {
        let mut members: Vec<_> = self.iter().collect();
        members.sort_unstable_by_key(|(name, _)| *name);
        members
    }
}

fn built_member<'a>(members: &'a [Member], order: &[u32], name: &str) -> Option<View<'a>> {
    if order.is_empty() {
        let found = members.iter().find(|member| *member.name == *name);
        return found.map(|member| View::new(&member.value));
    }
    let named = |position: &u32| members.get(*position as usize);
    let found =
        order.binary_search_by(|position| named(position).map(|member| &*member.name).cmp(&Some(name)));
    let position = order.get(found.ok()?)?;
    named(position).map(|member| View::new(&member.value))
}

impl<'a> IntoIterator for ObjectView<'a> {
    type Item = (&'a str, View<'a>);
    type IntoIter = ObjectIter<'a>;

    fn into_iter(self) -> ObjectIter<'a> {
        self.iter()
    }
}

impl fmt::Debug for ObjectView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(*self).finish()
    }
}

/// The members of an object in the order of the document.
#[derive(Clone)]
pub struct ObjectIter<'a>(Rest<'a>);

#[derive(Clone)]
enum Rest<'a> {
    Built(slice::Iter<'a, Member>),
    Parsed(&'a Arc<Document>, slice::Iter<'a, [Word; 2]>),
}

impl<'a> ObjectIter<'a> {
    /// The next member, its name with what is known of it.
    #[inline]
    pub(crate) fn next_member(&mut self) -> Option<(Text<'a>, View<'a>)> {
        match &mut self.0 {
            Rest::Built(members) => members.next().map(built),
            Rest::Parsed(document, members) => members.next().map(|member| parsed(document, member)),
        }
    }
}

fn built(member: &Member) -> (Text<'_>, View<'_>) {
    let name = Text {
        text: &member.name,
        plain: false,
    };
    (name, View::new(&member.value))
}

#[inline]
fn parsed<'a>(document: &'a Arc<Document>, [name, value]: &[Word; 2]) -> (Text<'a>, View<'a>) {
    (view::text(document, *name), View::parsed(document, *value))
}

impl<'a> Iterator for ObjectIter<'a> {
    type Item = (&'a str, View<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.next_member().map(|(name, value)| (name.text, value))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            Rest::Built(members) => members.size_hint(),
            Rest::Parsed(_, members) => members.size_hint(),
        }
    }
}

impl ExactSizeIterator for ObjectIter<'_> {}

impl DoubleEndedIterator for ObjectIter<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let member = match &mut self.0 {
            Rest::Built(members) => members.next_back().map(built),
            Rest::Parsed(document, members) => members.next_back().map(|member| parsed(document, member)),
        };
        member.map(|(name, value)| (name.text, value))
    }
}
