//! The frame of every result: `resultType` before, cache hints and `_meta` after what the method itself writes.

use toolmesh_json::{Value, write_value};

use super::{Inexpressible, ObjectWriter};
use crate::{
    jsonrpc::{RequestId, begin_result, end_result},
    revision::Revision,
};

/// The `_meta` key under which the server describes itself.
const SERVER_INFO_KEY: &str = "io.modelcontextprotocol/serverInfo";

/// Room for the frame and a short result, so that a usual answer is written without growing.
const USUAL_BYTES: usize = 512;

/// What a result is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResultType {
    /// The end.
    Complete,
    /// A request for input.
    InputRequired,
    /// A task that goes on with the work.
    Task,
}

/// Whether a result is one of the cacheable ones. Answers depend on who asks, and the catalogue may change at any
/// time, so the hint is always: private, stale at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cache {
    /// It carries the hints.
    Hinted,
    /// It carries none.
    None,
}

/// Writes a whole result response. `server` is the server's description as JSON, `meta` the operation's own `_meta`.
///
/// # Errors
/// What `fill` returns; the bytes are then worthless.
pub(crate) fn result(
    revision: &Revision,
    id: &RequestId,
    (result_type, cache): (ResultType, Cache),
    server: &[u8],
    meta: Option<&Value>,
    fill: impl FnOnce(&mut ObjectWriter<'_>) -> Result<(), Inexpressible>,
) -> Result<Vec<u8>, Inexpressible> {
    let mut out = Vec::with_capacity(USUAL_BYTES);
    begin_result(&mut out, id);
    let mut object = ObjectWriter::open(&mut out);
    if revision.projection.result_type {
        object.text("resultType", result_type.as_str());
    }
    fill(&mut object)?;
    if revision.projection.cache_hints && cache == Cache::Hinted {
        object.integer("ttlMs", 0);
        object.text("cacheScope", "private");
    }
    if revision.projection.server_in_meta {
        object.object("_meta", |object| write_modern_meta(object, server, meta));
    } else if let Some(meta) = meta {
        object.value("_meta", meta.view());
    }
    object.close();
    end_result(&mut out);
    Ok(out)
}

fn write_modern_meta(object: &mut ObjectWriter<'_>, server: &[u8], meta: Option<&Value>) {
    for (name, value) in meta
        .and_then(Value::as_object)
        .iter()
        .flat_map(|meta| meta.iter())
    {
        if name != SERVER_INFO_KEY {
            write_value(object.foreign_member(name), value);
        }
    }
    object.raw(SERVER_INFO_KEY, server);
}

impl ResultType {
    fn as_str(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::InputRequired => "input_required",
            Self::Task => "task",
        }
    }
}
