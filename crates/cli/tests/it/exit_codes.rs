//! Wrong input is told plainly: one sentence on standard error, nothing on standard output, the right exit code.

use std::{net::TcpListener, time::Duration};

use toolmesh_testkit::{Finished, Running, run_command};

use crate::support::{HOLDER, RECEIVER, TOKEN, artifact, command, folder, screen, toolmesh};

/// Runs in a folder that has one file of every wrong kind.
fn among_wrong_files(arguments: &[&str]) -> Finished {
    let abi = artifact()["abi"].to_string();
    let folder = folder(&[
        ("text.json", "not JSON"),
        ("object.json", r#"{"name":"no interface"}"#),
        ("events.json", r#"[{"type":"event","name":"Moved","inputs":[]}]"#),
        ("abi.json", &abi),
    ]);
    run_command(command(arguments).current_dir(folder.path()))
}

#[track_caller]
fn told_plainly(finished: &Finished, code: i32) -> String {
    let shown = screen(finished);
    assert_eq!(finished.code(), Some(code), "{shown}");
    assert_eq!(finished.stdout, "", "standard output belongs to results");
    assert!(finished.stderr.starts_with("toolmesh: "), "{shown}");
    for trace in ["panicked", "backtrace", "RUST_BACKTRACE"] {
        assert!(!finished.stderr.contains(trace), "{shown}");
    }
    assert_eq!(finished.stderr.trim_end().lines().count(), 1, "{shown}");
    finished.stderr.trim_end().to_owned()
}

#[test]
fn a_missing_file_is_3() {
    insta::assert_snapshot!(told_plainly(&among_wrong_files(&["serve", "missing.json"]), 3));
}

#[test]
fn a_folder_is_3() {
    insta::assert_snapshot!(told_plainly(&among_wrong_files(&["serve", "."]), 3));
}

#[test]
fn what_is_not_json_is_4() {
    insta::assert_snapshot!(told_plainly(&among_wrong_files(&["serve", "text.json"]), 4));
}

#[test]
fn json_that_is_no_abi_is_4() {
    insta::assert_snapshot!(told_plainly(&among_wrong_files(&["serve", "object.json"]), 4));
}

#[test]
fn an_abi_in_which_nothing_can_be_called_is_4() {
    insta::assert_snapshot!(told_plainly(&among_wrong_files(&["serve", "events.json"]), 4));
}

#[test]
fn neither_bytecode_nor_an_address_is_2() {
    insta::assert_snapshot!(told_plainly(&among_wrong_files(&["serve", "abi.json"]), 2));
}

#[test]
fn an_unreachable_node_is_5() {
    // A port that was free a moment ago, and that nobody listens at now.
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let url = format!("http://user:password@127.0.0.1:{port}/secret");
    let finished = among_wrong_files(&["serve", "abi.json", "--address", RECEIVER, "--rpc", &url]);
    let told = told_plainly(&finished, 5);
    assert!(!told.contains("password") && !told.contains("secret"), "{told}");
    insta::assert_snapshot!(told.replace(&port.to_string(), "[port]"));
}

#[test]
fn a_port_in_use_is_7() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let finished = toolmesh(&["serve", TOKEN, &format!("--http={address}")]);
    insta::assert_snapshot!(told_plainly(&finished, 7).replace(&address, "[address]"));
}

#[test]
fn an_address_that_others_can_reach_needs_host_names_and_is_2() {
    insta::assert_snapshot!(told_plainly(&toolmesh(&["serve", TOKEN, "--http=0.0.0.0:0"]), 2));
}

#[test]
fn an_address_without_a_node_or_a_node_without_an_address_is_2() {
    insta::assert_snapshot!(told_plainly(
        &among_wrong_files(&["serve", "abi.json", "--address", RECEIVER]),
        2
    ));
    insta::assert_snapshot!(told_plainly(
        &among_wrong_files(&["serve", "abi.json", "--rpc", "http://127.0.0.1:1"]),
        2
    ));
    let both = [
        "serve",
        "abi.json",
        "--address",
        "0x12",
        "--rpc",
        "http://127.0.0.1:1",
    ];
    insta::assert_snapshot!(told_plainly(&among_wrong_files(&both), 2));
}

#[test]
fn an_address_whose_checksum_is_wrong_is_2() {
    let wrong = RECEIVER.replace("C7", "c7");
    assert_ne!(wrong, RECEIVER);
    let flags = [
        "serve",
        "abi.json",
        "--address",
        &wrong,
        "--rpc",
        "http://127.0.0.1:1",
    ];
    insta::assert_snapshot!(told_plainly(&among_wrong_files(&flags), 2));
}

#[test]
fn constructor_arguments_for_a_contract_that_is_deployed_already_are_2() {
    let flags = [
        "serve",
        "abi.json",
        "--address",
        RECEIVER,
        "--rpc",
        "http://127.0.0.1:1",
        "--init",
        "[1]",
    ];
    insta::assert_snapshot!(told_plainly(&among_wrong_files(&flags), 2));
}

#[test]
fn a_result_that_cannot_be_written_is_7() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let finished = command(&["call", "symbol", TOKEN]).stdout(full).output().unwrap();
    let told = String::from_utf8(finished.stderr).unwrap();
    assert_eq!(finished.status.code(), Some(7), "{told}");
    assert!(
        told.contains("the result could not be written to standard output"),
        "{told}"
    );
}

#[test]
fn a_node_that_keeps_silent_is_given_up_when_the_time_of_the_call_is_over_and_is_5() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let flags = [
        "call",
        "symbol",
        TOKEN,
        "--timeout",
        "300ms",
        "--address",
        RECEIVER,
        "--rpc",
        &url,
    ];
    insta::assert_snapshot!(told_plainly(&toolmesh(&flags), 5));
}

#[test]
fn no_source_is_2() {
    insta::assert_snapshot!(told_plainly(&toolmesh(&["serve"]), 2));
}

#[test]
fn standard_input_cannot_be_both_source_and_protocol() {
    insta::assert_snapshot!(told_plainly(&toolmesh(&["serve", "-"]), 2));
    insta::assert_snapshot!(told_plainly(&toolmesh(&["call", "symbol", "-", "-"]), 2));
}

#[test]
fn flags_that_are_not_known_are_2() {
    for arguments in [
        &["serve", "--bogus"][..],
        &["frobnicate"],
        &["tools", TOKEN, "--format", "yaml"],
        &[],
    ] {
        let finished = toolmesh(arguments);
        assert_eq!(finished.code(), Some(2), "{}", screen(&finished));
        assert_eq!(finished.stdout, "");
    }
    for arguments in [
        &["serve", TOKEN, "--http=example.com:80"][..],
        &["tools", TOKEN, "--include", "a b"],
    ] {
        told_plainly(&toolmesh(arguments), 2);
    }
}

#[test]
fn filters_that_leave_nothing_or_too_much_are_2() {
    insta::assert_snapshot!(told_plainly(
        &toolmesh(&["tools", TOKEN, "--include", "mint*"]),
        2
    ));
    insta::assert_snapshot!(told_plainly(&toolmesh(&["tools", TOKEN, "--max-tools", "3"]), 2));
    assert_eq!(toolmesh(&["tools", TOKEN, "--max-tools", "11"]).code(), Some(0));
}

#[test]
fn an_unknown_tool_is_3_and_a_like_one_is_named() {
    insta::assert_snapshot!(told_plainly(&toolmesh(&["describe", "balanceOff", TOKEN]), 3));
    insta::assert_snapshot!(told_plainly(&toolmesh(&["call", "Balance-Of", TOKEN]), 3));
}

#[test]
fn the_name_of_several_functions_is_answered_with_their_tools() {
    let told = toolmesh(&["describe", "f", "testdata/solidity/solc_torture_artifact.json"]);
    assert_eq!(told.code(), Some(3), "{}", screen(&told));
    for tool in ["`f_b3de648b`", "`f__int256`", "`f__uint256_address`"] {
        assert!(told.stderr.contains(tool), "{}", told.stderr);
    }
}

#[test]
fn a_tool_that_says_no_is_1() {
    let arguments = format!(
        r#"{{"to":"{RECEIVER}","value":"{}","simulate":false}}"#,
        "9".repeat(30)
    );
    insta::assert_snapshot!(told_plainly(
        &toolmesh(&["call", "transfer", &arguments, TOKEN]),
        1
    ));
}

#[test]
fn bad_arguments_are_1() {
    let finished = toolmesh(&["call", "transfer", r#"{"to":"0x12","value":1}"#, TOKEN]);
    assert_eq!((finished.code(), finished.stdout.as_str()), (Some(1), ""));
    insta::assert_snapshot!(finished.stderr.trim_end());
    insta::assert_snapshot!(told_plainly(&toolmesh(&["call", "transfer", "{1}", TOKEN]), 1));
}

#[test]
fn a_mesh_without_a_key_is_2() {
    insta::assert_snapshot!(told_plainly(&toolmesh(&["tools", "mesh:"]), 2));
}

#[test]
fn a_tool_that_is_known_by_its_descriptor_alone_is_not_called_and_is_6() {
    let folder = folder(&[("far.tools.json", r#"[{"tool_id":"far"}]"#)]);
    let finished = run_command(command(&["call", "far", "{}", "far.tools.json"]).current_dir(folder.path()));
    insta::assert_snapshot!(told_plainly(&finished, 6));
}

#[test]
fn a_file_of_descriptors_that_is_none_is_4() {
    let folder = folder(&[
        ("object.tools.json", "{}"),
        ("nameless.tools.json", r#"[{"tool_id":"a"},{"name":"b"}]"#),
        (
            "schema.tools.json",
            r#"[{"tool_id":"a","input_schema":{"type":"array"}}]"#,
        ),
        ("text.tools.json", "[\n,"),
    ]);
    let mut told = Vec::new();
    for name in ["object", "nameless", "schema", "text"] {
        let arguments = ["tools", &format!("{name}.tools.json")];
        told.push(told_plainly(
            &run_command(command(&arguments).current_dir(folder.path())),
            4,
        ));
    }
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn a_confirmation_that_nobody_can_give_is_6() {
    let transfer = format!(r#"{{"to":"{RECEIVER}","value":"1"}}"#);
    let finished = run_command(
        command(&["call", "transfer", &transfer, TOKEN]).env("TOOLMESH_POLICY_CONFIRMATION", "destructive"),
    );
    insta::assert_snapshot!(told_plainly(&finished, 6));
    let read =
        run_command(command(&["call", "symbol", TOKEN]).env("TOOLMESH_POLICY_CONFIRMATION", "destructive"));
    assert_eq!(read.code(), Some(0), "{}", screen(&read));
}

#[test]
fn arguments_of_standard_input_may_be_as_large_as_is_said() {
    let files = folder(&[]);
    let call = |bytes: usize| {
        let file = files.path().join("arguments.json");
        // Many texts: one alone has a bound of its own.
        let texts = vec!["x".repeat(1_000); bytes / 1_003];
        let arguments = serde_json::json!({"account": HOLDER, "unknown": texts});
        std::fs::write(&file, arguments.to_string()).unwrap();
        let mut command = command(&["call", "balance_of", "-", TOKEN]);
        command.stdin(std::fs::File::open(&file).unwrap());
        Running::start(&mut command).finish(Duration::from_secs(60))
    };
    let taken = call(15 << 20);
    assert_eq!(taken.code(), Some(1), "{}", screen(&taken));
    assert!(taken.stderr.contains("unknown"), "{}", screen(&taken));
    let too_large = call(17 << 20);
    assert_eq!(too_large.code(), Some(1), "{}", screen(&too_large));
    assert!(
        too_large.stderr.contains("larger than 16777216 bytes"),
        "{}",
        screen(&too_large)
    );
}
