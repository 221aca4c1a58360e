//! `generate`, `networks` and `inspect --format solidity`.

use crate::support::{TOKEN, folder, json, screen, toolmesh, toolmesh_with};

#[test]
fn a_client_is_written_in_each_language() {
    let out = folder(&[]);
    let to = out.path().join("new/folder");
    for (lang, name) in [
        ("python", "token.py"),
        ("typescript", "token.ts"),
        ("rust", "token.rs"),
        ("go", "token.go"),
    ] {
        let finished = toolmesh(&["generate", TOKEN, "--lang", lang, "-o", to.to_str().unwrap()]);
        assert_eq!(finished.code(), Some(0), "{}", screen(&finished));
        let path = to.join(name);
        assert_eq!(finished.stdout.trim_end(), path.to_str().unwrap());
        let text = std::fs::read_to_string(path).unwrap();
        assert!(
            text.lines()
                .take(2)
                .any(|line| line.contains("Written by `toolmesh generate`")),
            "{text}"
        );
    }
    assert_eq!(
        std::fs::read_dir(&to).unwrap().count(),
        4,
        "nothing unfinished is left"
    );
}

#[test]
fn a_generated_file_is_written_anew_and_another_is_not() {
    let out = folder(&[("vault.py", "print('mine')\n")]);
    let to = out.path().to_str().unwrap();
    let generate = |name: &str, more: &[&str]| {
        let words = ["generate", TOKEN, "--lang", "python", "-o", to, "--name", name];
        toolmesh(&[&words, more].concat())
    };
    for _ in 0..2 {
        assert_eq!(generate("other", &[]).code(), Some(0));
    }
    let refused = generate("vault", &[]);
    assert_eq!(refused.code(), Some(2), "{}", screen(&refused));
    assert!(refused.stderr.contains("--force"), "{}", refused.stderr);
    assert_eq!(
        std::fs::read_to_string(out.path().join("vault.py")).unwrap(),
        "print('mine')\n"
    );
    assert_eq!(generate("vault", &["--force"]).code(), Some(0));
    // A file where the folder should be.
    let blocked = toolmesh(&["generate", TOKEN, "--lang", "go", "-o", &format!("{to}/vault.py")]);
    assert_eq!(blocked.code(), Some(7), "{}", screen(&blocked));
}

#[test]
fn an_interface_is_shown_in_soliditys_own_words() {
    let shown = toolmesh(&["inspect", TOKEN, "--format", "solidity"]);
    assert_eq!(shown.code(), Some(0), "{}", screen(&shown));
    let file = folder(&[("IToken.sol", &shown.stdout)]);
    let path = file.path().join("IToken.sol");
    let again = json(&toolmesh(&[
        "inspect",
        path.to_str().unwrap(),
        "--format",
        "json",
    ]));
    let before = json(&toolmesh(&["inspect", TOKEN, "--format", "json"]));
    let tools = |report: &serde_json::Value| {
        let functions = report["functions"].as_array().unwrap();
        let tools = functions.iter().filter_map(|entry| entry["tool"].as_str());
        tools.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(tools(&again), tools(&before));
}

#[test]
fn networks_are_listed_with_those_of_the_configuration_first() {
    let shown = toolmesh(&["networks", "sepolia"]);
    assert_eq!(shown.code(), Some(0), "{}", screen(&shown));
    assert!(shown.stdout.contains("base-sepolia"), "{}", shown.stdout);
    let settings = folder(&[(
        "toolmesh.toml",
        "[[network]]\nname = \"ours\"\nchain_id = 987654\nrpc = \"https://node/verysecret\"\ncurrency = \"OUR\"\n",
    )]);
    let file = settings.path().join("toolmesh.toml");
    let words = ["networks", "--config", file.to_str().unwrap()];
    let listed = json(&toolmesh_with(
        &[("TOOLMESH_NETWORK_BASE_RPC", "https://node/verysecret")],
        &[&words[..], &["--format", "json"]].concat(),
    ));
    insta::assert_snapshot!(serde_json::to_string_pretty(&listed.as_array().unwrap()[..3]).unwrap());
    let table = toolmesh(&words);
    assert!(!table.stdout.contains("verysecret"), "{}", table.stdout);
    let lines: Vec<&str> = table.stdout.lines().take(3).collect();
    insta::assert_snapshot!(lines.join("\n"));
}
