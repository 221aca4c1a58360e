//! The mesh among members that do not all trust each other, and operators who make mistakes.

use std::{fs, path::Path};

use serde_json::{Value, json};
use toolmesh_testkit::{Running, run_command};

use crate::{
    mesh::{IN_AN_EMPTY_MESH, SOON, keys, node, place, run},
    support::{TOKEN, command, json, screen, token_path, toolmesh},
};

/// A host of the token's tools, with these rules.
fn host(keys: &Path, name: &str, connect: &str, access: &Value) -> Running {
    let mut host = node(keys, name, connect, &["serve", TOKEN, "--mesh"]);
    Running::start(host.env("TOOLMESH_MESH_ACCESS", access.to_string()))
}

#[test]
fn who_serves_a_tool_is_told_and_who_is_not_trusted_serves_nothing() {
    let keys = keys(&["tokens", "other", "agent"]);
    let keys = keys.path();
    let tokens = host(keys, "tokens", "", &json!({}));
    let at = place(&tokens, "to be reached at ");
    let other = host(keys, "other", &at, &json!({}));
    place(&other, "to be reached at ");
    let ask = |trust: &str, arguments: &[&str]| {
        let mut agent = node(keys, "agent", &at, arguments);
        run_command(agent.env("TOOLMESH_MESH_TRUST", trust))
    };
    for (trust, count, hosts) in [
        (r#""everybody""#, 2, &["tokens", "other"][..]),
        (r#"{"names":["tokens"]}"#, 1, &["tokens"]),
        (r#"{"names":["other"]}"#, 1, &["other"]),
    ] {
        let listed = json(&ask(trust, &["tools", "mesh:", "--format", "json"]));
        for tool in listed.as_array().unwrap() {
            assert_eq!(tool["node_count"], count, "{trust} {tool}");
        }
        let described = ask(trust, &["describe", "transfer", "mesh:"]);
        let line = described.stdout.lines().find(|line| line.starts_with("Nodes:"));
        let line = line.unwrap_or_else(|| panic!("{}", screen(&described)));
        for name in ["tokens", "other"] {
            assert_eq!(line.contains(name), hosts.contains(&name), "{trust}: {line}");
        }
        assert_eq!(line.matches("1.0.0").count(), hosts.len(), "{line}");
    }
    let nobody = ask(r#""nobody""#, &["tools", "mesh:", "--format", "json"]);
    assert_eq!(json(&nobody), json!([]));
    // That nobody is trusted is not that nobody is there.
    let untrusted = "2 other nodes are in the mesh, and `trust` in [mesh]";
    for trust in [r#""nobody""#, r#"{"names":["stranger"]}"#] {
        for (arguments, code) in IN_AN_EMPTY_MESH {
            let told = ask(trust, arguments);
            assert_eq!(told.code(), Some(code), "{}", screen(&told));
            assert!(told.stderr.contains(untrusted), "{}", screen(&told));
            assert!(!told.stderr.contains("no other node"), "{}", screen(&told));
        }
        let doctor = ask(trust, &["doctor", TOKEN, "--format", "json"]);
        let of_trust = questionable(&doctor.stdout, "trust of [mesh]");
        assert!(of_trust.starts_with(untrusted), "{of_trust}");
    }
    let one = ask(r#"{"names":["tokens"]}"#, &["mesh", "nodes"]);
    assert!(!one.stderr.contains("`trust`"), "{}", screen(&one));
    let clients = ask(r#"{"names":["tokens"],"clients":["alice"]}"#, &["tools", "mesh:"]);
    assert_eq!(clients.code(), Some(2), "{}", screen(&clients));
    assert!(clients.stderr.contains("no clients"), "{}", screen(&clients));
    let wrong = ask(r#"{"name":"x"}"#, &["tools", "mesh:"]);
    assert_eq!(wrong.code(), Some(2), "{}", screen(&wrong));
    assert!(wrong.stderr.contains("`trust` in [mesh]"), "{}", screen(&wrong));
}

#[test]
fn a_rule_by_the_name_of_the_source_holds_under_a_prefix_and_one_that_fits_nothing_is_told() {
    let keys = keys(&["tokens", "agent"]);
    let keys = keys.path();
    let rules = json!({"tools": {"transfer": "nobody", "*_fro?": "nobody", "trasnfer": "nobody"}});
    let text = format!(
        "[[source]]\nname = \"token\"\nlocation = {0:?}\n[[source]]\nname = \"more\"\nlocation = {0:?}\n",
        token_path()
    );
    let file = keys.join("two.toml");
    fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    let mut command = node(keys, "tokens", "", &["serve", "--config", file, "--mesh"]);
    let host = Running::start(command.env("TOOLMESH_MESH_ACCESS", rules.to_string()));
    let warned = |line: &str| (line.contains("WARN") && line.contains("trasnfer")).then_some(());
    host.stderr_line("the rule that fits nothing", SOON, warned);
    let at = place(&host, "to be reached at ");
    let listed = json(&run(keys, "agent", &at, &["tools", "mesh:", "--format", "json"]));
    let listed = listed.as_array().unwrap().iter();
    let names: Vec<_> = listed.map(|tool| tool["tool_id"].as_str().unwrap()).collect();
    assert!(
        names.contains(&"token_approve") && names.contains(&"more_approve"),
        "{names:?}"
    );
    let is_denied = |name: &&str| name.ends_with("_transfer") || name.ends_with("_transfer_from");
    assert!(!names.iter().any(is_denied), "{names:?}");

    let mut doctor = node(
        keys,
        "tokens",
        "",
        &["doctor", "--config", file, "--format", "json"],
    );
    let found = run_command(doctor.env("TOOLMESH_MESH_ACCESS", rules.to_string()));
    let of_rules = questionable(&found.stdout, "access of [mesh]");
    assert!(of_rules.starts_with("trasnfer: "), "{of_rules}");
}

/// What `doctor` says of something that is worth a look.
fn questionable(stdout: &str, what: &str) -> String {
    let found: Value = serde_json::from_str(stdout).unwrap();
    let mut found = found.as_array().unwrap().iter();
    let found = found.find(|check| check["what"] == what && check["state"] == "questionable");
    found.map_or_else(
        || panic!("nothing about {what}: {stdout}"),
        |check| check["text"].as_str().unwrap().to_owned(),
    )
}

#[test]
fn names_in_lists_are_told_to_protect_nothing_without_certificates() {
    let keys = keys(&[]);
    let run = |arguments: &[&str]| {
        let mut command = command(arguments);
        command.env("TOOLMESH_MESH_KEY_FILE", keys.path().join("mesh.key"));
        command.env("TOOLMESH_MESH_ACCESS", r#"{"host":{"names":["friend"]}}"#);
        command.env("TOOLMESH_MESH_TRUST", r#"{"names":["friend"]}"#);
        run_command(&mut command)
    };
    let nodes = run(&["mesh", "nodes"]);
    for key in ["`access`", "`trust`"] {
        let line = nodes.stderr.lines().find(|line| line.contains(key));
        assert!(
            line.is_some_and(|line| line.contains("without certificates")),
            "{}",
            screen(&nodes)
        );
    }
    let doctor = run(&["doctor", TOKEN, "--format", "json"]);
    for key in ["access of [mesh]", "trust of [mesh]"] {
        assert!(questionable(&doctor.stdout, key).contains("without certificates"));
    }
}

#[test]
fn nothing_listens_on_the_network_for_multicast_without_a_certificate() {
    let keys = keys(&["node"]);
    let mut alone = command(&["mesh", "nodes"]);
    alone.env("TOOLMESH_MESH_KEY_FILE", keys.path().join("mesh.key"));
    let refused = run_command(alone.env("TOOLMESH_MESH_MULTICAST", "true"));
    assert_eq!(refused.code(), Some(2), "{}", screen(&refused));
    assert!(refused.stderr.contains("`plaintext`"), "{}", screen(&refused));
}

#[test]
fn a_router_with_members_and_no_certificate_does_not_begin() {
    let keys = keys(&[]);
    let mut router = command(&["mesh", "router", "--listen", "127.0.0.1:0", "--member", "tokens"]);
    let refused = run_command(router.env("TOOLMESH_MESH_KEY_FILE", keys.path().join("mesh.key")));
    assert_eq!(refused.code(), Some(2), "{}", screen(&refused));
    assert!(refused.stderr.contains("certificate"), "{}", screen(&refused));
}

#[test]
fn a_node_with_a_name_that_makes_lines_does_not_join() {
    let keys = keys(&[]);
    let mut named = command(&["mesh", "nodes"]);
    named.env("TOOLMESH_MESH_KEY_FILE", keys.path().join("mesh.key"));
    let refused = run_command(named.env("TOOLMESH_MESH_NAME", "x\n WARN denied nothing\u{1b}[31m"));
    assert_eq!(refused.code(), Some(2), "{}", screen(&refused));
    assert!(
        refused.stderr.contains("no name of a node"),
        "{}",
        screen(&refused)
    );
}

#[test]
fn keys_are_made_for_the_mesh_that_is_there_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("keys");
    let make = |node: &str| toolmesh(&["mesh", "keys", folder.to_str().unwrap(), "--node", node]);
    let wrong = make("a/b");
    assert_eq!(wrong.code(), Some(2), "{}", screen(&wrong));
    assert!(!folder.exists(), "{}", screen(&wrong));
    let file = toolmesh(&["mesh", "keys", TOKEN, "--node", "a"]);
    assert_eq!(file.code(), Some(2), "{}", screen(&file));
    assert!(
        file.stderr.contains("token.json is no folder"),
        "{}",
        screen(&file)
    );
    assert_eq!(make("a").code(), Some(0));
    // As the page about the mesh says: the key of the mesh is moved to its machine.
    fs::remove_file(folder.join("mesh.key")).unwrap();
    let second = make("b");
    assert_eq!(second.code(), Some(0), "{}", screen(&second));
    assert!(
        !folder.join("mesh.key").exists() && second.stderr.contains("mesh.key"),
        "{}",
        screen(&second)
    );
    // And the authority's is kept apart.
    fs::remove_file(folder.join("authority.key")).unwrap();
    let third = make("c");
    assert_eq!(
        (third.code(), &*third.stdout),
        (Some(7), ""),
        "{}",
        screen(&third)
    );
    assert!(!folder.join("mesh.key").exists());
}
