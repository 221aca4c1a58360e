use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use toolmesh_tool::{
    AdmissionRefusal, Budget, CallEnd, CallError, CallInfo, EndKind, FrontInfo, Observer, Tool, ToolEvent,
    ToolResult, TraceParent,
    dispatcher::{CallLimits, Load, Operation},
    json::Value,
    schema::Profile,
};

use crate::support::{builder, caller, echo, hello, json, request};

#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Notes {
    fn note(&self, what: &str, call: &CallInfo, more: &str) {
        self.0
            .lock()
            .unwrap()
            .push(format!("{what} {} {:?} {more}", call.operation, call.target));
    }

    fn taken(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

impl Observer for Notes {
    fn admitted(&self, call: &CallInfo) {
        self.note("admitted", call, "");
    }
    fn started(&self, call: &CallInfo) {
        self.note("started", call, "");
    }
    fn event(&self, call: &CallInfo, event: &ToolEvent) {
        self.note(
            "event",
            call,
            if matches!(event, ToolEvent::Delta { .. }) {
                "delta"
            } else {
                "other"
            },
        );
    }
    fn exhausted(&self, call: &CallInfo, budget: Budget) {
        self.note("exhausted", call, budget.name());
    }
    fn ended(&self, call: &CallInfo, end: &CallEnd) {
        self.note("ended", call, &format!("{:?} {}", end.kind, end.blocks));
    }
}

#[tokio::test]
async fn an_observer_sees_every_stage_and_the_way_it_ended() {
    let notes = Arc::new(Notes::default());
    let speaks = Tool::with_name("speaks")
        .json_object_arguments()
        .handler(|context, _| async move {
            context.delta(1).await;
            ToolResult::error_text("no")
        })
        .build()
        .unwrap();
    let dispatcher = builder(vec![echo(), speaks]).observer(notes.clone()).build();

    dispatcher.call(hello()).await;
    assert_eq!(
        notes.taken(),
        [
            r#"admitted tools/call "echo" "#,
            r#"started tools/call "echo" "#,
            r#"ended tools/call "echo" Completed 1"#,
        ]
    );

    dispatcher
        .stream(request("speaks", "{}"))
        .into_events()
        .collect::<Vec<_>>()
        .await;
    assert_eq!(
        notes.taken()[2..],
        [
            r#"event tools/call "speaks" delta"#,
            r#"ended tools/call "speaks" ToolError 1"#
        ]
    );

    dispatcher.call(request("echo", "{}")).await;
    assert_eq!(
        notes.taken()[1..],
        [r#"ended tools/call "echo" Failed("invalid_arguments") 0"#]
    );
}

#[tokio::test]
async fn what_a_front_refuses_is_told_with_the_tool_if_there_is_one() {
    let notes = Arc::new(Notes::default());
    let dispatcher = builder(vec![echo()]).observer(notes.clone()).build();
    let refusal = CallError::AdmissionRefused(AdmissionRefusal {
        unauthenticated: false,
        reason: "not on the list".to_owned(),
    });
    for tool in ["echo", "what a stranger says"] {
        dispatcher.refused_by_front(&caller(), Operation::CallTool(tool), &refusal);
    }
    assert_eq!(
        notes.taken(),
        [
            r#"ended tools/call "echo" Failed("admission_refused") 0"#,
            r#"ended tools/call "" Failed("admission_refused") 0"#,
        ]
    );
}

#[tokio::test]
async fn a_strangers_spelling_never_reaches_an_observer() {
    let notes = Arc::new(Notes::default());
    let dispatcher = builder(vec![echo()]).observer(notes.clone()).build();
    dispatcher.call(request("no\nsuch tool", "{}")).await;
    assert_eq!(notes.taken(), [r#"ended tools/call "" Failed("unknown_tool") 0"#]);
}

/// A schema whose evaluation takes more than its budget for a long list.
fn costly() -> Value {
    json(
        r##"{"type":"object","properties":{"list":{"type":"array","items":{"$ref":"#/$defs/a"}}},"$defs":{
        "a":{"allOf":[{"$ref":"#/$defs/b"},{"$ref":"#/$defs/b"},{"$ref":"#/$defs/b"},{"$ref":"#/$defs/b"}]},
        "b":{"allOf":[{"$ref":"#/$defs/c"},{"$ref":"#/$defs/c"},{"$ref":"#/$defs/c"},{"$ref":"#/$defs/c"}]},
        "c":{"type":"integer"}}}"##,
    )
}

fn long_list() -> String {
    format!(r#"{{"list":[{}1]}}"#, "1,".repeat(80_000))
}

#[tokio::test]
async fn an_observer_is_told_of_a_budget_that_was_used_up() {
    let notes = Arc::new(Notes::default());
    let takes = Tool::with_name("takes")
        .input_schema(costly(), Profile::Profile1)
        .handler(|_, _| async { ToolResult::text("never") });
    let gives = Tool::with_name("gives")
        .json_object_arguments()
        .output_schema(costly(), Profile::Profile1)
        .handler(|_, _| async { ToolResult::structured(json(&long_list())) });
    let tools = vec![takes.build().unwrap(), gives.build().unwrap()];
    let dispatcher = builder(tools).observer(notes.clone()).build();
    dispatcher.call(request("takes", &long_list())).await;
    assert_eq!(
        notes.taken()[1..],
        [
            r#"exhausted tools/call "takes" input_schema"#,
            r#"ended tools/call "takes" Failed("invalid_arguments") 0"#
        ]
    );
    dispatcher.call(request("gives", "{}")).await;
    assert_eq!(
        notes.taken()[2..],
        [
            r#"exhausted tools/call "gives" output_schema"#,
            r#"ended tools/call "gives" Failed("invalid_output") 0"#
        ]
    );
}

#[derive(Default)]
struct Traces(Mutex<Vec<Option<TraceParent>>>);

impl Observer for Traces {
    fn admitted(&self, call: &CallInfo) {
        self.0.lock().unwrap().push(call.trace);
    }
}

#[tokio::test]
async fn the_trace_of_a_call_is_that_of_its_headers_else_of_its_metadata() {
    let traces = Arc::new(Traces::default());
    let dispatcher = builder(vec![echo()]).observer(traces.clone()).build();
    let of = |span: char| format!("00-{}-{}-01", "1".repeat(32), span.to_string().repeat(16));
    let front = || FrontInfo {
        meta: Some(Value::object().put("traceparent", of('a')).build()),
        ..FrontInfo::default()
    };
    let headers = vec![("traceparent".to_owned(), of('b'))];
    dispatcher.call(hello()).await;
    dispatcher.call(hello().front(front())).await;
    dispatcher.call(hello().front(front()).headers(headers)).await;
    let seen = traces
        .0
        .lock()
        .unwrap()
        .iter()
        .map(|trace| trace.map(|trace| trace.to_string()))
        .collect::<Vec<_>>();
    assert_eq!(seen, [None, Some(of('a')), Some(of('b'))]);
}

#[tokio::test]
async fn lists_are_observed_too() {
    let notes = Arc::new(Notes::default());
    let dispatcher = builder(vec![echo()]).observer(notes.clone()).build();
    dispatcher
        .list(&caller(), Operation::ListTools, None)
        .await
        .unwrap();
    assert_eq!(
        notes.taken(),
        [r#"admitted tools/list "" "#, r#"ended tools/list "" Completed 0"#]
    );
}

#[test]
fn every_end_has_one_word() {
    for (kind, word) in [
        (EndKind::Completed, "completed"),
        (EndKind::ToolError, "tool_error"),
        (EndKind::InputRequired, "input_required"),
        (EndKind::TaskCreated, "task_created"),
        (EndKind::Failed("cancelled"), "cancelled"),
    ] {
        assert_eq!(kind.code(), word);
    }
}

#[tokio::test]
async fn the_load_counts_what_runs_and_what_waits() {
    let waits = Tool::with_name("waits")
        .json_object_arguments()
        .handler(|context, _| async move {
            context.cancellation().cancelled().await;
            ToolResult::text("never")
        });
    let limits = CallLimits {
        running: 1,
        queued: 1,
        ..CallLimits::default()
    };
    let dispatcher = builder(vec![waits.build().unwrap()]).limits(limits).build();
    assert_eq!(
        dispatcher.load(),
        Load {
            running: 0,
            queued: 0
        }
    );
    let mut one = std::pin::pin!(dispatcher.call(request("waits", "{}")));
    let mut two = std::pin::pin!(dispatcher.call(request("waits", "{}")));
    assert!(futures_util::poll!(&mut one).is_pending() && futures_util::poll!(&mut two).is_pending());
    assert_eq!(
        dispatcher.load(),
        Load {
            running: 1,
            queued: 1
        }
    );
}
