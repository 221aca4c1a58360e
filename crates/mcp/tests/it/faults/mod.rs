//! What each fault is told, on every revision, and which of two faults.
//!
//! Each fault is one change of a sound call, or of the server's policies. The answer to a call with two faults must be
//! that to the earlier one alone; golden files show what each is told. The rows of the error map that no call can show
//! alone stand in [`others`].

mod case;
mod others;
mod world;

use std::time::Duration;

use case::{Admits, Case, SOUND, Work};

/// A fault: its name, and the change that makes it.
type Fault = (&'static str, fn(&mut Case));

/// Every fault, in the order of the steps.
const FAULTS: &[Fault] = &[
    ("the host is not allowed", |case| case.host = "evil.example"),
    ("the origin is not allowed", |case| {
        case.origin = Some("https://evil.example")
    }),
    ("the method is not POST", |case| {
        case.http_method = http::Method::PUT
    }),
    ("the media type is not JSON", |case| {
        case.content_type = "text/plain"
    }),
    ("streams are not accepted", |case| {
        case.accept = "application/json"
    }),
    ("the body is not JSON", |case| case.end = ""),
    ("the envelope is not JSON-RPC 2.0", |case| case.jsonrpc = "1.0"),
    ("a mirrored header says otherwise", |case| {
        case.method_header = "tools/list"
    }),
    ("the version is not served", |case| {
        (case.version_header, case.meta_version) = ("2030-01-01", "2030-01-01");
    }),
    ("the metadata lacks the capabilities", |case| {
        case.capabilities = None
    }),
    ("the metadata names another version", |case| {
        case.meta_version = "2025-11-25"
    }),
    ("the params are of the wrong kind", |case| case.arguments = "[]"),
    ("admission refuses", |case| case.admission = Admits::NoStrangers),
    ("there is no such tool", |case| {
        (case.name, case.name_header) = ("nothing", "nothing")
    }),
    ("a mirrored argument says otherwise", |case| {
        case.tenant_header = "b"
    }),
    ("a header mirrors nothing", |case| case.other_header = true),
    ("the client lacks a capability", |case| {
        case.capabilities = case.capabilities.map(|_| "{}");
    }),
    ("the request limiter refuses", |case| case.limits_requests = true),
    ("the tool limiter refuses", |case| case.limits_tools = true),
    ("the queue is full", |case| case.fills_queue = true),
    ("the deadline passed in the queue", |case| {
        case.deadline = Duration::ZERO
    }),
    ("the interceptor refuses", |case| case.intercepts = true),
    ("the state is not ours", |case| case.state = "forged"),
    ("the arguments do not fit", |case| {
        if case.arguments != "[]" {
            case.arguments = r#"{"tenant":"a","count":"x"}"#;
        }
    }),
    ("the handler fails", |case| case.work = Work::Fails),
];

/// How a call can fail besides, when everything before was sound.
const ENDS: &[Fault] = &[
    ("the handler panics", |case| case.work = Work::Panics),
    ("the deadline passes while the handler runs", |case| {
        (case.work, case.deadline) = (Work::LastsTooLong, Duration::from_millis(20));
    }),
    ("the handler gives too much", |case| {
        case.work = Work::GivesTooMuch
    }),
    ("the handler gives an array", |case| {
        case.work = Work::GivesAnArray
    }),
    ("the tool says no", |case| case.work = Work::SaysNo),
    ("the call is cancelled", |case| case.work = Work::IsCancelled),
    ("the handler can ask nobody", |case| {
        let able = case.capabilities.map(|_| r#"{"sampling":{},"elicitation":{}}"#);
        (case.work, case.capabilities) = (Work::AsksNobody, able);
    }),
    ("a state cannot be sealed", |case| case.work = Work::LacksItsState),
];

/// Where another case of a step fails than the one that stands for it among [`FAULTS`].
const BESIDES: &[Fault] = &[("admission refuses even who is known", |case| {
    case.admission = Admits::None
})];

/// Two faults that cannot be had at once: both change what the metadata says of the version, or the call that fills the
/// queue would miss its deadline itself.
fn is_one(earlier: &str, later: &str) -> bool {
    matches!(
        (earlier, later),
        ("the version is not served", "the metadata names another version")
            | ("the queue is full", "the deadline passed in the queue")
    )
}

/// How many pairs of faults cannot be had.
const PAIRS_THAT_ARE_ONE: usize = 2;

fn with(faults: &[fn(&mut Case)]) -> Case {
    let mut case = SOUND;
    faults.iter().for_each(|fault| fault(&mut case));
    case
}

/// Faults of what only the stateless revision has.
const MODERN_ONLY: [&str; 7] = [
    "a mirrored header says otherwise",
    "the metadata lacks the capabilities",
    "the metadata names another version",
    "a mirrored argument says otherwise",
    "a header mirrors nothing",
    "the client lacks a capability",
    "the state is not ours",
];

/// What each fault is told alone.
async fn told(version: &'static str) -> String {
    let mut lines = vec![format!(
        "nothing is wrong\n< {}",
        SOUND.of(version).answered().await
    )];
    for (name, fault) in FAULTS.iter().chain(ENDS).chain(BESIDES) {
        if version == SOUND.version_header || !MODERN_ONLY.contains(name) {
            lines.push(format!(
                "{name}\n< {}",
                with(&[*fault]).of(version).answered().await
            ));
        }
    }
    let told = lines.join("\n\n");
    assert!(!told.contains("secret"), "{told}");
    told
}

#[tokio::test]
async fn faults_as_2025_06_18_tells_them() {
    insta::assert_snapshot!(told("2025-06-18").await);
}

#[tokio::test]
async fn faults_as_2025_11_25_tells_them() {
    insta::assert_snapshot!(told("2025-11-25").await);
}

#[tokio::test]
async fn faults_as_2026_07_28_tells_them() {
    insta::assert_snapshot!(told("2026-07-28").await);
}

#[tokio::test]
async fn of_every_two_faults_the_earlier_step_answers() {
    let mut pairs = 0;
    for (at, (earlier, first)) in FAULTS.iter().enumerate() {
        let alone = with(&[*first]).answered().await;
        for (later, second) in FAULTS.iter().skip(at + 1) {
            if is_one(earlier, later) {
                continue;
            }
            // The later fault is put in first, so that where both change one thing, the earlier step's change stands.
            let both = with(&[*second, *first]).answered().await;
            assert_eq!(both, alone, "{earlier} and {later}");
            pairs += 1;
        }
    }
    assert_eq!(pairs, FAULTS.len() * (FAULTS.len() - 1) / 2 - PAIRS_THAT_ARE_ONE);
}
