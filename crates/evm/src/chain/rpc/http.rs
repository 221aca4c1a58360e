//! One request to a node over HTTP, and its answer, bounded in bytes.
//!
//! alloy's own transport reads an answer whole before anybody can count it; this one counts while it reads.

use std::task::{Context, Poll};

use alloy_json_rpc::{RequestPacket, ResponsePacket};
use alloy_transport::{TransportError, TransportErrorKind, TransportFut};
use reqwest::{Client, Response, Url};
use thiserror::Error;
use tower::Service;

/// The largest answer of a node that is read, in bytes. The code of the largest contract is 48 KiB of text and a
/// page of logs some megabytes; what is larger can be asked for in parts.
pub(super) const MAX_ANSWER_BYTES: usize = 16 << 20;

/// An answer is larger than is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the answer is larger than {limit} bytes")]
pub(super) struct AnswerTooLarge {
    pub(super) limit: usize,
}

/// A node's URL and the client that posts to it.
#[derive(Clone)]
pub(super) struct BoundedHttp {
    client: Client,
    url: Url,
    limit: usize,
}

impl BoundedHttp {
    pub(super) fn new(client: Client, url: Url) -> Self {
        Self::with_limit(client, url, MAX_ANSWER_BYTES)
    }

    fn with_limit(client: Client, url: Url, limit: usize) -> Self {
        Self { client, url, limit }
    }

    async fn exchange(self, request: RequestPacket) -> Result<ResponsePacket, TransportError> {
        let response = self
            .client
            .post(self.url)
            .json(&request)
            .send()
            .await
            .map_err(TransportErrorKind::custom)?;
        let status = response.status();
        let body = bounded(response, self.limit).await?;
        if !status.is_success() {
            let body = String::from_utf8_lossy(&body).into_owned();
            return Err(TransportErrorKind::http_error(status.as_u16(), body));
        }
        serde_json::from_slice(&body).map_err(|error| TransportError::deser_err(error, ""))
    }
}

/// The body of an answer, as long as it stays within `limit` bytes.
async fn bounded(mut response: Response, limit: usize) -> Result<Vec<u8>, TransportError> {
    let too_large = || TransportErrorKind::non_retryable(AnswerTooLarge { limit });
    let announced = response.content_length().unwrap_or_default();
    if usize::try_from(announced).map_or(true, |length| length > limit) {
        return Err(too_large());
    }
    let mut body = Vec::new();
    while let Some(part) = response.chunk().await.map_err(TransportErrorKind::custom)? {
        if part.len() > limit - body.len() {
            return Err(too_large());
        }
        body.extend_from_slice(&part);
    }
    Ok(body)
}

impl Service<RequestPacket> for BoundedHttp {
    type Response = ResponsePacket;
    type Error = TransportError;
    type Future = TransportFut<'static>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), TransportError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: RequestPacket) -> Self::Future {
        Box::pin(self.clone().exchange(request))
    }
}

#[cfg(test)]
mod tests {
    use alloy_json_rpc::{Id, Request};
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    use super::*;

    /// A node on loopback that answers one request with `body`, with or without saying its length first.
    async fn node(body: String, says_length: bool) -> Url {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 4_096];
            let _ = stream.read(&mut request).await.unwrap();
            let length = if says_length {
                format!("content-length: {}\r\n", body.len())
            } else {
                String::new()
            };
            let head = format!("HTTP/1.1 200 OK\r\n{length}connection: close\r\n\r\n");
            stream.write_all(head.as_bytes()).await.unwrap();
            // A reader that had enough closes the connection.
            let _ = stream.write_all(body.as_bytes()).await;
        });
        url.parse().unwrap()
    }

    async fn asked(body_bytes: usize, limit: usize, says_length: bool) -> Result<(), TransportError> {
        let head = r#"{"jsonrpc":"2.0","id":1,"result":""#;
        let body = format!("{head}{}\"}}", "a".repeat(body_bytes - head.len() - 2));
        assert_eq!(body.len(), body_bytes);
        let url = node(body, says_length).await;
        let request = Request::new("eth_blockNumber", Id::Number(1), ())
            .serialize()
            .unwrap();
        let mut transport = BoundedHttp::with_limit(Client::new(), url, limit);
        transport.call(RequestPacket::Single(request)).await.map(drop)
    }

    #[tokio::test]
    async fn an_answer_may_have_as_many_bytes_as_the_limit_and_not_one_more() {
        for says_length in [true, false] {
            asked(10_000, 10_000, says_length).await.unwrap();
            let refusal = asked(10_001, 10_000, says_length).await.unwrap_err();
            assert!(
                refusal
                    .to_string()
                    .contains("the answer is larger than 10000 bytes"),
                "{refusal}"
            );
        }
    }
}
