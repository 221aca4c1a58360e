//! `[policy]`: what may be called.

use toolmesh_tool::dispatcher::Confirmation;

use super::{
    key::{Key, Section},
    setting::{Expected, Setting},
};

/// What may be called, over all sources.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PolicyConfig {
    /// Which calls a person confirms.
    pub confirmation: Confirmation,
    /// Only tools that change nothing are offered.
    pub read_only: bool,
    /// Patterns of the tools to offer; empty means all.
    pub include: Vec<String>,
    /// Patterns of tools not to offer.
    pub exclude: Vec<String>,
}

impl Section for PolicyConfig {
    const PLACE: &'static str = "in [policy]";
    const VARIABLE: &'static str = "TOOLMESH_POLICY_";
    const KEYS: &'static [Key<Self>] = &[
        Key {
            name: "confirmation",
            about: "which calls a person confirms: never, destructive or all",
            set: |policy, value| {
                policy.confirmation = confirmation(value)?;
                Ok(())
            },
        },
        Key {
            name: "read_only",
            about: "offer only tools that change nothing",
            set: |policy, value| {
                policy.read_only = value.flag()?;
                Ok(())
            },
        },
        Key {
            name: "include",
            about: "offer only tools whose name matches one of these patterns",
            set: |policy, value| {
                policy.include = value.texts()?;
                Ok(())
            },
        },
        Key {
            name: "exclude",
            about: "do not offer tools whose name matches one of these patterns",
            set: |policy, value| {
                policy.exclude = value.texts()?;
                Ok(())
            },
        },
    ];
}

fn confirmation(value: &Setting<'_>) -> Result<Confirmation, Expected> {
    match value.text().as_deref() {
        Ok("never") => Ok(Confirmation::Never),
        Ok("destructive") => Ok(Confirmation::Destructive),
        Ok("all") => Ok(Confirmation::All),
        _ => Err("never, destructive or all".to_owned()),
    }
}
