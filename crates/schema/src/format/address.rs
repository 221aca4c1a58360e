//! `ipv4` (RFC 2673, 3.2) and `ipv6` (RFC 4291, 2.2).

pub(super) fn is_ipv4(text: &str) -> bool {
    text.split('.').count() == 4 && text.split('.').all(is_octet)
}

/// A number up to 255 without a leading zero, which some readers take for octal.
fn is_octet(text: &str) -> bool {
    let digits = (1..=3).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    let plain = text == "0" || !text.starts_with('0');
    digits && plain && text.parse::<u8>().is_ok()
}

pub(super) fn is_ipv6(text: &str) -> bool {
    match text.split_once("::") {
        None => count_groups(text, true) == Some(8),
        Some((before, after)) => {
            let before = if before.is_empty() {
                Some(0)
            } else {
                count_groups(before, false)
            };
            let after = if after.is_empty() {
                Some(0)
            } else {
                count_groups(after, true)
            };
            // The two colons stand for at least one group.
            matches!((before, after), (Some(before), Some(after)) if before + after <= 7)
        }
    }
}

/// How many groups of 16 bits a run without `::` holds; nothing when it is malformed.
fn count_groups(text: &str, may_end_in_ipv4: bool) -> Option<usize> {
    let mut groups = text.split(':').peekable();
    let mut count = 0;
    while let Some(group) = groups.next() {
        let is_last = groups.peek().is_none();
        if is_last && may_end_in_ipv4 && group.contains('.') {
            return is_ipv4(group).then_some(count + 2);
        }
        let sound = (1..=4).contains(&group.len()) && group.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !sound {
            return None;
        }
        count += 1;
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ipv4_address_is_four_plain_octets() {
        assert!(is_ipv4("192.168.0.1") && is_ipv4("255.255.255.255"));
        for text in [
            "256.0.0.1",
            "1.2.3",
            "1.2.3.4.5",
            "01.2.3.4",
            "1.2.3.",
            "a.b.c.d",
            "1.2.3.4 ",
        ] {
            assert!(!is_ipv4(text), "{text}");
        }
    }

    #[test]
    fn an_ipv6_address_has_eight_groups_or_leaves_some_out_once() {
        for text in [
            "::",
            "::1",
            "1::",
            "1:2:3:4:5:6:7:8",
            "1:2:3:4:5:6:1.2.3.4",
            "::1.2.3.4",
            "1::3:4:5:6:7:8",
        ] {
            assert!(is_ipv6(text), "{text}");
        }
        for text in [
            "1:2:3:4:5:6:7",
            "1:2:3:4::5:6:7:8",
            "1::2::3",
            ":::",
            "1.2.3.4::",
            "12345::",
            "1:2:3:4:5:6:7:8:9",
        ] {
            assert!(!is_ipv6(text), "{text}");
        }
    }
}
