//! The formats that `format` may name, one file a family. Each check is linear in the text.

mod address;
mod date;
mod email;
mod host;
mod idna;
mod pointer;
mod punycode;
mod template;
mod uri;

use crate::pattern::is_expression;

/// A format that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Date,
    DateTime,
    Duration,
    Email,
    Hostname,
    IdnEmail,
    IdnHostname,
    Ipv4,
    Ipv6,
    Iri,
    IriReference,
    JsonPointer,
    Regex,
    RelativeJsonPointer,
    Time,
    Uri,
    UriReference,
    UriTemplate,
    Uuid,
}

impl Format {
    const ALL: [Format; 19] = [
        Self::Date,
        Self::DateTime,
        Self::Duration,
        Self::Email,
        Self::Hostname,
        Self::IdnEmail,
        Self::IdnHostname,
        Self::Ipv4,
        Self::Ipv6,
        Self::Iri,
        Self::IriReference,
        Self::JsonPointer,
        Self::Regex,
        Self::RelativeJsonPointer,
        Self::Time,
        Self::Uri,
        Self::UriReference,
        Self::UriTemplate,
        Self::Uuid,
    ];

    /// The format of a name, if it is known.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == name)
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Date => "date",
            Self::DateTime => "date-time",
            Self::Duration => "duration",
            Self::Email => "email",
            Self::Hostname => "hostname",
            Self::IdnEmail => "idn-email",
            Self::IdnHostname => "idn-hostname",
            Self::Ipv4 => "ipv4",
            Self::Ipv6 => "ipv6",
            Self::Iri => "iri",
            Self::IriReference => "iri-reference",
            Self::JsonPointer => "json-pointer",
            Self::Regex => "regex",
            Self::RelativeJsonPointer => "relative-json-pointer",
            Self::Time => "time",
            Self::Uri => "uri",
            Self::UriReference => "uri-reference",
            Self::UriTemplate => "uri-template",
            Self::Uuid => "uuid",
        }
    }

    /// What 64 bytes of text cost: most formats look at a byte once or twice, these look longer.
    pub(crate) fn weight(self) -> u64 {
        match self {
            Self::Regex | Self::Hostname | Self::IdnHostname | Self::Email | Self::IdnEmail => 16,
            _ => 1,
        }
    }

    /// Whether a text has the format.
    pub(crate) fn admits(self, text: &str) -> bool {
        match self {
            Self::Date => date::is_date(text),
            Self::DateTime => date::is_date_time(text),
            Self::Duration => date::is_duration(text),
            Self::Email => email::is_email(text),
            Self::Hostname => host::is_hostname(text),
            Self::IdnEmail => email::is_idn_email(text),
            Self::IdnHostname => host::is_idn_hostname(text),
            Self::Ipv4 => address::is_ipv4(text),
            Self::Ipv6 => address::is_ipv6(text),
            Self::Iri => uri::is_iri(text),
            Self::IriReference => uri::is_iri_reference(text),
            Self::JsonPointer => pointer::is_pointer(text),
            Self::Regex => is_expression(text),
            Self::RelativeJsonPointer => pointer::is_relative_pointer(text),
            Self::Time => date::is_time(text),
            Self::Uri => uri::is_uri(text),
            Self::UriReference => uri::is_uri_reference(text),
            Self::UriTemplate => template::is_template(text),
            Self::Uuid => is_uuid(text),
        }
    }
}

/// RFC 9562: 8-4-4-4-12 hexadecimal digits, of any version.
fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    let lengths = groups.iter().map(|group| group.len());
    lengths.eq([8, 4, 4, 4, 12])
        && groups
            .iter()
            .all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_found_by_its_name() {
        for format in Format::ALL {
            assert_eq!(Format::named(format.as_str()), Some(format));
        }
        assert_eq!(Format::named("color"), None);
    }
}
