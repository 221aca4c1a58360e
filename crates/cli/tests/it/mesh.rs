//! The mesh on the command line: keys, and programs that find, call and carry each other.

use std::{path::Path, process::Command, time::Duration};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolmesh_testkit::{Finished, Running, ServerProcess, Step, http_session, run_command};

use crate::{
    support::{HOLDER, TOKEN, TOOLMESH, command, json, screen, token_path, toolmesh},
    upstream::python_server,
};

pub(crate) const SOON: Duration = Duration::from_secs(60);

/// Keys of a mesh, with a certificate for each of these nodes.
pub(crate) fn keys(nodes: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut arguments = vec!["mesh", "keys", folder.path().to_str().unwrap()];
    arguments.extend(nodes.iter().flat_map(|node| ["--node", node]));
    let made = toolmesh(&arguments);
    assert_eq!(made.code(), Some(0), "{}", screen(&made));
    assert_eq!(made.stdout.lines().count(), 3 + 2 * nodes.len());
    folder
}

/// The command as the node of this name, with its certificate, connected to a place.
pub(crate) fn node(keys: &Path, name: &str, connect: &str, arguments: &[&str]) -> Command {
    let mut command = command(arguments);
    command
        .env("TOOLMESH_MESH_KEY_FILE", keys.join("mesh.key"))
        .env("TOOLMESH_MESH_AUTHORITY", keys.join("authority.pem"))
        .env("TOOLMESH_MESH_CERTIFICATE", keys.join(format!("{name}.pem")))
        .env("TOOLMESH_MESH_PRIVATE_KEY", keys.join(format!("{name}.key")))
        .env("TOOLMESH_MESH_CONNECT", connect);
    command
}

pub(crate) fn run(keys: &Path, name: &str, connect: &str, arguments: &[&str]) -> Finished {
    run_command(&mut node(keys, name, connect, arguments))
}

/// What a program that listens says of where, without the protocol.
pub(crate) fn place(running: &Running, before: &str) -> String {
    running.stderr_line(before, SOON, |line| {
        let (_, place) = line.split_once(before)?;
        Some(place.trim().split_once('/')?.1.to_owned())
    })
}

#[test]
fn tools_are_offered_on_the_mesh_found_described_called_and_watched_by_other_programs() {
    let keys = keys(&["tokens", "agent"]);
    let keys = keys.path();
    let host = Running::start(&mut node(keys, "tokens", "", &["serve", TOKEN, "--mesh"]));
    let place = place(&host, "On the mesh as `tokens` with 11 tools, to be reached at ");
    let run = |arguments: &[&str]| run(keys, "agent", &place, arguments);

    let listed = json(&run(&["tools", "mesh:", "--format", "json"]));
    let own = json(&toolmesh(&["tools", TOKEN, "--format", "json"]));
    let names = |tools: &Value| {
        let tools = tools.as_array().unwrap().iter();
        // A mesh lists by name, a source in its own order.
        tools
            .map(|tool| tool["tool_id"].as_str().unwrap().to_owned())
            .collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(names(&listed), names(&own));

    let arguments = json!({"account": HOLDER}).to_string();
    let called = json(&run(&["call", "balance_of", &arguments, "mesh:"]));
    assert_eq!(called["result"], "1000000000000000000000000");
    let streamed = run(&["call", "balance_of", &arguments, "mesh:", "--stream"]);
    let last: Value = serde_json::from_str(streamed.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(last["type"], "result", "{}", screen(&streamed));
    let described = run(&["describe", "balance_of", "mesh:"]);
    assert!(described.stdout.contains("account"), "{}", screen(&described));

    let status = json(&run(&["mesh", "status", "--format", "json"]));
    let seen = &status[0];
    assert_eq!((&seen["name"], &seen["tools"]), (&json!("tokens"), &json!(11)));
    assert!(seen["answers_in_us"].is_u64(), "{status}");
    let nodes = run(&["mesh", "nodes"]);
    assert!(nodes.stdout.contains("tokens"), "{}", screen(&nodes));

    let watch = Running::start(&mut node(keys, "agent", &place, &["watch", "mesh:"]));
    let added = |line: &str| (line == "added balance_of 1.0.0").then_some(());
    watch.stdout_line("the tool is there", SOON, added);
    drop(host);
    let removed = |line: &str| (line == "removed balance_of 1.0.0").then_some(());
    watch.stdout_line("the tool is gone", SOON, removed);
}

#[test]
fn tools_of_another_server_are_offered_on_the_mesh_and_called_there() {
    let keys = keys(&["tokens", "agent"]);
    let upstream = format!("mcp:{TOOLMESH} serve {}", token_path().display());
    let host = Running::start(&mut node(
        keys.path(),
        "tokens",
        "",
        &["serve", &upstream, "--mesh"],
    ));
    let place = place(&host, "On the mesh as `tokens` with 11 tools, to be reached at ");
    let call = |account: &str| {
        let arguments = json!({"account": account}).to_string();
        run(
            keys.path(),
            "agent",
            &place,
            &["call", "balance_of", &arguments, "mesh:"],
        )
    };
    assert_eq!(json(&call(HOLDER))["result"], "1000000000000000000000000");
    let refused = call("x");
    assert_eq!(refused.code(), Some(1), "{}", screen(&refused));
}

#[test]
fn a_client_of_mcp_calls_a_tool_of_the_mesh() {
    let keys = keys(&["tokens", "gateway"]);
    let host = Running::start(&mut node(keys.path(), "tokens", "", &["serve", TOKEN, "--mesh"]));
    let place = place(&host, "to be reached at ");
    let mut gateway = node(keys.path(), "gateway", &place, &["serve", "mesh:", "--http=0"]);
    let server = ServerProcess::start_command(&mut gateway);
    let session = http_session(
        server.url(),
        &[Step::call("balance_of", json!({"account": HOLDER}))],
    );
    assert!(
        session.tool_names().contains(&"transfer"),
        "{:?}",
        session.tool_names()
    );
    let balance = &session.results[0].structured()["result"];
    assert_eq!(balance, "1000000000000000000000000");
}

#[test]
fn a_router_carries_the_mesh_and_a_stranger_sees_nothing() {
    let ours = keys(&["router", "tokens", "agent"]);
    let theirs = keys(&["agent"]);
    let listen = ["mesh", "router", "--listen", "127.0.0.1:0"];
    let router = Running::start(&mut node(ours.path(), "router", "", &listen));
    let place = place(&router, "Routing at ");
    let by_router = |keys: &Path, name: &str, arguments: &[&str]| {
        let mut command = node(keys, name, "", arguments);
        command.env("TOOLMESH_MESH_ROUTERS", &place);
        command
    };
    let host = Running::start(&mut by_router(ours.path(), "tokens", &["serve", TOKEN, "--mesh"]));
    host.stderr_line("by its routers", SOON, |line| {
        line.contains("to be reached by its routers").then_some(())
    });
    let nodes = |keys: &Path| {
        run_command(&mut by_router(
            keys,
            "agent",
            &["mesh", "nodes", "--format", "json"],
        ))
    };
    assert_eq!(json(&nodes(ours.path()))[0]["name"], "tokens");
    let refused = nodes(theirs.path());
    assert_eq!(refused.code(), Some(5), "{}", screen(&refused));

    let rules = run(
        ours.path(),
        "router",
        "",
        &["mesh", "router", "--print-rules", "--member", "agent"],
    );
    let rules = json(&rules);
    assert_eq!(rules["default_permission"], "deny");
    assert_eq!(rules["subjects"][0]["cert_common_names"], json!(["agent"]));
}

#[test]
fn a_node_of_another_authority_is_not_let_in_and_both_programs_say_so() {
    let (ours, theirs) = (keys(&["tokens"]), keys(&["stranger"]));
    let host = Running::start(&mut node(ours.path(), "tokens", "", &["serve", TOKEN, "--mesh"]));
    let place = place(&host, "to be reached at ");
    // The stranger believes both authorities, so it is the host that refuses.
    let both = [&ours, &theirs].map(|keys| std::fs::read(keys.path().join("authority.pem")).unwrap());
    let authority = theirs.path().join("both.pem");
    std::fs::write(&authority, both.concat()).unwrap();
    let mut stranger = node(theirs.path(), "stranger", &place, &["serve", TOKEN, "--mesh"]);
    stranger.env("TOOLMESH_MESH_AUTHORITY", &authority);
    let stranger = Running::start(&mut stranger);
    let says = |program: &Running, line: &str| {
        program.stderr_line(line, SOON, |said| said.contains(line).then_some(()))
    };
    says(&stranger, "it refuses the certificate of this node: UnknownCA");
    says(
        &host,
        "WARN a connection was not let in: invalid peer certificate: UnknownIssuer",
    );
}

#[test]
fn a_second_program_with_a_certificate_is_told_so_at_once() {
    let keys = keys(&["tokens", "agent"]);
    let keys = keys.path();
    let host = Running::start(&mut node(keys, "tokens", "", &["serve", TOKEN, "--mesh"]));
    let place = place(&host, "to be reached at ");
    let first = Running::start(&mut node(keys, "agent", &place, &["watch", "mesh:"]));
    let added = |line: &str| line.starts_with("added transfer ").then_some(());
    first.stdout_line("the tools are there", SOON, added);

    let second = run(keys, "agent", &place, &["tools", "mesh:"]);
    assert_eq!(second.code(), Some(7), "{}", screen(&second));
    let said = "another program is in the mesh as `agent`, with the same certificate";
    assert!(second.stderr.contains(said), "{}", screen(&second));
    for (program, line) in [
        (&first, "with the certificate of this node"),
        (&host, "a second program has the certificate"),
    ] {
        program.stderr_line(line, SOON, |said| said.contains(line).then_some(()));
    }
    // The first goes on: it sees the host leave.
    drop(host);
    let removed = |line: &str| line.starts_with("removed transfer ").then_some(());
    first.stdout_line("the tools are gone", SOON, removed);
}

#[test]
fn who_is_alone_is_told_why_before_the_program_ends() {
    let (ours, theirs) = (keys(&["agent", "tokens"]), keys(&["agent"]));
    let host = Running::start(&mut node(ours.path(), "tokens", "", &["serve", TOKEN, "--mesh"]));
    let place = place(&host, "to be reached at ");
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = free.local_addr().unwrap().to_string();
    drop(free);
    let commands: [&[&str]; 5] = [
        &["mesh", "status"],
        &["mesh", "nodes"],
        &["tools", "mesh:"],
        &["describe", "transfer", "mesh:"],
        &["call", "transfer", "mesh:"],
    ];
    for arguments in commands {
        let unreachable = node(ours.path(), "agent", &nobody, arguments);
        let foreign = node(theirs.path(), "agent", &place, arguments);
        let mut other_key = node(ours.path(), "agent", &place, arguments);
        other_key.env("TOOLMESH_MESH_KEY_FILE", theirs.path().join("mesh.key"));
        let started = [
            (unreachable, &nobody, "nothing answers there"),
            (foreign, &place, "its certificate is refused"),
            (other_key, &place, "its nodes have another key"),
        ]
        .map(|(mut command, place, why)| (Running::start(&mut command), place, why));
        for (program, place, why) in started {
            let finished = program.finish(SOON);
            assert_eq!(
                (finished.code(), finished.stdout.as_str()),
                (Some(5), ""),
                "{}",
                screen(&finished)
            );
            let last = finished.stderr.lines().last().unwrap();
            let said = last.starts_with("toolmesh: the mesh cannot be reached: ")
                && last.contains(why)
                && last.contains(place.as_str());
            assert!(said, "{why}: {}", screen(&finished));
        }
    }
}

#[test]
fn a_place_that_listens_and_says_nothing_is_not_said_to_speak_no_tls() {
    let keys = keys(&["agent"]);
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let hangs = silent.local_addr().unwrap().to_string();
    // A port that the system chooses is nobody's, and not this node itself.
    for (at, why) in [
        (hangs.as_str(), "what listens there does not answer"),
        ("127.0.0.1:0", "nothing answers there"),
    ] {
        let listed = run(keys.path(), "agent", at, &["tools", "mesh:"]);
        assert_eq!(listed.code(), Some(5), "{}", screen(&listed));
        let said = format!("{at}: {why}");
        assert!(listed.stderr.contains(&said), "{}", screen(&listed));
    }
}

/// What looks at a mesh, with the exit code that it has when nothing of others is seen.
pub(crate) const IN_AN_EMPTY_MESH: [(&[&str], i32); 5] = [
    (&["mesh", "status"], 0),
    (&["mesh", "nodes"], 0),
    (&["tools", "mesh:"], 0),
    (&["describe", "transfer", "mesh:"], 3),
    (&["call", "transfer", "mesh:"], 3),
];

#[test]
fn a_mesh_without_others_is_a_finding_with_a_hint() {
    let (ours, theirs) = (keys(&["agent", "router"]), keys(&["other"]));
    let listen = ["mesh", "router", "--listen", "127.0.0.1:0"];
    let router = Running::start(&mut node(ours.path(), "router", "", &listen));
    let place = place(&router, "Routing at ");
    let at_router = |arguments: &[&str]| {
        let mut command = node(ours.path(), "agent", "", arguments);
        command.env("TOOLMESH_MESH_ROUTERS", &place);
        command.env("TOOLMESH_MESH_KEY_FILE", theirs.path().join("mesh.key"));
        run_command(&mut command)
    };
    let by_itself = |arguments: &[&str]| run(ours.path(), "agent", "", arguments);
    for (arguments, code) in IN_AN_EMPTY_MESH {
        for (finished, hint) in [
            (at_router(arguments), "another key"),
            (by_itself(arguments), "`connect`"),
        ] {
            assert_eq!(finished.code(), Some(code), "{}", screen(&finished));
            assert!(finished.stderr.contains(hint), "{}", screen(&finished));
        }
    }
}

#[test]
fn a_program_does_not_connect_to_itself_however_its_address_is_written() {
    let keys = keys(&["router", "tokens"]);
    let free = || {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    for (name, arguments, ready) in [
        ("router", &["mesh", "router", "--listen"][..], "Routing at "),
        ("tokens", &["serve", TOKEN, "--mesh"][..], "to be reached at "),
    ] {
        let port = free();
        let (listen, localhost) = (format!("127.0.0.1:{port}"), format!("localhost:{port}"));
        let mut arguments = arguments.to_vec();
        if name == "router" {
            arguments.push(&listen);
        }
        let mut command = node(keys.path(), name, &localhost, &arguments);
        command.env("TOOLMESH_MESH_LISTEN", &listen);
        let program = Running::start(&mut command);
        place(&program, ready);
        let said = program.stderr();
        assert!(!said.contains("ERROR") && !said.contains("WARN"), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn a_watch_that_is_told_to_stop_while_it_joins_ends_at_once() {
    let keys = keys(&["agent"]);
    // It takes connections and says nothing, so that joining takes as long as it may.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let at = silent.local_addr().unwrap().to_string();
    let watch = Running::start(&mut node(keys.path(), "agent", &at, &["watch", "mesh:"]));
    let _connection = silent.accept().unwrap();
    let told = toolmesh_testkit::run("kill", &["-INT", &watch.id().to_string()]);
    assert_eq!(told.code(), Some(0), "{}", screen(&told));
    let ended = watch.finish(SOON);
    // Had it joined first, it would have told why it is alone.
    assert_eq!((ended.code(), ended.stderr.as_str()), (Some(0), ""));
}

#[cfg(unix)]
#[test]
fn a_key_that_others_may_read_is_warned_of() {
    use std::os::unix::fs::PermissionsExt as _;

    let keys = keys(&["node"]);
    let warned = |arguments: &[&str]| run(keys.path(), "node", "", arguments).stderr;
    for arguments in [&["tools", "mesh:"][..], &["mesh", "nodes"]] {
        assert!(!warned(arguments).contains("others on this machine"));
    }
    let everybody = std::fs::Permissions::from_mode(0o644);
    std::fs::set_permissions(keys.path().join("node.key"), everybody).unwrap();
    for arguments in [&["tools", "mesh:"][..], &["mesh", "nodes"]] {
        let said = warned(arguments);
        assert!(
            said.contains("others on this machine may read") && said.contains("node.key"),
            "{said}"
        );
    }
}

#[test]
fn an_address_that_is_taken_is_said() {
    let keys = keys(&["node"]);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let at = taken.local_addr().unwrap().to_string();
    let router = run(keys.path(), "node", "", &["mesh", "router", "--listen", &at]);
    let mut node = node(keys.path(), "node", "", &["tools", "mesh:"]);
    let node = run_command(node.env("TOOLMESH_MESH_LISTEN", &at));
    for finished in [router, node] {
        assert_eq!(finished.code(), Some(7), "{}", screen(&finished));
        let said = format!("cannot listen at {at}");
        assert!(finished.stderr.contains(&said), "{}", screen(&finished));
    }
}

#[test]
fn what_is_wrong_around_a_mesh_is_said_with_the_codes_of_the_contract() {
    let keys = keys(&["node"]);
    let code = |finished: Finished| {
        assert!(finished.stderr.starts_with("toolmesh: "), "{}", screen(&finished));
        finished.code()
    };
    // There already; no name of a node; a tool that is not there; a certificate in part; an address of everybody's.
    let folder = keys.path().to_str().unwrap();
    assert_eq!(
        code(toolmesh(&["mesh", "keys", folder, "--node", "node"])),
        Some(7)
    );
    assert_eq!(
        code(toolmesh(&["mesh", "keys", folder, "--node", "a/b"])),
        Some(2)
    );
    assert_eq!(
        code(run(keys.path(), "node", "", &["call", "nothing", "mesh:"])),
        Some(3)
    );
    assert_eq!(code(run(keys.path(), "nobody", "", &["tools", "mesh:"])), Some(3));
    let key = keys.path().join("mesh.key");
    let mut open = command(&["tools", "mesh:"]);
    open.env("TOOLMESH_MESH_KEY_FILE", &key)
        .env("TOOLMESH_MESH_LISTEN", "0.0.0.0:0");
    assert_eq!(code(run_command(&mut open)), Some(2));
    let mut part = command(&["tools", "mesh:"]);
    part.env("TOOLMESH_MESH_KEY_FILE", &key)
        .env("TOOLMESH_MESH_AUTHORITY", "authority.pem");
    assert_eq!(code(run_command(&mut part)), Some(2));
}

#[test]
fn the_doctor_looks_at_the_key_and_the_certificate_of_the_mesh() {
    let keys = keys(&["node"]);
    let look = |certificate: &str| {
        let text = format!(
            "[[source]]\nlocation = {:?}\n[mesh]\nkey_file = \"mesh.key\"\nauthority = \"authority.pem\"\n\
             certificate = \"{certificate}\"\nprivate_key = \"node.key\"\n",
            token_path()
        );
        std::fs::write(keys.path().join("toolmesh.toml"), text).unwrap();
        let file = keys.path().join("toolmesh.toml");
        toolmesh(&["doctor", "--config", file.to_str().unwrap(), "--format", "json"])
    };
    let states = |finished: &Finished| {
        let found: Value = serde_json::from_str(&finished.stdout).unwrap();
        let of_mesh = found
            .as_array()
            .unwrap()
            .iter()
            .filter(|check| check["what"].as_str().unwrap().contains("mesh"));
        of_mesh
            .map(|check| check["state"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(states(&look("node.pem")), ["works"]);
    let wrong = look("authority.pem");
    assert_eq!(
        (states(&wrong), wrong.code()),
        (vec!["fails".to_owned()], Some(2))
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let everybody = std::fs::Permissions::from_mode(0o644);
        std::fs::set_permissions(keys.path().join("mesh.key"), everybody).unwrap();
        assert_eq!(states(&look("node.pem")), ["works", "questionable"]);
    }
}

#[test]
fn the_doctor_looks_at_a_mesh_without_sources() {
    let keys = keys(&["node"]);
    let file = keys.path().join("toolmesh.toml");
    std::fs::write(&file, "[mesh]\nkey_file = \"mesh.key\"\n").unwrap();
    let found = toolmesh(&["doctor", "--config", file.to_str().unwrap()]);
    assert_eq!(found.code(), Some(0), "{}", screen(&found));
    assert!(found.stdout.contains("ok    mesh: "), "{}", screen(&found));
    let nothing = toolmesh(&["doctor"]);
    assert_eq!(nothing.code(), Some(2), "{}", screen(&nothing));
}

#[test]
fn the_doctor_finds_what_a_node_would_fail_at_and_what_is_worth_a_look() {
    let keys = keys(&["sound"]);
    let folder = keys.path().to_str().unwrap();
    let short = toolmesh(&["mesh", "keys", folder, "--node", "short", "--days", "13"]);
    assert_eq!(short.code(), Some(0), "{}", screen(&short));
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let at = taken.local_addr().unwrap().to_string();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = free.local_addr().unwrap().to_string();
    drop(free);
    let look = |name: &str, connect: &str, listen: &str| {
        let mut command = node(keys.path(), name, connect, &["doctor", TOKEN]);
        run_command(command.env("TOOLMESH_MESH_LISTEN", listen))
    };
    let own = "127.0.0.1:0";
    for (found, code, said) in [
        (look("sound", "", own), 0, "ok    mesh: it can be joined"),
        (look("sound", "", &at), 7, "FAIL  mesh: cannot listen at"),
        (
            look("sound", &nobody, own),
            5,
            "FAIL  mesh: the mesh cannot be reached: ",
        ),
        (
            look("short", "", own),
            0,
            "hint  certificate of [mesh]: the certificate of `short` ends in 31",
        ),
    ] {
        assert_eq!(found.code(), Some(code), "{}", screen(&found));
        assert!(found.stdout.contains(said), "{said}: {}", screen(&found));
    }
    assert!(!look("sound", "", own).stdout.contains("hint"));
    let mut open = command(&["doctor", TOKEN]);
    open.env("TOOLMESH_MESH_KEY_FILE", keys.path().join("mesh.key"))
        .env("TOOLMESH_MESH_LISTEN", "0.0.0.0:0")
        .env("TOOLMESH_MESH_PLAINTEXT", "true");
    let open = run_command(&mut open);
    assert!(
        open.stdout.contains("hint  plaintext of [mesh]"),
        "{}",
        screen(&open)
    );
    // Also by a command that finds nobody and ends at once.
    for arguments in [&["tools", "mesh:"][..], &["mesh", "status"], &["mesh", "nodes"]] {
        let warned = run(keys.path(), "short", "", arguments);
        let word = "WARN the certificate of `short` ends";
        assert_eq!(warned.stderr.matches(word).count(), 1, "{}", screen(&warned));
    }
}

#[test]
fn a_mesh_is_not_looked_at_as_one_source() {
    let generated = ["generate", "mesh:", "--lang", "python", "-o", "unused"];
    for arguments in [&["inspect", "mesh:"][..], &["validate", "mesh:"], &generated] {
        let refused = toolmesh(arguments);
        assert_eq!(refused.code(), Some(2), "{}", screen(&refused));
        assert!(
            refused.stderr.contains("toolmesh tools mesh:"),
            "{}",
            screen(&refused)
        );
    }
}

#[test]
fn a_client_is_told_to_start_a_node_of_the_mesh_that_speaks_to_it_too() {
    let printed = toolmesh(&["serve", TOKEN, "--mesh", "--print-client", "claude"]);
    let printed = json(&printed).to_string();
    assert!(printed.contains(r#""--mesh","--stdio""#), "{printed}");
}

#[test]
fn a_client_that_starts_a_node_is_said_to_need_the_settings_of_the_mesh() {
    for arguments in [&["serve", "mesh:"][..], &["serve", TOKEN, "--mesh"]] {
        let printed = toolmesh(&[arguments, &["--print-client", "claude"]].concat());
        assert!(printed.stderr.contains("TOOLMESH_MESH_"), "{}", screen(&printed));
    }
    let printed = toolmesh(&["serve", TOKEN, "--print-client", "claude"]);
    assert_eq!(printed.stderr, "");
}

#[test]
fn a_node_says_how_many_tools_it_offers_itself() {
    let keys = keys(&["tokens", "gateway"]);
    let host = Running::start(&mut node(keys.path(), "tokens", "", &["serve", TOKEN, "--mesh"]));
    let at = place(&host, "to be reached at ");
    let serve = |sources: &[&str]| {
        let arguments = [&["serve"], sources, &["--mesh"]].concat();
        Running::start(&mut node(keys.path(), "gateway", &at, &arguments))
    };
    let _ = place(
        &serve(&["mesh:"]),
        "On the mesh as `gateway` with 0 tools, to be reached at ",
    );
    let both = serve(&["mesh:", TOKEN]);
    let _ = place(&both, "On the mesh as `gateway` with 11 tools, to be reached at ");
}

#[cfg(unix)]
#[test]
fn a_host_that_is_killed_is_said_to_be_lost_and_no_fault_of_the_tool() {
    let keys = keys(&["host", "agent"]);
    let keys = keys.path();
    let server = python_server();
    for stream in [true, false] {
        let mut host = node(keys, "host", "", &["serve", &server, "--mesh"]);
        // What the server says on standard error is in the log.
        let host = Running::start(host.env("TOOLMESH_LOG", "toolmesh_mcp=debug"));
        let at = place(&host, "to be reached at ");
        let mut arguments = vec!["call", "tick", "{}", "mesh:"];
        arguments.extend(stream.then_some("--stream"));
        let call = Running::start(&mut node(keys, "agent", &at, &arguments));
        if stream {
            let runs = |line: &str| line.contains("progress").then_some(());
            call.stdout_line("an event", SOON, runs);
        } else {
            let runs = |line: &str| line.contains("it ticks").then_some(());
            host.stderr_line("that the tool runs", SOON, runs);
        }
        drop(host);
        let lost = call.finish(SOON);
        assert_eq!(lost.code(), Some(5), "{}", screen(&lost));
        assert!(lost.stderr.contains("was lost"), "{}", screen(&lost));
        if stream {
            let last: Value = serde_json::from_str(lost.stdout.lines().last().unwrap()).unwrap();
            assert_eq!(
                (&last["type"], &last["code"]),
                (&json!("error"), &json!("host_lost"))
            );
        }
    }
}
