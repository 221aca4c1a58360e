//! An interface in Solidity's own words.

use std::collections::{HashMap, HashSet};

use super::structs::Structs;
use crate::describe::{comment_of, declaration, event_declaration, parameter_list};
use crate::hint::upper_camel;
use crate::model::{EntryBody, ErrorEntry, Event, Function, Interface, Mutability, Parameter, SolidityType};

/// What may not be the name of something: Solidity's keywords, and those that it keeps for later.
const RESERVED: &[&str] = &[
    "abstract",
    "address",
    "after",
    "alias",
    "anonymous",
    "apply",
    "as",
    "assembly",
    "auto",
    "bool",
    "break",
    "byte",
    "bytes",
    "calldata",
    "case",
    "catch",
    "constant",
    "constructor",
    "continue",
    "contract",
    "copyof",
    "days",
    "default",
    "define",
    "delete",
    "do",
    "else",
    "emit",
    "enum",
    "ether",
    "event",
    "external",
    "fallback",
    "false",
    "final",
    "finney",
    "fixed",
    "for",
    "function",
    "gwei",
    "hex",
    "hours",
    "if",
    "immutable",
    "implements",
    "import",
    "in",
    "indexed",
    "inline",
    "int",
    "interface",
    "internal",
    "is",
    "let",
    "library",
    "macro",
    "mapping",
    "match",
    "memory",
    "minutes",
    "modifier",
    "mutable",
    "new",
    "null",
    "of",
    "override",
    "partial",
    "payable",
    "pragma",
    "private",
    "promise",
    "public",
    "pure",
    "receive",
    "reference",
    "relocatable",
    "return",
    "returns",
    "sealed",
    "seconds",
    "sizeof",
    "static",
    "storage",
    "string",
    "struct",
    "super",
    "supports",
    "switch",
    "szabo",
    "this",
    "throw",
    "true",
    "try",
    "type",
    "typedef",
    "typeof",
    "ufixed",
    "uint",
    "unchecked",
    "unicode",
    "using",
    "var",
    "view",
    "virtual",
    "weeks",
    "wei",
    "while",
    "years",
    "error",
];

/// The interface as a Solidity file that other contracts can import.
///
/// It declares what an `interface` can: structs, errors, events and functions. Everything else stands in it as a
/// comment, with the reason where there is one, so that nothing is lost: the constructor, `fallback` and `receive`,
/// functions of libraries (whose selectors count names that no other file can declare), and names that the
/// compiler does not take.
///
/// ```
/// use toolmesh_evm::generate::solidity_interface;
///
/// let interface = toolmesh_evm::read(b"function pay(address to, string note) payable returns (bool)")?;
/// assert!(solidity_interface(&interface)
///     .contains("    function pay(address to, string calldata note) external payable returns (bool);\n"));
/// # Ok::<(), toolmesh_evm::EvmError>(())
/// ```
#[must_use]
pub fn solidity_interface(interface: &Interface) -> String {
    let name = interface.contract_name.as_deref().unwrap_or_default();
    let title =
        Some(format!("I{}", upper_camel(name))).filter(|title| is_identifier(title) && title.len() > 1);
    Writer::new(interface).write(&title.unwrap_or_else(|| "IContract".to_owned()))
}

struct Writer<'a> {
    interface: &'a Interface,
    structs: Structs,
    /// What each declared name is of: functions and events may be overloaded, but not by each other.
    kinds: HashMap<&'a str, &'static str>,
    /// The declarations so far, since two events may differ in what they index alone.
    declared: HashSet<String>,
}

impl<'a> Writer<'a> {
    fn new(interface: &'a Interface) -> Self {
        let names = |entry: &'a EntryBody| match entry {
            EntryBody::Function(function) => Some((function.name.as_str(), "function")),
            EntryBody::Event(event) => Some((event.name.as_str(), "event")),
            EntryBody::Error(error) => Some((error.name.as_str(), "error")),
            _ => None,
        };
        let mut kinds = HashMap::new();
        for (name, kind) in interface.entries.iter().filter_map(|entry| names(&entry.body)) {
            kinds.entry(name).or_insert(kind);
        }
        let taken = kinds.keys().map(|name| (*name).to_owned()).collect();
        let type_name = |name: &str| {
            if is_identifier(name) {
                name.to_owned()
            } else {
                format!("{}_", upper_camel(name))
            }
        };
        Self {
            interface,
            structs: Structs::new(type_name, taken),
            kinds,
            declared: HashSet::new(),
        }
    }

    fn write(mut self, title: &str) -> String {
        let mut body = String::new();
        for entry in &self.interface.entries {
            let line = self.entry(&entry.body);
            body.push_str(&line);
        }
        let mut out = format!(
            "// Written by `toolmesh inspect --format solidity`.\npragma solidity >=0.8.4;\n\ninterface {title} {{\n"
        );
        for structure in self.structs.iter() {
            out.push_str(&format!("    struct {} {{\n", structure.name));
            let mut names = HashSet::new();
            for (place, member) in structure.members.iter().enumerate() {
                let mut wishes = [&member.name, &member.key]
                    .into_iter()
                    .filter(|name| is_identifier(name));
                let name = wishes.find(|name| names.insert(String::clone(name))).cloned();
                let name = name.unwrap_or_else(|| format!("field_{place}"));
                out.push_str(&format!("        {} {name};\n", self.type_name(member)));
            }
            out.push_str("    }\n");
        }
        out.push_str(&body);
        out.push_str("}\n");
        out
    }

    fn entry(&mut self, body: &'a EntryBody) -> String {
        match body {
            EntryBody::Function(function) => self.function(function),
            EntryBody::Event(event) => self.event(event),
            EntryBody::Error(error) => self.error(error),
            EntryBody::Constructor(constructor) => {
                comment(&format!("constructor({})", parameter_list(&constructor.inputs)))
            }
            EntryBody::Fallback { payable: true } => comment("fallback() external payable"),
            EntryBody::Fallback { payable: false } => comment("fallback() external"),
            EntryBody::Receive => comment("receive() external payable"),
            EntryBody::Unusable {
                kind,
                signature,
                reason,
            } => comment(&format!("{kind} {signature}: {reason}")),
        }
    }

    fn function(&mut self, function: &'a Function) -> String {
        if let Some(reason) =
            self.obstacle(&function.name, "function", function.signature(), &function.inputs)
        {
            return comment(&format!("function {}: {reason}", declaration(function)));
        }
        let mut names = HashSet::new();
        let inputs = self.parameters(&function.inputs, " calldata", &mut names);
        let outputs = self.parameters(&function.outputs, " memory", &mut names);
        let mutability = match function.mutability {
            Mutability::NonPayable => String::new(),
            mutability => format!(" {mutability}"),
        };
        let returns = if outputs.is_empty() {
            String::new()
        } else {
            format!(" returns ({outputs})")
        };
        let purpose = comment_of(&function.documentation).map_or_else(String::new, |text| comment(&text));
        format!(
            "{purpose}    function {}({inputs}) external{mutability}{returns};\n",
            function.name
        )
    }

    fn event(&mut self, event: &'a Event) -> String {
        if let Some(reason) = self.obstacle(&event.name, "event", event.signature(), &event.inputs) {
            return comment(&format!("event {}: {reason}", event_declaration(event)));
        }
        let fields = self.parameters(&event.inputs, "", &mut HashSet::new());
        let anonymous = if event.anonymous { " anonymous" } else { "" };
        format!("    event {}({fields}){anonymous};\n", event.name)
    }

    fn error(&mut self, error: &'a ErrorEntry) -> String {
        if let Some(reason) = self.obstacle(&error.name, "error", error.signature(), &error.inputs) {
            return comment(&format!(
                "error {}({}): {reason}",
                error.name,
                parameter_list(&error.inputs)
            ));
        }
        let fields = self.parameters(&error.inputs, "", &mut HashSet::new());
        format!("    error {}({fields});\n", error.name)
    }

    /// Why an `interface` cannot declare it.
    fn obstacle(
        &mut self,
        name: &str,
        kind: &'static str,
        signature: &str,
        inputs: &[Parameter],
    ) -> Option<&'static str> {
        if !is_identifier(name) {
            return Some("the compiler does not take this name");
        }
        let types: Vec<String> = inputs.iter().map(|input| input.ty.to_string()).collect();
        if signature != format!("{name}({})", types.join(",")) {
            return Some("the selector counts the name of a type of a library");
        }
        if self.kinds.get(name).is_some_and(|first| *first != kind) {
            return Some("something else has this name already");
        }
        let is_new = self.declared.insert(format!("{kind} {signature}"));
        (!is_new).then_some("it is declared already, with other indexed fields")
    }

    fn parameters(
        &mut self,
        parameters: &[Parameter],
        location: &str,
        names: &mut HashSet<String>,
    ) -> String {
        let mut texts = Vec::with_capacity(parameters.len());
        for (place, parameter) in parameters.iter().enumerate() {
            self.structs.add(parameter, &format!("Struct{}", place + 1));
            let mut text = self.type_name(parameter);
            let is_composed = matches!(
                parameter.ty,
                SolidityType::Bytes
                    | SolidityType::String
                    | SolidityType::Array(_)
                    | SolidityType::FixedArray(..)
                    | SolidityType::Tuple(_)
            );
            if is_composed {
                text.push_str(location);
            }
            if parameter.indexed {
                text.push_str(" indexed");
            }
            if is_identifier(&parameter.name) && names.insert(parameter.name.clone()) {
                text.push(' ');
                text.push_str(&parameter.name);
            }
            texts.push(text);
        }
        texts.join(", ")
    }

    fn type_name(&self, parameter: &Parameter) -> String {
        self.typed(&parameter.ty, parameter)
    }

    fn typed(&self, ty: &SolidityType, parameter: &Parameter) -> String {
        match ty {
            SolidityType::Array(item) => format!("{}[]", self.typed(item, parameter)),
            SolidityType::FixedArray(item, length) => format!("{}[{length}]", self.typed(item, parameter)),
            SolidityType::Tuple(_) => self.structs.name_of(parameter).to_owned(),
            SolidityType::Function => "function() external".to_owned(),
            elementary => elementary.to_string(),
        }
    }
}

fn comment(text: &str) -> String {
    format!("    // {text}\n")
}

/// Whether the compiler takes `name` as the name of something.
fn is_identifier(name: &str) -> bool {
    let is_start = |first: char| first.is_ascii_alphabetic() || matches!(first, '_' | '$');
    let is_word = name
        .chars()
        .all(|character| is_start(character) || character.is_ascii_digit());
    let stem = name.trim_end_matches(|character: char| character.is_ascii_digit());
    let is_sized = stem != name && matches!(stem, "uint" | "int" | "bytes");
    name.starts_with(is_start) && is_word && !is_sized && !RESERVED.contains(&name)
}
