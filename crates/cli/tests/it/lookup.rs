//! Sources that are looked up: a contract by its address, an interface behind a URL.

use std::process::Command;

use toolmesh_testkit::{Anvil, WebAnswer, WebStub, run_command};

use crate::support::{HOLDER, TOKEN, artifact, command, folder, json, screen, toolmesh};

const DAI: &str = "0x6B175474E89094C44Da98b954EedeAC495271d0F";

/// Explorers that know the example token at every address.
fn explorers() -> WebStub {
    let abi = artifact()["abi"].to_string();
    WebStub::start(move |path| match path {
        path if path.starts_with("/v2/contract/") => WebAnswer::new(
            200,
            format!(r#"{{"abi":{abi},"compilation":{{"name":"Token"}},"proxyResolution":null}}"#),
        ),
        _ => WebAnswer::new(
            200,
            r#"{"status":"0","message":"NOTOK","result":"Invalid API Key"}"#,
        ),
    })
}

/// The command with all explorers on the stub, and nothing kept.
fn against(stub: &WebStub, arguments: &[&str]) -> Command {
    let mut command = command(arguments);
    command
        .env("TOOLMESH_EXPLORER_ETHERSCAN", stub.url())
        .env("TOOLMESH_EXPLORER_SOURCIFY", stub.url())
        .env("TOOLMESH_NETWORK_MAINNET_EXPLORER", format!("{}/api", stub.url()))
        .env("TOOLMESH_EXPLORER_CACHE", "false");
    command
}

#[test]
fn a_contract_is_inspected_by_its_address() {
    let stub = explorers();
    let report = json(&run_command(&mut against(
        &stub,
        &["inspect", &format!("{DAI}@mainnet"), "--format", "json"],
    )));
    assert_eq!(report["source"], format!("{DAI}@mainnet"));
    assert!(
        report["functions"]
            .as_array()
            .unwrap()
            .iter()
            .any(|entry| entry["tool"] == "transfer")
    );
    let notes = report["notes"].to_string();
    assert!(
        notes.contains(&format!("the interface of {DAI} is from Sourcify")),
        "{notes}"
    );
    assert!(
        stub.asked().iter().all(|path| path.contains("/1/")),
        "{:?}",
        stub.asked()
    );
    let by_id = run_command(&mut against(
        &stub,
        &["tools", &format!("{DAI}@1"), "--format", "json"],
    ));
    assert_eq!(json(&by_id).as_array().unwrap().len(), 11);
}

#[test]
fn what_explorers_say_decides_the_exit_code() {
    let answering = |status: u16, body: &'static str| WebStub::start(move |_| WebAnswer::new(status, body));
    let unknown = r#"{"status":"0","message":"NOTOK","result":"Contract source code not verified"}"#;
    let limited =
        r#"{"status":"0","message":"NOTOK","result":"Max calls per sec rate limit reached (3/sec)"}"#;
    let bad_key = r#"{"status":"0","message":"NOTOK","result":"Invalid API Key"}"#;
    let mut told = Vec::new();
    for (status, body, code) in [
        (404, "", 3),
        (200, unknown, 3),
        (200, limited, 5),
        (500, "", 5),
        (200, bad_key, 2),
    ] {
        let stub = answering(status, body);
        let mut inspect = against(&stub, &["inspect", &format!("{DAI}@mainnet")]);
        let finished = run_command(inspect.env("TOOLMESH_ETHERSCAN_API_KEY", "verysecret"));
        assert_eq!(finished.code(), Some(code), "{}", screen(&finished));
        assert_eq!(finished.stdout, "");
        told.push(finished.stderr.replace(&stub.url(), "http://stub"));
    }
    let told = told.join("");
    assert!(!told.contains("verysecret"), "{told}");
    insta::assert_snapshot!(told.trim_end());
}

#[test]
fn an_address_says_on_which_chain_it_is_and_a_call_needs_a_node() {
    let stub = explorers();
    let mut told = Vec::new();
    for arguments in [
        vec!["inspect", DAI],
        vec!["inspect", "0x6B175474E89094C44Da98b954EedeAC495271d0F@nowhere"],
        vec!["inspect", "0x6b175474E89094C44Da98b954EedeAC495271d0F@mainnet"],
        vec![
            "call",
            "symbol",
            "0x6B175474E89094C44Da98b954EedeAC495271d0F@mainnet",
        ],
    ] {
        let finished = run_command(&mut against(&stub, &arguments));
        assert_eq!(
            (finished.code(), finished.stdout.as_str()),
            (Some(2), ""),
            "{}",
            screen(&finished)
        );
        told.push(finished.stderr);
    }
    insta::assert_snapshot!(told.join("").trim_end());
    assert!(stub.asked().is_empty());
}

#[test]
fn a_contract_is_called_by_its_address_alone() {
    let (stub, anvil) = (explorers(), Anvil::start());
    let address = anvil.deploy(artifact()["bytecode"].as_str().unwrap());
    let settings = folder(&[(
        "toolmesh.toml",
        &format!(
            "[[network]]\nname = \"local\"\nchain_id = 31337\nrpc = \"{}\"\n",
            anvil.url()
        ),
    )]);
    let file = settings.path().join("toolmesh.toml");
    let source = format!("{address}@local");
    let mut call = against(&stub, &["call", "symbol", &source, "--config"]);
    let answer = json(&run_command(call.arg(&file)));
    assert_eq!(answer["result"], "EXT");
    let mut wrong = against(
        &stub,
        &[
            "call",
            "symbol",
            &format!("{address}@mainnet"),
            "--rpc",
            anvil.url(),
        ],
    );
    let refused = run_command(&mut wrong);
    assert_eq!(refused.code(), Some(2), "{}", screen(&refused));
    assert!(
        refused
            .stderr
            .contains("the RPC node is on chain 31337, but mainnet is chain 1"),
        "{}",
        refused.stderr
    );
}

#[test]
fn what_was_found_is_kept_on_disk_and_can_be_read_as_an_artifact() {
    let stub = explorers();
    let kept = folder(&[]);
    let location = format!("{DAI}@mainnet");
    for _ in 0..2 {
        let mut inspect = against(&stub, &["inspect", &location]);
        let finished = run_command(inspect.env("TOOLMESH_EXPLORER_CACHE", kept.path()));
        assert_eq!(finished.code(), Some(0), "{}", screen(&finished));
    }
    assert_eq!(stub.asked().len(), 1);
    let file = kept.path().join(format!("1-{DAI}.json"));
    let again = json(&toolmesh(&[
        "inspect",
        file.to_str().unwrap(),
        "--format",
        "json",
    ]));
    assert_eq!(again["functions"].as_array().unwrap().len(), 10);
}

#[test]
fn an_interface_is_read_from_a_url() {
    let text = std::fs::read_to_string(crate::support::token_path()).unwrap();
    let stub = WebStub::start(move |path| match path {
        "/token.json?key=verysecret" => WebAnswer::new(200, text.clone()),
        _ => WebAnswer::new(404, "no"),
    });
    let url = format!("{}/token.json?key=verysecret", stub.url());
    let account = format!(r#"{{"account":"{HOLDER}"}}"#);
    let answer = json(&toolmesh(&["call", "balance_of", &account, &url]));
    assert_eq!(answer["block_number"], 1);
    let missing = toolmesh(&["inspect", &format!("{}/verysecret.json", stub.url())]);
    assert_eq!(missing.code(), Some(3), "{}", screen(&missing));
    let gone = toolmesh(&["inspect", "http://127.0.0.1:1/verysecret.json"]);
    assert_eq!(gone.code(), Some(5), "{}", screen(&gone));
    for finished in [missing, gone] {
        assert!(!finished.stderr.contains("verysecret"), "{}", finished.stderr);
    }
}

#[test]
fn a_tool_that_is_left_out_cannot_be_called_by_any_of_its_names() {
    for flags in [
        ["--read-only", ""],
        ["--exclude", "transfer"],
        ["--include", "balance*"],
    ] {
        for name in ["transfer", "transfer(address,uint256)", "0xa9059cbb"] {
            let arguments = format!(r#"{{"to":"{HOLDER}","value":"1","simulate":false}}"#);
            let words = ["call", name, &arguments, TOKEN].into_iter().chain(flags);
            let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
            let finished = toolmesh(&words);
            assert_eq!(finished.code(), Some(3), "{words:?} {}", screen(&finished));
        }
    }
}

#[test]
fn a_source_that_only_reads_never_looks_at_the_key() {
    let anvil = Anvil::start();
    let address = anvil.deploy(artifact()["bytecode"].as_str().unwrap());
    let flags = [
        "call",
        "symbol",
        TOKEN,
        "--address",
        &address,
        "--rpc",
        anvil.url(),
    ];
    let with_bad_key = |more: &[&str]| {
        let mut call = command(&[&flags, more].concat());
        run_command(call.env("TOOLMESH_EVM_PRIVATE_KEY", "no key at all"))
    };
    assert_eq!(with_bad_key(&["--read-only"]).code(), Some(0));
    assert_eq!(with_bad_key(&[]).code(), Some(2));
}
