//! The form in which a tool is told of.

use toolmesh_json::{Value, View};

use crate::{Icon, ToolAnnotations};

/// What a tool is, without what it runs: identity is (`tool_id`, `version`).
///
/// Its JSON form has the members below in this order; `title`, `icons`, `annotations` and `pricing_terms` are left out
/// when absent, `description` and schemas are null. Decoding is lenient: unknown members are ignored and missing ones
/// take the defaults.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDescriptor {
    /// The tool's identifier, under which it is called.
    pub tool_id: String,
    /// The name shown; equal to `tool_id` unless a host says otherwise.
    pub name: String,
    /// Semantic version, `1.0.0` by default.
    pub version: String,
    /// What it does.
    pub description: Option<String>,
    /// The input schema, JSON text.
    pub input_schema: Option<String>,
    /// The output schema, JSON text.
    pub output_schema: Option<String>,
    /// Names of what the host must have.
    pub requires: Vec<String>,
    /// Usual duration in milliseconds; 0 means unknown.
    pub estimated_time_ms: u32,
    /// A call leaves nothing behind on the host, so it may be retried elsewhere.
    pub stateless: bool,
    /// The tool streams its output.
    pub streaming: bool,
    /// Free tags for search.
    pub tags: Vec<String>,
    /// Opaque pricing terms.
    pub pricing_terms: Option<String>,
    /// How many hosts serve it; filled in by listings of a mesh.
    pub node_count: u32,
    /// A title for people.
    pub title: Option<String>,
    /// Icons.
    pub icons: Vec<Icon>,
    /// Hints about behaviour.
    pub annotations: ToolAnnotations,
}

/// How schemas stand in a descriptor's JSON form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaForm {
    /// As JSON text in a string: the mesh's form.
    Text,
    /// As objects: the form of `toolmesh tools --format json`.
    Object,
}

/// Why a JSON value is no descriptor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DescriptorError {
    /// The value is no object.
    #[error("a tool descriptor is an object")]
    NotAnObject,
    /// A member is missing or of another kind.
    #[error("a tool descriptor needs a text member `{0}`")]
    Member(&'static str),
}

impl ToolDescriptor {
    /// A descriptor of `tool_id` with every default.
    pub fn new(tool_id: impl Into<String>) -> Self {
        let tool_id = tool_id.into();
        Self {
            name: tool_id.clone(),
            tool_id,
            version: "1.0.0".to_owned(),
            description: None,
            input_schema: None,
            output_schema: None,
            requires: Vec::new(),
            estimated_time_ms: 0,
            stateless: true,
            streaming: false,
            tags: Vec::new(),
            pricing_terms: None,
            node_count: 0,
            title: None,
            icons: Vec::new(),
            annotations: ToolAnnotations::default(),
        }
    }

    /// The JSON form. A schema text that is not JSON stays a string in both forms.
    #[must_use]
    pub fn to_value(&self, form: SchemaForm) -> Value {
        let mut object = Value::object()
            .put("tool_id", self.tool_id.as_str())
            .put("name", self.name.as_str())
            .put("version", self.version.as_str())
            .put("description", nullable(self.description.as_deref()))
            .put("input_schema", schema_value(self.input_schema.as_deref(), form))
            .put("output_schema", schema_value(self.output_schema.as_deref(), form))
            .put("requires", texts(&self.requires))
            .put("estimated_time_ms", self.estimated_time_ms)
            .put("stateless", self.stateless)
            .put("streaming", self.streaming)
            .put("tags", texts(&self.tags))
            .put_opt("pricing_terms", self.pricing_terms.as_deref())
            .put("node_count", self.node_count)
            .put_opt("title", self.title.as_deref());
        if !self.icons.is_empty() {
            object.insert("icons", self.icons.iter().map(Icon::to_value).collect::<Value>());
        }
        if !self.annotations.is_empty() {
            object.insert("annotations", self.annotations.to_value());
        }
        object.build()
    }

    /// Reads the JSON form, leniently; schemas may be texts or objects.
    ///
    /// # Errors
    /// [`DescriptorError`] when the value is no object or has no `tool_id`.
    pub fn from_value(value: View<'_>) -> Result<Self, DescriptorError> {
        if value.as_object().is_none() {
            return Err(DescriptorError::NotAnObject);
        }
        let text = |name| value.get(name).and_then(View::as_str).map(str::to_owned);
        let flag = |name, default| value.get(name).and_then(View::as_bool).unwrap_or(default);
        let number = |name| {
            value
                .get(name)
                .and_then(View::as_u64)
                .and_then(|n| u32::try_from(n).ok())
                .unwrap_or(0)
        };
        let mut descriptor = Self::new(text("tool_id").ok_or(DescriptorError::Member("tool_id"))?);
        if let Some(name) = text("name") {
            descriptor.name = name;
        }
        if let Some(version) = text("version") {
            descriptor.version = version;
        }
        descriptor.description = text("description");
        descriptor.input_schema = schema_text(value.get("input_schema"));
        descriptor.output_schema = schema_text(value.get("output_schema"));
        descriptor.requires = text_list(value.get("requires"));
        descriptor.estimated_time_ms = number("estimated_time_ms");
        descriptor.stateless = flag("stateless", true);
        descriptor.streaming = flag("streaming", false);
        descriptor.tags = text_list(value.get("tags"));
        descriptor.pricing_terms = text("pricing_terms");
        descriptor.node_count = number("node_count");
        descriptor.title = text("title");
        descriptor.icons = value
            .get("icons")
            .and_then(View::as_array)
            .map(|icons| icons.iter().filter_map(Icon::from_value).collect())
            .unwrap_or_default();
        descriptor.annotations = value
            .get("annotations")
            .map(ToolAnnotations::from_value)
            .unwrap_or_default();
        Ok(descriptor)
    }
}

fn nullable(text: Option<&str>) -> Value {
    text.map_or_else(Value::null, Value::from)
}

fn texts(list: &[String]) -> Value {
    list.iter()
        .fold(Value::array(), |all, text| all.push(text.as_str()))
        .build()
}

fn schema_value(text: Option<&str>, form: SchemaForm) -> Value {
    match (text, form) {
        (Some(text), SchemaForm::Object) => {
            toolmesh_json::parse(text.as_bytes()).unwrap_or_else(|_| Value::from(text))
        }
        (text, _) => nullable(text),
    }
}

fn schema_text(value: Option<View<'_>>) -> Option<String> {
    let value = value.filter(|value| !value.is_null())?;
    Some(value.as_str().map_or_else(|| value.to_text(), str::to_owned))
}

fn text_list(value: Option<View<'_>>) -> Vec<String> {
    value
        .and_then(View::as_array)
        .map(|list| list.iter().filter_map(View::as_str).map(str::to_owned).collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_form_keeps_the_order_and_leaves_out_absent_extras() {
        let mut descriptor = ToolDescriptor::new("web_search");
        descriptor.input_schema = Some(r#"{"type":"object"}"#.to_owned());
        assert_eq!(
            descriptor.to_value(SchemaForm::Text).to_text(),
            r#"{"tool_id":"web_search","name":"web_search","version":"1.0.0","description":null,"input_schema":"{\"type\":\"object\"}","output_schema":null,"requires":[],"estimated_time_ms":0,"stateless":true,"streaming":false,"tags":[],"node_count":0}"#
        );
    }

    #[test]
    fn both_schema_forms_read_back_alike() {
        let mut descriptor = ToolDescriptor::new("t");
        descriptor.input_schema = Some(r#"{"type":"object"}"#.to_owned());
        descriptor.title = Some("T".to_owned());
        descriptor.annotations.read_only = Some(true);
        for form in [SchemaForm::Text, SchemaForm::Object] {
            assert_eq!(
                ToolDescriptor::from_value(descriptor.to_value(form).view()).unwrap(),
                descriptor
            );
        }
    }

    #[test]
    fn decoding_fills_in_what_is_missing_and_needs_only_the_identifier() {
        let value = toolmesh_json::parse(br#"{"tool_id":"t","future":1}"#).unwrap();
        assert_eq!(
            ToolDescriptor::from_value(value.view()).unwrap(),
            ToolDescriptor::new("t")
        );
        let value = toolmesh_json::parse(br#"{"name":"t"}"#).unwrap();
        assert_eq!(
            ToolDescriptor::from_value(value.view()),
            Err(DescriptorError::Member("tool_id"))
        );
    }
}
