use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use toolmesh_tool::{CallEnd, CallInfo, Observer, Tool, ToolEvent, ToolResult};

use crate::support::{builder, echo, hello, request};

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
async fn a_strangers_spelling_never_reaches_an_observer() {
    let notes = Arc::new(Notes::default());
    let dispatcher = builder(vec![echo()]).observer(notes.clone()).build();
    dispatcher.call(request("no\nsuch tool", "{}")).await;
    assert_eq!(notes.taken(), [r#"ended tools/call "" Failed("unknown_tool") 0"#]);
}
