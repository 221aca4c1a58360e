//! `toolmesh.toml` and the environment.

use serde_json::json;
use toolmesh_testkit::{Finished, ServerProcess, run_command};

use crate::support::{
    HOLDER, RECEIVER, TOKEN, command, folder, json, screen, token_path, toolmesh, toolmesh_with,
};

/// Runs with this configuration, `TOKEN` in it standing for the example's path.
fn configured(text: &str, arguments: &[&str]) -> Finished {
    let token = token_path().display().to_string();
    let folder = folder(&[("toolmesh.toml", &text.replace("TOKEN", &token))]);
    run_command(command(&[arguments, &["--config", "toolmesh.toml"]].concat()).current_dir(folder.path()))
}

fn names(finished: &Finished) -> Vec<String> {
    let tools = json(finished);
    tools
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

const LIST: [&str; 3] = ["tools", "--format", "json"];

#[test]
fn two_sources_have_their_names_before_their_tools() {
    let text = r#"
        [[source]]
        name = "gold"
        location = "TOKEN"
        read_only = true
        include = ["balance_of", "transfer"]

        [[source]]
        name = "silver"
        location = "TOKEN"
        exclude = ["a*", "silver_t*", "decimals", "name"]
    "#;
    assert_eq!(
        names(&configured(text, &LIST)),
        [
            "gold_balance_of",
            "silver_balance_of",
            "silver_symbol",
            "silver_get_approval_events",
            "silver_get_transfer_events"
        ]
    );
    let account = format!(r#"{{"account":"{HOLDER}"}}"#);
    let balance = json(&configured(text, &["call", "silver_balance_of", &account]));
    assert_eq!(balance["result"], "1000000000000000000000000");
}

#[test]
fn a_prefix_may_be_chosen_or_left_out_and_a_collision_names_both_sources() {
    let source = |name: &str, more: &str| {
        format!("[[source]]\nname = \"{name}\"\nlocation = \"TOKEN\"\ninclude = [\"symbol\"]\n{more}\n")
    };
    let text = source("a", "prefix = \"\"") + &source("b", "prefix = \"x\"") + &source("c", "");
    assert_eq!(
        names(&configured(&text, &LIST)),
        ["symbol", "x_symbol", "c_symbol"]
    );
    let text = source("a", "prefix = \"\"") + &source("b", "prefix = \"\"");
    insta::assert_snapshot!(screen(&configured(&text, &LIST)));
}

#[test]
fn a_source_of_the_command_line_stands_beside_those_of_the_file() {
    let text = "[[source]]\nname = \"gold\"\nlocation = \"TOKEN\"\ninclude = [\"symbol\"]\n";
    let token = token_path().display().to_string();
    let both = names(&configured(text, &[&LIST[..], &[&token]].concat()));
    assert_eq!(both.first().map(String::as_str), Some("gold_symbol"));
    assert_eq!(both.len(), 12);
    assert!(both.contains(&"token_symbol".to_owned()), "{both:?}");
}

#[test]
fn a_location_is_relative_to_its_file() {
    let folder = folder(&[
        ("toolmesh.toml", "[[source]]\nlocation = \"c.tools.json\"\n"),
        ("c.tools.json", r#"[{"tool_id":"far"}]"#),
    ]);
    let config = folder.path().join("toolmesh.toml");
    let listed = toolmesh(&[&LIST[..], &["--config", &config.to_string_lossy()]].concat());
    assert_eq!(names(&listed), ["far"]);
}

#[test]
fn an_unknown_key_is_2_and_names_file_line_and_key() {
    let finished = configured("[server]\n\nhtpp = true\n", &["serve"]);
    insta::assert_snapshot!(screen(&finished));
    insta::assert_snapshot!(screen(&configured(
        "[[source]]\nlocation = \"TOKEN\"\nrpcs = \"x\"\n",
        &["serve"]
    )));
    insta::assert_snapshot!(screen(&toolmesh(&["serve", "--config", "missing.toml"])));
}

#[test]
fn the_environment_wins_over_the_file_and_a_flag_over_both() {
    let text = "[[source]]\nname = \"t\"\nlocation = \"TOKEN\"\n[policy]\ninclude = [\"a*\"]\n";
    assert_eq!(names(&configured(text, &LIST)), ["allowance", "approve"]);
    assert_eq!(
        names(&configured(text, &[&LIST[..], &["--include", "s*"]].concat())),
        ["symbol"]
    );
    let include = [("TOOLMESH_POLICY_INCLUDE", "d*,n*")];
    assert_eq!(
        names(&toolmesh_with(&include, &[&LIST[..], &[TOKEN]].concat())),
        ["decimals", "name"]
    );
    assert_eq!(
        names(&toolmesh_with(
            &include,
            &[&LIST[..], &[TOKEN, "--include", "s*"]].concat()
        )),
        ["symbol"]
    );
}

#[test]
fn every_kind_of_key_has_its_form_in_the_environment() {
    let listed =
        |variables: &[(&str, &str)]| names(&toolmesh_with(variables, &[&LIST[..], &[TOKEN]].concat()));
    assert_eq!(listed(&[("TOOLMESH_POLICY_READ_ONLY", "true")]).len(), 8);
    assert_eq!(listed(&[("TOOLMESH_SOURCE_TOKEN_EVENT_TOOLS", "false")]).len(), 9);
    assert_eq!(listed(&[("TOOLMESH_SOURCE_TOKEN_INCLUDE", "symbol")]), ["symbol"]);
    assert_eq!(
        listed(&[
            ("TOOLMESH_SOURCE_TOKEN_PREFIX", "x"),
            ("TOOLMESH_SOURCE_TOKEN_INCLUDE", "symbol")
        ]),
        ["x_symbol"]
    );
    let refused = [
        ("TOOLMESH_SERVER_MAX_TOOLS", "3"),
        ("TOOLMESH_SERVER_HTTP", "example.com:1"),
        ("TOOLMESH_SERVER_HTPP", "1"),
        ("TOOLMESH_SOURCE_TOKEN_RCP", "x"),
        ("TOOLMESH_POLICY_CONFIRMATION", "maybe"),
    ];
    let told = refused.map(|variable| screen(&toolmesh_with(&[variable], &["tools", TOKEN])));
    insta::assert_snapshot!(told.join("\n\n"));
}

#[test]
fn constructor_arguments_come_by_flag_by_file_and_by_variable() {
    let artifact = "testdata/solidity/solc_token_artifact.json";
    let supply = |finished: &Finished| json(finished)["result"].clone();
    assert_eq!(
        supply(&toolmesh(&[
            "call",
            "total_supply",
            artifact,
            "--init",
            r#"["77"]"#
        ])),
        "77"
    );
    let variable = [(
        "TOOLMESH_SOURCE_SOLC_TOKEN_ARTIFACT_CONSTRUCTOR_ARGUMENTS",
        r#"{"s":"78"}"#,
    )];
    assert_eq!(
        supply(&toolmesh_with(&variable, &["call", "total_supply", artifact])),
        "78"
    );
    let path = toolmesh_testkit::paths::repo_root().join(artifact);
    let text = format!("[[source]]\nlocation = {path:?}\nconstructor_arguments = {{ s = \"79\" }}\n");
    assert_eq!(supply(&configured(&text, &["call", "total_supply"])), "79");
    let wrong = [
        &["call", "total_supply", artifact][..],
        &["call", "total_supply", artifact, "--init", "[]"],
    ];
    insta::assert_snapshot!(wrong.map(|arguments| screen(&toolmesh(arguments))).join("\n\n"));
}

#[test]
fn a_key_that_signs_is_never_printed() {
    let secret = "not-a-key-but-still-secret";
    let arguments = [
        "call",
        "symbol",
        TOKEN,
        "--address",
        HOLDER,
        "--rpc",
        "http://127.0.0.1:1",
    ];
    let finished = toolmesh_with(
        &[("TOOLMESH_EVM_PRIVATE_KEY", secret), ("TOOLMESH_LOG", "trace")],
        &arguments,
    );
    assert_eq!(finished.code(), Some(2), "{}", screen(&finished));
    assert!(!finished.stderr.contains(secret) && !finished.stdout.contains(secret));
}

fn with_state<'a>(state: &'a str, arguments: &[&'a str]) -> Vec<&'a str> {
    [arguments, &[TOKEN, "--state", state]].concat()
}

#[test]
fn a_sandbox_in_a_file_goes_on_and_has_one_owner_at_a_time() {
    let folder = folder(&[]);
    let state = folder.path().join("chain.json").display().to_string();
    let transfer = format!(r#"{{"to":"{RECEIVER}","value":"5","simulate":false}}"#);
    let sent = toolmesh(&with_state(&state, &["call", "transfer", &transfer]));
    assert_eq!(sent.code(), Some(0), "{}", screen(&sent));
    let account = format!(r#"{{"account":"{RECEIVER}"}}"#);
    let balance = json(&toolmesh(&with_state(&state, &["call", "balance_of", &account])));
    assert_eq!(
        (&balance["result"], &balance["block_number"]),
        (&json!("5"), &json!(2))
    );
    let events = json(&toolmesh(&with_state(&state, &["call", "get_transfer_events"])));
    assert_eq!(events["events"].as_array().unwrap().len(), 2);

    let server = ServerProcess::start_command(&mut command(&with_state(&state, &["serve", "--http=0"])));
    let refused = toolmesh(&with_state(&state, &["call", "balance_of", &account]));
    assert_eq!(refused.code(), Some(7), "{}", screen(&refused));
    assert!(
        refused.stderr.contains("is used by another process"),
        "{}",
        refused.stderr
    );
    drop(server);

    std::fs::write(&state, "{}").unwrap();
    let refused = toolmesh(&with_state(&state, &["call", "balance_of", &account]));
    assert_eq!(refused.code(), Some(4), "{}", screen(&refused));
}

#[test]
fn several_contracts_stand_on_one_sandbox_whose_owner_has_tools() {
    let text = "[sandbox]\ntools = true\n\n[[source]]\nname = \"gold\"\nlocation = \"TOKEN\"\n\n\
                [[source]]\nname = \"silver\"\nlocation = \"TOKEN\"\n";
    let called = json(&configured(text, &["call", "sandbox_accounts"]));
    assert_eq!(called["block_number"], 2, "both contracts are there");
    let listed = names(&configured(text, &LIST));
    assert!(listed.contains(&"gold_transfer".to_owned()), "{listed:?}");
    let flag = toolmesh(&["call", "sandbox_mine", TOKEN, "--sandbox-tools"]);
    assert_eq!(json(&flag)["block_number"], 2);
    let refused = toolmesh(&["call", "sandbox_mine", TOKEN, "--sandbox-tools", "--read-only"]);
    assert_eq!(refused.code(), Some(3), "{}", screen(&refused));
}
