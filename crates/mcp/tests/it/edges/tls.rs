//! The endpoint over TLS.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore, pki_types::ServerName};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use tokio_rustls::TlsConnector;
use toolmesh_mcp::{HttpOptions, TlsError, TlsIdentity};

use crate::{
    http_client::{MODERN, request, text},
    over_socket,
    toolbox::server,
};

#[tokio::test]
async fn a_call_is_answered_over_tls_and_not_without_it() {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("randomness");
    let (chain, key) = (made.cert.pem(), made.signing_key.serialize_pem());
    let identity = TlsIdentity::from_pem(chain.as_bytes(), key.as_bytes()).expect("they belong together");
    assert_eq!(format!("{identity:?}"), "TlsIdentity");
    let options = HttpOptions::default().tls(identity);
    let bound = server()
        .bind_http(([127, 0, 0, 1], 0).into(), options)
        .await
        .expect("a free port");
    let address = bound.local_addr();
    assert_eq!(bound.url(), format!("https://{address}/mcp"));
    let serving = tokio::spawn(bound.serve(std::future::pending()));

    let mut roots = RootCertStore::empty();
    roots.add(made.cert.der().clone()).expect("a certificate");
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("known versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let stream = TcpStream::connect(address).await.expect("a connection");
    let name = ServerName::try_from("localhost").expect("a name");
    let mut stream = TlsConnector::from(Arc::new(config))
        .connect(name, stream)
        .await
        .expect("a handshake");
    let (headers, body) = request(
        MODERN,
        "tools/call",
        r#"{"name":"echo","arguments":{"message":"hi"}}"#,
    );
    let request = text(address, &headers, &body);
    stream.write_all(request.as_bytes()).await.expect("written");
    let mut answer = String::new();
    // A server that closes without the last word of TLS is no failure here.
    let _ = stream.read_to_string(&mut answer).await;
    over_socket::check(request.as_bytes(), answer.as_bytes());
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(
        answer.contains(r#""structuredContent":{"message":"hi"}"#),
        "{answer}"
    );

    let mut plain = TcpStream::connect(address).await.expect("a connection");
    plain.write_all(request.as_bytes()).await.expect("written");
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer).await;
    assert!(!answer.starts_with(b"HTTP"), "nothing is said without TLS");
    serving.abort();
}

#[test]
fn what_is_no_certificate_or_key_is_told_apart_and_never_shown() {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("randomness");
    let other = rcgen::KeyPair::generate().expect("randomness").serialize_pem();
    let (chain, key) = (made.cert.pem(), made.signing_key.serialize_pem());
    let read = |chain: &str, key: &str| TlsIdentity::from_pem(chain.as_bytes(), key.as_bytes()).map(|_| ());
    assert!(matches!(read("", &key), Err(TlsError::Certificate)));
    assert!(matches!(read(&key, &key), Err(TlsError::Certificate)));
    assert!(matches!(read(&chain, "secret"), Err(TlsError::Key)));
    assert!(matches!(read(&chain, &other), Err(TlsError::Unusable(_))));
    assert!(read(&chain, &key).is_ok());
}
