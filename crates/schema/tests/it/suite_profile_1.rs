//! Profile 1 against the official suite: what it compiles it answers as the suite wants, and the rest it refuses.

use toolmesh_json::Value;
use toolmesh_schema::{CompileOptions, Profile};

use crate::suite::{Tally, agrees, cases, compile, groups};

/// The files whose keywords Profile 1 has, in part or whole.
const FILES: [&str; 23] = [
    "type",
    "enum",
    "const",
    "properties",
    "additionalProperties",
    "items",
    "allOf",
    "anyOf",
    "required",
    "minimum",
    "maximum",
    "if-then-else",
    "anchor",
    "ref",
    "default",
    "format",
    "infinite-loop-detection",
    "boolean_schema",
    "defs",
    "optional/anchor",
    "optional/bignum",
    "optional/format/unknown",
    "optional/refOfUnknownKeyword",
];

fn count(tally: &mut Tally, group: &Value) {
    tally.groups += 1;
    tally.cases += cases(group).len();
}

#[test]
fn profile_1_passes_133_groups_and_refuses_56() {
    let (mut passed, mut refused) = (Tally::default(), Tally::default());
    for file in FILES {
        for group in groups(&format!("draft2020-12/{file}")) {
            let Ok(schema) = compile(&group, Profile::Profile1, &CompileOptions::default()) else {
                count(&mut refused, &group);
                continue;
            };
            count(&mut passed, &group);
            for case in cases(&group) {
                assert!(agrees(&schema, &case), "{file}: {} {case}", schema.document());
            }
        }
    }
    assert_eq!(
        (passed, refused),
        (
            Tally {
                groups: 133,
                cases: 500
            },
            Tally {
                groups: 56,
                cases: 157
            }
        )
    );
}
