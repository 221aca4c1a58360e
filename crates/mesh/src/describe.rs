//! Descriptors from Rust types.

use std::marker::PhantomData;

use schemars::{JsonSchema, generate::SchemaSettings};
use toolmesh_tool::ToolDescriptor;

/// Begins the descriptor of a tool that takes `Req` and gives `Resp`: their JSON Schemas (draft 2020-12) are derived by
/// `schemars`, the identifier is also the name, the version is 1.0.0, and the tool is taken for stateless.
///
/// ```
/// use toolmesh_mesh::metadata_for;
///
/// #[derive(schemars::JsonSchema)]
/// struct Search {
///     query: String,
/// }
///
/// let descriptor = metadata_for::<Search, Vec<String>>("web_search").tag("web").build();
/// assert_eq!((descriptor.version.as_str(), descriptor.stateless), ("1.0.0", true));
/// ```
pub fn metadata_for<Req: JsonSchema, Resp: JsonSchema>(
    tool_id: impl Into<String>,
) -> ToolMetadataBuilder<Req, Resp> {
    let mut descriptor = ToolDescriptor::new(tool_id);
    descriptor.input_schema = Some(schema_of::<Req>());
    descriptor.output_schema = Some(schema_of::<Resp>());
    ToolMetadataBuilder {
        descriptor,
        types: PhantomData,
    }
}

fn schema_of<T: JsonSchema>() -> String {
    let generator = SchemaSettings::draft2020_12().into_generator();
    generator.into_root_schema_for::<T>().to_value().to_string()
}

/// Collects what a tool tells of itself beside its types.
#[derive(Debug, Clone)]
pub struct ToolMetadataBuilder<Req, Resp> {
    descriptor: ToolDescriptor,
    types: PhantomData<fn(Req) -> Resp>,
}

impl<Req, Resp> ToolMetadataBuilder<Req, Resp> {
    /// Says what the tool does.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.descriptor.description = Some(description.into());
        self
    }

    /// Sets the version, a semantic one; serving refuses another.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.descriptor.version = version.into();
        self
    }

    /// Tells whether the tool streams its output; serving a handler that streams sets this anyway.
    #[must_use]
    pub fn streaming(mut self, streaming: bool) -> Self {
        self.descriptor.streaming = streaming;
        self
    }

    /// Tells whether a call leaves nothing behind, so that it may be tried again; true unless told.
    #[must_use]
    pub fn stateless(mut self, stateless: bool) -> Self {
        self.descriptor.stateless = stateless;
        self
    }

    /// Tells the usual duration in milliseconds.
    #[must_use]
    pub fn estimated_time_ms(mut self, milliseconds: u32) -> Self {
        self.descriptor.estimated_time_ms = milliseconds;
        self
    }

    /// Adds a tag.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.descriptor.tags.push(tag.into());
        self
    }

    /// Sets all tags.
    #[must_use]
    pub fn tags<T: Into<String>>(mut self, tags: impl IntoIterator<Item = T>) -> Self {
        self.descriptor.tags = tags.into_iter().map(Into::into).collect();
        self
    }

    /// Adds the name of something that the host must have.
    #[must_use]
    pub fn requires(mut self, what: impl Into<String>) -> Self {
        self.descriptor.requires.push(what.into());
        self
    }

    /// Sets pricing terms, which are opaque here: a tool that has them is refused by this mesh, which collects no price.
    #[must_use]
    pub fn pricing_terms(mut self, terms: impl Into<String>) -> Self {
        self.descriptor.pricing_terms = Some(terms.into());
        self
    }

    /// The descriptor.
    #[must_use]
    pub fn build(self) -> ToolDescriptor {
        self.descriptor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setter_sets_what_it_says() {
        let plain = metadata_for::<String, bool>("t").build();
        let set = metadata_for::<String, bool>("t")
            .description("Says it.")
            .version("2.1.0")
            .streaming(true)
            .stateless(false)
            .estimated_time_ms(500)
            .tag("gone")
            .tags(["first"])
            .tag("second")
            .requires("gpu")
            .requires("disk")
            .pricing_terms("free")
            .build();
        let expected = ToolDescriptor {
            description: Some("Says it.".into()),
            version: "2.1.0".into(),
            streaming: true,
            stateless: false,
            estimated_time_ms: 500,
            tags: vec!["first".into(), "second".into()],
            requires: vec!["gpu".into(), "disk".into()],
            pricing_terms: Some("free".into()),
            ..plain
        };
        assert_eq!(set, expected);
    }
}
