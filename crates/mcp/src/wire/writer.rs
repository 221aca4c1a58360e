//! Writing objects and arrays member by member, without a tree in between.

use std::io::Write;

use toolmesh_json::{View, write_string, write_value};

/// An object that is being written. Names are this crate's own and need no escaping, except where said.
pub(crate) struct ObjectWriter<'a> {
    out: &'a mut Vec<u8>,
    empty: bool,
}

/// An array that is being written.
pub(crate) struct ArrayWriter<'a> {
    out: &'a mut Vec<u8>,
    empty: bool,
}

impl<'a> ObjectWriter<'a> {
    /// Opens an object at the end of `out`.
    pub(crate) fn open(out: &'a mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, empty: true }
    }

    /// Closes the object.
    pub(crate) fn close(self) {
        self.out.push(b'}');
    }

    /// Writes the name; what is appended to the result is the member's value.
    pub(crate) fn member(&mut self, name: &'static str) -> &mut Vec<u8> {
        self.comma();
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
        self.out
    }

    /// As [`Self::member`], for a name that comes from outside.
    pub(crate) fn foreign_member(&mut self, name: &str) -> &mut Vec<u8> {
        self.comma();
        write_string(self.out, name);
        self.out.push(b':');
        self.out
    }

    pub(crate) fn text(&mut self, name: &'static str, text: &str) {
        write_string(self.member(name), text);
    }

    pub(crate) fn text_opt(&mut self, name: &'static str, text: Option<&str>) {
        if let Some(text) = text {
            self.text(name, text);
        }
    }

    pub(crate) fn boolean(&mut self, name: &'static str, value: bool) {
        self.raw(name, if value { b"true" } else { b"false" });
    }

    pub(crate) fn integer(&mut self, name: &'static str, value: u64) {
        // Writing into a Vec cannot fail.
        let _ = write!(self.member(name), "{value}");
    }

    pub(crate) fn signed(&mut self, name: &'static str, value: i64) {
        // Writing into a Vec cannot fail.
        let _ = write!(self.member(name), "{value}");
    }

    /// A finite float; others are left out, since JSON has none.
    pub(crate) fn float(&mut self, name: &'static str, value: f64) {
        if value.is_finite() {
            let _ = write!(self.member(name), "{value}");
        }
    }

    pub(crate) fn value(&mut self, name: &'static str, value: View<'_>) {
        write_value(self.member(name), value);
    }

    /// A member whose JSON is at hand.
    pub(crate) fn raw(&mut self, name: &'static str, json: &[u8]) {
        self.member(name).extend_from_slice(json);
    }

    /// A member that is an object.
    pub(crate) fn object(&mut self, name: &'static str, fill: impl FnOnce(&mut ObjectWriter<'_>)) {
        let mut object = ObjectWriter::open(self.member(name));
        fill(&mut object);
        object.close();
    }

    /// A member that is an array.
    pub(crate) fn array(&mut self, name: &'static str, fill: impl FnOnce(&mut ArrayWriter<'_>)) {
        let mut array = ArrayWriter::open(self.member(name));
        fill(&mut array);
        array.close();
    }

    fn comma(&mut self) {
        if !std::mem::take(&mut self.empty) {
            self.out.push(b',');
        }
    }
}

impl<'a> ArrayWriter<'a> {
    /// Opens an array at the end of `out`.
    pub(crate) fn open(out: &'a mut Vec<u8>) -> Self {
        out.push(b'[');
        Self { out, empty: true }
    }

    /// Closes the array.
    pub(crate) fn close(self) {
        self.out.push(b']');
    }

    /// Begins an item; what is appended to the result is the item.
    pub(crate) fn item(&mut self) -> &mut Vec<u8> {
        if !std::mem::take(&mut self.empty) {
            self.out.push(b',');
        }
        self.out
    }

    pub(crate) fn text(&mut self, text: &str) {
        write_string(self.item(), text);
    }

    /// An item that is an object.
    pub(crate) fn object(&mut self, fill: impl FnOnce(&mut ObjectWriter<'_>)) {
        let mut object = ObjectWriter::open(self.item());
        fill(&mut object);
        object.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_and_items_are_separated_and_escaped() {
        let mut out = Vec::new();
        let mut object = ObjectWriter::open(&mut out);
        object.text("a", "\"\n");
        object.text_opt("b", None);
        object.integer("c", 7);
        object.float("d", 50.0);
        object.float("e", f64::NAN);
        object.boolean("f", true);
        object.array("g", |array| {
            array.text("x");
            array.object(|_| {});
        });
        write_string(object.foreign_member("h\""), "v");
        object.close();
        assert_eq!(
            String::from_utf8(out).expect("UTF-8"),
            r#"{"a":"\"\n","c":7,"d":50,"f":true,"g":["x",{}],"h\"":"v"}"#
        );
    }
}
