//! `email` (RFC 5321, 4.1.2) and `idn-email` (RFC 6531, 3.3).

use super::{address, host};

pub(super) fn is_email(text: &str) -> bool {
    text.is_ascii() && is_mailbox(text, host::is_hostname)
}

pub(super) fn is_idn_email(text: &str) -> bool {
    is_mailbox(text, host::is_idn_hostname)
}

fn is_mailbox(text: &str, is_host: fn(&str) -> bool) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let local_is_sound = match local.strip_prefix('"') {
        Some(quoted) => quoted.strip_suffix('"').is_some_and(is_quoted_content),
        None => local.split('.').all(is_atom),
    };
    local_is_sound && (is_host(domain) || is_address_literal(domain))
}

fn is_atom(text: &str) -> bool {
    let sound = |character: char| {
        !character.is_ascii()
            || character.is_ascii_alphanumeric()
            || "!#$%&'*+-/=?^_`{|}~".contains(character)
    };
    !text.is_empty() && text.chars().all(sound)
}

/// Printable characters; a quote and a backslash only behind a backslash.
fn is_quoted_content(text: &str) -> bool {
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        let sound = match character {
            '"' => false,
            '\\' => characters.next().is_some_and(|next| (' '..='~').contains(&next)),
            other => !other.is_control(),
        };
        if !sound {
            return false;
        }
    }
    true
}

fn is_address_literal(domain: &str) -> bool {
    let inside = domain.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inside.is_some_and(|inside| match inside.strip_prefix("IPv6:") {
        Some(address) => address::is_ipv6(address),
        None => address::is_ipv4(inside),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mailbox_has_a_local_part_and_a_domain() {
        for text in [
            "a@b",
            "a.b+c@example.com",
            "\"a b\\\"@\"@example.com",
            "a@[127.0.0.1]",
            "a@[IPv6:::1]",
        ] {
            assert!(is_email(text), "{text}");
        }
        for text in [
            "a",
            "@b",
            "a@",
            ".a@b",
            "a.@b",
            "a..b@c",
            "\"a\"b\"@c",
            "\"@c",
            "a b@c",
            "ä@b",
            "a@[1.2.3]",
        ] {
            assert!(!is_email(text), "{text}");
        }
        assert!(is_idn_email("ä@ö.example") && !is_idn_email("ä@-"));
    }
}
