//! What each verb shows.

use crate::support::{HOLDER, RECEIVER, TOKEN, folder, json, screen, toolmesh};

#[test]
fn help_of_every_verb() {
    let mut shown = String::new();
    for verb in [
        "",
        "serve",
        "inspect",
        "validate",
        "tools",
        "describe",
        "call",
        "schema",
        "generate",
        "networks",
        "completions",
    ] {
        let arguments: Vec<&str> = [verb, "--help"]
            .into_iter()
            .filter(|word| !word.is_empty())
            .collect();
        shown.push_str(&format!(
            "$ toolmesh {}\n{}\n\n",
            arguments.join(" "),
            screen(&toolmesh(&arguments))
        ));
    }
    insta::assert_snapshot!(shown.trim_end());
}

#[test]
fn the_version_is_the_crates() {
    assert_eq!(
        toolmesh(&["--version"]).stdout,
        format!("toolmesh {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn tools_in_the_formats_of_providers() {
    for format in ["openai", "openai-responses", "anthropic", "gemini"] {
        let safe = toolmesh(&["tools", TOKEN, "--format", format]);
        insta::assert_snapshot!(format!("tools_{format}_safe"), screen(&safe));
        // What had to be changed is told beside the list, never in it.
        json(&safe);
    }
    for format in ["openai", "anthropic", "gemini", "mcp"] {
        let plain = toolmesh(&["tools", TOKEN, "--format", format, "--mode", "compat"]);
        assert_eq!(plain.stderr, "");
        assert!(json(&plain).as_array().is_some_and(|tools| !tools.is_empty()));
    }
}

#[test]
fn inspect_in_every_format() {
    for format in ["table", "json", "markdown"] {
        insta::assert_snapshot!(
            format!("inspect_{format}"),
            screen(&toolmesh(&["inspect", TOKEN, "--format", format]))
        );
    }
}

#[test]
fn inspect_lists_every_entry_once() {
    let report = json(&toolmesh(&["inspect", TOKEN, "--format", "json"]));
    let listed: usize = ["functions", "events", "errors"]
        .iter()
        .map(|list| report[list].as_array().unwrap().len())
        .sum();
    assert_eq!(
        listed,
        crate::support::artifact()["abi"].as_array().unwrap().len()
    );
}

#[test]
fn inspect_tells_why_an_entry_is_no_tool() {
    insta::assert_snapshot!(screen(&toolmesh(&[
        "inspect",
        "testdata/solidity/edge/bad_sizes.json"
    ])));
}

#[test]
fn tools_in_every_format() {
    for format in ["table", "json", "mcp"] {
        insta::assert_snapshot!(
            format!("tools_{format}"),
            screen(&toolmesh(&["tools", TOKEN, "--format", format]))
        );
    }
}

#[test]
fn describe_by_name_and_by_alias() {
    let by_name = toolmesh(&["describe", "transfer", TOKEN]);
    insta::assert_snapshot!(screen(&by_name));
    assert_eq!(
        toolmesh(&["describe", "transfer(address,uint256)", TOKEN]).stdout,
        by_name.stdout
    );
}

#[test]
fn call_prints_the_structured_result_alone() {
    let account = format!(r#"{{"account":"{HOLDER}"}}"#);
    insta::assert_snapshot!(screen(&toolmesh(&["call", "balance_of", &account, TOKEN])));
    insta::assert_snapshot!(screen(&toolmesh(&["call", "symbol", TOKEN])));
}

#[test]
fn call_streams_one_event_a_line() {
    let transfer = format!(r#"{{"to":"{RECEIVER}","value":"5"}}"#);
    let shown = toolmesh(&["call", "transfer", &transfer, TOKEN, "--stream"]);
    let types: Vec<String> = shown
        .stdout
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["type"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_eq!(types, ["start", "result"]);
}

#[test]
fn validate_in_both_formats() {
    for source in [
        TOKEN,
        "testdata/solidity/edge/bad_sizes.json",
        "testdata/solidity/edge/empty.json",
    ] {
        let name = source.rsplit('/').next().unwrap().trim_end_matches(".json");
        let shown =
            ["text", "json"].map(|format| screen(&toolmesh(&["validate", source, "--format", format])));
        insta::assert_snapshot!(format!("validate_{name}"), shown.join("\n\n"));
    }
}

#[test]
fn the_block_for_every_client() {
    let program = env!("CARGO_BIN_EXE_toolmesh");
    let source = crate::support::token_path().canonicalize().unwrap();
    let mut shown = String::new();
    for client in ["claude", "cursor", "vscode"] {
        for flags in [&["--read-only", "--include", "bal*"][..], &["--http=9000"]] {
            let arguments = [&["serve", TOKEN, "--print-client", client], flags].concat();
            shown.push_str(&format!(
                "$ {}\n{}\n\n",
                arguments.join(" "),
                screen(&toolmesh(&arguments))
            ));
        }
    }
    assert!(
        shown.contains(&*source.to_string_lossy()),
        "the client starts it from another folder: {shown}"
    );
    let shown = shown
        .replace(program, "[toolmesh]")
        .replace(&*source.to_string_lossy(), "[token.json]");
    insta::assert_snapshot!(shown.trim_end());
}

#[test]
fn a_url_that_may_hold_a_secret_is_not_in_the_block() {
    let block = |url: &str| {
        let flags = [
            "serve",
            TOKEN,
            "--print-client",
            "claude",
            "--address",
            RECEIVER,
            "--rpc",
            url,
        ];
        toolmesh(&flags)
    };
    let plain = block("http://127.0.0.1:8545");
    assert!(plain.stdout.contains("http://127.0.0.1:8545") && !plain.stdout.contains("\"env\""));
    for url in [
        "https://node.example/v2/SECRET",
        "https://SECRET@node.example",
        "https://node.example?key=SECRET",
    ] {
        let finished = block(url);
        let shown = screen(&finished);
        assert_eq!(finished.code(), Some(0), "{shown}");
        assert!(!shown.contains("SECRET"), "{shown}");
        assert!(
            finished
                .stdout
                .contains(r#""TOOLMESH_SOURCE_TOKEN_RPC": "<the URL of the node>""#),
            "{shown}"
        );
        assert!(
            finished
                .stderr
                .contains("put it into TOOLMESH_SOURCE_TOKEN_RPC yourself"),
            "{shown}"
        );
    }
}

#[test]
fn a_completion_script_for_every_shell_knows_the_verbs() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = toolmesh(&["completions", shell]);
        assert_eq!(script.code(), Some(0), "{shell}");
        for word in [
            "serve",
            "inspect",
            "validate",
            "tools",
            "describe",
            "call",
            "schema",
            "completions",
            "print-client",
        ] {
            assert!(script.stdout.contains(word), "{shell} does not complete {word}");
        }
    }
    // The one shell that is always there for the tests also reads it.
    let folder = folder(&[("completions.bash", &toolmesh(&["completions", "bash"]).stdout)]);
    let read = toolmesh_testkit::run(
        "bash",
        &["-n", &folder.path().join("completions.bash").to_string_lossy()],
    );
    assert_eq!(read.code(), Some(0), "{}", read.stderr);
}

#[test]
fn descriptors_are_a_source_that_is_listed_and_described() {
    let descriptors = toolmesh(&["tools", TOKEN, "--format", "json"]).stdout;
    let folder = folder(&[("token.tools.json", &descriptors)]);
    let path = folder.path().join("token.tools.json");
    let path = path.to_string_lossy();
    assert_eq!(
        toolmesh(&["tools", &path, "--format", "json"]).stdout,
        descriptors
    );
    assert!(
        toolmesh(&["describe", "transfer", &path])
            .stdout
            .contains("Input schema")
    );
    let report = json(&toolmesh(&["inspect", &path, "--format", "json"]));
    assert_eq!(report["kind"], "descriptors");
    assert_eq!(report["functions"].as_array().unwrap().len(), 11);
}

#[test]
fn a_schema_is_checked_and_used() {
    let folder = folder(&[
        (
            "good.json",
            r#"{"type":"object","properties":{"n":{"type":"integer","minimum":1}},"required":["n"]}"#,
        ),
        ("bad.json", r#"{"type":"objekt"}"#),
        ("fits.json", r#"{"n":1}"#),
        ("fails.json", r#"{"n":0}"#),
        (
            "wide.json",
            r#"{"type":"array","items":[{"$ref":"https://example.com/unit.json"},{"format":"date"}],"minimun":1}"#,
        ),
        ("unit.json", r#"{"enum":["m","ft"]}"#),
        ("pair.json", r#"["m","someday"]"#),
    ]);
    let run = |arguments: &[&str]| {
        let finished =
            toolmesh_testkit::run_command(crate::support::command(arguments).current_dir(folder.path()));
        format!("$ toolmesh {}\n{}", arguments.join(" "), screen(&finished))
    };
    let unit = "https://example.com/unit.json=unit.json";
    let shown = [
        run(&["schema", "check", "good.json"]),
        run(&["schema", "check", "good.json", "--profile", "profile-1"]),
        run(&["schema", "check", "bad.json"]),
        run(&["schema", "check", "missing.json"]),
        run(&["schema", "validate", "good.json", "fits.json", "--meter"]),
        run(&["schema", "validate", "good.json", "fails.json"]),
        run(&["schema", "validate", "bad.json", "fits.json"]),
        run(&["schema", "check", "good.json", "--profile", "draft-07"]),
        run(&["schema", "check", "wide.json", "--draft", "draft-07"]),
        run(&[
            "schema",
            "check",
            "wide.json",
            "--draft",
            "draft-07",
            "--refer",
            unit,
        ]),
        run(&["schema", "check", "wide.json", "--refer", "unit.json"]),
        run(&[
            "schema",
            "validate",
            "wide.json",
            "pair.json",
            "--draft",
            "draft-07",
            "--refer",
            unit,
        ]),
        run(&[
            "schema",
            "validate",
            "wide.json",
            "pair.json",
            "--draft",
            "draft-07",
            "--refer",
            unit,
            "--formats",
        ]),
    ];
    // Only the time differs from run to run.
    let shown = shown.map(|screen| match screen.split_once(", time ") {
        Some((before, after)) => format!(
            "{before}, time{}",
            after.trim_start_matches(|c: char| c.is_ascii_digit())
        ),
        None => screen,
    });
    insta::assert_snapshot!(shown.join("\n\n"));
}

#[test]
fn what_a_tool_says_of_itself_does_not_steer_the_terminal() {
    let tools =
        r#"[{"tool_id":"t","name":"t","title":"\u001b]0;mine\u0007","description":"\u001b[2JAll is well."}]"#;
    let folder = folder(&[("strange.tools.json", tools)]);
    let file = folder.path().join("strange.tools.json");
    let file = file.to_str().unwrap();
    for arguments in [&["tools", file][..], &["describe", "t", file]] {
        let shown = toolmesh(arguments).stdout;
        assert!(shown.contains("\u{fffd}[2JAll is well."), "{shown:?}");
        assert!(!shown.contains(['\u{1b}', '\u{7}']), "{shown:?}");
    }
    // What programs read has the text as it is, with its escapes.
    let told = toolmesh(&["tools", file, "--format", "json"]).stdout;
    assert!(told.contains(r"\u001b[2JAll is well."), "{told}");
}

#[test]
fn an_error_does_not_steer_the_terminal() {
    let failed = toolmesh(&["schema", "check", "\u{1b}[2Jgone\u{202e}.json"]);
    assert!(
        failed.stderr.contains("\u{fffd}[2Jgone\u{fffd}.json"),
        "{}",
        failed.stderr
    );
    assert!(!failed.stderr.contains(['\u{1b}', '\u{202e}']));
}
