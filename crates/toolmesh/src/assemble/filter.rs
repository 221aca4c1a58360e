//! Which tools of a source are offered.

use toolmesh_tool::{Tool, ToolName};

use super::{Pattern, PatternError};
use crate::config::{PolicyConfig, SourceConfig};

/// Which tools of a source are offered: what its own keys and those of the policy both allow.
///
/// A pattern fits a tool when it fits the published name or the name that the source itself gave.
#[derive(Debug, Clone)]
pub(super) struct Filter {
    rules: [Rule; 2],
}

#[derive(Debug, Clone)]
struct Rule {
    include: Vec<Pattern>,
    exclude: Vec<Pattern>,
    read_only: bool,
}

impl Filter {
    pub(super) fn new(source: &SourceConfig, policy: &PolicyConfig) -> Result<Self, PatternError> {
        Ok(Self {
            rules: [
                Rule::new(&source.include, &source.exclude, source.read_only)?,
                Rule::new(&policy.include, &policy.exclude, policy.read_only)?,
            ],
        })
    }

    /// For tools that are no configured source's.
    pub(super) fn of_policy(policy: &PolicyConfig) -> Result<Self, PatternError> {
        Ok(Self {
            rules: [
                Rule::new(&[], &[], false)?,
                Rule::new(&policy.include, &policy.exclude, policy.read_only)?,
            ],
        })
    }

    pub(super) fn keeps(&self, published: &ToolName, tool: &Tool) -> bool {
        self.rules.iter().all(|rule| rule.keeps(published, tool))
    }
}

impl Rule {
    fn new(include: &[String], exclude: &[String], read_only: bool) -> Result<Self, PatternError> {
        let patterns = |texts: &[String]| {
            texts
                .iter()
                .map(|text| Pattern::parse(text))
                .collect::<Result<_, _>>()
        };
        Ok(Self {
            include: patterns(include)?,
            exclude: patterns(exclude)?,
            read_only,
        })
    }

    fn keeps(&self, published: &ToolName, tool: &Tool) -> bool {
        let any = |patterns: &[Pattern]| {
            patterns
                .iter()
                .any(|pattern| pattern.matches(published.as_str()) || pattern.matches(tool.name().as_str()))
        };
        (self.include.is_empty() || any(&self.include))
            && !any(&self.exclude)
            && (!self.read_only || tool.annotations().read_only == Some(true))
    }
}
