//! Finding the id of an answer that cannot be read whole.

/// The id of a message whose JSON is broken or passes the limits, when it has one that is a whole number: the first member
/// `id` of the outermost object. It reads nothing else, keeps nothing, and takes one pass.
pub(crate) fn peek_id(bytes: &[u8]) -> Option<u64> {
    let mut depth = 0_usize;
    let mut rest = bytes;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match first {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            b'"' => {
                let end = string_end(rest)?;
                let (text, after) = rest.split_at_checked(end)?;
                rest = after.get(1..)?;
                if depth == 1
                    && text == b"id"
                    && let Some(value) = after_colon(rest)
                {
                    return number(value);
                }
            }
            _ if depth == 0 && !first.is_ascii_whitespace() => return None,
            _ => {}
        }
    }
    None
}

/// Where the string ends that begins here.
fn string_end(bytes: &[u8]) -> Option<usize> {
    let mut escaped = false;
    bytes.iter().position(|byte| {
        let ends = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        ends
    })
}

fn after_colon(bytes: &[u8]) -> Option<&[u8]> {
    bytes.trim_ascii_start().strip_prefix(b":")
}

fn number(bytes: &[u8]) -> Option<u64> {
    let bytes = bytes.trim_ascii_start();
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, after) = bytes.split_at_checked(digits)?;
    let ends = matches!(after.trim_ascii_start().first(), Some(b',' | b'}'));
    ends.then(|| str::from_utf8(digits).ok()?.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_found_in_the_outermost_object_alone() {
        for (text, id) in [
            (r#"{"jsonrpc":"2.0","id":7,"result":"\ud800"}"#, Some(7)),
            (r#" { "id" : 7 , "#, Some(7)),
            (
                r#"{"result":{"id":1,"a":["id",2]},"x":"\"id\":3","id":4}"#,
                Some(4),
            ),
            (r#"{"a":"id","id":5}"#, Some(5)),
            (r#"{"id":"7"}"#, None),
            (r#"{"id":7.5}"#, None),
            (r#"{"id":-7}"#, None),
            (r#"{"id":99999999999999999999}"#, None),
            (r#"{"id":7"#, None),
            (r#"[{"id":7}]"#, None),
            (r#"log: {"id":7}"#, None),
            ("}{\"id\":7}", None),
            (r#"{"id"#, None),
            ("", None),
        ] {
            assert_eq!(peek_id(text.as_bytes()), id, "{text}");
        }
    }
}
