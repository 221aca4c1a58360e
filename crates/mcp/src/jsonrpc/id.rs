//! The id of a request.

use toolmesh_json::{Number, Value, View, write_string, write_value};

/// The id of a request: a string or an integer. A string never equals an integer; integers compare by value
/// (`1` and `1.0` are one id), and are written back with the scale they came with.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum RequestId {
    /// A string id.
    Text(String),
    /// An integer id, of any size that the JSON limits allow.
    Integer(Number),
}

impl RequestId {
    /// Reads an id; `None` for null, fractions and every other kind.
    pub(crate) fn read(value: View<'_>) -> Option<Self> {
        if let Some(text) = value.as_str() {
            return Some(Self::Text(text.to_owned()));
        }
        let number = value.as_number()?;
        number.is_integer().then(|| Self::Integer(number.clone()))
    }

    /// Appends the id to `out`.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Text(text) => write_string(out, text),
            Self::Integer(_) => write_value(out, self.to_value().view()),
        }
    }

    /// The id as a JSON value.
    pub(crate) fn to_value(&self) -> Value {
        match self {
            Self::Text(text) => Value::from(text.as_str()),
            Self::Integer(number) => Value::from(number.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<RequestId> {
        RequestId::read(toolmesh_json::parse(text.as_bytes()).expect("valid").view())
    }

    fn written(text: &str) -> String {
        let mut out = Vec::new();
        read(text).expect("an id").write(&mut out);
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn strings_and_integers_are_ids_and_come_back_as_they_came() {
        for text in [r#""a\n1""#, "0", "-7", "1.0", "123456789012345678901234567890"] {
            assert_eq!(written(text), text);
        }
    }

    #[test]
    fn null_fractions_and_containers_are_no_ids() {
        for text in ["null", "1.5", "true", "[]", "{}"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_string_never_equals_an_integer() {
        assert_ne!(read("1"), read(r#""1""#));
        assert_eq!(read("1"), read("1.0"));
    }
}
