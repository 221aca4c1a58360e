//! For whom a node calls: the chain of gateways that travels with a call.

use toolmesh_json::{Value, View};
use toolmesh_tool::{Caller, Transport};

/// Most gateways between a client and a host, the one included that calls the host: real chains have one or two.
pub const MAX_GATEWAYS: usize = 8;

/// Longest name of a gateway, identity or partition in a chain, in bytes: the address of an issuer with a subject fits.
pub const MAX_CHAIN_NAME_BYTES: usize = 512;

/// Somebody else for whom a node calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OnBehalfOf {
    /// The identity of the client; `None` for one that has none.
    pub(crate) identity: Option<String>,
    /// The client's authorization partition, as the gateway keeps it.
    pub(crate) partition: String,
    /// The gateways between the client and the node that calls, that of the client first.
    pub(crate) gateways: Vec<String>,
}

/// Why a chain is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ChainError {
    #[error("a call passes at most {MAX_GATEWAYS} gateways")]
    TooLong,
    #[error("names in a chain of gateways have 1 to {MAX_CHAIN_NAME_BYTES} bytes")]
    Name,
    #[error("this is no chain of gateways")]
    Form,
}

impl OnBehalfOf {
    /// For whom a node calls that serves this caller; `None` when it calls for itself. Whoever holds the process of a node
    /// (its standard input, its command line, its code) holds its key as well, and so is the node; a client from elsewhere
    /// never is, even when it has no identity.
    pub(crate) fn of(caller: &Caller) -> Option<Self> {
        let is_local = matches!(
            caller.transport,
            Transport::Stdio | Transport::CommandLine | Transport::InProcess
        );
        if is_local && caller.identity.is_none() && caller.on_behalf_of.is_empty() {
            return None;
        }
        Some(Self {
            identity: caller.identity.clone(),
            partition: caller.partition.clone(),
            gateways: caller.on_behalf_of.clone(),
        })
    }

    /// Whether somebody's identity or partition is claimed. To call for a nameless stranger takes nobody's name; but whoever makes
    /// up partitions would be a caller that nobody counted yet with each of them.
    pub(crate) fn claims_somebody(&self) -> bool {
        self.identity.is_some() || !self.gateways.is_empty() || !self.partition.is_empty()
    }

    /// The value of the header.
    pub(crate) fn to_header(&self) -> Result<String, ChainError> {
        self.check()?;
        let gateways = self.gateways.iter();
        let gateways = gateways.fold(Value::array(), |all, gateway| all.push(gateway.as_str()));
        let chain = Value::object()
            .put_opt("identity", self.identity.as_deref())
            .put("partition", self.partition.as_str())
            .put("gateways", gateways);
        Ok(chain.build().to_text())
    }

    /// Reads the value of the header. What is not understood is refused: it might narrow what the rest allows.
    pub(crate) fn from_header(text: &str) -> Result<Self, ChainError> {
        let value = toolmesh_json::parse(text.as_bytes()).map_err(|_| ChainError::Form)?;
        let members = value.as_object().ok_or(ChainError::Form)?;
        let is_known = |name: &str| ["identity", "partition", "gateways"].contains(&name);
        if !members.iter().all(|(name, _)| is_known(name)) {
            return Err(ChainError::Form);
        }
        let text = |value: View<'_>| value.as_str().map(str::to_owned).ok_or(ChainError::Form);
        let gateways = value.get("gateways").and_then(View::as_array);
        let gateways = gateways.ok_or(ChainError::Form)?;
        if gateways.iter().len() >= MAX_GATEWAYS {
            return Err(ChainError::TooLong);
        }
        let chain = Self {
            identity: value.get("identity").map(text).transpose()?,
            partition: value.get("partition").ok_or(ChainError::Form).and_then(text)?,
            gateways: gateways.iter().map(text).collect::<Result<_, _>>()?,
        };
        chain.check()?;
        Ok(chain)
    }

    fn check(&self) -> Result<(), ChainError> {
        if self.gateways.len() >= MAX_GATEWAYS {
            return Err(ChainError::TooLong);
        }
        let mut names = self.gateways.iter().chain(&self.identity);
        let is_name = |name: &String| (1..=MAX_CHAIN_NAME_BYTES).contains(&name.len());
        if names.all(is_name) && self.partition.len() <= MAX_CHAIN_NAME_BYTES {
            Ok(())
        } else {
            Err(ChainError::Name)
        }
    }

    /// The caller that the client is to the host which `gateway` called. Its partition is one within the gateway's: whatever
    /// a gateway claims, it reaches no partition of a node or of another gateway.
    pub(super) fn caller(&self, gateway: &str) -> Caller {
        let partition = Value::array().push(gateway).push(self.partition.as_str());
        let mut on_behalf_of = self.gateways.clone();
        on_behalf_of.push(gateway.to_owned());
        Caller {
            identity: self.identity.clone(),
            partition: partition.build().to_text(),
            transport: Transport::Mesh,
            on_behalf_of,
            address: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(gateways: usize) -> OnBehalfOf {
        OnBehalfOf {
            identity: Some("alice".into()),
            partition: "p".into(),
            gateways: vec!["g".into(); gateways],
        }
    }

    #[test]
    fn a_chain_comes_back_as_it_went_and_is_bounded() {
        let longest = chain(MAX_GATEWAYS - 1);
        let header = longest.to_header().unwrap();
        assert_eq!(OnBehalfOf::from_header(&header), Ok(longest));
        assert_eq!(chain(MAX_GATEWAYS).to_header(), Err(ChainError::TooLong));
        let one_more = header.replacen("[", r#"["g","#, 1);
        assert_eq!(OnBehalfOf::from_header(&one_more), Err(ChainError::TooLong));
        let named = |bytes| OnBehalfOf {
            identity: Some("a".repeat(bytes)),
            ..chain(0)
        };
        assert!(named(MAX_CHAIN_NAME_BYTES).to_header().is_ok());
        assert_eq!(named(MAX_CHAIN_NAME_BYTES + 1).to_header(), Err(ChainError::Name));
        assert_eq!(named(0).to_header(), Err(ChainError::Name));
        let in_partition = |bytes| OnBehalfOf {
            partition: "p".repeat(bytes),
            ..chain(0)
        };
        assert!(in_partition(MAX_CHAIN_NAME_BYTES).to_header().is_ok());
        let too_long = in_partition(MAX_CHAIN_NAME_BYTES + 1).to_header();
        assert_eq!(too_long, Err(ChainError::Name));
    }

    #[test]
    fn what_is_not_understood_is_no_chain() {
        for text in [
            "",
            "[]",
            r#"{"partition":"","gateways":[1]}"#,
            r#"{"partition":"","gateways":{}}"#,
            r#"{"gateways":[]}"#,
            r#"{"partition":"","gateways":[],"identity":null}"#,
            r#"{"partition":"","gateways":[],"only_for":"me"}"#,
        ] {
            assert_eq!(OnBehalfOf::from_header(text), Err(ChainError::Form), "{text}");
        }
    }

    #[test]
    fn whoever_holds_the_process_is_the_node_and_a_client_from_elsewhere_is_not() {
        for (caller, is_node) in [
            (Caller::anonymous(Transport::Stdio), true),
            (Caller::anonymous(Transport::CommandLine), true),
            (Caller::anonymous(Transport::InProcess), true),
            (Caller::anonymous(Transport::Http), false),
            (Caller::anonymous(Transport::Mesh), false),
            (Caller::authenticated("alice", Transport::InProcess), false),
        ] {
            assert_eq!(OnBehalfOf::of(&caller).is_none(), is_node, "{caller:?}");
        }
    }

    #[test]
    fn a_client_has_a_partition_within_that_of_its_gateway() {
        let caller = chain(1).caller("edge");
        assert_eq!(caller.partition, r#"["edge","p"]"#);
        assert_eq!(caller.on_behalf_of, ["g", "edge"]);
        assert_eq!(caller.identity.as_deref(), Some("alice"));
    }
}
