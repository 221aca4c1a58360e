//! Compiled schemas of the tools of one interface: functions with equal arguments, or equal results, share one.
//!
//! Most of what a schema says is the same for many functions (the controls, what became of a transaction), and
//! compiling is most of the work of making a tool.

use std::collections::HashMap;
use std::fmt::Write as _;

use toolmesh_schema::{CompileError, Profile, Schema};

use super::{input_schema, output_schema, return_comment};
use crate::ens;
use crate::model::{Function, Parameter, SolidityType};

/// The schemas so far.
#[derive(Debug, Default)]
pub(crate) struct CompiledSchemas {
    /// Whether names stand for addresses in arguments.
    admits_names: bool,
    inputs: HashMap<String, Schema>,
    outputs: HashMap<String, Schema>,
}

impl CompiledSchemas {
    pub(crate) fn new(admits_names: bool) -> Self {
        Self {
            admits_names,
            ..Self::default()
        }
    }

    /// The schema of a function's arguments.
    pub(crate) fn input(&mut self, function: &Function) -> Result<Schema, CompileError> {
        let mut shape = Shape::of(function.mutability.as_str());
        for input in &function.inputs {
            let comment = function.documentation.parameters.get(&input.name);
            shape.parameter(input, comment.map(String::as_str));
        }
        let admits_names = self.admits_names;
        shared(&mut self.inputs, shape, || {
            let mut document = input_schema(function);
            if admits_names {
                document = ens::admit_names(document.view());
            }
            Schema::compile_tool_input(document, Profile::Draft2020_12)
        })
    }

    /// The schema of what a call of a function answers.
    pub(crate) fn output(&mut self, function: &Function) -> Result<Schema, CompileError> {
        let mut shape = Shape::of(if function.mutability.is_read() {
            "read"
        } else {
            "write"
        });
        for (place, output) in function.outputs.iter().enumerate() {
            shape.parameter(
                output,
                return_comment(&function.documentation, place, &output.name),
            );
        }
        let admits_names = self.admits_names;
        shared(&mut self.outputs, shape, || {
            let mut document = output_schema(function);
            if admits_names {
                document = ens::tell_names(document.view());
            }
            Schema::compile(document, Profile::Draft2020_12)
        })
    }
}

fn shared(
    schemas: &mut HashMap<String, Schema>,
    shape: Shape,
    compile: impl FnOnce() -> Result<Schema, CompileError>,
) -> Result<Schema, CompileError> {
    if let Some(schema) = schemas.get(&shape.0) {
        return Ok(schema.clone());
    }
    let schema = compile()?;
    schemas.insert(shape.0, schema.clone());
    Ok(schema)
}

/// Everything that a schema is made of, as a text. Every part has its length before it, so that no two differ in
/// parts and agree in the whole.
struct Shape(String);

impl Shape {
    fn of(kind: &str) -> Self {
        let mut shape = Self(String::with_capacity(64));
        shape.part(kind);
        shape
    }

    fn part(&mut self, text: &str) {
        // Writing to a String cannot fail.
        let _ = write!(self.0, "{}:{text}", text.len());
    }

    fn parameter(&mut self, parameter: &Parameter, comment: Option<&str>) {
        self.part(&parameter.key);
        self.part(parameter.internal_type.as_deref().unwrap_or_default());
        self.part(comment.unwrap_or_default());
        self.ty(&parameter.ty);
    }

    fn ty(&mut self, ty: &SolidityType) {
        match ty {
            SolidityType::Array(item) => {
                self.0.push('[');
                self.ty(item);
            }
            SolidityType::FixedArray(item, length) => {
                let _ = write!(self.0, "{length}[");
                self.ty(item);
            }
            SolidityType::Tuple(members) => {
                let _ = write!(self.0, "({}", members.len());
                for member in members {
                    self.parameter(member, None);
                }
            }
            elementary => {
                let _ = write!(self.0, "{elementary};");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn functions(text: &str) -> Vec<std::sync::Arc<Function>> {
        crate::read(text.as_bytes())
            .unwrap()
            .functions()
            .cloned()
            .collect()
    }

    #[test]
    fn functions_share_a_schema_when_it_would_be_the_same() {
        let mut compiled = CompiledSchemas::default();
        let functions = functions(
            "function a(address to) returns (bool)\nfunction b(address to) returns (bool)\nfunction c(address who) returns (bool)\n\
             function d(address to) view returns (bool)\nfunction e((uint8 x, bool y)[2] to)\nfunction f((uint8 x, bool z)[2] to)\n\
             function g(address to) payable returns (bool)",
        );
        for function in &functions {
            assert_eq!(
                *compiled.input(function).unwrap().document(),
                input_schema(function),
                "{}",
                function.name
            );
            assert_eq!(
                *compiled.output(function).unwrap().document(),
                output_schema(function),
                "{}",
                function.name
            );
        }
        assert_eq!((compiled.inputs.len(), compiled.outputs.len()), (6, 3));
    }
}
