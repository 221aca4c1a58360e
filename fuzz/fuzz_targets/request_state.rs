//! The state between two rounds of a call: it opens as it was sealed, in its own call alone; whatever was changed, moved
//! or made up is refused in one and the same way, in the protector and on the wire.
//!
//! The first byte says which of the cases; what stands behind it is the state, the change, or the forgery.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use serde_json::json;
use toolmesh_fuzz::{STATELESS, endpoint, head, meta, over_http, server};
use toolmesh_json::{Value, canonical_text};
use toolmesh_mcp::{HttpService, ServerLimits};
use toolmesh_tool::{
    CallContext, InputDeclaration, InputKind, InputRequest, InputRequired, RequestStateMode, StateProtector,
    Tool,
    state::{KeyRing, MasterKey, RefusedState, StateBinding},
};

static PROTECTOR: LazyLock<StateProtector> = LazyLock::new(|| {
    let key = MasterKey::new("fuzz", &[7; 32]).expect("a sound key");
    StateProtector::new(KeyRing::new(key))
});

/// A server whose one tool asks, and whose state is sealed.
static SERVICE: LazyLock<HttpService> = LazyLock::new(|| {
    let form =
        toolmesh_json::parse(br#"{"type":"object","properties":{"name":{"type":"string"}}}"#).expect("JSON");
    let tool = Tool::with_name("ask")
        .json_object_arguments()
        .handler(move |_: CallContext, _: Value| {
            let form = InputRequest::Elicitation {
                message: "Who?".to_owned(),
                schema: form.clone(),
            };
            std::future::ready(InputRequired::one("name", form).with_state("kept"))
        })
        .input_request(InputDeclaration::conditional(InputKind::ElicitationForm))
        .request_state(RequestStateMode::FrameworkProtected);
    endpoint(&server(
        vec![tool.build().expect("a sound tool")],
        ServerLimits::default(),
    ))
});

fuzz_target!(|input: &[u8]| {
    let Some((case, rest)) = input.split_first() else {
        return;
    };
    match case % 5 {
        0 => comes_back(rest),
        1 => refuses_what_was_changed(rest),
        2 => belongs_to_its_call(rest),
        3 => refuses_what_was_made_up(rest),
        _ => refuses_on_the_wire(rest),
    }
});

fn binding<'a>(parameters: &'a Value, partition: &'a str) -> StateBinding<'a> {
    StateBinding {
        endpoint: "fuzz",
        revision: STATELESS,
        method: "tools/call",
        authenticated: true,
        partition,
        parameters,
    }
}

fn seal(binding: &StateBinding<'_>, state: &str) -> Option<String> {
    PROTECTOR
        .seal(
            binding,
            None,
            Some(&Value::from(1)),
            Some(state.to_owned()),
            false,
        )
        .ok()
}

fn open(binding: &StateBinding<'_>, id: i64, text: &str) -> Result<Option<String>, RefusedState> {
    PROTECTOR
        .open(binding, Some(&Value::from(id)), text)
        .map(|opened| opened.state)
}

fn comes_back(state: &[u8]) {
    let (Ok(state), parameters) = (std::str::from_utf8(state), Value::object().build()) else {
        return;
    };
    let binding = binding(&parameters, "p");
    if let Some(sealed) = seal(&binding, state) {
        assert_eq!(open(&binding, 2, &sealed), Ok(Some(state.to_owned())));
        // The very request that was answered with it does not bring it back.
        assert_eq!(open(&binding, 1, &sealed), Err(RefusedState));
    }
}

/// Where, and what by, a byte of a sealed state is changed; or how much of it is cut off, or put behind it.
fn refuses_what_was_changed(change: &[u8]) {
    let parameters = Value::object().build();
    let binding = binding(&parameters, "p");
    let sealed = seal(&binding, "state").expect("it can be sealed");
    let changed = match change {
        [at, 0] => sealed.get(..usize::from(*at) % sealed.len()).map(str::to_owned),
        [first, second, by @ 1..=127, more @ ..] => {
            let at = (usize::from(*first) << 8 | usize::from(*second)) % sealed.len();
            let mut bytes = sealed.clone().into_bytes();
            bytes[at] ^= by;
            bytes.extend_from_slice(more);
            String::from_utf8(bytes).ok()
        }
        _ => None,
    };
    if let Some(changed) = changed {
        assert_eq!(
            open(&binding, 2, &changed),
            Err(RefusedState),
            "{sealed} {changed}"
        );
    }
}

/// Two objects, split by a line end, as the parameters of two calls.
fn belongs_to_its_call(texts: &[u8]) {
    let Some(at) = texts.iter().position(|byte| *byte == b'\n') else {
        return;
    };
    let (Ok(one), Ok(other)) = (
        toolmesh_json::parse(&texts[..at]),
        toolmesh_json::parse(&texts[at + 1..]),
    ) else {
        return;
    };
    let sealed = seal(&binding(&one, "p"), "state").expect("it can be sealed");
    let same = canonical_text(one.view()) == canonical_text(other.view());
    assert_eq!(open(&binding(&other, "p"), 2, &sealed).is_ok(), same);
    assert_eq!(open(&binding(&one, "q"), 2, &sealed), Err(RefusedState));
}

fn refuses_what_was_made_up(text: &[u8]) {
    let (Ok(text), parameters) = (std::str::from_utf8(text), Value::object().build()) else {
        return;
    };
    assert_eq!(open(&binding(&parameters, "p"), 2, text), Err(RefusedState));
}

fn refuses_on_the_wire(state: &[u8]) {
    let Ok(state) = std::str::from_utf8(state) else {
        return;
    };
    let meta: serde_json::Value =
        serde_json::from_str(&meta(r#"{"elicitation":{"form":{}}}"#)).expect("JSON");
    let params = json!({"name": "ask", "requestState": state, "inputResponses": {}, "_meta": meta});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    let (status, answer) = over_http(&SERVICE, head("tools/call").header("mcp-name", "ask"), body);
    let refusal = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "Invalid params"}});
    assert_eq!((status.as_u16(), answer), (400, refusal));
}
