//! URI templates: RFC 6570 level 1 variables and form-style queries.

use std::fmt;

use indexmap::IndexMap;

use crate::uri::MAX_URI_BYTES;

/// Longest template text in bytes; a published template is a line that a person reads.
pub const MAX_TEMPLATE_BYTES: usize = 8_192;
/// Most variables in one template.
pub const MAX_VARIABLES: usize = 32;

/// A URI template: `{name}` stands for one path segment's part, and one `{?a,b}` at the end for a query whose
/// members may come in any order and be absent (RFC 6570, 3.2.2 and 3.2.8).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UriTemplate {
    text: String,
    parts: Vec<Part>,
    query: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Literal(String),
    Variable(String),
}

/// Why a text is no template that this library reads.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UriTemplateError {
    /// Over [`MAX_TEMPLATE_BYTES`].
    #[error("a URI template has at most {MAX_TEMPLATE_BYTES} bytes")]
    TooLong,
    /// Over [`MAX_VARIABLES`].
    #[error("a URI template has at most {MAX_VARIABLES} variables")]
    TooManyVariables,
    /// A brace is not closed or not opened.
    #[error("a brace in a URI template has no partner")]
    Brace,
    /// A variable's name is empty or holds other characters than letters, digits, `_`.
    #[error("`{0}` is no variable name: use letters, digits and _")]
    Name(String),
    /// A variable appears twice.
    #[error("the variable `{0}` appears twice")]
    Duplicate(String),
    /// Two variables touch, so that a URI could be read in several ways.
    #[error("two variables need a literal between them")]
    Adjacent,
    /// A query expression is not at the end.
    #[error("`{{?...}}` stands at the end of a URI template")]
    QueryPlace,
}

impl UriTemplate {
    /// Reads a template.
    ///
    /// # Errors
    /// [`UriTemplateError`] when it is too large or not of the supported form.
    pub fn parse(text: &str) -> Result<Self, UriTemplateError> {
        if text.len() > MAX_TEMPLATE_BYTES {
            return Err(UriTemplateError::TooLong);
        }
        let mut template = Self {
            text: text.to_owned(),
            parts: Vec::new(),
            query: Vec::new(),
        };
        let mut rest = text;
        while let Some((literal, after)) = rest.split_once('{') {
            template.literal(literal)?;
            let (expression, after) = after.split_once('}').ok_or(UriTemplateError::Brace)?;
            template.expression(expression, after.is_empty())?;
            rest = after;
        }
        template.literal(rest)?;
        template.check_variables()?;
        Ok(template)
    }

    /// The template as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The variables in the order in which they stand.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        let path = self.parts.iter().filter_map(|part| match part {
            Part::Variable(name) => Some(name.as_str()),
            Part::Literal(_) => None,
        });
        path.chain(self.query.iter().map(String::as_str))
    }

    /// The variables of `uri`, percent-decoded once, or `None` when it does not fit: another literal, an empty path
    /// variable, a raw `/` in one, an unknown or repeated query member, a malformed percent sequence, or more than
    /// [`MAX_URI_BYTES`]: whoever watches resources by such URIs keeps them.
    #[must_use]
    pub fn matches(&self, uri: &str) -> Option<IndexMap<String, String>> {
        if uri.len() > MAX_URI_BYTES {
            return None;
        }
        let (path, query) = match uri.split_once('?') {
            Some((path, query)) if !self.query.is_empty() => (path, Some(query)),
            _ => (uri, None),
        };
        let mut variables = IndexMap::new();
        self.match_path(path, &mut variables)?;
        if let Some(query) = query {
            self.match_query(query, &mut variables)?;
        }
        Some(variables)
    }

    fn literal(&mut self, text: &str) -> Result<(), UriTemplateError> {
        if text.contains('}') {
            return Err(UriTemplateError::Brace);
        }
        if !text.is_empty() {
            self.parts.push(Part::Literal(text.to_owned()));
        }
        Ok(())
    }

    fn expression(&mut self, expression: &str, last: bool) -> Result<(), UriTemplateError> {
        if let Some(names) = expression.strip_prefix('?') {
            if !last {
                return Err(UriTemplateError::QueryPlace);
            }
            self.query = names.split(',').map(str::to_owned).collect();
            return Ok(());
        }
        if matches!(self.parts.last(), Some(Part::Variable(_))) {
            return Err(UriTemplateError::Adjacent);
        }
        self.parts.push(Part::Variable(expression.to_owned()));
        Ok(())
    }

    fn check_variables(&self) -> Result<(), UriTemplateError> {
        let names: Vec<&str> = self.variables().collect();
        if names.len() > MAX_VARIABLES {
            return Err(UriTemplateError::TooManyVariables);
        }
        for (place, name) in names.iter().enumerate() {
            if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
                return Err(UriTemplateError::Name((*name).to_owned()));
            }
            if names.iter().take(place).any(|earlier| earlier == name) {
                return Err(UriTemplateError::Duplicate((*name).to_owned()));
            }
        }
        Ok(())
    }

    fn match_path(&self, path: &str, variables: &mut IndexMap<String, String>) -> Option<()> {
        let mut rest = path;
        let mut parts = self.parts.iter().peekable();
        while let Some(part) = parts.next() {
            match part {
                Part::Literal(text) => rest = rest.strip_prefix(text.as_str())?,
                Part::Variable(name) => {
                    let end = match parts.peek() {
                        Some(Part::Literal(next)) => rest.find(next.as_str())?,
                        _ => rest.len(),
                    };
                    let (value, after) = rest.split_at_checked(end)?;
                    if value.is_empty() || value.contains('/') {
                        return None;
                    }
                    variables.insert(name.clone(), percent_decode(value)?);
                    rest = after;
                }
            }
        }
        rest.is_empty().then_some(())
    }

    fn match_query(&self, query: &str, variables: &mut IndexMap<String, String>) -> Option<()> {
        for member in query.split('&').filter(|member| !member.is_empty()) {
            let (name, value) = member.split_once('=').unwrap_or((member, ""));
            let name = self.query.iter().find(|known| *known == name)?;
            if variables.insert(name.clone(), percent_decode(value)?).is_some() {
                return None;
            }
        }
        Some(())
    }
}

impl fmt::Display for UriTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Percent-decodes once; `None` for a malformed sequence or bytes that are no UTF-8.
fn percent_decode(text: &str) -> Option<String> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let (high, low) = (hex_digit(bytes.next()?)?, hex_digit(bytes.next()?)?);
            decoded.push(high << 4 | low);
        } else {
            decoded.push(byte);
        }
    }
    String::from_utf8(decoded).ok()
}

fn hex_digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matched(template: &str, uri: &str) -> Option<Vec<(String, String)>> {
        UriTemplate::parse(template)
            .unwrap()
            .matches(uri)
            .map(|found| found.into_iter().collect())
    }

    fn pairs(list: &[(&str, &str)]) -> Option<Vec<(String, String)>> {
        Some(
            list.iter()
                .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
                .collect(),
        )
    }

    #[test]
    fn a_path_variable_takes_one_segment() {
        assert_eq!(
            matched("test://template/{id}/data", "test://template/1%202/data"),
            pairs(&[("id", "1 2")])
        );
        assert_eq!(
            matched("test://template/{id}/data", "test://template//data"),
            None
        );
        assert_eq!(
            matched("test://template/{id}/data", "test://template/a/b/data"),
            None
        );
        assert_eq!(matched("test://{id}", "test://%zz"), None);
    }

    #[test]
    fn query_members_come_in_any_order_and_unknown_ones_are_refused() {
        let template = "events://transfer{?from_block,to_block}";
        assert_eq!(matched(template, "events://transfer"), pairs(&[]));
        assert_eq!(
            matched(template, "events://transfer?to_block=2&from_block=1"),
            pairs(&[("to_block", "2"), ("from_block", "1")])
        );
        assert_eq!(matched(template, "events://transfer?other=1"), None);
        assert_eq!(matched(template, "events://transfer?to_block=1&to_block=2"), None);
    }

    #[test]
    fn what_cannot_be_read_one_way_is_refused() {
        for (text, error) in [
            ("a{b", UriTemplateError::Brace),
            ("a}b", UriTemplateError::Brace),
            ("a{}", UriTemplateError::Name(String::new())),
            ("a{+b}", UriTemplateError::Name("+b".into())),
            ("{a}{b}", UriTemplateError::Adjacent),
            ("{a}/{a}", UriTemplateError::Duplicate("a".into())),
            ("{?a}/b", UriTemplateError::QueryPlace),
        ] {
            assert_eq!(UriTemplate::parse(text), Err(error), "{text}");
        }
    }

    #[test]
    fn bounds_hold_at_n_and_not_at_one_more() {
        let of = |count: usize| {
            (0..count)
                .map(|n| format!("{{v{n}}}"))
                .collect::<Vec<_>>()
                .join("/")
        };
        assert!(UriTemplate::parse(&of(MAX_VARIABLES)).is_ok());
        assert_eq!(
            UriTemplate::parse(&of(MAX_VARIABLES + 1)),
            Err(UriTemplateError::TooManyVariables)
        );
        let items = UriTemplate::parse("test://{id}").unwrap();
        let item = |bytes: usize| format!("test://{}", "a".repeat(bytes - "test://".len()));
        assert!(items.matches(&item(MAX_URI_BYTES)).is_some());
        assert!(items.matches(&item(MAX_URI_BYTES + 1)).is_none());
        assert!(UriTemplate::parse(&"a".repeat(MAX_TEMPLATE_BYTES)).is_ok());
        assert_eq!(
            UriTemplate::parse(&"a".repeat(MAX_TEMPLATE_BYTES + 1)),
            Err(UriTemplateError::TooLong)
        );
    }
}
