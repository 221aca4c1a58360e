//! Tools translated as a whole for one provider.

use std::collections::HashMap;

use indexmap::IndexMap;
use semver::Version;
use toolmesh_json::{Value, View};
use toolmesh_tool::ToolDescriptor;

use crate::anthropic::rules::Budget;
use crate::call::{self, CallFault, FailedCall, ForeignReply, RawArguments, RawCall, parse_arguments};
use crate::names::NameMap;
use crate::options::Options;
use crate::provider::Provider;
use crate::reply::Reply;
use crate::schema::Document;
use crate::spec::{ToolCallParseError, ToolCallSpec};
use crate::stream::{CallStream, StreamItem};
use crate::undo::Plan;
use crate::warning::{Report, Warning, WarningKind};
use crate::{anthropic, gemini, mcp, openai, responses};

/// Tools translated as a whole for one provider: what to send, and what is needed to understand the answer.
///
/// The same tools in the same order give the same bytes.
#[derive(Debug, Clone)]
pub struct Toolset {
    provider: Provider,
    tools: Value,
    names: NameMap,
    plans: HashMap<String, Plan>,
    warnings: Vec<Warning>,
}

/// A tool's input schema, ready to be translated.
pub(crate) struct Input {
    pub(crate) document: Document,
    /// Whether it says all that the tool's own schema says; if not, why.
    pub(crate) whole: Result<(), &'static str>,
    /// As the tool published it.
    pub(crate) published: Option<Value>,
}

/// A translated tool.
pub(crate) struct Sent {
    pub(crate) tool: Value,
    pub(crate) plan: Plan,
}

impl Toolset {
    /// Translates tools, in their order. What cannot be carried over is told in [`Toolset::warnings`]; nothing fails as a whole.
    ///
    /// Of several versions of one tool the highest is taken.
    #[must_use]
    pub fn translate(
        provider: Provider,
        tools: impl IntoIterator<Item = ToolDescriptor>,
        options: &Options,
    ) -> Self {
        let mut warnings = Vec::new();
        let chosen = highest_versions(tools, &mut warnings);
        let mut prepared = Vec::with_capacity(chosen.len());
        for (name, descriptor) in chosen {
            let mut report = Report::default();
            match prepare(&descriptor, &mut report) {
                Ok(input) => prepared.push((name, descriptor, input, report)),
                Err(reason) => {
                    report.add("", WarningKind::LeftOut(reason));
                    warnings.extend(report.into_warnings(&name));
                }
            }
        }
        let names = NameMap::new(
            provider.name_rule(),
            prepared.iter().map(|(name, ..)| name.as_str()),
        );
        let mut toolset = Self {
            provider,
            tools: Value::null(),
            names,
            plans: HashMap::with_capacity(prepared.len()),
            warnings,
        };
        let mut budget = Budget::default();
        let mut sent = Vec::with_capacity(prepared.len());
        for (name, descriptor, input, report) in prepared {
            sent.push(toolset.add(&name, &descriptor, input, report, *options, &mut budget));
        }
        toolset.finish(sent);
        toolset
    }

    fn add(
        &mut self,
        name: &str,
        descriptor: &ToolDescriptor,
        input: Input,
        mut report: Report,
        options: Options,
        budget: &mut Budget,
    ) -> Value {
        let sent_as = self.names.sent(name).unwrap_or(name).to_owned();
        if sent_as != name {
            report.add("", WarningKind::Renamed(sent_as.clone()));
        }
        let report_mut = &mut report;
        let sent = match self.provider {
            Provider::OpenAi => openai::tool::tool(descriptor, &sent_as, input, options, report_mut),
            Provider::OpenAiResponses => {
                responses::tool::tool(descriptor, &sent_as, input, options, report_mut)
            }
            Provider::Anthropic => {
                anthropic::tool::tool(descriptor, &sent_as, input, options, budget, report_mut)
            }
            Provider::Gemini => gemini::tool::tool(descriptor, &sent_as, input, options, report_mut),
            Provider::Mcp => mcp::tool::tool(descriptor, &sent_as, input, report_mut),
        };
        self.plans.insert(name.to_owned(), sent.plan);
        self.warnings.extend(report.into_warnings(name));
        sent.tool
    }

    fn finish(&mut self, sent: Vec<Value>) {
        if let Some(limit) = self.provider.max_tools().filter(|limit| sent.len() > *limit) {
            self.warnings.push(Warning {
                tool: String::new(),
                place: String::new(),
                kind: WarningKind::TooManyTools(limit),
            });
        }
        self.tools = match self.provider {
            Provider::Gemini => gemini::tool::wrapped(sent),
            _ => Value::from(sent),
        };
    }

    /// Whose format it is.
    #[must_use]
    pub fn provider(&self) -> Provider {
        self.provider
    }

    /// What to send as the request's `tools` (MCP: the `tools` of a `tools/list` result).
    #[must_use]
    pub fn tools(&self) -> &Value {
        &self.tools
    }

    /// The names, in both directions.
    #[must_use]
    pub fn names(&self) -> &NameMap {
        &self.names
    }

    /// What was changed or could not be carried over.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Lowers one call: an entry of `tool_calls` (OpenAI), an item `function_call` (Responses), a block `tool_use`
    /// (Anthropic), a `functionCall` (Gemini), the params of `tools/call` (MCP).
    ///
    /// Names and arguments come back in the tool's own form; absent or empty arguments are `{}`; numbers keep every digit. The
    /// arguments are not yet judged by the tool's schema: that is the dispatcher's.
    ///
    /// # Errors
    /// [`FailedCall`], which [`Reply::to_failed`] turns into an answer for the model.
    pub fn lower(&self, call: View<'_>) -> Result<ToolCallSpec, FailedCall> {
        let raw = match self.provider {
            Provider::OpenAi => openai::call::read(call),
            Provider::OpenAiResponses => responses::call::read(call),
            Provider::Anthropic => anthropic::call::read(call),
            Provider::Gemini => gemini::call::read(call),
            Provider::Mcp => mcp::call::read(call),
        };
        match raw {
            Ok(raw) => self.lower_raw(raw),
            Err(fault) => Err(self.unread(call, fault)),
        }
    }

    /// What can be told of a call that is not in the provider's form.
    fn unread(&self, call: View<'_>, fault: ToolCallParseError) -> FailedCall {
        let text = |holder: Option<View<'_>>, name| {
            let found = holder.and_then(|holder| holder.get(name)).and_then(View::as_str);
            found.map(str::to_owned)
        };
        let id = match self.provider {
            Provider::OpenAiResponses => "call_id",
            _ => "id",
        };
        FailedCall {
            name: text(Some(call), "name")
                .or_else(|| text(call.get("function"), "name"))
                .unwrap_or_default(),
            provider_call_id: text(Some(call), id),
            fault: fault.into(),
        }
    }

    /// Lowers every call of a whole reply: a response, a message, or the list of calls in it. Empty when the model called
    /// nothing.
    ///
    /// # Errors
    /// [`ForeignReply`] when it is no reply of this provider, or says that the service failed.
    pub fn calls(&self, reply: View<'_>) -> Result<Vec<StreamItem>, ForeignReply> {
        let found = match self.provider {
            Provider::OpenAi => openai::call::find(reply),
            Provider::OpenAiResponses => responses::call::find(reply),
            Provider::Anthropic => anthropic::call::find(reply),
            Provider::Gemini => gemini::call::find(reply),
            Provider::Mcp => mcp::call::find(reply),
        };
        let provider = self.provider;
        let found = found.filter(|_| !call::is_error(reply));
        let found = found.ok_or(ForeignReply { provider })?;
        Ok(found.into_iter().map(|call| self.lower(call)).collect())
    }

    /// Begins to collect the calls of a streamed reply.
    #[must_use]
    pub fn stream(&self) -> CallStream<'_> {
        CallStream::new(self)
    }

    /// The results of a turn's calls as messages (Responses: items; MCP: results), in the order of `replies`.
    ///
    /// They go back together: some providers allow nothing between the results of one turn.
    #[must_use]
    pub fn messages(&self, replies: &[Reply]) -> Vec<Value> {
        let sent = |own: &str| self.names.sent(own).unwrap_or(own).to_owned();
        match self.provider {
            Provider::OpenAi => openai::result::messages(replies),
            Provider::OpenAiResponses => responses::result::messages(replies),
            Provider::Anthropic => anthropic::result::messages(replies),
            Provider::Gemini => gemini::result::messages(replies, sent),
            Provider::Mcp => mcp::result::messages(replies),
        }
    }

    /// The arguments that a model would send so that the tool `name` gets `arguments`: for examples, and for histories of
    /// calls that were made elsewhere. `None` when there is no such tool.
    #[must_use]
    pub fn express(&self, name: &str, arguments: View<'_>) -> Option<Value> {
        Some(self.plans.get(name)?.express(arguments))
    }

    pub(crate) fn lower_raw(&self, raw: RawCall) -> Result<ToolCallSpec, FailedCall> {
        let RawCall { name, arguments, id } = raw;
        let failed = |name: &str, fault| FailedCall {
            name: name.to_owned(),
            provider_call_id: id.clone(),
            fault,
        };
        // A model may know a tool by its own name, from a text say.
        let own = self
            .names
            .own(&name)
            .or_else(|| self.names.sent(&name).map(|_| name.as_str()));
        let Some(own) = own else {
            return Err(failed(&name, CallFault::UnknownTool(name.clone())));
        };
        let plan = self.plans.get(own).cloned().unwrap_or_default();
        let arguments_json = match arguments {
            RawArguments::Absent(_) => "{}".to_owned(),
            RawArguments::Text(text) if text.trim().is_empty() => "{}".to_owned(),
            RawArguments::Text(text) => {
                let value = parse_arguments(&text).map_err(|fault| failed(own, fault.into()))?;
                if plan.is_same() {
                    text
                } else {
                    plan.lower(value.view()).to_text()
                }
            }
            RawArguments::Value(value) => plan.lower(value.view()).to_text(),
        };
        Ok(ToolCallSpec {
            name: own.to_owned(),
            arguments_json,
            provider_call_id: id,
        })
    }
}

/// The highest version of each tool, in the order of first mention.
fn highest_versions(
    tools: impl IntoIterator<Item = ToolDescriptor>,
    warnings: &mut Vec<Warning>,
) -> IndexMap<String, ToolDescriptor> {
    let version = |tool: &ToolDescriptor| Version::parse(&tool.version).ok();
    let mut chosen: IndexMap<String, ToolDescriptor> = IndexMap::new();
    for tool in tools {
        let Some(known) = chosen.get_mut(&tool.tool_id) else {
            chosen.insert(tool.tool_id.clone(), tool);
            continue;
        };
        let left = if version(&tool) > version(known) {
            std::mem::replace(known, tool)
        } else {
            tool
        };
        warnings.push(Warning {
            tool: left.tool_id,
            place: String::new(),
            kind: WarningKind::LeftOut(format!(
                "version {}, because one at least as high is listed",
                left.version
            )),
        });
    }
    chosen
}

fn prepare(descriptor: &ToolDescriptor, report: &mut Report) -> Result<Input, String> {
    let Some(text) = &descriptor.input_schema else {
        return Ok(Input {
            document: Document::unknown(),
            whole: Err("it has no schema"),
            published: None,
        });
    };
    let published = toolmesh_json::parse(text.as_bytes()).ok();
    match Document::read(text, report) {
        Ok(document) => Ok(Input {
            document: document.with_object_root()?,
            whole: report
                .is_empty()
                .then_some(())
                .ok_or("part of its schema cannot be told to any model"),
            published,
        }),
        Err(reason) => {
            report.add("", WarningKind::UnreadableSchema(reason));
            Ok(Input {
                document: Document::any_object(),
                whole: Err("its schema could not be read"),
                published,
            })
        }
    }
}
