//! What goes on printing, when nobody reads it any more.

#![cfg(unix)]

use std::{process::Command, time::Duration};

use toolmesh_testkit::{Running, paths::repo_root};

use crate::{
    support::{TOKEN, TOOLMESH, screen},
    upstream::python_server,
};

/// How a program ends whose standard output goes there, as a shell says it.
fn end(output: &str, arguments: &[&str]) -> toolmesh_testkit::Finished {
    let script = format!(r#"{{ "$@"; echo "it ended with $?" >&2; }} {output}"#);
    let mut shell = Command::new("sh");
    shell.args(["-c", &script, "sh", TOOLMESH]).args(arguments);
    Running::start(shell.current_dir(repo_root())).finish(Duration::from_secs(60))
}

#[test]
fn a_stream_and_a_watch_end_when_nobody_reads_them_any_more() {
    let server = python_server();
    let arguments: [&[&str]; 3] = [
        // It tells something for ever, or, for a while, nothing at all.
        &["call", "tick", &server, "--stream"],
        &["watch", TOKEN],
        &["watch", &server],
    ];
    for arguments in arguments {
        let read = end("| head -n 1", arguments);
        assert_eq!(read.stdout.lines().count(), 1, "{}", screen(&read));
        assert!(read.stderr.ends_with("it ended with 0\n"), "{}", screen(&read));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_stream_and_a_watch_end_when_what_they_print_is_lost() {
    let server = python_server();
    let arguments: [&[&str]; 2] = [&["call", "tick", &server, "--stream"], &["watch", TOKEN]];
    for arguments in arguments {
        let full = end("> /dev/full", arguments);
        assert!(full.stderr.contains("could not be written"), "{}", screen(&full));
        assert!(full.stderr.ends_with("it ended with 7\n"), "{}", screen(&full));
    }
}
