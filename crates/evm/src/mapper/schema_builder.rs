//! The schemas of whole tools and resources.

use toolmesh_json::Value;

use super::{MappedResource, MappedTool, Profile};

/// Builds the schemas of whole tools and resources.
#[derive(Clone, Copy, Debug, Default)]
pub struct SchemaBuilder {
    profile: Profile,
}

impl SchemaBuilder {
    /// A builder that follows the rules of `profile`.
    #[must_use]
    pub fn new(profile: Profile) -> Self {
        Self { profile }
    }

    /// The schema of a tool's arguments: an object of the parameters and the controls.
    #[must_use]
    pub fn tool_schema(&self, tool: &MappedTool) -> Value {
        let members = tool
            .parameters
            .iter()
            .chain(&tool.controls)
            .map(|parameter| (parameter.name.as_str(), &parameter.schema));
        self.object(members, tool.required.iter().map(String::as_str))
    }

    /// The schema of one log of an event: an object of its fields.
    #[must_use]
    pub fn resource_schema(&self, resource: &MappedResource) -> Value {
        let members = resource
            .fields
            .iter()
            .map(|field| (field.name.as_str(), &field.schema));
        self.object(members, resource.fields.iter().map(|field| field.name.as_str()))
    }

    fn object<'a>(
        &self,
        members: impl Iterator<Item = (&'a str, &'a Value)>,
        required: impl Iterator<Item = &'a str>,
    ) -> Value {
        let mut properties = Value::object();
        for (name, schema) in members {
            properties.insert(name, schema.clone());
        }
        let object = Value::object()
            .put("type", "object")
            .put("properties", properties)
            .put("required", required.map(Value::from).collect::<Value>());
        match self.profile {
            Profile::Default => object.put("additionalProperties", false).build(),
            Profile::Compatibility => object.build(),
        }
    }
}
