//! What a client has, before it is written in a language.

use std::sync::Arc;

use super::python;
use super::structs::{Structs, USED};
use crate::hint::{Language, distinct, lower_camel, plain_snake, upper_camel};
use crate::mapper::{FunctionMapper, ToolKind};
use crate::model::{Function, Interface, Parameter, SolidityType};
use crate::name::snake_case;
use crate::schema::Controls;

/// One of the first two lines of every client, behind the language's mark for comments: a file that has it may be
/// written anew.
pub const NOTICE: &str = "Written by `toolmesh generate` from a contract's interface; changes will be lost.";

/// A client.
pub(super) struct Plan {
    /// `Token`
    pub(super) title: String,
    /// `token`
    pub(super) module: String,
    /// Structs, those first that others are made of.
    pub(super) structs: Structs,
    pub(super) methods: Vec<Method>,
}

/// One method.
pub(super) struct Method {
    /// The tool that it calls.
    pub(super) tool: String,
    /// Its own name.
    pub(super) name: String,
    /// What it says about itself, in lines without anything that could end a comment but `*/`.
    pub(super) comment: Vec<String>,
    pub(super) function: Arc<Function>,
    /// The keys of what controls the call.
    pub(super) controls: Controls,
    pub(super) result: Returned,
}

/// What a function returns.
pub(super) enum Returned {
    Nothing,
    One(Parameter),
    /// An object that stands among the structs under this name.
    Several(String),
}

impl Method {
    pub(super) fn is_read(&self) -> bool {
        ToolKind::of(self.function.mutability) == ToolKind::Read
    }
}

impl Plan {
    pub(super) fn of(interface: &Interface, language: Language, name: Option<&str>) -> Self {
        let name = name.or(interface.contract_name.as_deref()).unwrap_or("Contract");
        let title = title(language, name);
        let taken = USED.iter().map(|name| (*name).to_owned()).chain([title.clone()]);
        let type_name = move |name: &str| language.identifier(&upper_camel(name));
        let mut structs = Structs::new(type_name, taken.collect());
        let tools = FunctionMapper::default().map_interface(interface);
        let names = distinct(tools.iter().map(|tool| method_name(language, &tool.name)));
        let methods = interface
            .functions()
            .zip(tools)
            .zip(names)
            .map(|((function, tool), name)| {
                for input in &function.inputs {
                    structs.add(
                        input,
                        &format!("{}{}", upper_camel(&tool.name), upper_camel(&input.key)),
                    );
                }
                Method {
                    name,
                    comment: tool.description.lines().map(str::to_owned).collect(),
                    function: Arc::clone(function),
                    controls: Controls::of(function),
                    result: returned(function, &tool.name, &mut structs),
                    tool: tool.name,
                }
            })
            .collect();
        Self {
            module: language.identifier(&snake_case(&title)),
            title,
            structs,
            methods,
        }
    }
}

/// The name of the client's own type.
fn title(language: Language, name: &str) -> String {
    let title = language.identifier(&upper_camel(name));
    if USED.contains(&title.as_str()) {
        format!("{title}Contract")
    } else {
        title
    }
}

fn returned(function: &Function, tool: &str, structs: &mut Structs) -> Returned {
    let wish = format!("{}Result", upper_camel(tool));
    match function.outputs.as_slice() {
        [] => Returned::Nothing,
        [output] => {
            structs.add(output, &wish);
            Returned::One(output.clone())
        }
        outputs => {
            let several = Parameter::new("", SolidityType::Tuple(outputs.to_vec()));
            structs.add(&several, &wish);
            Returned::Several(structs.name_of(&several).to_owned())
        }
    }
}

fn method_name(language: Language, tool: &str) -> String {
    let name = match language {
        Language::Python => python::own_name(language.identifier(tool)),
        Language::Rust => language.identifier(&plain_snake(tool)),
        Language::TypeScript => language.identifier(&lower_camel(tool)),
        Language::Go => language.identifier(&upper_camel(tool)),
    };
    // Two underscores in front mean something of their own in Python, and these two names are taken.
    let is_taken = match language {
        Language::Python => name.starts_with("__"),
        Language::Rust => name == "new",
        Language::Go => name == "Caller",
        Language::TypeScript => false,
    };
    if is_taken {
        format!(
            "{}_{}",
            if language == Language::Go { "Call" } else { "call" },
            name.trim_start_matches('_')
        )
    } else {
        name
    }
}
