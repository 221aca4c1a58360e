//! The request of a call.

use std::time::Duration;

use toolmesh_json::Value;
use toolmesh_tool::semver::Version;

use crate::{
    CallOptions, RpcError, WHERE_HEADER,
    options::DEFAULT_ANSWER_WINDOW,
    row::exactly,
    wire::{
        Headers, IDEMPOTENCY_KEY, ON_BEHALF_OF, REPLY_SHAPE, RequestFrame, STEERING, STREAM_WINDOW, VERSION,
    },
};

/// Makes the request of a call; the time that is left is written into it when it is sent.
pub(super) fn request(
    service: &str,
    version: Option<&Version>,
    body: &Value,
    streams: bool,
    options: &CallOptions,
) -> Result<RequestFrame, RpcError> {
    let mut headers = Headers::new();
    let mut add = |name: &str, value: &str| headers.add(name, value).map_err(RpcError::encode);
    if let Some(version) = version {
        add(VERSION, &exactly(version))?;
    }
    if let Some(predicate) = &options.predicate {
        add(WHERE_HEADER, &predicate.to_header().map_err(RpcError::encode)?)?;
    }
    if streams {
        add(REPLY_SHAPE, "stream")?;
    }
    let window = if streams {
        options.stream_window()
    } else {
        DEFAULT_ANSWER_WINDOW
    };
    add(STREAM_WINDOW, &window.to_string())?;
    match &options.idempotency_key {
        Some(key) => add(IDEMPOTENCY_KEY, key)?,
        None => add(IDEMPOTENCY_KEY, &random_key()?)?,
    }
    if let Some(behalf) = &options.behalf {
        add(ON_BEHALF_OF, &behalf.to_header().map_err(RpcError::encode)?)?;
    }
    for (name, value) in &options.headers {
        if STEERING.contains(&name.as_str()) {
            return Err(RpcError::encode(format_args!(
                "the header `{name}` is set by the mesh alone"
            )));
        }
        add(name, value)?;
    }
    Ok(RequestFrame {
        service: service.to_owned(),
        deadline_ns: 0,
        flags: 0,
        headers,
        body: body.to_text().into_bytes(),
    })
}

fn random_key() -> Result<String, RpcError> {
    let half = || getrandom::u64().map_err(RpcError::encode);
    Ok(format!("{:016x}{:016x}", half()?, half()?))
}

/// The bytes of a request of which so much time is left.
pub(super) fn with_time_left(request: &RequestFrame, left: Duration) -> Result<Vec<u8>, RpcError> {
    let deadline_ns = u64::try_from(left.as_nanos()).unwrap_or(u64::MAX).max(1);
    request.encode_within(deadline_ns).map_err(RpcError::encode)
}
