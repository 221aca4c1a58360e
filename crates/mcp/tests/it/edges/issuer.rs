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
use tokio::{net::TcpListener, sync::watch};

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

/// What the issuer does when it is asked for its keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answering {
    /// It gives them.
    Keys,
    /// It gives them beside others that are not for us.
    Mixed,
    /// It says nothing until it does something else.
    Held,
    /// It has a fault.
    Failure,
    /// It says more than anybody wants to hear.
    Huge,
    /// It says something else.
    Nonsense,
}

/// The issuer: its metadata and its keys of the moment.
pub(super) struct Issuer {
    pub(super) url: String,
    keys: Arc<Mutex<Value>>,
    answering: watch::Sender<Answering>,
    /// How often it was asked for its keys.
    pub(super) asked: Arc<AtomicUsize>,
}

impl Issuer {
    pub(super) async fn start(keys: &[&Key]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("bound"));
        let (answering, _) = watch::channel(Answering::Keys);
        let issuer = Self {
            url: url.clone(),
            keys: Arc::new(Mutex::new(set(keys))),
            answering,
            asked: Arc::default(),
        };
        let (keys, asked) = (Arc::clone(&issuer.keys), Arc::clone(&issuer.asked));
        let answering = issuer.answering.subscribe();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (keys, asked, url) = (Arc::clone(&keys), Arc::clone(&asked), url.clone());
                let answering = answering.clone();
                let answer = service_fn(move |request: Request<Incoming>| {
                    let (keys, answering, url) = (Arc::clone(&keys), answering.clone(), url.clone());
                    let path = request.uri().path().to_owned();
                    if path == "/keys" {
                        asked.fetch_add(1, Ordering::Relaxed);
                    }
                    async move {
                        Ok::<_, Infallible>(match path.as_str() {
                            "/.well-known/oauth-authorization-server" => respond(
                                200,
                                json!({"issuer": url, "jwks_uri": format!("{url}/keys")}).to_string(),
                            ),
                            "/keys" => keys_as(answering, &keys).await,
                            _ => respond(200, "null".to_owned()),
                        })
                    }
                });
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), answer));
            }
        });
        issuer
    }

    /// Has other keys from now on.
    pub(super) fn publish(&self, keys: &[&Key]) {
        *self.keys.lock().expect("not poisoned") = set(keys);
    }

    /// Answers so from now on.
    pub(super) fn answers(&self, how: Answering) {
        self.answering.send_replace(how);
    }

    /// Claims of a token that is right: for `audience`, by this issuer, valid for a minute.
    pub(super) fn claims(&self, audience: &str, scope: &str) -> Value {
        json!({"iss": self.url, "aud": audience, "sub": "ada", "exp": now() + 60, "scope": scope})
    }
}

async fn keys_as(mut answering: watch::Receiver<Answering>, keys: &Mutex<Value>) -> Response<Full<Bytes>> {
    let answering = answering.wait_for(|how| *how != Answering::Held).await;
    let how = answering.map(|how| *how).unwrap_or(Answering::Failure);
    let mut set = keys.lock().expect("not poisoned").clone();
    match how {
        Answering::Failure | Answering::Held => respond(503, String::new()),
        Answering::Huge => respond(200, " ".repeat(256 * 1024) + &set.to_string()),
        Answering::Nonsense => respond(200, r#"{"keys":7}"#.to_owned()),
        Answering::Mixed => {
            let mut other = set["keys"][0].clone();
            other["use"] = json!("enc");
            let keys = set["keys"].as_array_mut().expect("a list");
            keys.insert(0, other);
            keys.insert(
                0,
                json!({"kty": "AKP", "kid": "one", "alg": "ML-DSA-44", "pub": "AA"}),
            );
            keys.insert(0, json!("no key"));
            respond(200, set.to_string())
        }
        Answering::Keys => respond(200, set.to_string()),
    }
}

fn respond(status: u16, body: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = http::StatusCode::from_u16(status).expect("a status");
    response
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
