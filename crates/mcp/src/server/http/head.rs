//! The bounds of a request's head, exact to the byte.

use http::{HeaderMap, request::Parts};

use super::refusal::Refusal;

/// Most bytes of a request's head as it is written without needless white space: 64 KiB.
pub(super) const HEAD_BYTES: usize = 64 * 1024;

/// Most bytes of a request's target: 8 KiB.
const TARGET_BYTES: usize = 8 * 1024;

/// What a line of the head has besides a header's name and value: `: ` and the line end.
const AROUND_FIELD: usize = 4;

/// What the first line has besides method and target, and the empty line at the end: ` `, ` HTTP/1.1`, two line ends.
const AROUND_LINE: usize = 14;

/// Checks the sizes of a head.
///
/// # Errors
/// [`Refusal::Target`] or [`Refusal::Head`].
pub(super) fn check(head: &Parts) -> Result<(), Refusal> {
    let target = target_bytes(head);
    if target > TARGET_BYTES {
        return Err(Refusal::Target);
    }
    let line = head.method.as_str().len() + target + AROUND_LINE;
    if line + field_bytes(&head.headers) > HEAD_BYTES {
        return Err(Refusal::Head);
    }
    Ok(())
}

fn target_bytes(head: &Parts) -> usize {
    let scheme = head
        .uri
        .scheme_str()
        .map_or(0, |scheme| scheme.len() + "://".len());
    let authority = head
        .uri
        .authority()
        .map_or(0, |authority| authority.as_str().len());
    let path = head.uri.path_and_query().map_or(0, |path| path.as_str().len());
    scheme + authority + path
}

fn field_bytes(headers: &HeaderMap) -> usize {
    let field = |(name, value): (&http::HeaderName, &http::HeaderValue)| {
        name.as_str().len() + value.len() + AROUND_FIELD
    };
    headers.iter().map(field).sum()
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn parts(target: &str, value: usize) -> Parts {
        let request = Request::post(target).header("a", "v".repeat(value));
        request.body(()).expect("a request").into_parts().0
    }

    #[test]
    fn a_head_may_have_its_bound_and_not_a_byte_more() {
        let text = "POST /mcp HTTP/1.1\r\na: \r\n\r\n";
        let rest = HEAD_BYTES - text.len();
        assert_eq!(check(&parts("/mcp", rest)), Ok(()));
        assert_eq!(check(&parts("/mcp", rest + 1)), Err(Refusal::Head));
    }

    #[test]
    fn a_target_may_have_its_bound_and_not_a_byte_more() {
        let path = |bytes: usize| format!("/{}", "p".repeat(bytes - 1));
        assert_eq!(check(&parts(&path(TARGET_BYTES), 0)), Ok(()));
        assert_eq!(check(&parts(&path(TARGET_BYTES + 1), 0)), Err(Refusal::Target));
        let absolute = "http://h";
        let whole = format!("{absolute}{}", path(TARGET_BYTES - absolute.len()));
        assert_eq!(check(&parts(&whole, 0)), Ok(()));
        assert_eq!(check(&parts(&format!("{whole}p"), 0)), Err(Refusal::Target));
    }
}
