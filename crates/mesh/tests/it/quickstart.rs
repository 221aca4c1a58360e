//! The quickstarts of the seed: only the imports are ours.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolmesh_mesh::MeshBuilder;
use toolmesh_mesh::metadata_for;
#[derive(JsonSchema, Deserialize, Serialize)]
struct WebSearchReq {
    /// Free-text query string.
    query: String,
}
#[derive(JsonSchema, Deserialize, Serialize)]
struct WebSearchResp {
    results: Vec<String>,
}

mod host {
    use super::*;

    #[tokio::main]
    pub(super) async fn main() -> anyhow::Result<()> {
        let mesh = MeshBuilder::new("127.0.0.1:0", &[0u8; 32])?.build().await?;
        let descriptor = metadata_for::<WebSearchReq, WebSearchResp>("web_search")
            .description("Search the web for relevant pages.")
            .stateless(true)
            .estimated_time_ms(500)
            .tag("web")
            .tag("research")
            .build();
        let _handle = mesh.serve_tool::<WebSearchReq, WebSearchResp, _, _>(descriptor, |req| async move {
            Ok(WebSearchResp {
                results: vec![format!("hit for {}", req.query)],
            })
        })?;
        mesh.announce_capabilities(Default::default()).await?;
        caller::main().await
    }
}

mod caller {
    use toolmesh_mesh::{TagMatcher, ToolDescriptor};

    use super::*;

    pub(super) async fn main() -> anyhow::Result<()> {
        let mesh = MeshBuilder::new("127.0.0.1:0", &[0u8; 32])?.build().await?;
        let tools: Vec<ToolDescriptor> = mesh.list_tools(None);
        let resp: WebSearchResp = mesh
            .call_tool("web_search", &WebSearchReq { query: "mesh".into() })
            .await?;
        assert_eq!(resp.results, ["hit for mesh"]);

        let tool = &tools[0];
        assert_eq!(
            (tools.len(), tool.tool_id.as_str(), tool.node_count),
            (1, "web_search", 1)
        );
        assert_eq!(
            tool.description.as_deref(),
            Some("Search the web for relevant pages.")
        );
        assert_eq!((tool.stateless, tool.estimated_time_ms), (true, 500));
        assert_eq!(tool.tags, ["web", "research"]);
        let schema = tool.input_schema.as_deref().unwrap();
        assert!(
            schema.contains("https://json-schema.org/draft/2020-12/schema"),
            "{schema}"
        );
        assert!(schema.contains("Free-text query string."), "{schema}");
        let output = tool.output_schema.as_deref().unwrap();
        assert!(
            output.contains("draft/2020-12/schema") && output.contains("results"),
            "{output}"
        );
        let matcher = TagMatcher::Prefix {
            value: "region.eu".into(),
        };
        assert_eq!(mesh.list_tools(Some(&matcher)), []);
        Ok(())
    }
}

#[test]
fn both_quickstarts_of_the_seed_run() {
    host::main().unwrap();
}
