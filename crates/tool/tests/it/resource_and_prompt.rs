use std::sync::Arc;

use indexmap::IndexMap;
use toolmesh_tool::{
    BoxFuture, CallContext, CallError, CompletionReference, CompletionRequest, CompletionValues,
    ContentBlock, Dispatcher, Entries, FrontInfo, Prefix, Prompt, PromptArgument, PromptHandler,
    PromptMessage, PromptOutput, Resource, ResourceBody, ResourceContents, ResourceInfo, ResourceReader,
    ResourceTemplate, Role, TextContent, ToolName, Toolbox, UriTemplate,
    dispatcher::{PromptRequest, ReadRequest},
};

use crate::support::caller;

/// Gives back what it was asked for.
struct Echoes;

impl ResourceReader for Echoes {
    fn read<'a>(
        &'a self,
        _: CallContext,
        uri: &'a str,
        variables: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<Vec<ResourceContents>, CallError>> {
        let body = ResourceBody::Text(format!("{uri} {variables:?}"));
        Box::pin(async move {
            Ok(vec![ResourceContents {
                uri: uri.to_owned(),
                mime_type: None,
                body,
                meta: None,
            }])
        })
    }

    fn complete(&self, variable: &str, typed: &str, _: &IndexMap<String, String>) -> CompletionValues {
        CompletionValues::new([format!("{variable}-{typed}")])
    }
}

impl PromptHandler for Echoes {
    fn get<'a>(
        &'a self,
        _: CallContext,
        arguments: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<PromptOutput, CallError>> {
        let content = ContentBlock::Text(TextContent::new(format!("{arguments:?}")));
        let messages = vec![PromptMessage {
            role: Role::User,
            content,
        }];
        Box::pin(async move {
            Ok(PromptOutput {
                description: None,
                messages,
            })
        })
    }
}

fn dispatcher() -> Dispatcher {
    let toolbox = Toolbox::new();
    let mut prompt = Prompt::new(ToolName::new("greet").unwrap(), Arc::new(Echoes));
    prompt.arguments.push(PromptArgument {
        name: "who".into(),
        required: true,
        ..Default::default()
    });
    let entries = Entries {
        resources: vec![Resource {
            uri: "test://static".into(),
            info: ResourceInfo::default(),
            size: None,
            reader: Arc::new(Echoes),
        }],
        templates: vec![ResourceTemplate {
            template: UriTemplate::parse("test://{id}{?page}").unwrap(),
            info: ResourceInfo::default(),
            reader: Arc::new(Echoes),
        }],
        prompts: vec![prompt],
        ..Entries::default()
    };
    toolbox
        .mount("test", Prefix::None)
        .unwrap()
        .replace(entries)
        .unwrap();
    Dispatcher::builder(toolbox).build()
}

async fn read(uri: &str) -> Result<String, CallError> {
    let contents = dispatcher()
        .read_resource(ReadRequest::new(uri, caller()))
        .await?;
    let ResourceBody::Text(text) = &contents[0].body else {
        panic!("no text")
    };
    Ok(text.clone())
}

#[tokio::test]
async fn an_exact_uri_is_read_before_a_template_that_fits_too() {
    assert_eq!(read("test://static").await.unwrap(), "test://static {}");
    assert_eq!(
        read("test://other?page=2").await.unwrap(),
        r#"test://other?page=2 {"id": "other", "page": "2"}"#
    );
    assert!(matches!(
        read("test://a/b").await,
        Err(CallError::NotFound("resource"))
    ));
}

#[tokio::test]
async fn a_prompt_needs_its_required_arguments() {
    let with = |pairs: &[(&str, &str)]| {
        let arguments = pairs
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect();
        PromptRequest::new("greet", arguments, caller())
    };
    let output = dispatcher().get_prompt(with(&[("who", "Ada")])).await.unwrap();
    assert_eq!(
        output.messages[0].content,
        ContentBlock::Text(TextContent::new(r#"{"who": "Ada"}"#))
    );
    assert!(matches!(
        dispatcher().get_prompt(with(&[])).await,
        Err(CallError::InvalidArguments(_))
    ));
    let unknown = PromptRequest::new("other", IndexMap::new(), caller());
    assert!(matches!(
        dispatcher().get_prompt(unknown).await,
        Err(CallError::NotFound("prompt"))
    ));
}

#[tokio::test]
async fn a_templates_variable_and_a_prompts_argument_are_completed() {
    let ask = |reference| CompletionRequest {
        reference,
        argument: "id".into(),
        value: "x".into(),
        settled: IndexMap::new(),
        caller: caller(),
        front: FrontInfo::default(),
    };
    let template = ask(CompletionReference::Template("test://{id}{?page}".into()));
    assert_eq!(dispatcher().complete(template).await.unwrap().values(), ["id-x"]);
    let prompt = ask(CompletionReference::Prompt("greet".into()));
    assert!(dispatcher().complete(prompt).await.unwrap().values().is_empty());
    let unknown = ask(CompletionReference::Prompt("other".into()));
    assert!(matches!(
        dispatcher().complete(unknown).await,
        Err(CallError::NotFound(_))
    ));
}
