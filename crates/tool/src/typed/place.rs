//! Where in a type, or in a value, something was refused.

use std::fmt;

/// A path from the root, such as `$/properties/name` in a schema or `$/items/0` in a value.
///
/// It is told to authors and to the log. In a value it may hold a submitted map key, so it is not for strangers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// From the innermost to the root: a path is put together while a refusal travels outwards.
    segments: Vec<String>,
}

impl Place {
    /// The same place seen from one level further out.
    pub(super) fn inside(mut self, segment: impl Into<String>) -> Self {
        self.segments.push(segment.into());
        self
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("$")?;
        self.segments
            .iter()
            .rev()
            .try_for_each(|segment| write!(f, "/{}", segment.replace('~', "~0").replace('/', "~1")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_reads_from_the_root_and_escapes_as_a_json_pointer_does() {
        assert_eq!(Place::default().to_string(), "$");
        let place = Place::default().inside("a/b~c").inside("properties");
        assert_eq!(place.to_string(), "$/properties/a~1b~0c");
    }
}
