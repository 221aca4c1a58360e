//! Who a certificate says that its node is.

use rustls::pki_types::CertificateDer;
use toolmesh_tool::is_plain_name;
use x509_parser::{extensions::GeneralName, prelude::FromDer, prelude::X509Certificate};

use crate::engine::{Identity, NodeId, network::greeting::MAX_NODE_NAME_BYTES};

/// Most subnets, and most groups, of one certificate.
const MAX_MEMBERSHIPS: usize = 64;

/// Why a certificate does not say who a node is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// It cannot be read.
    #[error("the certificate is not in X.509 form")]
    Form,
    /// It has no common name, several, or one that is too long or not seen as it is.
    #[error(
        "the certificate needs one common name of at most {MAX_NODE_NAME_BYTES} bytes, without line ends and other characters that \
         are not seen: the node's name"
    )]
    CommonName,
    /// A subnet or group is written in another way than it has to be, or there are too many.
    #[error("the certificate has a name `{0}` that is no subnet and no group")]
    Membership(String),
}

/// Reads the common name, and the subnets and groups among the other names.
pub(super) fn identity(certificate: &CertificateDer<'_>) -> Result<Identity, NameError> {
    let (_, certificate) = X509Certificate::from_der(certificate).map_err(|_| NameError::Form)?;
    let mut names = certificate.subject().iter_common_name();
    let name = match (names.next().map(|name| name.as_str()), names.next()) {
        (Some(Ok(name)), None) if is_certificate_name(name) => name,
        _ => return Err(NameError::CommonName),
    };
    let mut identity = Identity::new(NodeId::of_name(name), name);
    let others = certificate
        .subject_alternative_name()
        .map_err(|_| NameError::Form)?;
    for other in others.iter().flat_map(|names| &names.value.general_names) {
        if let GeneralName::URI(uri) = other
            && let Some(membership) = uri.strip_prefix("toolmesh:")
        {
            join(&mut identity, membership).ok_or_else(|| NameError::Membership((*uri).to_owned()))?;
        }
    }
    Ok(identity)
}

/// Whether a node with a certificate may have this name.
pub(in crate::engine) fn is_certificate_name(name: &str) -> bool {
    (1..=MAX_NODE_NAME_BYTES).contains(&name.len()) && is_plain_name(name)
}

fn join(identity: &mut Identity, membership: &str) -> Option<()> {
    match membership.split_once(':')? {
        ("subnet", number) => identity.subnets.push(number.parse().ok()?),
        ("group", digits) => identity.groups.push(group(digits)?),
        _ => return None,
    }
    let most = identity.subnets.len().max(identity.groups.len());
    (most <= MAX_MEMBERSHIPS).then_some(())
}

fn group(digits: &str) -> Option<[u8; 32]> {
    let is_hex = digits.len() == 64 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    let (high, low) = digits.split_at_checked(32).filter(|_| is_hex)?;
    let half = |half| u128::from_str_radix(half, 16).ok().map(u128::to_be_bytes);
    let (high, low) = (half(high)?, half(low)?);
    let mut group = [0; 32];
    for (to, from) in group.iter_mut().zip(high.into_iter().chain(low)) {
        *to = from;
    }
    Some(group)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memberships_are_bounded() {
        let mut identity = Identity::new(NodeId::new(1), "node");
        for number in 0..MAX_MEMBERSHIPS {
            assert!(join(&mut identity, &format!("subnet:{number}")).is_some());
        }
        assert!(join(&mut identity, "subnet:1000").is_none());
        let mut identity = Identity::new(NodeId::new(1), "node");
        for _ in 0..MAX_MEMBERSHIPS {
            assert!(join(&mut identity, &format!("group:{}", "ab".repeat(32))).is_some());
        }
        assert!(join(&mut identity, &format!("group:{}", "ab".repeat(32))).is_none());
    }
}
