//! Tools that only show what a result may hold.

use toolmesh_tool::{
    CallContext, ContentBlock, EmbeddedResource, MediaContent, ResourceBody, ResourceContents, Tool,
    ToolBuilder, ToolResult, json, schema::Profile,
};

use super::Tools;

/// One red pixel.
pub(crate) const PNG: &[u8] =
    b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90w\
    S\xde\x00\x00\x00\x0cIDATx\xdac\xf8\xcf\xc0\x00\x00\x03\x01\x01\x00\xf7\x03AC\x00\x00\x00\x00IEND\
    \xaeB\x60\x82";

/// A wave file without samples: mono, 8 kHz, 16 bits.
const WAV: &[u8] = &[
    b'R', b'I', b'F', b'F', 36, 0, 0, 0, b'W', b'A', b'V', b'E', b'f', b'm', b't', b' ', 16, 0, 0, 0, 1, 0,
    1, 0, 0x40, 0x1f, 0, 0, 0x80, 0x3e, 0, 0, 2, 0, 16, 0, b'd', b'a', b't', b'a', 0, 0, 0, 0,
];

/// A schema that uses references, combinators and conditions, all to be published as they are.
const SCHEMA: &[u8] = br##"{
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}}
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"}
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": false
}"##;

/// A tool with one property that clients mirror in a header.
const MIRRORED: &[u8] = br#"{
    "type": "object",
    "properties": {"value": {"type": "string", "x-mcp-header": "Value"}}
}"#;

pub(crate) fn tools() -> Tools {
    let mixed = ToolResult::text("Multiple content types test:")
        .with_content(image())
        .with_content(embedded(
            "test://mixed-content-resource",
            "application/json",
            r#"{"test":"data","value":123}"#,
        ));
    let resource = embedded(
        "test://embedded-resource",
        "text/plain",
        "This is an embedded resource content.",
    );
    let fixed = [
        fixed(
            "test_simple_text",
            "Gives a text",
            ToolResult::text("This is a simple text response for testing."),
        ),
        fixed("test_image_content", "Gives an image", only(image())),
        fixed("test_audio_content", "Gives a sound", only(audio())),
        fixed(
            "test_embedded_resource",
            "Gives a resource's contents",
            only(resource),
        ),
        fixed(
            "test_multiple_content_types",
            "Gives a text, an image and a resource",
            mixed,
        ),
        fixed(
            "test_error_handling",
            "Fails",
            ToolResult::error_text("This tool intentionally returns an error for testing"),
        ),
        schema_tool(
            "json_schema_2020_12_tool",
            "Takes arguments by a large schema",
            SCHEMA,
        ),
        schema_tool(
            "test_custom_header",
            "Takes an argument that a header repeats",
            MIRRORED,
        ),
    ];
    fixed.into_iter().map(ToolBuilder::build).collect()
}

fn fixed(name: &str, description: &str, result: ToolResult) -> ToolBuilder {
    Tool::with_name(name)
        .json_object_arguments()
        .handler(move |_: CallContext, _| std::future::ready(result.clone()))
        .description(description)
}

fn schema_tool(name: &str, description: &str, schema: &[u8]) -> ToolBuilder {
    let schema = json::parse(schema).unwrap_or_default();
    Tool::with_name(name)
        .input_schema(schema, Profile::Profile1)
        .handler(
            |_: CallContext, arguments: json::Value| async move { ToolResult::text(arguments.to_text()) },
        )
        .description(description)
}

fn only(block: ContentBlock) -> ToolResult {
    ToolResult::default().with_content(block)
}

pub(crate) fn image() -> ContentBlock {
    ContentBlock::Image(media(PNG, "image/png"))
}

fn audio() -> ContentBlock {
    ContentBlock::Audio(media(WAV, "audio/wav"))
}

fn media(data: &[u8], mime_type: &str) -> MediaContent {
    MediaContent {
        data: data.to_vec(),
        mime_type: mime_type.to_owned(),
        annotations: None,
        meta: None,
    }
}

pub(crate) fn embedded(uri: &str, mime_type: &str, text: &str) -> ContentBlock {
    ContentBlock::Resource(EmbeddedResource {
        resource: ResourceContents {
            uri: uri.to_owned(),
            mime_type: Some(mime_type.to_owned()),
            body: ResourceBody::Text(text.to_owned()),
            meta: None,
        },
        annotations: None,
        meta: None,
    })
}
