//! Reading header fields strictly.

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::header_text::MAX_TEXT_BYTES;

/// What the names of headers that mirror arguments begin with.
pub(super) const PARAMETER_PREFIX: &str = "mcp-param-";

/// What carries a distributed trace.
static TRACE: [HeaderName; 3] = [
    HeaderName::from_static("traceparent"),
    HeaderName::from_static("tracestate"),
    HeaderName::from_static("baggage"),
];

/// A header field that does not have exactly one well-formed value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Malformed;

/// The fields of a head that nearly every request has or is asked for, found in one pass: to look each of them up by its
/// name costs several times as much.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    /// All of them, for what is asked seldom.
    pub(super) all: &'a HeaderMap,
    pub(super) host: Field<'a>,
    pub(super) origin: Field<'a>,
    pub(super) content_type: Field<'a>,
    pub(super) content_encoding: Field<'a>,
    pub(super) accept: Field<'a>,
    pub(super) protocol_version: Field<'a>,
    pub(super) method: Field<'a>,
    pub(super) name: Field<'a>,
    pub(super) session: Field<'a>,
    /// Whether there is anything of a distributed trace.
    pub(super) has_trace: bool,
    /// Whether anything mirrors an argument.
    pub(super) has_parameters: bool,
}

/// One field: how often it is there.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum Field<'a> {
    #[default]
    Absent,
    Once(&'a HeaderValue),
    Repeated,
}

impl<'a> Fields<'a> {
    pub(super) fn of(all: &'a HeaderMap) -> Self {
        let mut fields = Self {
            all,
            host: Field::Absent,
            origin: Field::Absent,
            content_type: Field::Absent,
            content_encoding: Field::Absent,
            accept: Field::Absent,
            protocol_version: Field::Absent,
            method: Field::Absent,
            name: Field::Absent,
            session: Field::Absent,
            has_trace: false,
            has_parameters: false,
        };
        for (name, value) in all {
            if let Some(field) = fields.place(name) {
                field.add(value);
            }
        }
        fields
    }

    /// Where a value of this name goes.
    fn place(&mut self, name: &HeaderName) -> Option<&mut Field<'a>> {
        Some(match name.as_str() {
            "host" => &mut self.host,
            "origin" => &mut self.origin,
            "content-type" => &mut self.content_type,
            "content-encoding" => &mut self.content_encoding,
            "accept" => &mut self.accept,
            "mcp-protocol-version" => &mut self.protocol_version,
            "mcp-method" => &mut self.method,
            "mcp-name" => &mut self.name,
            "mcp-session-id" => &mut self.session,
            other => {
                self.has_trace |= TRACE.iter().any(|name| name == other);
                self.has_parameters |= other.starts_with(PARAMETER_PREFIX);
                return None;
            }
        })
    }
}

impl<'a> Field<'a> {
    fn add(&mut self, value: &'a HeaderValue) {
        *self = match self {
            Self::Absent => Self::Once(value),
            Self::Once(_) | Self::Repeated => Self::Repeated,
        };
    }

    /// The one value as it came; `None` when there is none, or more than one.
    pub(super) fn once(self) -> Option<&'a HeaderValue> {
        match self {
            Self::Once(value) => Some(value),
            Self::Absent | Self::Repeated => None,
        }
    }

    /// The one value, less the white space around it; `None` when there is none.
    ///
    /// # Errors
    /// [`Malformed`] for a second value, or one with other than printable ASCII.
    pub(super) fn single(self) -> Result<Option<&'a str>, Malformed> {
        match self {
            Self::Absent => Ok(None),
            Self::Once(value) => plain(value).map(Some),
            Self::Repeated => Err(Malformed),
        }
    }
}

/// The one value of `name`, less the white space around it; `None` when there is none.
///
/// # Errors
/// [`Malformed`] for a second value, or one with other than printable ASCII.
pub(super) fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, Malformed> {
    let mut field = Field::Absent;
    headers.get_all(name).iter().for_each(|value| field.add(value));
    field.single()
}

/// The headers of a distributed trace (W3C Trace Context, Baggage), for the handler and observers. What is malformed is
/// left out: a trace is nobody's reason to refuse a request.
pub(super) fn trace(fields: &Fields<'_>) -> Vec<(String, String)> {
    if !fields.has_trace {
        return Vec::new();
    }
    let found = TRACE.iter().filter_map(|name| match single(fields.all, name) {
        Ok(Some(value)) => Some((name.as_str().to_owned(), value.to_owned())),
        _ => None,
    });
    found.collect()
}

/// The value as text, less the white space around it.
///
/// # Errors
/// [`Malformed`] for characters other than tab and printable ASCII, and for too many of them.
pub(super) fn plain(value: &HeaderValue) -> Result<&str, Malformed> {
    let text = value.to_str().map_err(|_| Malformed)?;
    let is_space = |byte: Option<&u8>| matches!(byte, Some(b' ' | b'\t'));
    let bytes = text.as_bytes();
    // The HTTP library leaves such space out; to look for its end costs more than to see that there is none.
    let text = match is_space(bytes.first()) || is_space(bytes.last()) {
        true => text.trim_matches([' ', '\t']),
        false => text,
    };
    if text.len() > MAX_TEXT_BYTES {
        Err(Malformed)
    } else {
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use http::header;

    use super::*;

    #[test]
    fn the_headers_of_a_trace_are_kept_and_malformed_ones_left_out() {
        let mut headers = HeaderMap::new();
        let mut add = |name: &'static str, value: &'static str| {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        };
        add("traceparent", " 00-a-b-01");
        add("baggage", "a=1");
        add("baggage", "b=2");
        add("x-other", "1");
        assert_eq!(
            trace(&Fields::of(&headers)),
            [("traceparent".to_owned(), "00-a-b-01".to_owned())]
        );
    }

    #[test]
    fn a_field_has_one_value_without_the_space_around_it() {
        for name in [
            header::HOST,
            header::ORIGIN,
            header::CONTENT_TYPE,
            header::CONTENT_ENCODING,
            header::ACCEPT,
            HeaderName::from_static("mcp-protocol-version"),
            HeaderName::from_static("mcp-method"),
            HeaderName::from_static("mcp-name"),
            HeaderName::from_static("mcp-session-id"),
        ] {
            let mut headers = HeaderMap::new();
            headers.append("x-other", HeaderValue::from_static("other"));
            let both = |headers: &HeaderMap| {
                let mut fields = Fields::of(headers);
                let found = fields
                    .place(&name)
                    .map(|field| field.single().map(|text| text.map(str::to_owned)));
                let looked_up = single(headers, &name).map(|text| text.map(str::to_owned));
                assert_eq!(found, Some(looked_up.clone()), "{name}");
                looked_up
            };
            assert_eq!(both(&headers), Ok(None));
            headers.append(&name, HeaderValue::from_static(" a value\t"));
            assert_eq!(both(&headers), Ok(Some("a value".to_owned())));
            headers.append(&name, HeaderValue::from_static("a value"));
            assert_eq!(both(&headers), Err(Malformed));
        }
    }

    #[test]
    fn a_mirrored_argument_is_seen_by_its_name() {
        let mut headers = HeaderMap::new();
        assert!(!Fields::of(&headers).has_parameters);
        headers.append("mcp-param-tenant", HeaderValue::from_static("a"));
        assert!(Fields::of(&headers).has_parameters);
    }
}
