//! What stands before any look at a tool: the frame, who asks, and the caller's own condition on the host.

use toolmesh_tool::{
    AdmissionRefusal, CallError, Catalogue, FrontRefusal, ToolName, dispatcher::FrontCheck,
    semver::VersionReq,
};

use super::service;
use crate::{
    Predicate, WHERE_HEADER,
    access::{Asker, OnBehalfOf},
    engine::Identity,
    node::Node,
    wire::{NRPC_TYPED_BAD_REQUEST, ON_BEHALF_OF, RequestFrame, Status, VERSION},
};

/// A request that may go on.
pub(super) struct Asked {
    pub(super) frame: RequestFrame,
    pub(super) behalf: Option<OnBehalfOf>,
    pub(super) target: Target,
}

/// What a request is for.
pub(super) enum Target {
    /// One of the mesh's own services.
    Service,
    /// A tool.
    Tool(Wanted),
}

/// The tool that a request is for, and that the rules were asked about.
pub(super) struct Wanted {
    /// Its published name.
    pub(super) tool_id: String,
    /// The version that is asked for.
    pub(super) version: Option<VersionReq>,
    /// Its name without the prefix of its source; `None` when there is no such tool.
    own_name: Option<ToolName>,
}

/// A request that may not: the status and the fixed text of the answer, and what observers are told.
pub(super) struct Refused {
    pub(super) status: Status,
    pub(super) text: &'static str,
    pub(super) error: CallError,
    pub(super) about: Box<About>,
}

/// What is known of a refused request.
#[derive(Debug, Default)]
pub(super) struct About {
    /// The tool that was asked for.
    pub(super) tool_id: String,
    /// For whom the node asks, when it may ask for them.
    pub(super) behalf: Option<OnBehalfOf>,
}

const BAD_REQUEST: Status = Status::Application(NRPC_TYPED_BAD_REQUEST);

impl Refused {
    fn new(status: Status, text: &'static str, error: CallError) -> Self {
        Self {
            status,
            text,
            error,
            about: Box::default(),
        }
    }

    /// Refused for somebody else than the node.
    pub(super) fn for_client(mut self, behalf: Option<&OnBehalfOf>) -> Self {
        self.about.behalf = behalf.cloned();
        self
    }

    /// Refused for a tool.
    pub(super) fn at_tool(mut self, tool_id: &str) -> Self {
        tool_id.clone_into(&mut self.about.tool_id);
        self
    }

    fn denied(reason: &str) -> Self {
        let refusal = AdmissionRefusal {
            unauthenticated: false,
            reason: reason.to_owned(),
        };
        Self::new(
            Status::CapabilityDenied,
            "This node does not allow the call.",
            CallError::AdmissionRefused(refusal),
        )
    }

    pub(super) fn malformed(text: &'static str) -> Self {
        Self::new(BAD_REQUEST, text, CallError::FrontRefused(front_refusal(text)))
    }

    fn unmet() -> Self {
        Self::new(
            Status::NotFound,
            "This node does not meet the predicate.",
            CallError::NotFound("node that meets the predicate"),
        )
    }

    pub(super) fn no_schema() -> Self {
        Self::new(
            Status::NotFound,
            "This node has no such schema.",
            CallError::NotFound("schema"),
        )
    }

    pub(super) fn busy() -> Self {
        Self::new(
            Status::Backpressure,
            "Too many calls are under way.",
            CallError::QueueFull,
        )
    }
}

fn front_refusal(reason: &str) -> FrontRefusal {
    FrontRefusal {
        key: "mesh",
        reason: reason.to_owned(),
    }
}

impl Asked {
    /// Reads a request and decides whether it may go on. The node that asks is judged before anything that it says is read.
    /// The bytes end here: what was read of them is a copy.
    pub(super) fn admit(node: &Node, from: &Identity, frame: Vec<u8>) -> Result<Self, Refused> {
        if !node.access.admits_node(from) {
            return Err(Refused::denied("the node is not allowed"));
        }
        let frame =
            RequestFrame::decode(&frame).map_err(|_| Refused::malformed("The request is no valid frame."))?;
        if frame.flags & RequestFrame::CLIENT_STREAMING != 0 {
            return Err(Refused::malformed("This node takes requests in one piece."));
        }
        let behalf = frame.headers.get(ON_BEHALF_OF).map(OnBehalfOf::from_header);
        let behalf = behalf
            .transpose()
            .map_err(|_| Refused::malformed("The header toolmesh-on-behalf-of is no chain of gateways."))?;
        let asker = Asker {
            node: from,
            behalf: behalf.as_ref(),
        };
        if !node.access.admits(&asker) {
            let catalogue = node.access.dispatcher.toolbox().snapshot();
            let wanted = catalogue
                .tool(&frame.service, None)
                .map(|tool| tool.name().as_str());
            let reason = if node.access.is_no_gateway(&asker) {
                "the node calls for somebody else and is not in `gateways` of the access rules"
            } else {
                "the client for which the node calls is not in `host` of the access rules"
            };
            return Err(Refused::denied(reason).at_tool(wanted.unwrap_or_default()));
        }
        match Target::judged(node, &asker, &frame) {
            Ok(target) => Ok(Self {
                frame,
                behalf,
                target,
            }),
            Err(refused) => Err(refused.for_client(behalf.as_ref())),
        }
    }
}

impl Target {
    fn judged(node: &Node, asker: &Asker<'_>, frame: &RequestFrame) -> Result<Self, Refused> {
        if service::is_reserved(&frame.service) {
            return check_predicate(node, frame).map(|()| Self::Service);
        }
        let catalogue = node.access.dispatcher.toolbox().snapshot();
        let wanted = Wanted::of(&catalogue, frame)?;
        let judged = if node.access.permits(asker, &catalogue, &wanted.tool_id) {
            check_predicate(node, frame)
        } else {
            Err(Refused::denied("the tool is not allowed"))
        };
        match judged {
            Ok(()) => Ok(Self::Tool(wanted)),
            Err(refused) => Err(refused.at_tool(&wanted.tool_id)),
        }
    }
}

impl Wanted {
    /// A tool may be asked for by an alias; the call speaks of its published name from here on.
    fn of(catalogue: &Catalogue, frame: &RequestFrame) -> Result<Self, Refused> {
        let version = frame.headers.get(VERSION).map(VersionReq::parse).transpose();
        let version = version
            .map_err(|_| Refused::malformed("The header toolmesh-version is no version requirement."))?;
        let found = catalogue.tool(&frame.service, version.as_ref());
        Ok(Self {
            tool_id: found.map_or_else(|| frame.service.clone(), |tool| tool.name().to_string()),
            own_name: found.map(|tool| tool.tool().name().clone()),
            version,
        })
    }

    /// Should the catalogue change in between, the call must not end up at another tool that now answers to the judged name
    /// as its alias.
    pub(super) fn check(&self) -> FrontCheck {
        let judged = self.own_name.clone();
        Box::new(move |found| {
            if judged.as_ref() == Some(found.name()) {
                Ok(())
            } else {
                Err(front_refusal("the catalogue changed while the call was judged"))
            }
        })
    }
}

fn check_predicate(node: &Node, frame: &RequestFrame) -> Result<(), Refused> {
    let Some(text) = frame.headers.get(WHERE_HEADER) else {
        return Ok(());
    };
    let predicate = Predicate::from_header(text)
        .map_err(|_| Refused::malformed("The header net-where is no predicate."))?;
    if node.access.capabilities().meets(&predicate) {
        Ok(())
    } else {
        Err(Refused::unmet())
    }
}
