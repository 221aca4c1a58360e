//! What is judged: a value, or a member name on its own (for `propertyNames`).

use toolmesh_json::{ArrayView, Kind, Number, ObjectView, View};

/// A borrowed thing to judge; a name behaves as the string it is.
#[derive(Clone, Copy)]
pub(crate) enum Instance<'v> {
    Value(View<'v>),
    Name(&'v str),
}

impl<'v> Instance<'v> {
    pub(crate) fn kind(self) -> Kind {
        match self {
            Self::Value(view) => view.kind(),
            Self::Name(_) => Kind::String,
        }
    }

    pub(crate) fn as_str(self) -> Option<&'v str> {
        match self {
            Self::Value(view) => view.as_str(),
            Self::Name(name) => Some(name),
        }
    }

    pub(crate) fn as_number(self) -> Option<&'v Number> {
        self.view().and_then(View::as_number)
    }

    pub(crate) fn as_array(self) -> Option<ArrayView<'v>> {
        self.view().and_then(View::as_array)
    }

    pub(crate) fn as_object(self) -> Option<ObjectView<'v>> {
        self.view().and_then(View::as_object)
    }

    fn view(self) -> Option<View<'v>> {
        match self {
            Self::Value(view) => Some(view),
            Self::Name(_) => None,
        }
    }
}
