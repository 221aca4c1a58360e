//! Strangers who reach a port and have no key.

use std::{io::Write as _, net::TcpStream};

use toolmesh_mesh::{BuildError, MeshBuilder, MeshRouter};

use crate::{
    authority::Authority,
    support::{Net, echo, listed, sees},
};

/// With a pause of 100 ms after each they would keep a node out for longer than this test waits.
const STRANGERS: usize = 1_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn handshakes_that_fail_do_not_keep_a_node_out() {
    let (key, authority) = (Net::zenoh().key(), Authority::new());
    let node = |name: &str| {
        let builder = MeshBuilder::new("127.0.0.1:0", &key).unwrap();
        builder.credentials(authority.node(name))
    };
    let host = node("besieged").build().await.unwrap();
    let _served = echo(&host, "t", "1.0.0");
    let at = host.listens_at()[0].replace("tls/", "");
    let strangers = at.clone();
    let knocked = tokio::task::spawn_blocking(move || {
        for _ in 0..STRANGERS {
            // One that is not taken in any more is one less.
            if let Ok(mut stranger) = TcpStream::connect(&strangers) {
                let _ = stranger.write_all(b"GET / HTTP/1.1\r\n\r\n");
            }
        }
    });
    knocked.await.unwrap();
    let late = node("late").connect(&at).unwrap().build().await.unwrap();
    sees(&late, &host).await;
    assert_eq!(listed(&late).len(), 1);
}

#[tokio::test]
async fn a_router_with_members_needs_a_certificate_to_tell_them_by() {
    let router = MeshRouter::builder("127.0.0.1:0").unwrap().member("host");
    let refused = router.open().await.map(|_| ()).unwrap_err();
    assert!(
        matches!(refused, BuildError::MembersWithoutCertificate),
        "{refused}"
    );
}
