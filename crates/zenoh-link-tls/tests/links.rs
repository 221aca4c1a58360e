//! Links between two ends with certificates.
#![cfg(test)]

use std::{
    net::TcpStream,
    time::{Duration, SystemTime},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use zenoh_config::Config;
use zenoh_link_commons::{ConfigurationInspector as _, LinkManagerUnicastTrait as _, LinkUnicast};
use zenoh_link_tls::{LinkManagerUnicastTls, TlsConfigurator};
use zenoh_protocol::core::{EndPoint, Locator};
use zenoh_result::ZResult;

/// How long something may take; on a machine that does much else "soon" may be long.
const SOON: Duration = Duration::from_secs(30);

struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        Self(CertifiedIssuer::self_signed(params, key).unwrap())
    }

    /// What zenoh is told of an end whose certificate ends then.
    fn end(&self, name: &str, ends: SystemTime) -> Config {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.not_after = ends.into();
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.0).unwrap().pem();
        let text = |pem: String| format!("\"{}\"", STANDARD.encode(pem));
        let (certificate, key) = (text(certificate), text(key.serialize_pem()));
        let mut config = Config::default();
        for (name, value) in [
            ("root_ca_certificate_base64", &text(self.0.pem())),
            ("listen_certificate_base64", &certificate),
            ("listen_private_key_base64", &key),
            ("connect_certificate_base64", &certificate),
            ("connect_private_key_base64", &key),
            ("enable_mtls", &"true".to_owned()),
            ("verify_name_on_connect", &"false".to_owned()),
            ("close_link_on_expiration", &"true".to_owned()),
        ] {
            set(&mut config, name, value);
        }
        config
    }
}

fn set(config: &mut Config, key: &str, value: &str) {
    let key = format!("transport/link/tls/{key}");
    config.insert_json5(&key, value).unwrap();
}

fn in_an_hour() -> SystemTime {
    SystemTime::now() + Duration::from_secs(3_600)
}

fn endpoint(place: &str, config: &Config) -> EndPoint {
    let config = TlsConfigurator.inspect_config(config).unwrap();
    EndPoint::new("tls", place, "", config).unwrap()
}

/// Where links come to.
struct Listening {
    manager: LinkManagerUnicastTls,
    links: flume::Receiver<LinkUnicast>,
    at: Locator,
}

impl Listening {
    async fn new(config: &Config) -> Self {
        let (sender, links) = flume::unbounded();
        let manager = LinkManagerUnicastTls::new(sender);
        let at = manager.new_listener(endpoint("127.0.0.1:0", config)).await;
        Self {
            manager,
            links,
            at: at.unwrap(),
        }
    }

    fn place(&self) -> &str {
        self.at.as_str().strip_prefix("tls/").unwrap()
    }

    async fn connect(&self, config: &Config) -> ZResult<LinkUnicast> {
        let manager = LinkManagerUnicastTls::new(flume::unbounded().0);
        manager.new_link(endpoint(self.place(), config)).await
    }

    async fn next(&self) -> LinkUnicast {
        in_time(self.links.recv_async()).await.unwrap()
    }
}

async fn in_time<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(SOON, what).await.expect("in time")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_written_comes_while_the_other_end_writes_too() {
    const BYTES: usize = 8 << 20;
    let authority = Authority::new();
    let listening = Listening::new(&authority.end("host", in_an_hour())).await;
    let near = listening
        .connect(&authority.end("guest", in_an_hour()))
        .await
        .unwrap();
    let far = listening.next().await;
    assert_eq!(near.get_auth_id().get_cert_common_name(), Some("host"));
    assert_eq!(far.get_auth_id().get_cert_common_name(), Some("guest"));
    assert_eq!(near.get_dst(), far.get_src());
    assert!(near.get_mtu() > 1_000 && near.get_mtu() < u16::MAX);

    let mut under_way = Vec::new();
    for (from, to, byte) in [(near.clone(), far.clone(), 1), (far, near, 2)] {
        under_way.push(tokio::spawn(async move {
            let bytes = vec![byte; BYTES];
            for part in bytes.chunks(usize::from(from.get_mtu())) {
                from.write_all(part, None).await.unwrap();
            }
        }));
        under_way.push(tokio::spawn(async move {
            let mut bytes = vec![0; BYTES];
            for part in bytes.chunks_mut(10_007) {
                to.read_exact(part, None).await.unwrap();
            }
            assert!(bytes.iter().all(|came| *came == byte));
        }));
    }
    for done in under_way {
        in_time(done).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn closing_tells_the_other_end_and_ends_what_waits_here() {
    let authority = Authority::new();
    let listening = Listening::new(&authority.end("host", in_an_hour())).await;
    let near = listening
        .connect(&authority.end("guest", in_an_hour()))
        .await
        .unwrap();
    let far = listening.next().await;
    let waiting = tokio::spawn({
        let near = near.clone();
        async move { near.read(&mut [0], None).await }
    });
    near.write_all(b"last", None).await.unwrap();
    near.close().await.unwrap();
    near.close().await.unwrap();
    assert!(in_time(waiting).await.unwrap().is_err());
    assert!(near.write_all(b"more", None).await.is_err());
    let mut last = [0; 4];
    in_time(far.read_exact(&mut last, None)).await.unwrap();
    assert_eq!(&last, b"last");
    // The end as TLS has it, not a connection that broke.
    assert_eq!(in_time(far.read(&mut last, None)).await.unwrap(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn closing_does_not_wait_for_an_end_that_takes_nothing() {
    let authority = Authority::new();
    let listening = Listening::new(&authority.end("host", in_an_hour())).await;
    let near = listening
        .connect(&authority.end("guest", in_an_hour()))
        .await
        .unwrap();
    let _far = listening.next().await;
    let writing = tokio::spawn({
        let near = near.clone();
        async move { near.write_all(&vec![0; 64 << 20], None).await }
    });
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(in_time(near.close()).await.is_err());
    assert!(in_time(writing).await.unwrap().is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_link_ends_with_the_certificate_of_either_side_also_when_it_is_as_young() {
    let authority = Authority::new();
    // Certificates end at full seconds: these links come about from a second before to a moment after it.
    let mut links = Vec::new();
    for number in 0..24_u32 {
        let ends = SystemTime::now() + Duration::from_secs(3);
        let (short, long) = (authority.end("a", ends), authority.end("b", in_an_hour()));
        let (host, guest) = if number % 2 == 0 {
            (short, long)
        } else {
            (long, short)
        };
        links.push(tokio::spawn(async move {
            let listening = Listening::new(&host).await;
            tokio::time::sleep(Duration::from_millis(1_900) + number * Duration::from_millis(50)).await;
            let near = listening.connect(&guest).await.ok()?;
            let mut byte = [0];
            Some(matches!(near.read(&mut byte, None).await, Ok(1..)))
        }));
    }
    let (mut ended, mut refused) = (0, 0);
    for link in links {
        match in_time(link).await.unwrap() {
            Some(came) => {
                assert!(!came);
                ended += 1;
            }
            None => refused += 1,
        }
    }
    assert!(ended > 0 && refused > 0, "{ended} {refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_hold_up_nobody() {
    let authority = Authority::new();
    let listening = Listening::new(&authority.end("host", in_an_hour())).await;
    let silent: Vec<_> = (0..700)
        .map(|_| TcpStream::connect(listening.place()).unwrap())
        .collect();
    let theirs = Authority::new().end("stranger", in_an_hour());
    for _ in 0..20 {
        let wrong = listening.connect(&theirs).await;
        assert!(wrong.is_err());
    }
    let friend = authority.end("friend", in_an_hour());
    let began = std::time::Instant::now();
    let link = in_time(listening.connect(&friend)).await.unwrap();
    let _far = listening.next().await;
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    drop((silent, link));

    let at = EndPoint::from(listening.at.clone());
    assert_eq!(listening.manager.get_listeners().await.len(), 1);
    in_time(listening.manager.del_listener(&at)).await.unwrap();
    assert_eq!(listening.manager.get_locators().await, []);
    assert!(in_time(listening.connect(&friend)).await.is_err());
}

#[tokio::test]
async fn what_is_not_supported_is_refused() {
    let said = TlsConfigurator.inspect_config(&Config::default());
    assert!(!said.unwrap().contains("mtls"));
    let whole = || Authority::new().end("host", in_an_hour());
    for (key, value) in [
        ("root_ca_certificate", "\"a.pem\""),
        ("so_sndbuf", "9000"),
        ("enable_mtls", "false"),
        ("verify_name_on_connect", "true"),
        ("close_link_on_expiration", "false"),
    ] {
        let mut config = whole();
        set(&mut config, key, value);
        let refused = TlsConfigurator.inspect_config(&config).unwrap_err();
        assert!(refused.to_string().contains(key), "{refused}");
    }

    let manager = LinkManagerUnicastTls::new(flume::unbounded().0);
    let config = TlsConfigurator.inspect_config(&whole()).unwrap();
    for (changed, told) in [
        (
            config.replace("enable_mtls=true", "enable_mtls=false"),
            "enable_mtls",
        ),
        (config.replace("listen_certificate_base64=", "x="), "x"),
        (format!("{config};iface=lo"), "iface"),
        (
            config.replace("root_ca_certificate_base64=", "root_ca_certificate_base64=*"),
            "root_ca",
        ),
        (String::new(), "enable_mtls"),
    ] {
        let endpoint = EndPoint::new("tls", "127.0.0.1:0", "", changed).unwrap();
        let refused = manager.new_listener(endpoint).await.unwrap_err();
        assert!(refused.to_string().contains(told), "{refused}");
    }
}
