//! Which tools about the node are offered.

/// A group of tools about the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toolset {
    /// The node, its contexts and applications; always there.
    Core,
    /// Installing applications, and blobs.
    Blobs,
    /// Namespaces and groups.
    Governance,
}

/// A name that is no toolset's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no toolset; there are core, blobs and governance, and all")]
pub struct UnknownToolset(String);

impl Toolset {
    /// Every toolset.
    pub const ALL: [Self; 3] = [Self::Core, Self::Blobs, Self::Governance];

    /// Reads a list of names with commas between them; `all`, or nothing, means every one. `core` is always there.
    ///
    /// # Errors
    /// [`UnknownToolset`] for a name that is none.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, UnknownToolset> {
        let mut toolsets = vec![Self::Core];
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        let mut said = false;
        for name in names {
            said = true;
            match name {
                "core" => {}
                "blobs" => toolsets.push(Self::Blobs),
                "governance" => toolsets.push(Self::Governance),
                "all" => return Ok(Self::ALL.to_vec()),
                other => return Err(UnknownToolset(other.to_owned())),
            }
        }
        Ok(if said { toolsets } else { Self::ALL.to_vec() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn core_is_always_there_and_an_unknown_name_is_told() {
        assert_eq!(Toolset::parse_list(" "), Ok(Toolset::ALL.to_vec()));
        assert_eq!(
            Toolset::parse_list("blobs, core"),
            Ok(vec![Toolset::Core, Toolset::Blobs])
        );
        assert_eq!(Toolset::parse_list("governance,all"), Ok(Toolset::ALL.to_vec()));
        assert_eq!(
            Toolset::parse_list("blob"),
            Err(UnknownToolset("blob".to_owned()))
        );
    }
}
