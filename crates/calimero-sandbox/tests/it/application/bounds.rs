//! What an application may take, and that everything works when it takes too much.

use std::time::Duration;

use toolmesh_calimero_node::modules::{module, notes};
use toolmesh_calimero_sandbox::{ENTRY_BYTES, MAX_ERROR_BYTES, MAX_OUTPUT_BYTES};

use super::support::{Running, bounded, options, refusal};

/// The manifest of an application that can do nothing.
const NO_METHODS: &str = r#"{"schema_version":"wasm-abi/1","types":{},"events":[],"methods":[]}"#;

const FIRST: &str = r#"{"text":"first"}"#;

/// Calls a method that must fail; the application works as before.
async fn fails(notes: &Running, method: &str) -> String {
    let failed = notes.call(method, "{}").await.unwrap_err();
    assert_eq!(notes.note().await, FIRST, "after {method}");
    failed
}

#[tokio::test]
async fn a_trap_ends_the_call_and_nothing_else() {
    let notes = Running::notes().await;
    let broke_off = |reason: &str| format!("application_error: the application broke off: {reason}");
    assert_eq!(
        fails(&notes, "panic").await,
        "application_error: guest panicked: the note is broken at notes.rs:7:9"
    );
    assert_eq!(fails(&notes, "trap").await, broke_off("unreachable code reached"));
    assert_eq!(fails(&notes, "overflow").await, broke_off("stack overflow"));
    assert_eq!(fails(&notes, "outside").await, broke_off("memory out of bounds"));
    let odd = fails(&notes, "odd").await;
    assert!(odd.contains("invalid signature"), "{odd}");
}

#[tokio::test]
async fn an_endless_loop_ends_with_its_operations() {
    let notes = Running::with(&notes(), bounded(|limits| limits.operations = 1_000_000)).await;
    let ended = "too_many_operations: the call was ended after 1000000 operations, the most that one may take; nothing \
                 was changed. It may loop without end, or do too much at once";
    assert_eq!(fails(&notes, "spin").await, ended);
    // Filling 8 MiB is half a million operations, and it loops over that.
    assert_eq!(fails(&notes, "fill").await, ended);
}

#[tokio::test]
async fn a_call_may_take_as_many_operations_as_allowed_and_not_one_more() {
    // Three operations until the function of the runtime is called, its price, and the end of the function.
    let text = r#"(module (import "env" "register_len" (func $len (param i64) (result i64)))
        (memory (export "memory") 1)
        (func (export "count") (drop (call $len (i64.const 0)))))"#;
    let manifest = NO_METHODS.replace("[]}", r#"[{"name":"count","params":[]}]}"#);
    let counted = module(text, Some(&manifest));
    let with = |operations: u64| {
        let mut options = bounded(|limits| limits.operations = operations);
        options.init = None;
        Running::with(&counted, options)
    };
    let needed = 1 + 500 + 1 + 1;
    let enough = with(needed).await;
    assert_eq!(enough.call("count", "{}").await, Ok("null".to_owned()));
    let short = with(needed - 1).await;
    let ended = short.call("count", "{}").await.unwrap_err();
    assert!(ended.starts_with("too_many_operations: "), "{ended}");
}

#[tokio::test]
async fn memory_is_bounded_and_the_application_told() {
    let notes = Running::notes().await;
    assert_eq!(notes.call("bloat", "{}").await, Ok("\"refused\"".to_owned()));
    let pages = |pages: u32| format!(r#"(module (memory (export "memory") {pages}))"#);
    let small = |pages: String| {
        let mut options = bounded(|limits| limits.memory_pages = 3);
        options.init = None;
        (module(&pages, Some(NO_METHODS)), options)
    };
    let (fits, options) = small(pages(3));
    assert!(super::support::open(&fits, options).await.is_ok());
    let (too_large, options) = small(pages(4));
    let refused = refusal(&too_large, options).await;
    assert_eq!(
        refused,
        "the module cannot be run: it wants 4 pages of memory from the start; at most 3 are allowed"
    );
}

#[tokio::test]
async fn all_tables_together_are_bounded() {
    let tables = |sizes: &[u32]| {
        let tables: String = sizes
            .iter()
            .map(|size| format!("(table {size} funcref)"))
            .collect();
        let text = format!(r#"(module (memory (export "memory") 1) {tables})"#);
        let mut options = bounded(|limits| limits.table_entries = 10);
        options.init = None;
        (module(&text, Some(NO_METHODS)), options)
    };
    for sizes in [vec![10], vec![4, 6], vec![]] {
        let (fits, options) = tables(&sizes);
        assert!(super::support::open(&fits, options).await.is_ok(), "{sizes:?}");
    }
    for sizes in [vec![11], vec![5, 6]] {
        let (too_large, options) = tables(&sizes);
        let refused = refusal(&too_large, options).await;
        assert_eq!(
            refused,
            "the module cannot be run: it wants 11 entries in its tables; at most 10 are allowed"
        );
    }
}

#[tokio::test]
async fn a_table_grows_as_far_as_the_others_leave_room_and_the_application_is_told() {
    // Grows the first table by as many entries as the name says, and gives back whether it did.
    let text = r#"(module
        (import "env" "value_return" (func $return (param i64)))
        (memory (export "memory") 1)
        (data (i32.const 64) "true ") (data (i32.const 72) "false")
        (table $first 2 funcref) (table 4 funcref)
        (func $grow (param $by i32)
            (i64.store (i32.const 0) (i64.const 0))
            (i64.store (i32.const 16) (i64.const 5))
            (i64.store (i32.const 8)
                (select (i64.const 72) (i64.const 64)
                    (i32.eq (table.grow $first (ref.null func) (local.get $by)) (i32.const -1))))
            (call $return (i64.const 0)))
        (func (export "two") (call $grow (i32.const 2)))
        (func (export "three") (call $grow (i32.const 3))))"#;
    let method = |name: &str| format!(r#"{{"name":"{name}","params":[],"returns":{{"kind":"bool"}}}}"#);
    let manifest = NO_METHODS.replace(
        r#""methods":[]"#,
        &format!(r#""methods":[{},{}]"#, method("three"), method("two")),
    );
    let mut options = bounded(|limits| limits.table_entries = 10);
    options.init = None;
    let growing = Running::with(&module(text, Some(&manifest)), options).await;
    // Four entries are free, two for each of the tables.
    assert_eq!(growing.call("two", "{}").await, Ok("true".to_owned()));
    assert_eq!(growing.call("three", "{}").await, Ok("false".to_owned()));
}

#[tokio::test]
async fn a_state_that_would_be_too_large_is_not_kept() {
    let notes = Running::with(&notes(), bounded(|limits| limits.state_bytes = 3 << 20)).await;
    assert_eq!(
        fails(&notes, "hoard").await,
        "state_full: the call was ended: the state would be larger than 3145728 bytes; nothing was changed"
    );
}

#[tokio::test]
async fn a_state_may_be_as_large_as_allowed_and_not_a_byte_larger() {
    let exact = "note".len() + FIRST.len() + ENTRY_BYTES;
    let notes = Running::with(&notes(), bounded(|limits| limits.state_bytes = exact)).await;
    let longer = notes.call("keep", r#"{"text":"first!"}"#).await.unwrap_err();
    assert!(longer.starts_with("state_full: "), "{longer}");
    assert_eq!(notes.note().await, FIRST);
    notes.call("keep", r#"{"text":"again"}"#).await.unwrap();
    assert_eq!(notes.note().await, r#"{"text":"again"}"#);
}

#[tokio::test]
async fn arguments_and_answers_are_bounded() {
    let arguments = r#"{"text":"four"}"#;
    let notes = Running::with(&notes(), bounded(|limits| limits.input_bytes = arguments.len())).await;
    notes.call("keep", arguments).await.unwrap();
    let refused = notes.call("keep", r#"{"text":"four!"}"#).await;
    assert_eq!(
        refused,
        Err("refused: The arguments have 16 bytes; at most 15 are taken.".to_owned())
    );
    assert_eq!(notes.call("large", "{}").await, Ok("1".to_owned()));
    let too_large = notes.call("too_large", "{}").await;
    let told = format!(
        "output_too_large: the method returned {} bytes; at most {MAX_OUTPUT_BYTES} are taken. Nothing was changed",
        MAX_OUTPUT_BYTES + 1
    );
    assert_eq!(too_large, Err(told));
}

#[tokio::test]
async fn what_an_application_says_when_it_fails_is_bounded() {
    // Says no in so many spaces and a digit, or panics in so many.
    let text = r#"(module
        (import "env" "value_return" (func $return (param i64)))
        (import "env" "panic_utf8" (func $panic (param i64 i64)))
        (memory (export "memory") 2)
        (func $spaces (param $size i32)
            (memory.fill (i32.const 1024) (i32.const 32) (local.get $size))
            (i32.store8 offset=1023 (local.get $size) (i32.const 55))
            (i64.store (i32.const 0) (i64.const 1))
            (i64.store (i32.const 8) (i64.const 1024))
            (i64.store (i32.const 16) (i64.extend_i32_u (local.get $size))))
        (func (export "longest") (call $spaces (i32.const 65536)) (call $return (i64.const 0)))
        (func (export "longer") (call $spaces (i32.const 65537)) (call $return (i64.const 0)))
        (func (export "panic") (call $spaces (i32.const 65536))
            (i64.store (i32.const 40) (i64.const 1024))
            (i64.store (i32.const 48) (i64.const 0))
            (call $panic (i64.const 8) (i64.const 40))))"#;
    let methods: Vec<String> = ["longer", "longest", "panic"]
        .map(|name| format!(r#"{{"name":"{name}","params":[]}}"#))
        .into();
    let manifest = NO_METHODS.replace(
        r#""methods":[]"#,
        &format!(r#""methods":[{}]"#, methods.join(",")),
    );
    let mut options = options();
    options.init = None;
    let wordy = Running::with(&module(text, Some(&manifest)), options).await;
    let said = wordy.call("longest", "{}").await;
    assert_eq!(said, Err("application_error: 7".to_owned()));
    let too_long = wordy.call("longer", "{}").await.unwrap_err();
    assert_eq!(
        too_long,
        format!(
            "error_too_large: the application failed with {} bytes of words; at most {MAX_ERROR_BYTES} are told. Nothing was \
             changed",
            MAX_ERROR_BYTES + 1
        )
    );
    let panicked = wordy.call("panic", "{}").await.unwrap_err();
    assert!(panicked.starts_with("error_too_large: "), "{panicked}");
}

#[tokio::test]
async fn an_answer_that_is_no_json_is_told_as_such() {
    let garbled = Running::notes().await.call("garble", "{}").await;
    assert_eq!(
        garbled,
        Err("SerdeError: The method ran, and what it returned is no JSON (line 1, column 9).".to_owned())
    );
}

#[tokio::test]
async fn a_line_that_would_not_fit_into_memory_is_not_printed() {
    let notes = Running::notes().await;
    let shouted = fails(&notes, "shout").await;
    assert!(shouted.contains("unreachable code reached"), "{shouted}");
    notes.call("whistle", "{}").await.unwrap();
    let told = notes.events("local").await;
    assert_eq!(
        told.pointer("/events/0/data/data/0").unwrap().as_str(),
        Some("something was kept")
    );
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_given_up_others_are_refused_and_later_all_is_well() {
    let notes = Running::with(
        &notes(),
        bounded(|limits| {
            limits.operations = 1_000_000_000;
            limits.call_time = Duration::from_millis(20);
        }),
    )
    .await;
    let given_up = notes.call("spin", "{}").await;
    assert_eq!(
        given_up,
        Err("overdue: the call was ended because it took longer than 20ms; nothing was changed".to_owned())
    );
    let refused = notes.call("note", "{}").await.unwrap_err();
    assert!(
        refused.starts_with("busy: A call of this application took too long"),
        "{refused}"
    );
    // The operations of the first call end it.
    while notes.call("note", "{}").await.is_err() {
        tokio::task::yield_now().await;
    }
    assert_eq!(notes.note().await, FIRST);
}

#[tokio::test]
async fn a_call_that_was_given_up_ends_when_it_looks_into_its_state() {
    let notes = Running::with(
        &notes(),
        bounded(|limits| {
            limits.operations = u64::MAX;
            limits.state_bytes = usize::MAX;
            limits.call_time = Duration::from_millis(50);
        }),
    )
    .await;
    let given_up = notes.call("hoard", "{}").await.unwrap_err();
    assert!(given_up.starts_with("overdue: "), "{given_up}");
    while notes.call("note", "{}").await.is_err() {
        tokio::task::yield_now().await;
    }
    assert_eq!(notes.note().await, FIRST);
}
