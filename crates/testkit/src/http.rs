//! HTTP/1.1 to the byte: one request on its own connection, for what a well-behaved client never sends.
//!
//! No redirects, no TLS, no keep-alive, no decoding beyond `chunked`: the test sees what the server wrote.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    time::Duration,
};

/// How long one read or write may take.
const IO_LIMIT: Duration = Duration::from_secs(30);

/// A request being put together. Nothing is added that is not said here, except what [`Request::send`] names.
#[derive(Debug, Clone)]
pub struct Request {
    authority: String,
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    /// A request to an `http://HOST:PORT/PATH` URL.
    ///
    /// # Panics
    /// When the URL is of another form.
    #[must_use]
    #[track_caller]
    pub fn new(method: &str, url: &str) -> Self {
        let Some(rest) = url.strip_prefix("http://") else {
            panic!("{url} is not an http:// URL");
        };
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        Self {
            authority: authority.to_owned(),
            method: method.to_owned(),
            target: format!("/{path}"),
            headers: Vec::new(),
            body: Vec::new(),
        }
    }

    /// A POST of a JSON text with the headers every MCP client sends.
    #[must_use]
    #[track_caller]
    pub fn post_json(url: &str, body: impl Into<Vec<u8>>) -> Self {
        Self::new("POST", url)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
            .body(body)
    }

    /// Adds a header; the same name may come twice.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The body.
    #[must_use]
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// Sends it and reads the whole answer. `Host`, `Connection: close` and `Content-Length` are added when the
    /// test did not say them itself.
    ///
    /// # Panics
    /// When the server cannot be reached, goes silent, or does not answer in HTTP/1.1.
    #[must_use]
    #[track_caller]
    pub fn send(&self) -> Response {
        send_raw(&self.authority, &self.to_bytes())
    }

    fn to_bytes(&self) -> Vec<u8> {
        let defaults = [
            ("Host", self.authority.clone()),
            ("Connection", "close".to_owned()),
            ("Content-Length", self.body.len().to_string()),
        ];
        let mut text = format!("{} {} HTTP/1.1\r\n", self.method, self.target);
        for (name, value) in &self.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        for (name, value) in defaults {
            if !self.headers.iter().any(|(own, _)| own.eq_ignore_ascii_case(name)) {
                text.push_str(&format!("{name}: {value}\r\n"));
            }
        }
        text.push_str("\r\n");
        let mut bytes = text.into_bytes();
        bytes.extend_from_slice(&self.body);
        bytes
    }
}

/// What the server answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// Every header line in the order it came, name as written.
    pub headers: Vec<(String, String)>,
    /// The body, with `chunked` undone.
    pub body: Vec<u8>,
}

impl Response {
    /// The first header of that name, in any case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(own, _)| own.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// The body as text, with invalid UTF-8 replaced.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON; of an event stream, the data of its last message.
    ///
    /// # Panics
    /// When it is neither.
    #[must_use]
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        let text = self.text();
        let is_stream = self
            .header("content-type")
            .is_some_and(|kind| kind.starts_with("text/event-stream"));
        let json = if is_stream {
            last_event_data(&text)
        } else {
            text.clone()
        };
        match serde_json::from_str(&json) {
            Ok(value) => value,
            Err(error) => panic!("the answer (HTTP {}) is not JSON: {error}: {text}", self.status),
        }
    }
}

/// The data of the last event that has any (events end with an empty line; data may span lines).
fn last_event_data(stream: &str) -> String {
    let stream = stream.replace("\r\n", "\n");
    let data_of = |event: &str| {
        let lines = event.lines().filter_map(|line| line.strip_prefix("data:"));
        lines
            .map(|line| line.strip_prefix(' ').unwrap_or(line))
            .collect::<Vec<_>>()
            .join("\n")
    };
    stream
        .split("\n\n")
        .map(data_of)
        .filter(|data| !data.is_empty())
        .last()
        .unwrap_or_default()
}

/// Sends bytes as they are to `HOST:PORT` and reads one answer.
///
/// # Panics
/// When the server cannot be reached, goes silent, or does not answer in HTTP/1.1.
#[must_use]
#[track_caller]
pub fn send_raw(authority: &str, bytes: &[u8]) -> Response {
    match exchange(authority, bytes) {
        Ok(response) => response,
        Err(error) => panic!("no HTTP answer from {authority}: {error}"),
    }
}

fn exchange(authority: &str, bytes: &[u8]) -> std::io::Result<Response> {
    let mut stream = TcpStream::connect(authority)?;
    stream.set_read_timeout(Some(IO_LIMIT))?;
    stream.set_write_timeout(Some(IO_LIMIT))?;
    // A server may answer and close before it has read everything (a body over its limit): the answer counts.
    let written = stream.write_all(bytes).and_then(|()| stream.flush());
    let mut reader = BufReader::new(stream);
    read_response(&mut reader).map_err(|error| written.err().unwrap_or(error))
}

fn read_response(reader: &mut impl BufRead) -> std::io::Result<Response> {
    let line = read_line(reader)?;
    let status = line
        .strip_prefix("HTTP/1.1 ")
        .and_then(|rest| rest.get(..3))
        .and_then(|code| code.parse().ok());
    let Some(status) = status else {
        return Err(invalid(format!("unexpected status line {line:?}")));
    };
    let mut headers = Vec::new();
    loop {
        let line = read_line(reader)?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line
            .split_once(':')
            .ok_or_else(|| invalid(format!("unexpected header {line:?}")))?;
        headers.push((name.to_owned(), value.trim().to_owned()));
    }
    let mut response = Response {
        status,
        headers,
        body: Vec::new(),
    };
    response.body = read_body(reader, &response)?;
    Ok(response)
}

fn read_body(reader: &mut impl BufRead, response: &Response) -> std::io::Result<Vec<u8>> {
    let chunked = response
        .header("transfer-encoding")
        .is_some_and(|coding| coding.eq_ignore_ascii_case("chunked"));
    if chunked {
        return read_chunks(reader);
    }
    let mut body = Vec::new();
    match response.header("content-length").map(str::parse::<u64>) {
        Some(Ok(length)) => {
            reader.take(length).read_to_end(&mut body)?;
        }
        Some(Err(error)) => return Err(invalid(format!("bad Content-Length: {error}"))),
        None if matches!(response.status, 204 | 304) => {}
        None => {
            reader.read_to_end(&mut body)?;
        }
    }
    Ok(body)
}

fn read_chunks(reader: &mut impl BufRead) -> std::io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = read_line(reader)?;
        let size = line.split(';').next().unwrap_or_default().trim();
        let size =
            u64::from_str_radix(size, 16).map_err(|error| invalid(format!("bad chunk size: {error}")))?;
        reader.take(size).read_to_end(&mut body)?;
        read_line(reader)?;
        if size == 0 {
            return Ok(body);
        }
    }
}

fn read_line(reader: &mut impl BufRead) -> std::io::Result<String> {
    let mut line = Vec::new();
    reader.read_until(b'\n', &mut line)?;
    if !line.ends_with(b"\n") {
        return Err(std::io::Error::new(
            std::io::ErrorKind::UnexpectedEof,
            "the connection ended within a line",
        ));
    }
    Ok(String::from_utf8_lossy(&line)
        .trim_end_matches(['\r', '\n'])
        .to_owned())
}

fn invalid(message: String) -> std::io::Error {
    std::io::Error::new(std::io::ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Response {
        read_response(&mut text.as_bytes()).unwrap()
    }

    #[test]
    fn a_body_ends_where_its_length_says() {
        let response = parse("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A: b\r\n\r\nhello");
        assert_eq!(
            (response.status, response.text().as_str(), response.header("x-a")),
            (200, "he", Some("b"))
        );
    }

    #[test]
    fn chunks_are_put_together() {
        let response = parse(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n",
        );
        assert_eq!(response.text(), "abcde");
    }

    #[test]
    fn the_json_of_an_event_stream_is_its_last_message() {
        let response = parse(
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: note\n\nid: 0\ndata:\n\ndata: {\"a\":1}\n\nevent: message\ndata: {\"a\":\ndata: 2}\n\n",
        );
        assert_eq!(response.json(), serde_json::json!({"a": 2}));
    }

    #[test]
    fn an_answer_that_is_cut_off_is_an_error() {
        assert!(read_response(&mut &b"HTTP/1.1 200 OK\r\nContent-Le"[..]).is_err());
    }

    #[test]
    fn what_the_test_says_itself_is_not_added_again() {
        let request = Request::new("POST", "http://127.0.0.1:1/mcp")
            .header("host", "elsewhere")
            .body("x");
        let text = String::from_utf8(request.to_bytes()).unwrap();
        assert_eq!(
            text,
            "POST /mcp HTTP/1.1\r\nhost: elsewhere\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx"
        );
    }
}
