//! Walks over whole values: how a value is held is asked once, at the root, and not at every step.

use crate::{
    array_view::ArrayView,
    document::Document,
    number::Number,
    object_view::ObjectView,
    view::{Kind, View},
    word::Word,
};
use std::sync::Arc;

/// A walk over a value, written once for every way of holding one; [`View::visit`] starts it.
pub trait Visit<'a> {
    /// What the walk comes to.
    type Output;

    /// Walks over the value at `place`, which `reader` reads.
    fn visit<R: Reader<'a>>(self, reader: R, place: R::Place) -> Self::Output;
}

/// Reads the values of one tree by their places. A place of another tree reads as nothing sensible, and does no harm.
pub trait Reader<'a>: Copy {
    /// Where a value stands.
    type Place: Copy;
    /// Where the name of a member stands.
    type Name: Copy;

    /// The kind of the value.
    fn kind(self, place: Self::Place) -> Kind;
    /// The text, if the value is a string.
    fn text(self, place: Self::Place) -> Option<&'a str>;
    /// The number, if the value is one.
    fn number(self, place: Self::Place) -> Option<&'a Number>;
    /// The elements; none if the value is no array.
    fn items(self, place: Self::Place) -> impl ExactSizeIterator<Item = Self::Place>;
    /// The members in the order of the document; none if the value is no object.
    fn members(self, place: Self::Place) -> impl ExactSizeIterator<Item = (Self::Name, Self::Place)>;
    /// The bytes of a member's name.
    fn name(self, name: Self::Name) -> &'a [u8];
    /// The value as a view, for what a reader does not tell.
    fn view(self, place: Self::Place) -> View<'a>;
}

/// Reads a document that was parsed.
#[derive(Clone, Copy)]
pub(crate) struct DocumentReader<'a>(&'a Arc<Document>);

/// A place in a document.
#[derive(Clone, Copy)]
pub(crate) struct DocumentPlace(Word);

impl<'a> DocumentReader<'a> {
    #[inline]
    pub(crate) const fn new(document: &'a Arc<Document>) -> Self {
        Self(document)
    }
}

impl DocumentPlace {
    #[inline]
    pub(crate) const fn new(word: Word) -> Self {
        Self(word)
    }
}

impl<'a> Reader<'a> for DocumentReader<'a> {
    type Place = DocumentPlace;
    type Name = DocumentPlace;

    #[inline]
    fn kind(self, place: DocumentPlace) -> Kind {
        place.0.kind()
    }

    #[inline]
    fn text(self, place: DocumentPlace) -> Option<&'a str> {
        (place.0.kind() == Kind::String).then(|| self.0.text(place.0))
    }

    #[inline]
    fn number(self, place: DocumentPlace) -> Option<&'a Number> {
        self.0.number(place.0)
    }

    #[inline]
    fn items(self, place: DocumentPlace) -> impl ExactSizeIterator<Item = DocumentPlace> {
        let items = match place.0.kind() {
            Kind::Array => self.0.items(place.0),
            _ => &[],
        };
        items.iter().map(|word| DocumentPlace(*word))
    }

    #[inline]
    fn members(self, place: DocumentPlace) -> impl ExactSizeIterator<Item = (DocumentPlace, DocumentPlace)> {
        let members = match place.0.kind() {
            Kind::Object => self.0.members(place.0),
            _ => &[],
        };
        members
            .iter()
            .map(|[name, value]| (DocumentPlace(*name), DocumentPlace(*value)))
    }

    #[inline]
    fn name(self, name: DocumentPlace) -> &'a [u8] {
        self.0.text_bytes(name.0)
    }

    #[inline]
    fn view(self, place: DocumentPlace) -> View<'a> {
        View::parsed(self.0, place.0)
    }
}

/// Reads values however they are held: what was built, with parsed values in it perhaps.
#[derive(Clone, Copy)]
pub(crate) struct ViewReader;

impl<'a> Reader<'a> for ViewReader {
    type Place = View<'a>;
    type Name = &'a str;

    fn kind(self, place: View<'a>) -> Kind {
        place.kind()
    }

    fn text(self, place: View<'a>) -> Option<&'a str> {
        place.as_str()
    }

    fn number(self, place: View<'a>) -> Option<&'a Number> {
        place.as_number()
    }

    fn items(self, place: View<'a>) -> impl ExactSizeIterator<Item = View<'a>> {
        place.as_array().unwrap_or(ArrayView::built(&[])).iter()
    }

    fn members(self, place: View<'a>) -> impl ExactSizeIterator<Item = (&'a str, View<'a>)> {
        place.as_object().unwrap_or(ObjectView::built(&[], &[])).iter()
    }

    fn name(self, name: &'a str) -> &'a [u8] {
        name.as_bytes()
    }

    fn view(self, place: View<'a>) -> View<'a> {
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;

    /// Writes what a reader tells, in JSON.
    struct Write;

    impl<'a> Visit<'a> for Write {
        type Output = String;

        fn visit<R: Reader<'a>>(self, reader: R, place: R::Place) -> String {
            match reader.kind(place) {
                Kind::Null | Kind::Boolean => reader.view(place).to_text(),
                Kind::Number => reader.number(place).unwrap().as_text(),
                Kind::String => format!("{:?}", reader.text(place).unwrap()),
                Kind::Array => {
                    let items: Vec<String> = reader
                        .items(place)
                        .map(|item| Write.visit(reader, item))
                        .collect();
                    format!("[{}]", items.join(","))
                }
                Kind::Object => {
                    let member = |(name, member)| {
                        let name = String::from_utf8(reader.name(name).to_vec()).unwrap();
                        format!("{name:?}:{}", Write.visit(reader, member))
                    };
                    let members: Vec<String> = reader.members(place).map(member).collect();
                    format!("{{{}}}", members.join(","))
                }
            }
        }
    }

    #[test]
    fn a_walk_comes_to_the_same_however_the_value_is_held() {
        let text = r#"{"a":[1,2.50,-3e400,"t",null,true],"":{"deep":[[],{}]}}"#;
        let parsed = crate::parse(text.as_bytes()).unwrap();
        assert_eq!(parsed.view().visit(Write), parsed.to_string());
        let built = Value::object()
            .put("inner", parsed.clone())
            .put("own", "x")
            .build();
        assert_eq!(built.view().visit(Write), built.to_string());
    }

    #[test]
    fn what_a_value_is_not_is_told_as_nothing() {
        struct Nothing;
        impl<'a> Visit<'a> for Nothing {
            type Output = bool;
            fn visit<R: Reader<'a>>(self, reader: R, place: R::Place) -> bool {
                let scalar = reader.text(place).is_none() && reader.number(place).is_none();
                scalar && reader.items(place).len() == 0 && reader.members(place).len() == 0
            }
        }
        assert!(crate::parse(b"true").unwrap().view().visit(Nothing));
        assert!(Value::from(true).view().visit(Nothing));
    }
}
