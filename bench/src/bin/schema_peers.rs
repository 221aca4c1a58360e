//! The peers: `jsonschema` and `boon`, on `serde_json::Value` as it comes.

use std::rc::Rc;

use boon::{Compiler, Schemas};
use serde_json::Value;
use toolmesh_bench::schema::{Answer, Prepared, Validator, run};

const VALIDATORS: [Validator; 2] = [
    Validator {
        name: "jsonschema",
        prepare: |schema, value| {
            let (schema, value) = read(schema, value);
            let validator = jsonschema::validator_for(&schema).expect("it is a schema");
            Prepared {
                compile: Box::new(move || drop(jsonschema::validator_for(&schema).expect("it is a schema"))),
                judge: Box::new(move || answer(validator.is_valid(&value))),
            }
        },
    },
    Validator {
        name: "boon",
        prepare: |schema, value| {
            let (schema, value) = read(schema, value);
            let schema = Rc::new(schema);
            let (schemas, index) = compile_boon(&schema);
            Prepared {
                compile: Box::new(move || drop(compile_boon(&schema))),
                judge: Box::new(move || answer(schemas.validate(&value, index).is_ok())),
            }
        },
    },
];

fn read(schema: &str, value: &str) -> (Value, Value) {
    let read = |text| serde_json::from_str(text).expect("it is JSON");
    (read(schema), read(value))
}

fn compile_boon(schema: &Value) -> (Schemas, boon::SchemaIndex) {
    const URL: &str = "http://localhost/schema";
    let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
    compiler.add_resource(URL, schema.clone()).expect("it is a URL");
    let index = compiler.compile(URL, &mut schemas).expect("it is a schema");
    (schemas, index)
}

fn answer(fits: bool) -> Answer {
    if fits { Answer::Valid } else { Answer::Invalid }
}

fn main() -> anyhow::Result<()> {
    run(&VALIDATORS)
}
