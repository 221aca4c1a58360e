//! A failure on its way to the client, and the answer that goes out.

use std::time::Duration;

use toolmesh_tool::{CallError, ClientCapability};

use crate::{
    jsonrpc::{RequestId, write_error},
    revision::{Failure, Method, Revision, supported_versions},
    wire::{ArrayWriter, Inexpressible, ObjectWriter, write_required_capabilities},
};

/// Most bytes of what was asked for that an error says back: 8 KiB, as many as a URI may have. Of more it says the beginning.
const MAX_SAID_BACK: usize = 8_192;

/// A failure with what the protocol lets it say beyond its fixed text.
#[derive(Debug)]
pub(crate) struct Fault {
    failure: Failure,
    /// The `data` member as JSON.
    data: Option<Vec<u8>>,
    retry_after: Option<Duration>,
}

/// An answer: one JSON-RPC response, and what HTTP needs besides.
#[derive(Debug)]
pub(crate) struct Reply {
    /// The HTTP status.
    pub(crate) status: u16,
    /// The response.
    pub(crate) body: Vec<u8>,
    /// When a refused client may try again.
    pub(crate) retry_after: Option<Duration>,
    /// It is a result, no error.
    pub(crate) is_result: bool,
}

/// The HTTP status of every result.
const RESULT_STATUS: u16 = 200;

impl Fault {
    /// A revision that is not served; the text that was asked for goes back as the protocol wants it.
    pub(crate) fn unsupported_version(requested: &str) -> Self {
        let mut data = Vec::new();
        let mut object = ObjectWriter::open(&mut data);
        let mut supported = ArrayWriter::open(object.member("supported"));
        supported_versions()
            .into_iter()
            .for_each(|version| supported.text(version));
        supported.close();
        object.text("requested", beginning(requested));
        object.close();
        Self {
            data: Some(data),
            ..Self::from(Failure::UnsupportedVersion)
        }
    }

    /// Abilities that the client did not declare.
    pub(crate) fn missing_capability(missing: &[ClientCapability]) -> Self {
        let mut data = Vec::new();
        write_required_capabilities(&mut data, missing);
        Self {
            data: Some(data),
            ..Self::from(Failure::MissingCapability)
        }
    }

    /// A failed operation. The reason stays here, in the log.
    pub(crate) fn of_call(error: &CallError, method: Method) -> Self {
        tracing::debug!(code = error.code(), %error, "the operation failed");
        match error {
            CallError::MissingCapability(missing) => Self::missing_capability(missing),
            CallError::RateLimited { retry_after } => Self {
                retry_after: Some(*retry_after),
                ..Self::from(Failure::RateLimited)
            },
            _ => Self::from(Failure::of(error, method)),
        }
    }

    /// A read that failed; where nothing is, the URI that was asked for goes back as the protocol wants it.
    pub(crate) fn of_read(error: &CallError, uri: &str, revision: &Revision) -> Self {
        let mut fault = Self::of_call(error, Method::ReadResource);
        if fault.failure == Failure::UnknownResource && revision.names_unknown_resource {
            let mut data = Vec::new();
            let mut object = ObjectWriter::open(&mut data);
            object.text("uri", beginning(uri));
            object.close();
            fault.data = Some(data);
        }
        fault
    }

    /// The HTTP status alone, where nothing more is told.
    pub(crate) fn status(&self, revision: &Revision) -> http::StatusCode {
        let declared = revision.declare(self.failure).status;
        http::StatusCode::from_u16(declared).unwrap_or(http::StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// The answer to the request `id` by the table of `revision`.
    pub(crate) fn reply(self, revision: &Revision, id: Option<&RequestId>) -> Reply {
        let declared = revision.declare(self.failure);
        let mut body = Vec::new();
        write_error(
            &mut body,
            id,
            revision.unreadable_id,
            declared.code,
            declared.text,
            self.data.as_deref(),
        );
        Reply {
            status: declared.status,
            body,
            retry_after: self.retry_after,
            is_result: false,
        }
    }
}

fn beginning(asked: &str) -> &str {
    asked
        .get(..asked.floor_char_boundary(MAX_SAID_BACK))
        .unwrap_or_default()
}

impl Reply {
    /// The answer that is a result.
    pub(crate) fn result(body: Vec<u8>) -> Self {
        Self {
            status: RESULT_STATUS,
            body,
            retry_after: None,
            is_result: true,
        }
    }
}

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Self {
        Self {
            failure,
            data: None,
            retry_after: None,
        }
    }
}

impl From<Inexpressible> for Fault {
    fn from(reason: Inexpressible) -> Self {
        tracing::warn!(%reason, "an operation's output cannot be sent");
        Self::from(Failure::UnusableOutput)
    }
}
