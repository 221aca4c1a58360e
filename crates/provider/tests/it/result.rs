//! Results on their way back to the model.

use toolmesh_json::Value;
use toolmesh_provider::{Options, Provider, Reply, Toolset};
use toolmesh_tool::{ContentBlock, MediaContent, ResourceLink, ToolResult};

use crate::support::tool;

fn replies() -> Vec<Reply> {
    let image = ContentBlock::Image(MediaContent {
        data: vec![1, 2, 3],
        mime_type: "image/png".to_owned(),
        annotations: None,
        meta: None,
    });
    let link = ContentBlock::ResourceLink(ResourceLink {
        uri: "file:///a".to_owned(),
        name: "a".to_owned(),
        ..ResourceLink::default()
    });
    let reply = |id: &str, name: &str, result| Reply {
        name: name.to_owned(),
        call_id: Some(id.to_owned()),
        result,
    };
    let structured = Value::object().put("n", u64::MAX);
    vec![
        reply("1", "a.b", ToolResult::structured(structured)),
        reply(
            "2",
            "c",
            ToolResult::text("seen").with_content(image).with_content(link),
        ),
        reply("3", "c", ToolResult::error_text("`city` is missing")),
    ]
}

#[test]
fn results_errors_and_images_reach_every_provider_under_their_ids() {
    for provider in Provider::ALL {
        let tools = ["a.b", "c"].map(|name| tool(name, r#"{"type":"object","properties":{}}"#));
        let toolset = Toolset::translate(provider, tools, &Options::default());
        let messages: Vec<String> = toolset.messages(&replies()).iter().map(Value::to_text).collect();
        insta::assert_snapshot!(format!("results_for_{provider}"), messages.join("\n"));
    }
}

#[test]
fn no_results_are_no_message() {
    for provider in Provider::ALL {
        assert!(
            Toolset::translate(provider, [], &Options::default())
                .messages(&[])
                .is_empty()
        );
    }
}

#[test]
fn what_the_provider_cannot_show_is_named() {
    let sound = ContentBlock::Audio(MediaContent {
        data: vec![0; 7],
        mime_type: "audio/wav".to_owned(),
        annotations: None,
        meta: None,
    });
    let reply = Reply {
        name: "c".to_owned(),
        call_id: None,
        result: ToolResult::default().with_content(sound),
    };
    let toolset = Toolset::translate(Provider::Anthropic, [], &Options::default());
    assert!(
        toolset.messages(&[reply])[0]
            .to_text()
            .contains("(sound, audio/wav, 7 bytes)")
    );
}
