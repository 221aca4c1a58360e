//! Interfaces looked up by address: explorers played by a stub, in the shapes that they answer in.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use alloy_primitives::{Address, Bytes, address, hex};
use toolmesh_evm::chain::{Chain, SandboxChain};
use toolmesh_evm::fetch::{FetchError, fetch};
use toolmesh_evm::lookup::{Explorer, Lookup, LookupError, LookupOptions, MAX_ASKED_AGAIN, Refusal};
use toolmesh_evm::proxy::{Proxy, ProxyKind, resolve};
use toolmesh_evm::{EvmError, Interface, Network, Parameter, SolidityType, SolidityValue, encode};
use toolmesh_testkit::{WebAnswer, WebStub};

const TOKEN: Address = address!("0x6B175474E89094C44Da98b954EedeAC495271d0F");
const LOGIC: Address = address!("0x43506849D7C04F9138D1A2050bbF3A0c054402dd");
const ABI: &str = r#"[{"type":"function","name":"owner","inputs":[],"outputs":[{"name":"","type":"address"}],"stateMutability":"view"}]"#;
const LOGIC_ABI: &str = r#"[{"type":"constructor","inputs":[]},{"type":"function","name":"owner","inputs":[],"outputs":[{"name":"","type":"address"}],"stateMutability":"view"},
    {"type":"function","name":"mint","inputs":[{"name":"to","type":"address"}],"outputs":[],"stateMutability":"nonpayable"},{"type":"receive","stateMutability":"payable"}]"#;

fn text(json: &str) -> String {
    serde_json::Value::from(json).to_string()
}

/// Etherscan's and Blockscout's answer.
fn etherscan(abi: &str, name: &str, implementation: &str) -> WebAnswer {
    let abi = text(abi);
    WebAnswer::new(
        200,
        format!(
            r#"{{"status":"1","message":"OK","result":[{{"SourceCode":"contract {name} {{}}","ABI":{abi},"ContractName":"{name}","CompilerVersion":"v0.8.20","Proxy":"0","Implementation":"{implementation}"}}]}}"#
        ),
    )
}

fn sourcify(abi: &str, name: &str) -> WebAnswer {
    WebAnswer::new(
        200,
        format!(
            r#"{{"abi":{abi},"compilation":{{"language":"Solidity","name":"{name}"}},"userdoc":{{"kind":"user","methods":{{"owner()":{{"notice":"Who may change it."}}}}}},"devdoc":null,
            "proxyResolution":{{"isProxy":false,"proxyType":null,"implementations":[]}},"match":"exact_match","chainId":"1","address":"0x0"}}"#
        ),
    )
}

fn not_verified() -> WebAnswer {
    WebAnswer::new(
        404,
        r#"{"match":null,"creationMatch":null,"runtimeMatch":null,"chainId":"1","address":"0x0"}"#,
    )
}

fn refused(words: &str) -> WebAnswer {
    WebAnswer::new(
        200,
        format!(r#"{{"status":"0","message":"NOTOK","result":"{words}"}}"#),
    )
}

/// All three explorers on one stub; `script` gets which of them is asked, and for what.
struct Explorers {
    stub: WebStub,
    cache: tempfile::TempDir,
    /// The pauses that were made before an explorer was asked again; none takes any time.
    pauses: Arc<Mutex<Vec<Duration>>>,
}

impl Explorers {
    fn start(script: impl Fn(Explorer, &str) -> WebAnswer + Send + Sync + 'static) -> Self {
        let stub = WebStub::start(move |path| {
            let explorer = match path {
                path if path.starts_with("/etherscan/v2/api?") => Explorer::Etherscan,
                path if path.starts_with("/sourcify/v2/contract/") => Explorer::Sourcify,
                path if path.starts_with("/blockscout/api?") => Explorer::Blockscout,
                other => panic!("nobody asks for {other}"),
            };
            script(explorer, path)
        });
        Self {
            stub,
            cache: tempfile::tempdir().unwrap(),
            pauses: Arc::default(),
        }
    }

    /// How many seconds each of the pauses had.
    fn pauses(&self) -> Vec<u64> {
        self.pauses
            .lock()
            .unwrap()
            .iter()
            .map(Duration::as_secs)
            .collect()
    }

    fn lookup(&self, key: Option<&str>, cached: bool) -> Lookup {
        let pauses = Arc::clone(&self.pauses);
        Lookup::new(LookupOptions {
            etherscan: Some(format!("{}/etherscan", self.stub.url())),
            etherscan_key: key.map(str::to_owned),
            sourcify: Some(format!("{}/sourcify/", self.stub.url())),
            cache: cached.then(|| self.cache.path().to_owned()),
            pause: Arc::new(move |time| {
                pauses.lock().unwrap().push(time);
                Box::pin(async {})
            }),
            ..LookupOptions::default()
        })
    }

    fn network(&self) -> Network {
        let mut network = Network::by_id(1);
        network.blockscout = Some(format!("{}/blockscout/api", self.stub.url()));
        network
    }

    async fn find(&self, key: Option<&str>) -> Result<Explorer, LookupError> {
        let found = self.lookup(key, false).find(&self.network(), TOKEN).await;
        found.map(|found| found.explorer)
    }

    async fn interface(
        &self,
        chain: Option<Arc<dyn Chain>>,
        address: Address,
    ) -> Result<Interface, EvmError> {
        self.lookup(Some("k"), false)
            .interface(&self.network(), address, chain.as_ref())
            .await
    }
}

fn functions(interface: &Interface) -> Vec<&str> {
    interface
        .functions()
        .map(|function| function.signature())
        .collect()
}

#[tokio::test]
async fn explorers_are_asked_in_order_until_one_knows_the_contract() {
    let all = Explorers::start(|explorer, _| match explorer {
        Explorer::Sourcify => sourcify(ABI, "Token"),
        Explorer::Etherscan | Explorer::Blockscout => etherscan(ABI, "Token", ""),
    });
    assert_eq!(all.find(Some("key")).await, Ok(Explorer::Etherscan));
    assert_eq!(all.find(None).await, Ok(Explorer::Sourcify));
    let asked = all.stub.asked();
    assert!(
        asked[0].contains("chainid=1&")
            && asked[0].contains("action=getsourcecode")
            && asked[0].ends_with("apikey=key"),
        "{asked:?}"
    );
    assert!(
        asked[1].starts_with(&format!("/sourcify/v2/contract/1/{TOKEN}?fields=abi,")),
        "{asked:?}"
    );
    assert_eq!(asked.len(), 2);
    let last = Explorers::start(|explorer, _| match explorer {
        Explorer::Etherscan => refused("Contract source code not verified"),
        Explorer::Sourcify => not_verified(),
        Explorer::Blockscout => etherscan(ABI, "Token", ""),
    });
    assert_eq!(last.find(Some("key")).await, Ok(Explorer::Blockscout));
}

#[tokio::test]
async fn what_an_explorer_says_when_it_gives_nothing_is_told_apart() {
    let unsupported = || WebAnswer::new(400, r#"{"customCode":"unsupported_chain","message":"no"}"#);
    let limited = || WebAnswer::new(429, "slow down").header("retry-after", "9");
    let cases: Vec<(WebAnswer, WebAnswer, [Refusal; 2])> = vec![
        (
            refused("Contract source code not verified"),
            not_verified(),
            [Refusal::NotVerified, Refusal::NotVerified],
        ),
        (
            refused("Invalid API Key"),
            unsupported(),
            [Refusal::BadKey, Refusal::NoSuchChain],
        ),
        (
            refused("Max calls per sec rate limit reached (3/sec)"),
            limited(),
            [
                Refusal::RateLimited { retry_after: None },
                Refusal::RateLimited { retry_after: Some(9) },
            ],
        ),
    ];
    for (one, other, expected) in cases {
        let explorers = Explorers::start(move |explorer, _| match explorer {
            Explorer::Etherscan => one.clone(),
            Explorer::Sourcify => other.clone(),
            Explorer::Blockscout => refused("Contract source code not verified"),
        });
        let error = explorers.find(Some("k")).await.unwrap_err();
        let said: Vec<Refusal> = error
            .refusals
            .iter()
            .map(|(_, refusal)| refusal.clone())
            .collect();
        assert_eq!(
            said,
            [expected[0].clone(), expected[1].clone(), Refusal::NotVerified]
        );
    }
}

#[tokio::test]
async fn explorers_that_were_asked_too_often_are_asked_again_after_a_pause() {
    let limited = "Max calls per sec rate limit reached (3/sec)";
    // Each explorer is asked twice before it knows the contract: by its words, and by its status.
    let asked = Mutex::new(0);
    let by_words = Explorers::start(move |explorer, _| match explorer {
        Explorer::Etherscan => {
            let mut asked = asked.lock().unwrap();
            *asked += 1;
            if *asked < 3 {
                refused(limited)
            } else {
                etherscan(ABI, "Token", "")
            }
        }
        Explorer::Sourcify => not_verified(),
        Explorer::Blockscout => refused("Contract source code not verified"),
    });
    assert_eq!(by_words.find(Some("k")).await, Ok(Explorer::Etherscan));
    assert_eq!(by_words.pauses(), [1, 2]);
    assert_eq!(
        by_words.stub.asked().len(),
        5,
        "only who was limited is asked again"
    );
    let asked = Mutex::new(false);
    let by_status = Explorers::start(move |explorer, _| match explorer {
        Explorer::Sourcify if std::mem::replace(&mut *asked.lock().unwrap(), true) => sourcify(ABI, "Token"),
        Explorer::Sourcify => WebAnswer::new(429, "").header("retry-after", "7"),
        Explorer::Etherscan | Explorer::Blockscout => refused("Contract source code not verified"),
    });
    assert_eq!(by_status.find(Some("k")).await, Ok(Explorer::Sourcify));
    assert_eq!(by_status.pauses(), [7]);
}

#[tokio::test]
async fn nobody_waits_for_an_explorer_while_another_one_knows_the_contract() {
    let explorers = Explorers::start(|explorer, _| match explorer {
        Explorer::Etherscan => WebAnswer::new(429, ""),
        Explorer::Sourcify | Explorer::Blockscout => sourcify(ABI, "Token"),
    });
    assert_eq!(explorers.find(Some("k")).await, Ok(Explorer::Sourcify));
    assert!(explorers.pauses().is_empty());
}

#[tokio::test]
async fn an_explorer_that_stays_limited_is_given_up_and_one_that_is_limited_for_long_is_not_waited_for() {
    for (retry_after, pauses) in [("3", vec![3; MAX_ASKED_AGAIN]), ("11", vec![])] {
        let explorers =
            Explorers::start(move |_, _| WebAnswer::new(429, "").header("retry-after", retry_after));
        let error = explorers.find(None).await.unwrap_err();
        assert!(error.is_passing());
        assert!(
            error
                .to_string()
                .contains(&format!("ask again after {retry_after} s")),
            "{error}"
        );
        assert_eq!(explorers.pauses(), pauses);
    }
}

#[tokio::test]
async fn an_explorer_that_cannot_be_reached_is_told_without_the_key() {
    let options = LookupOptions {
        etherscan: Some("http://127.0.0.1:1".to_owned()),
        etherscan_key: Some("secretkey".to_owned()),
        sourcify: None,
        ..LookupOptions::default()
    };
    let mut network = Network::by_id(1);
    network.blockscout = None;
    let error = Lookup::new(options).find(&network, TOKEN).await.unwrap_err();
    assert!(error.is_passing() && !error.is_not_verified());
    let text = format!("{error} {error:?}");
    assert!(
        text.contains("http://127.0.0.1:1") && !text.contains("secretkey"),
        "{text}"
    );
}

#[tokio::test]
async fn what_was_found_once_is_not_asked_for_again() {
    let explorers = Explorers::start(|_, _| sourcify(ABI, "Token"));
    let lookup = explorers.lookup(None, true);
    for _ in 0..2 {
        let interface = lookup.interface(&explorers.network(), TOKEN, None).await.unwrap();
        assert_eq!(functions(&interface), ["owner()"]);
        assert_eq!(interface.contract_name.as_deref(), Some("Token"));
        let owner = interface.functions().next().unwrap();
        assert_eq!(owner.documentation.notice.as_deref(), Some("Who may change it."));
    }
    assert_eq!(explorers.stub.asked().len(), 1);
}

#[tokio::test]
async fn an_answer_may_fill_its_bound_and_not_pass_it() {
    let stub = WebStub::start(|path| WebAnswer::new(200, "x".repeat(path.len())));
    let url = format!("{}/1234", stub.url());
    assert_eq!(fetch(&url, 5, None).await.unwrap(), b"xxxxx");
    assert!(matches!(
        fetch(&url, 4, None).await,
        Err(FetchError::TooLarge { limit: 4, .. })
    ));
}

/// The creation code of a contract with this code.
fn creation(code: &[u8]) -> Bytes {
    // PUSH2 length, DUP1, PUSH1 offset, PUSH0, CODECOPY, PUSH0, RETURN
    let length = u16::try_from(code.len()).unwrap().to_be_bytes();
    let mut creation = vec![
        0x61, length[0], length[1], 0x80, 0x60, 0x0a, 0x5f, 0x39, 0x5f, 0xf3,
    ];
    creation.extend(code);
    creation.into()
}

async fn deployed(chain: &SandboxChain, creation: Bytes) -> Address {
    chain.deploy(creation, Default::default()).await.unwrap().address
}

/// A contract whose slot holds an address, and that does nothing.
async fn with_slot(chain: &SandboxChain, slot: &str, address: Address) -> Address {
    // PUSH32 address, PUSH32 slot, SSTORE, then a code of one STOP is returned.
    let mut code = vec![0x7f];
    code.extend(address.into_word());
    code.push(0x7f);
    code.extend(hex::decode(slot).unwrap());
    code.extend(hex!("55600160005360016000f3"));
    deployed(chain, code.into()).await
}

async fn kind(chain: &SandboxChain, address: Address) -> Option<(ProxyKind, Address)> {
    let proxy: Option<Proxy> = resolve(chain, address).await.unwrap();
    proxy.map(|proxy| (proxy.kind, proxy.implementations[0].address))
}

#[tokio::test]
async fn proxies_are_known_by_their_slots_and_by_their_code() {
    let chain = SandboxChain::new();
    for (expected, slot) in [
        (
            ProxyKind::Erc1967,
            "360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc",
        ),
        (
            ProxyKind::Erc1822,
            "c5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7",
        ),
        (
            ProxyKind::ZeppelinOs,
            "7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3",
        ),
    ] {
        let proxy = with_slot(&chain, slot, LOGIC).await;
        assert_eq!(kind(&chain, proxy).await, Some((expected, LOGIC)));
    }
    for (before, after) in [
        ("363d3d373d3d3d363d73", "5af43d82803e903d91602b57fd5bf3"),
        ("3d3d3d3d363d3d37363d73", "5af43d3d93803e602a57fd5bf3"),
        ("5f5f365f5f37365f73", "5af43d5f5f3e6029573d5ffd5b3d5ff3"),
        (
            "366000600037611000600036600073",
            "5af4602c57600080fd5b6110006000f3",
        ),
    ] {
        let mut code = hex::decode(before).unwrap();
        code.extend(LOGIC);
        code.extend(hex::decode(after).unwrap());
        let proxy = deployed(&chain, creation(&code)).await;
        assert_eq!(
            kind(&chain, proxy).await,
            Some((ProxyKind::Minimal, LOGIC)),
            "{before}"
        );
    }
    let nobody = address!("0x000000000000000000000000000000000000dEaD");
    assert_eq!(kind(&chain, nobody).await, None);
    let plain = deployed(&chain, creation(&[0x00])).await;
    assert_eq!(kind(&chain, plain).await, None);
}

/// A contract that returns one address, whatever it is asked.
async fn that_returns(chain: &SandboxChain, address: Address) -> Address {
    let mut code = vec![0x73];
    code.extend(address);
    code.extend(hex!("5f5260205ff3"));
    deployed(chain, creation(&code)).await
}

#[tokio::test]
async fn a_beacon_is_asked_for_what_stands_behind_it() {
    let chain = SandboxChain::new();
    let beacon = that_returns(&chain, LOGIC).await;
    let slot = "a3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50";
    let proxy = with_slot(&chain, slot, beacon).await;
    assert_eq!(kind(&chain, proxy).await, Some((ProxyKind::Beacon, LOGIC)));
}

#[tokio::test]
async fn a_safe_a_diamond_and_an_old_proxy_are_known_by_their_answers() {
    let chain = SandboxChain::new();
    // PUSH20 address, PUSH0, SSTORE: a Safe keeps the implementation in its first slot, and answers with it.
    let returning = [&hex!("73")[..], LOGIC.as_slice(), &hex!("5f5260205ff3")].concat();
    let keeping = [&hex!("73")[..], LOGIC.as_slice(), &hex!("5f55")].concat();
    let mut code = keeping.clone();
    // The same as `creation`, with the offset of what stands behind both.
    let offset = u8::try_from(keeping.len() + 9).unwrap();
    code.extend([
        0x60,
        u8::try_from(returning.len()).unwrap(),
        0x80,
        0x60,
        offset,
        0x5f,
        0x39,
        0x5f,
        0xf3,
    ]);
    code.extend(&returning);
    let safe = deployed(&chain, code.into()).await;
    assert_eq!(kind(&chain, safe).await, Some((ProxyKind::Safe, LOGIC)));
    let old = that_returns(&chain, LOGIC).await;
    assert_eq!(kind(&chain, old).await, Some((ProxyKind::Erc897, LOGIC)));
    let diamond = deployed(
        &chain,
        creation(&creation(&facets(&[(LOGIC, &[hex!("6a627842")])]))),
    )
    .await;
    assert_eq!(kind(&chain, diamond).await, Some((ProxyKind::Diamond, LOGIC)));
}

/// What `facets()` returns.
fn facets(facets: &[(Address, &[[u8; 4]])]) -> Vec<u8> {
    let list = facets
        .iter()
        .map(|(address, selectors)| {
            let selectors = selectors
                .iter()
                .map(|selector| SolidityValue::Bytes(selector.to_vec()))
                .collect();
            SolidityValue::Sequence(vec![
                SolidityValue::Address(*address),
                SolidityValue::Sequence(selectors),
            ])
        })
        .collect();
    let members = vec![
        Parameter::new("a", SolidityType::Address),
        Parameter::new("s", SolidityType::Array(Box::new(SolidityType::FixedBytes(4)))),
    ];
    let list_type = SolidityType::Array(Box::new(SolidityType::tuple(members)));
    encode(
        &[Parameter::new("f", list_type)],
        &[SolidityValue::Sequence(list)],
    )
}

#[tokio::test]
async fn a_proxy_is_offered_with_the_functions_that_stand_behind_it() {
    let chain = SandboxChain::new();
    let slot = "360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
    let proxy = with_slot(&chain, slot, LOGIC).await;
    let explorers = Explorers::start(move |_, path| {
        if path.contains(&LOGIC.to_string()) {
            etherscan(LOGIC_ABI, "Vault", "")
        } else {
            etherscan(ABI, "Proxy", "")
        }
    });
    let interface = explorers.interface(Some(Arc::new(chain)), proxy).await.unwrap();
    assert_eq!(functions(&interface), ["owner()", "mint(address)"]);
    assert_eq!(interface.contract_name.as_deref(), Some("Vault"));
    assert!(interface.constructor().is_none());
    let notes = interface.notes.join("\n");
    assert!(
        notes.contains(&format!(
            "it is an ERC-1967 proxy: calls reach {LOGIC}, whose interface is from Etherscan"
        )),
        "{notes}"
    );
    assert!(
        notes.contains(&format!(
            "`owner()` of {LOGIC} is not reached: {proxy} has a function with its selector"
        )),
        "{notes}"
    );
}

#[tokio::test]
async fn without_a_node_the_explorer_says_what_stands_behind_a_proxy() {
    let explorers = Explorers::start(move |_, path| {
        if path.contains(&LOGIC.to_string()) {
            etherscan(LOGIC_ABI, "Vault", "")
        } else {
            etherscan("[]", "Proxy", &LOGIC.to_string())
        }
    });
    let interface = explorers.interface(None, TOKEN).await.unwrap();
    assert_eq!(functions(&interface), ["owner()", "mint(address)"]);
    assert!(
        interface
            .notes
            .join("\n")
            .contains("a proxy, as the explorer says"),
        "{:?}",
        interface.notes
    );
}

#[tokio::test]
async fn a_clone_that_nobody_verified_is_known_by_what_it_is_a_clone_of() {
    let chain = SandboxChain::new();
    let code = [
        &hex!("363d3d373d3d3d363d73")[..],
        LOGIC.as_slice(),
        &hex!("5af43d82803e903d91602b57fd5bf3"),
    ]
    .concat();
    let clone = deployed(&chain, creation(&code)).await;
    let explorers = Explorers::start(move |explorer, path| match explorer {
        Explorer::Etherscan if path.contains(&LOGIC.to_string()) => etherscan(LOGIC_ABI, "Vault", ""),
        Explorer::Sourcify => not_verified(),
        _ => refused("Contract source code not verified"),
    });
    let chain: Arc<dyn Chain> = Arc::new(chain);
    let interface = explorers
        .interface(Some(Arc::clone(&chain)), clone)
        .await
        .unwrap();
    assert_eq!(functions(&interface), ["owner()", "mint(address)"]);
    let notes = interface.notes.join("\n");
    assert!(
        notes.contains(&format!(
            "no explorer knows the interface of the contract itself, {clone}"
        )),
        "{notes}"
    );
    let nobody = explorers.interface(Some(chain), TOKEN).await.unwrap_err();
    assert!(matches!(nobody, EvmError::Lookup(error) if error.is_not_verified()));
}

#[tokio::test]
async fn of_each_facet_only_the_functions_that_the_diamond_hands_on_are_offered() {
    let chain = SandboxChain::new();
    // Only `mint(address)`: the facet has `owner()` as well.
    let diamond = deployed(
        &chain,
        creation(&creation(&facets(&[(LOGIC, &[hex!("6a627842")])]))),
    )
    .await;
    let explorers = Explorers::start(move |_, path| {
        if path.contains(&LOGIC.to_string()) {
            etherscan(LOGIC_ABI, "Facet", "")
        } else {
            etherscan("[]", "Diamond", "")
        }
    });
    let interface = explorers.interface(Some(Arc::new(chain)), diamond).await.unwrap();
    assert_eq!(functions(&interface), ["mint(address)"]);
    assert!(
        interface
            .notes
            .join("\n")
            .contains("1 of its functions are those of"),
        "{:?}",
        interface.notes
    );
}

#[tokio::test]
async fn an_explorer_that_fails_for_a_part_of_a_proxy_fails_for_the_whole() {
    let explorers = Explorers::start(move |explorer, path| match explorer {
        Explorer::Etherscan if !path.contains(&LOGIC.to_string()) => {
            etherscan(ABI, "Proxy", &LOGIC.to_string())
        }
        Explorer::Sourcify => WebAnswer::new(500, ""),
        _ => refused("Contract source code not verified"),
    });
    let error = explorers.interface(None, TOKEN).await.unwrap_err();
    assert!(
        matches!(&error, EvmError::Lookup(error) if error.is_passing()),
        "{error}"
    );
}
