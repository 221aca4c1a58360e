//! `toolmesh doctor`: what is looked at, and what is said about it.

use std::net::TcpListener;

use crate::support::{command, folder, json, screen, token_path};
use toolmesh_testkit::{Finished, run_command};

fn doctor(text: &str, more: &[&str], variables: &[(&str, &str)]) -> Finished {
    let token = token_path().display().to_string();
    let folder = folder(&[("toolmesh.toml", &text.replace("TOKEN", &token))]);
    let arguments = [&["doctor", "--config", "toolmesh.toml"], more].concat();
    let mut command = command(&arguments);
    run_command(command.envs(variables.iter().copied()).current_dir(folder.path()))
}

const SOUND: &str = r#"
    [[source]]
    name = "gold"
    location = "TOKEN"

    [[source]]
    name = "silver"
    location = "TOKEN"

    [tasks]
    store = "sqlite:tasks.db"

    [observe]
    audit = "audit.jsonl"
"#;

#[test]
fn a_sound_configuration_is_looked_over_thing_by_thing() {
    let text = screen(&doctor(SOUND, &[], &[]));
    let lines: Vec<_> = text.lines().collect();
    assert!(
        lines.iter().any(|line| line.starts_with("ok    audit: to ")),
        "{text}"
    );
    let others: Vec<_> = lines
        .into_iter()
        .filter(|line| !line.contains("audit: to"))
        .collect();
    insta::assert_snapshot!(others.join("\n"));
}

#[test]
fn findings_for_programs_have_a_state_each() {
    let found = json(&doctor(SOUND, &["--format", "json"], &[]));
    let states = found
        .as_array()
        .unwrap()
        .iter()
        .map(|check| check["state"].as_str().unwrap());
    assert_eq!(states.collect::<Vec<_>>(), ["works"; 6]);
    assert_eq!(found[0]["what"], "source gold");
}

#[test]
fn whatever_fails_is_told_with_what_to_do_and_the_first_one_gives_the_exit_code() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let text = format!(
        r#"
        [[source]]
        name = "gold"
        location = "TOKEN"

        [server]
        http = "{address}"

        [tasks]
        store = "sqlite:/nowhere/at/all.db"
        "#
    );
    let finished = doctor(&text, &[], &[("TOOLMESH_STATE_KEY", "secret")]);
    assert_eq!(
        finished.code(),
        Some(2),
        "the state key is the first: {}",
        screen(&finished)
    );
    let shown = screen(&finished).replace(&address, "ADDRESS");
    assert!(!shown.contains("secret"));
    insta::assert_snapshot!(shown);
}

#[cfg(unix)]
#[test]
fn a_key_file_that_others_may_read_is_worth_a_hint() {
    use std::os::unix::fs::PermissionsExt as _;

    let keys = folder(&[("keys", "a:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")]);
    let file = keys.path().join("keys");
    let look = |mode| {
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        let variables = [("TOOLMESH_STATE_KEY_FILE", file.to_str().unwrap())];
        screen(&doctor(SOUND, &[], &variables))
    };
    assert!(
        look(0o644).contains("hint  file of TOOLMESH_STATE_KEY_FILE: others on this machine may read it")
    );
    let closed = look(0o600);
    assert!(
        !closed.contains("hint") && closed.contains("ok    state keys: `a` seals"),
        "{closed}"
    );
}
