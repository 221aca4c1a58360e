//! What went over a socket, taken apart: every message that came back is checked against the wire schema of its revision.

use toolmesh_testkit::wire_schema::Expected;

/// Checks every whole message among the answers that `came` to the requests that were `sent`, in their order.
///
/// # Panics
/// When one does not fit.
#[track_caller]
pub(crate) fn check(sent: &[u8], came: &[u8]) {
    let mut requests = Messages(sent);
    for answer in Messages(came) {
        let request = requests.next().unwrap_or_default();
        // What stands beside the endpoint is no message of the protocol.
        if request.head.contains(" /.well-known/") {
            continue;
        }
        let expected = Expected::of(request.field("mcp-protocol-version"), &request.body);
        expected.check_body(answer.field("content-type").unwrap_or_default(), &answer.body);
    }
}

/// A request or an answer.
#[derive(Debug, Default, PartialEq)]
struct Message {
    head: String,
    /// As much of it as came whole: nothing of a body that is shorter than was said, the whole events of a stream.
    body: String,
}

impl Message {
    fn field(&self, name: &str) -> Option<&str> {
        let mut fields = self.head.lines().filter_map(|line| line.split_once(':'));
        let field = fields.find(|(field, _)| field.eq_ignore_ascii_case(name));
        field.map(|(_, value)| value.trim())
    }
}

/// The messages of one direction, one after the other.
struct Messages<'a>(&'a [u8]);

impl Iterator for Messages<'_> {
    type Item = Message;

    fn next(&mut self) -> Option<Message> {
        let (head, rest) = cut(self.0, b"\r\n\r\n")?;
        let mut message = Message {
            head: lossy(head),
            body: String::new(),
        };
        let length = message
            .field("content-length")
            .and_then(|length| length.parse().ok());
        if message.field("transfer-encoding") == Some("chunked") {
            let (body, rest) = unchunked(rest);
            message.body = whole_events(lossy(&body));
            self.0 = rest;
        } else if let Some((body, rest)) = rest.split_at_checked(length.unwrap_or(0)) {
            message.body = lossy(body);
            self.0 = rest;
        } else {
            self.0 = &[];
        }
        Some(message)
    }
}

/// The whole chunks, and what stands behind them.
fn unchunked(mut rest: &[u8]) -> (Vec<u8>, &[u8]) {
    let mut body = Vec::new();
    while let Some((size, after)) = cut(rest, b"\r\n") {
        let size = usize::from_str_radix(&lossy(size), 16).unwrap_or(0);
        let Some((chunk, after)) = after.split_at_checked(size) else {
            break;
        };
        body.extend_from_slice(chunk);
        rest = after.strip_prefix(b"\r\n").unwrap_or(after);
        if size == 0 {
            break;
        }
    }
    (body, rest)
}

fn whole_events(mut text: String) -> String {
    let end = text.rfind("\n\n").map_or(0, |at| at + 2);
    text.truncate(end);
    text
}

/// What stands before and behind the first `mark`.
fn cut<'a>(bytes: &'a [u8], mark: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = bytes.windows(mark.len()).position(|window| window == mark)?;
    Some((bytes.get(..at)?, bytes.get(at + mark.len()..)?))
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn messages_are_told_apart_by_length_and_chunks() {
    let came = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
        9\r\ndata: 1\n\n\r\n3\r\ndat\r\n0\r\n\r\nHTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\ncut";
    let bodies: Vec<String> = Messages(came).map(|message| message.body).collect();
    assert_eq!(bodies, ["{}", "data: 1\n\n", "", ""]);
}

#[test]
#[should_panic(expected = "2025-11-25 JSONRPCErrorResponse")]
fn a_message_that_does_not_fit_is_found() {
    let sent = b"POST /mcp HTTP/1.1\r\nmcp-protocol-version: 2025-11-25\r\ncontent-length: 0\r\n\r\n";
    let body = r#"{"jsonrpc":"2.0","id":1,"error":{"code":"x","message":""}}"#;
    let length = body.len();
    let came = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    check(sent, came.as_bytes());
}
