//! What a caller may choose about a translation.

/// How tools are translated. The default suits a provider's current models.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// When a provider is asked to force the model to keep to a schema.
    pub strictness: Strictness,
    /// The member in which Gemini gets its schemas.
    pub gemini: GeminiForm,
}

/// When a provider is asked to force the model to keep to a schema.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Strictness {
    /// As the provider takes it without risk: OpenAI wherever the schema can be transformed without loss; Anthropic never,
    /// because it refuses a whole request whose strict schemas together come to too large a grammar, a size that it does
    /// not publish.
    #[default]
    Safe,
    /// Wherever the schema can be transformed without loss, also with Anthropic, within its published counts.
    Lossless,
    /// Never.
    Never,
}

/// The member in which Gemini gets a tool's schema.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum GeminiForm {
    /// `parameters`: a small subset of OpenAPI 3.0 that every Gemini model and gateway reads.
    #[default]
    Parameters,
    /// `parametersJsonSchema`: a larger subset of JSON Schema that newer models read; maps, unions with constants and
    /// references survive.
    JsonSchema,
}
