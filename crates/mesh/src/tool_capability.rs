//! The form in which other programs of the tool mesh announce a tool: tags and metadata of its node.

use toolmesh_tool::ToolDescriptor;

use crate::tag::tags_of_tool;

/// What is announced of a tool as tags of its node, without schemas and texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCapability {
    /// The tool's identifier.
    pub tool_id: String,
    /// The name shown.
    pub name: String,
    /// Semantic version.
    pub version: String,
    /// Names of what the host must have.
    pub requires: Vec<String>,
    /// Usual duration in milliseconds; 0 means unknown.
    pub estimated_time_ms: u32,
    /// A call leaves nothing behind.
    pub stateless: bool,
}

impl From<&ToolDescriptor> for ToolCapability {
    fn from(descriptor: &ToolDescriptor) -> Self {
        Self {
            tool_id: descriptor.tool_id.clone(),
            name: descriptor.name.clone(),
            version: descriptor.version.clone(),
            requires: descriptor.requires.clone(),
            estimated_time_ms: descriptor.estimated_time_ms,
            stateless: descriptor.stateless,
        }
    }
}

impl ToolCapability {
    /// The tags under which the tool at place `index` of a node is announced, those of its two roles included.
    #[must_use]
    pub fn to_tags(&self, index: u32) -> Vec<String> {
        let tag = |key: &str, value: &str| format!("software.tool.{index}.{key}={value}");
        let mut tags = vec![
            tag("tool_id", &self.tool_id),
            tag("name", &self.name),
            tag("version", &self.version),
        ];
        if !self.requires.is_empty() {
            tags.push(tag("requires", &self.requires.join(",")));
        }
        if self.estimated_time_ms > 0 {
            tags.push(tag("estimated_time_ms", &self.estimated_time_ms.to_string()));
        }
        tags.push(tag("stateless", if self.stateless { "true" } else { "false" }));
        tags.extend(tags_of_tool(&self.tool_id));
        tags
    }

    /// Reads the tool at place `index` of the tags of a node; `None` when there is none.
    #[must_use]
    pub fn from_tags<'a>(index: u32, tags: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let prefix = format!("software.tool.{index}.");
        let mut tool_id = None;
        let mut found = Self::from(&ToolDescriptor::new(""));
        let mut name = None;
        for tag in tags {
            let Some((key, value)) = tag
                .strip_prefix(&prefix)
                .and_then(|rest| rest.split_once(['=', ':']))
            else {
                continue;
            };
            match key {
                "tool_id" => tool_id = Some(value.to_owned()),
                "name" => name = Some(value.to_owned()),
                "version" => value.clone_into(&mut found.version),
                "requires" => found.requires = list(value),
                "estimated_time_ms" => found.estimated_time_ms = value.parse().unwrap_or(0),
                "stateless" => found.stateless = value != "false",
                _ => {}
            }
        }
        let tool_id = tool_id?;
        Some(Self {
            name: name.unwrap_or_else(|| tool_id.clone()),
            tool_id,
            ..found
        })
    }
}

fn list(text: &str) -> Vec<String> {
    let entries = text.split(',').map(str::trim);
    entries
        .filter(|entry| !entry.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_told_by_tags_and_read_from_them() {
        let mut descriptor = ToolDescriptor::new("web_search");
        descriptor.requires = vec!["gpu".into(), "net".into()];
        descriptor.estimated_time_ms = 500;
        let capability = ToolCapability::from(&descriptor);
        let tags = capability.to_tags(3);
        assert_eq!(
            tags,
            [
                "software.tool.3.tool_id=web_search",
                "software.tool.3.name=web_search",
                "software.tool.3.version=1.0.0",
                "software.tool.3.requires=gpu,net",
                "software.tool.3.estimated_time_ms=500",
                "software.tool.3.stateless=true",
                "ai-tool:web_search",
                "nrpc:web_search",
            ]
        );
        assert_eq!(
            ToolCapability::from_tags(3, tags.iter().map(String::as_str)),
            Some(capability)
        );
        assert_eq!(
            ToolCapability::from_tags(2, tags.iter().map(String::as_str)),
            None
        );
    }
}
