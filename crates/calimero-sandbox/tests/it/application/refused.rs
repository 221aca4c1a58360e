//! Modules that are not offered.

use toolmesh_calimero_node::modules::{NOTES_MANIFEST, module, notes};
use toolmesh_calimero_sandbox::{LocalOptions, LocalSource, OpenError, RUNTIME_VERSION};

use super::support::{bounded, open, options, refusal};

/// Why a module of this text is not offered.
async fn refused(text: &str) -> String {
    refusal(&module(text, Some(NOTES_MANIFEST)), options()).await
}

#[tokio::test]
async fn an_application_for_a_newer_node_is_refused_by_the_name_of_what_is_missing() {
    let text = r#"(module (import "env" "register_len" (func (param i64) (result i64)))
        (import "env" "set_ephemeral" (func (param i64))) (memory (export "memory") 1))"#;
    let refused = refused(text).await;
    assert_eq!(
        refused,
        format!(
            "the application imports `env.set_ephemeral`, which this runtime ({RUNTIME_VERSION}) does not have: it is \
             built for a newer node, or for a much older one. Serve it from such a node (`calimero:URL`), or build it \
             with the SDK of this runtime"
        )
    );
}

#[tokio::test]
async fn an_import_of_another_form_is_named_too() {
    let text = r#"(module (import "env" "input" (func (param i32))) (memory (export "memory") 1))"#;
    let refused = refused(text).await;
    assert!(
        refused.starts_with("the application imports `env.input` in another form"),
        "{refused}"
    );
}

#[tokio::test]
async fn a_module_that_cannot_be_bounded_or_is_damaged_is_refused() {
    for (text, reason) in [
        ("(module)", "it exports no memory of the name `memory`"),
        (
            r#"(module (memory (export "memory") 1 2 shared))"#,
            "threads must be enabled",
        ),
        (
            r#"(module (import "env" "js_std_d_print" (func $p (param i64 i64 i64) (result i32)))
                (memory (export "memory") 1) (table funcref (elem $p)))"#,
            "it points at js_std_d_print",
        ),
        (
            r#"(module (import "env" "js_std_d_print" (func $p (param i32) (result i32)))
                (memory (export "memory") 1))"#,
            "it takes js_std_d_print for something else",
        ),
        (
            r#"(module (memory (export "memory") 1) (func $start unreachable) (start $start))"#,
            "unreachable code reached",
        ),
    ] {
        let refused = refused(text).await;
        assert!(refused.starts_with("the module cannot be run: "), "{refused}");
        assert!(refused.contains(reason), "{refused}");
    }
    let mut damaged = toolmesh_calimero::modules(&notes()).unwrap().remove(0);
    damaged.wasm = damaged.wasm.iter().take(notes().len() / 2).copied().collect();
    let application = toolmesh_calimero::read(&notes(), "notes").unwrap();
    let opened = LocalSource::open("notes", application, vec![damaged], options()).await;
    assert!(matches!(opened, Err(OpenError::Module { .. })));
}

#[tokio::test]
async fn a_module_that_takes_too_much_while_it_is_put_together_is_refused() {
    let looping =
        r#"(module (memory (export "memory") 1) (func $start (loop $again (br $again))) (start $start))"#;
    let few = bounded(|limits| limits.operations = 1_000_000);
    assert_eq!(
        refusal(&module(looping, Some(NOTES_MANIFEST)), few).await,
        "the module cannot be run: the call was ended after 1000000 operations, the most that one may take; nothing was \
         changed. It may loop without end, or do too much at once"
    );
}

#[tokio::test]
async fn a_module_that_is_too_large_is_not_compiled() {
    let size = notes().len();
    assert!(
        open(&notes(), bounded(|limits| limits.module_bytes = size))
            .await
            .is_ok()
    );
    assert_eq!(
        refusal(&notes(), bounded(|limits| limits.module_bytes = size - 1)).await,
        format!("the module has {size} bytes; at most {} are compiled", size - 1)
    );
}

#[tokio::test]
async fn an_interface_without_a_module_is_told_to_be_one() {
    let application = toolmesh_calimero::read(NOTES_MANIFEST.as_bytes(), "notes").unwrap();
    let opened = LocalSource::open("notes", application, Vec::new(), LocalOptions::default()).await;
    assert_eq!(opened.unwrap_err(), OpenError::NoModule(String::new()));
}
