//! An authorization server on loopback, with real keys made here.

use std::{
    convert::Infallible,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{SystemTime, UNIX_EPOCH},
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use rcgen::{KeyPair, PublicKeyData as _};
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// A key that signs tokens, and its public half as the issuer publishes it.
pub(super) struct Key {
    id: String,
    pair: KeyPair,
}

impl Key {
    pub(super) fn new(id: &str) -> Self {
        let pair = KeyPair::generate().expect("randomness");
        Self {
            id: id.to_owned(),
            pair,
        }
    }

    fn public(&self) -> Value {
        // A point that is not compressed: 4, then both coordinates of 32 bytes.
        let point = self.pair.der_bytes();
        let [x, y] = [1..33, 33..65].map(|range| URL_SAFE_NO_PAD.encode(&point[range]));
        json!({"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": self.id, "x": x, "y": y})
    }

    /// A token with these claims.
    pub(super) fn sign(&self, claims: &Value) -> String {
        let mut head = Header::new(Algorithm::ES256);
        head.kid = Some(self.id.clone());
        let key = EncodingKey::from_ec_der(&self.pair.serialize_der());
        encode(&head, claims, &key).expect("a token")
    }
}

/// The issuer: its metadata and its keys of the moment.
pub(super) struct Issuer {
    pub(super) url: String,
    keys: Arc<Mutex<Value>>,
    pub(super) asked: Arc<AtomicUsize>,
}

impl Issuer {
    pub(super) async fn start(keys: &[&Key]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("bound"));
        let issuer = Self {
            url: url.clone(),
            keys: Arc::new(Mutex::new(set(keys))),
            asked: Arc::default(),
        };
        let (keys, asked) = (Arc::clone(&issuer.keys), Arc::clone(&issuer.asked));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (keys, asked, url) = (Arc::clone(&keys), Arc::clone(&asked), url.clone());
                let answer = service_fn(move |request: Request<Incoming>| {
                    let body = match request.uri().path() {
                        "/.well-known/oauth-authorization-server" => {
                            json!({"issuer": url, "jwks_uri": format!("{url}/keys")})
                        }
                        "/keys" => {
                            asked.fetch_add(1, Ordering::Relaxed);
                            keys.lock().expect("not poisoned").clone()
                        }
                        _ => json!(null),
                    };
                    let response = Response::new(Full::new(Bytes::from(body.to_string())));
                    std::future::ready(Ok::<_, Infallible>(response))
                });
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), answer));
            }
        });
        issuer
    }

    /// Claims of a token that is right: for `audience`, by this issuer, valid for a minute.
    pub(super) fn claims(&self, audience: &str, scope: &str) -> Value {
        json!({"iss": self.url, "aud": audience, "sub": "ada", "exp": now() + 60, "scope": scope})
    }
}

fn set(keys: &[&Key]) -> Value {
    json!({"keys": keys.iter().map(|key| key.public()).collect::<Vec<_>>()})
}

/// Seconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("after 1970")
        .as_secs()
}
