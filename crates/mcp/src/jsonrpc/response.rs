//! Writing responses and notifications by hand, straight into the outgoing bytes.

use toolmesh_json::write_string;

use super::RequestId;

/// Opens a result response up to where the result object stands.
pub(crate) fn begin_result(out: &mut Vec<u8>, id: &RequestId) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    id.write(out);
    out.extend_from_slice(br#","result":"#);
}

/// Closes what [`begin_result`] opened.
pub(crate) fn end_result(out: &mut Vec<u8>) {
    out.push(b'}');
}

/// How an error says that the id of the request could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnreadableId {
    /// `"id":null`, as JSON-RPC 2.0 has it.
    Null,
    /// No `id` member: the revision's schema has an optional id that is never null.
    Omitted,
}

/// Writes an error response; `data` writes the `data` member's value when there is one.
pub(crate) fn write_error(
    out: &mut Vec<u8>,
    id: Option<&RequestId>,
    unreadable: UnreadableId,
    code: i32,
    message: &str,
    data: Option<&[u8]>,
) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0""#);
    match (id, unreadable) {
        (Some(id), _) => {
            out.extend_from_slice(br#","id":"#);
            id.write(out);
        }
        (None, UnreadableId::Null) => out.extend_from_slice(br#","id":null"#),
        (None, UnreadableId::Omitted) => {}
    }
    out.extend_from_slice(br#","error":{"code":"#);
    out.extend_from_slice(code.to_string().as_bytes());
    out.extend_from_slice(br#","message":"#);
    write_string(out, message);
    if let Some(data) = data {
        out.extend_from_slice(br#","data":"#);
        out.extend_from_slice(data);
    }
    out.extend_from_slice(b"}}");
}

/// Writes a notification whose params are written by `params`.
pub(crate) fn write_notification(out: &mut Vec<u8>, method: &str, params: impl FnOnce(&mut Vec<u8>)) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","method":"#);
    write_string(out, method);
    out.extend_from_slice(br#","params":"#);
    params(out);
    out.push(b'}');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(id: Option<&RequestId>, unreadable: UnreadableId) -> String {
        let mut out = Vec::new();
        write_error(&mut out, id, unreadable, -32600, "Invalid request", None);
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn an_error_says_in_the_revisions_way_that_it_has_no_id() {
        let id = RequestId::Text("a".into());
        let tail = r#","error":{"code":-32600,"message":"Invalid request"}}"#;
        assert_eq!(
            error(Some(&id), UnreadableId::Null),
            format!(r#"{{"jsonrpc":"2.0","id":"a"{tail}"#)
        );
        assert_eq!(
            error(None, UnreadableId::Null),
            format!(r#"{{"jsonrpc":"2.0","id":null{tail}"#)
        );
        assert_eq!(
            error(None, UnreadableId::Omitted),
            format!(r#"{{"jsonrpc":"2.0"{tail}"#)
        );
    }

    #[test]
    fn a_result_stands_between_its_two_halves() {
        let mut out = Vec::new();
        begin_result(&mut out, &RequestId::Text("a".into()));
        out.extend_from_slice(b"{}");
        end_result(&mut out);
        assert_eq!(out, br#"{"jsonrpc":"2.0","id":"a","result":{}}"#);
    }
}
