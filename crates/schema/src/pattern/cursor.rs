//! Reading a pattern character by character.

/// A place in a pattern.
#[derive(Clone)]
pub(super) struct Cursor<'p> {
    rest: &'p str,
}

impl<'p> Cursor<'p> {
    pub(super) fn new(text: &'p str) -> Self {
        Self { rest: text }
    }

    /// What has not been read.
    pub(super) fn rest(&self) -> &'p str {
        self.rest
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let character = characters.next();
        self.rest = characters.as_str();
        character
    }

    /// Reads a text if it comes next.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Reads exactly `count` hexadecimal digits, or nothing.
    pub(super) fn hex(&mut self, count: usize) -> Option<u32> {
        let digits = self.rest.get(..count)?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        self.rest = self.rest.get(count..)?;
        u32::from_str_radix(digits, 16).ok()
    }

    /// Reads up to and including a delimiter; yields what stands before it.
    pub(super) fn until(&mut self, delimiter: char) -> Option<&'p str> {
        let (before, after) = self.rest.split_once(delimiter)?;
        self.rest = after;
        Some(before)
    }
}
