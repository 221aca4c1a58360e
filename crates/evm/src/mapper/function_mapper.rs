//! Functions to tools.

use toolmesh_json::Value;

use super::description;
use super::parameter_name::names;
use super::{Profile, TypeMapper};
use crate::hint::Language;
use crate::model::{Function, Interface, Mutability};
use crate::name::{plain_tool_name, tool_names};
use crate::schema::{Controls, return_comment, simulate_schema, value_schema};

/// What calling a tool may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolKind {
    /// Changes nothing.
    Read,
    /// Changes the chain.
    Write,
    /// Changes the chain, and takes ether.
    WritePayable,
}

impl ToolKind {
    /// `read`, `write` or `write_payable`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::WritePayable => "write_payable",
        }
    }

    /// What a function of this mutability does.
    #[must_use]
    pub fn of(mutability: Mutability) -> Self {
        match mutability {
            Mutability::Pure | Mutability::View => Self::Read,
            Mutability::NonPayable => Self::Write,
            Mutability::Payable => Self::WritePayable,
        }
    }
}

/// One argument of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappedParameter {
    /// Its name in JSON.
    pub name: String,
    /// Its name in the interface; often empty. A control of the call (`simulate`, `value_wei`, `tx`) has none.
    pub original_name: String,
    /// Its schema.
    pub schema: Value,
    /// Its Python type.
    pub python_type: String,
}

/// A function as a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappedTool {
    /// The tool's name, in snake case.
    pub name: String,
    /// The function's name.
    pub original_name: String,
    /// What it does, what it changes, and what its parameters mean.
    pub description: String,
    /// What calling it may do.
    pub kind: ToolKind,
    /// The arguments of the function, in order.
    pub parameters: Vec<MappedParameter>,
    /// What controls a call beside them; never required.
    pub controls: Vec<MappedParameter>,
    /// The names of the arguments that a call must have.
    pub required: Vec<String>,
    /// The schema of what the function returns: `null` for nothing, an object for several values.
    pub return_schema: Value,
    /// `transferFrom(address,address,uint256)`
    pub signature: String,
    /// How a Python function that calls the tool is declared.
    pub python_signature: String,
}

/// Maps functions to tools.
#[derive(Clone, Debug, Default)]
pub struct FunctionMapper {
    types: TypeMapper,
}

impl FunctionMapper {
    /// A mapper with the types and the profile of `types`.
    #[must_use]
    pub fn new(types: TypeMapper) -> Self {
        Self { types }
    }

    /// Maps a function alone: it is named after itself. In an interface with overloads
    /// [`FunctionMapper::map_interface`] tells the tools apart.
    #[must_use]
    pub fn map_function(&self, function: &Function) -> MappedTool {
        self.map(function, plain_tool_name(function))
    }

    /// Maps every function of an interface, in its order, under names that are all different.
    #[must_use]
    pub fn map_interface(&self, interface: &Interface) -> Vec<MappedTool> {
        let names = tool_names(interface.functions());
        interface
            .functions()
            .map(|function| {
                let name = names.of(function).map(str::to_owned);
                self.map(function, name.unwrap_or_else(|| plain_tool_name(function)))
            })
            .collect()
    }

    /// What a tool says about itself: a sentence that begins with a verb, a sentence about what it changes, and
    /// for each parameter a line `- name: meaning (unit)`.
    #[must_use]
    pub fn description(&self, function: &Function) -> String {
        description::of_function(function, self.types.profile())
    }

    /// How a Python function that calls the tool is declared.
    #[must_use]
    pub fn python_signature(&self, function: &Function, tool: &MappedTool) -> String {
        Language::Python.signature(function, &tool.name)
    }

    fn map(&self, function: &Function, name: String) -> MappedTool {
        let parameters = self.parameters(function);
        let required = parameters
            .iter()
            .map(|parameter| parameter.name.clone())
            .collect();
        MappedTool {
            original_name: function.name.clone(),
            description: self.description(function),
            kind: ToolKind::of(function.mutability),
            controls: self.controls(function, &parameters),
            required,
            return_schema: self.return_schema(function),
            signature: function.signature().to_owned(),
            python_signature: Language::Python.signature(function, &name),
            parameters,
            name,
        }
    }

    fn parameters(&self, function: &Function) -> Vec<MappedParameter> {
        let names = names(&function.inputs, self.types.profile());
        function
            .inputs
            .iter()
            .zip(names)
            .map(|(input, name)| {
                let comment = function.documentation.parameters.get(&input.name);
                MappedParameter {
                    name,
                    original_name: input.name.clone(),
                    schema: self.types.parameter_schema(input, comment.map(String::as_str)),
                    python_type: Language::Python.type_name(&input.ty),
                }
            })
            .collect()
    }

    fn controls(&self, function: &Function, parameters: &[MappedParameter]) -> Vec<MappedParameter> {
        let schemas = match self.types.profile() {
            Profile::Default => Controls::of(function).schemas(function),
            Profile::Compatibility => compatible_controls(function, parameters),
        };
        schemas
            .into_iter()
            .map(|(name, schema)| {
                let python_type = match schema.get("type").and_then(|ty| ty.as_str()) {
                    Some("boolean") => "bool",
                    Some("object") => "Dict[str, Any]",
                    _ => "str",
                };
                MappedParameter {
                    name,
                    original_name: String::new(),
                    schema,
                    python_type: python_type.to_owned(),
                }
            })
            .collect()
    }

    fn return_schema(&self, function: &Function) -> Value {
        let comment = |place: usize, name: &str| return_comment(&function.documentation, place, name);
        match function.outputs.as_slice() {
            [] => Value::object().put("type", "null").build(),
            [output] => self.types.parameter_schema(output, comment(0, &output.name)),
            outputs => self.types.object(
                outputs
                    .iter()
                    .enumerate()
                    .map(|(place, output)| (output, comment(place, &output.name))),
            ),
        }
    }
}

fn compatible_controls(function: &Function, parameters: &[MappedParameter]) -> Vec<(String, Value)> {
    let kind = ToolKind::of(function.mutability);
    let mut controls = Vec::new();
    if kind == ToolKind::WritePayable {
        controls.push(("value_wei".to_owned(), value_schema()));
    }
    if kind != ToolKind::Read {
        controls.push(("simulate".to_owned(), simulate_schema()));
    }
    for (name, _) in &mut controls {
        while parameters.iter().any(|parameter| parameter.name == *name) {
            name.insert_str(0, "tx_");
        }
    }
    controls
}
