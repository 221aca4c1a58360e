//! Which keywords a document may use.

use std::fmt;
use std::str::FromStr;

/// The closed or open set of keywords that a document is compiled against.
///
/// The profile says what a document may *say*; what it is used *for* (a tool's input, anything else) is chosen by the
/// constructor of [`Schema`](crate::Schema).
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Profile {
    /// Tool Schema Profile 1: a closed subset of draft 2020-12. Every keyword outside the list is refused.
    Profile1,
    /// JSON Schema draft 2020-12, whole, or draft-07 where `$schema` says so. Unknown keywords are annotations; other
    /// drafts are refused by name.
    Draft2020_12,
}

impl Profile {
    /// The name used on the command line and in configuration: `profile-1` or `2020-12`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Profile1 => "profile-1",
            Self::Draft2020_12 => "2020-12",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A profile name that nobody declared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is no schema profile; use `profile-1` or `2020-12`")]
pub struct UnknownProfile {
    name: String,
}

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(name: &str) -> Result<Self, UnknownProfile> {
        match name {
            "profile-1" => Ok(Self::Profile1),
            "2020-12" => Ok(Self::Draft2020_12),
            other => Err(UnknownProfile {
                name: other.to_owned(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_reads_back_from_its_own_name() {
        for profile in [Profile::Profile1, Profile::Draft2020_12] {
            assert_eq!(profile.as_str().parse(), Ok(profile));
        }
    }

    #[test]
    fn an_unknown_profile_is_told_which_names_exist() {
        let error = "draft-07".parse::<Profile>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "`draft-07` is no schema profile; use `profile-1` or `2020-12`"
        );
    }
}
