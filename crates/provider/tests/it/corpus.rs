//! Every schema that there is: the tools of the committed contracts, manifests, and the official JSON Schema tests; each must
//! be one that each provider takes, and mean the same.
//!
//! `TOOLMESH_CORPUS` names a folder of more JSON files, to be run by hand.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use toolmesh_calimero::Form;
use toolmesh_json::{Value, View};
use toolmesh_provider::{GeminiForm, Options, Provider, Strictness, Toolset, Warning, WarningKind};
use toolmesh_testkit::paths::repo_root;
use toolmesh_tool::ToolDescriptor;

use crate::properties::check;
use crate::rules::broken;
use crate::support::{instance::Dice, sent_tools, tool};

/// Every way to translate.
pub(crate) fn ways() -> Vec<(Provider, Options)> {
    let strict = Options {
        strictness: Strictness::Lossless,
        ..Options::default()
    };
    let newer = Options {
        gemini: GeminiForm::JsonSchema,
        ..Options::default()
    };
    let defaults = Provider::ALL.map(|provider| (provider, Options::default()));
    let more = [(Provider::Anthropic, strict), (Provider::Gemini, newer)];
    defaults.into_iter().chain(more).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|ending| ending == "json") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The tools of a contract's interface; none when the file is no interface.
fn contract_tools(file: &Path) -> Vec<ToolDescriptor> {
    let bytes = std::fs::read(file).unwrap();
    let Ok(interface) = toolmesh_evm::read(&bytes) else {
        return Vec::new();
    };
    let mapped = toolmesh_evm::tools(&interface, None);
    mapped
        .into_iter()
        .filter_map(|one| one.tool.ok())
        .map(|tool| tool.descriptor())
        .collect()
}

/// The tools of a Calimero application, in both forms of its schemas; none when the file is no manifest.
fn application_tools(file: &Path) -> Vec<ToolDescriptor> {
    let forms = [Form::Inlined, Form::Definitions];
    forms
        .into_iter()
        .flat_map(|form| application_tools_in(form, file))
        .collect()
}

fn application_tools_in(form: Form, file: &Path) -> Vec<ToolDescriptor> {
    let bytes = std::fs::read(file).unwrap();
    let name = file.file_stem().unwrap().to_string_lossy();
    let Ok(application) = toolmesh_calimero::read(&bytes, &name) else {
        return Vec::new();
    };
    let mapping = toolmesh_calimero::Mapping {
        form,
        ..Default::default()
    };
    let mapped = toolmesh_calimero::tools(&[application], &[], &mapping, None);
    mapped
        .into_iter()
        .filter_map(|one| one.tool.ok())
        .map(|tool| tool.descriptor())
        .collect()
}

/// Each schema of a file of the official tests as the schema of a tool, and as that of one argument.
fn suite_tools(file: &Path) -> Vec<ToolDescriptor> {
    let bytes = std::fs::read(file).unwrap();
    let Ok(groups) = toolmesh_json::parse(&bytes) else {
        return Vec::new();
    };
    let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
    let mut tools = Vec::new();
    for (index, group) in groups.as_array().into_iter().flatten().enumerate() {
        let Some(schema) = group.get("schema") else {
            continue;
        };
        if schema.as_object().is_some() {
            tools.push(tool(&format!("{stem}_{index}"), &schema.to_text()));
        }
        if !schema.to_text().contains("$ref") {
            let argument = Value::object()
                .put("type", "object")
                .put("properties", Value::object().put("value", schema))
                .put("required", Value::array().push("value"))
                .build();
            tools.push(tool(&format!("{stem}_{index}_argument"), &argument.to_text()));
        }
    }
    tools
}

fn extra() -> Option<PathBuf> {
    std::env::var_os("TOOLMESH_CORPUS").map(PathBuf::from)
}

/// Checks tools in sets of at most 100: rules of the whole, then some values for each.
fn judge(tools: &[ToolDescriptor], values: usize) {
    let mut dice = Dice::new(7);
    for (provider, options) in ways() {
        for set in tools.chunks(100) {
            let toolset = Toolset::translate(provider, set.iter().cloned(), &options);
            assert_eq!(broken(&toolset), Vec::<String>::new(), "{provider} {options:?}");
            // Its schemas are those of Chat Completions.
            let known = provider == Provider::OpenAiResponses;
            for tool in set.iter().filter(|_| !known) {
                check(&toolset, tool, &mut dice, values);
            }
        }
    }
}

/// The tools of all contracts as one catalogue: contracts share names of functions.
pub(crate) fn contract_corpus() -> Vec<ToolDescriptor> {
    let mut folders = vec![repo_root().join("testdata").join("solidity")];
    folders.extend(extra());
    let found = folders.iter().flat_map(|folder| files(folder));
    numbered(found.flat_map(|file| contract_tools(&file)).collect())
}

/// The tools of all applications as one catalogue.
fn application_corpus() -> Vec<ToolDescriptor> {
    let mut folders = vec![repo_root().join("testdata").join("calimero")];
    folders.extend(extra());
    let found = folders.iter().flat_map(|folder| files(folder));
    numbered(found.flat_map(|file| application_tools(&file)).collect())
}

/// Tools of one name told apart by a number.
fn numbered(mut tools: Vec<ToolDescriptor>) -> Vec<ToolDescriptor> {
    let mut counts = HashMap::<String, u32>::new();
    for tool in &mut tools {
        let count = counts.entry(tool.tool_id.clone()).or_default();
        *count += 1;
        tool.tool_id = format!("{}.{count}", tool.tool_id);
    }
    tools
}

#[test]
fn every_tool_of_every_contract_is_taken_by_every_provider() {
    let tools = contract_corpus();
    assert!(tools.len() > 300, "only {} tools", tools.len());
    judge(&tools, 2);
}

#[test]
fn every_tool_of_every_application_is_taken_by_every_provider() {
    let tools = application_corpus();
    assert!(tools.len() > 150, "only {} tools", tools.len());
    judge(&tools, 2);
}

#[test]
fn every_schema_of_the_official_tests_is_taken_by_every_provider() {
    let mut folders = vec![repo_root().join("testdata").join("json-schema-test-suite")];
    folders.extend(extra());
    let tools: Vec<ToolDescriptor> = folders
        .iter()
        .flat_map(|folder| files(folder))
        .flat_map(|file| suite_tools(&file))
        .collect();
    judge(&tools, 3);
}

#[test]
fn the_schemas_that_rust_types_derive_are_strict_for_openai() {
    #[derive(schemars::JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Booking {
        /// Where to.
        city: String,
        nights: u32,
        breakfast: Option<bool>,
        room: Room,
        guests: Vec<Guest>,
    }
    #[derive(schemars::JsonSchema)]
    #[serde(rename_all = "snake_case")]
    #[expect(dead_code, reason = "only its schema is used")]
    enum Room {
        /// One bed.
        Single,
        Suite {
            floor: i64,
        },
    }
    #[derive(schemars::JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Guest {
        name: String,
        age: Option<u8>,
    }
    let schema = serde_json::to_string(&schemars::schema_for!(Booking)).unwrap();
    let booking = tool("book", &schema);
    let toolset = Toolset::translate(Provider::OpenAi, [booking.clone()], &Options::default());
    let first = toolset.tools().as_array().unwrap().get(0).unwrap();
    let strict = first
        .get("function")
        .and_then(|function| function.get("strict"))
        .and_then(View::as_bool);
    assert_eq!(strict, Some(true), "{:?}", toolset.warnings());
    judge(&[booking], 50);
}

/// What came of a catalogue for one provider.
#[derive(Default)]
struct Row {
    tools: usize,
    strict: usize,
    warned: usize,
    warnings: usize,
    left_out: usize,
    faults: Vec<String>,
}

impl Row {
    /// Each contract and each application is a catalogue of its own, sent in requests of at most 100 tools.
    fn of(provider: Provider, catalogues: &[Vec<ToolDescriptor>]) -> Self {
        let mut row = Self::default();
        for set in catalogues.iter().flat_map(|tools| tools.chunks(100)) {
            let toolset = Toolset::translate(provider, set.iter().cloned(), &Options::default());
            let is_strict = |tool: &View<'_>| {
                let holder = tool.get("function").unwrap_or(*tool);
                holder.get("strict").and_then(View::as_bool) == Some(true)
            };
            let sent = sent_tools(&toolset);
            row.tools += sent.len();
            row.strict += sent.iter().filter(|tool| is_strict(tool)).count();
            let warned: HashSet<&str> = toolset
                .warnings()
                .iter()
                .map(|warning| warning.tool.as_str())
                .collect();
            row.warned += warned.len();
            row.warnings += toolset.warnings().len();
            let is_left_out = |warning: &&Warning| matches!(warning.kind, WarningKind::LeftOut(_));
            row.left_out += toolset.warnings().iter().filter(is_left_out).count();
            row.faults.extend(broken(&toolset));
        }
        row
    }
}

/// `TOOLMESH_PROVIDER_TABLE` names a file that the table is written to; `cargo xtask corpus DIR` prints it.
#[test]
fn the_table_of_providers_has_no_fault() {
    let folder = extra().unwrap_or_else(|| repo_root().join("testdata").join("solidity"));
    let of_file = |file: &PathBuf| [contract_tools(file), application_tools_in(Form::Inlined, file)];
    let catalogues: Vec<Vec<ToolDescriptor>> = files(&folder).iter().flat_map(of_file).collect();
    let mut table = format!(
        "{:<18}{:>7}{:>8}{:>8}{:>10}{:>10}{:>8}\n",
        "provider", "tools", "strict", "warned", "warnings", "left out", "faults"
    );
    let mut faults = Vec::new();
    for provider in Provider::ALL {
        let row = Row::of(provider, &catalogues);
        table.push_str(&format!(
            "{:<18}{:>7}{:>8}{:>8}{:>10}{:>10}{:>8}\n",
            provider.as_str(),
            row.tools,
            row.strict,
            row.warned,
            row.warnings,
            row.left_out,
            row.faults.len()
        ));
        faults.extend(row.faults);
    }
    if let Some(file) = std::env::var_os("TOOLMESH_PROVIDER_TABLE") {
        std::fs::write(file, &table).unwrap();
    }
    assert_eq!(faults, Vec::<String>::new(), "{table}");
}
