//! Every compile bound at n and at n + 1.

use toolmesh_schema::{CompileErrorKind, CompileLimit, CompileLimits, CompileOptions, Profile, Schema};

use crate::shared::json;

/// Asserts that a document of size n compiles and one of size n + 1 is refused by that limit, in production and when
/// a caller sets another bound.
fn bounded(limit: CompileLimit, profile: Profile, document: impl Fn(usize) -> String) {
    bounded_at(
        limit,
        profile,
        limit.production(),
        &CompileLimits::default(),
        &document,
    );
    let small = CompileLimits::default().with(limit, 5).unwrap();
    bounded_at(limit, profile, 5, &small, &document);
}

fn bounded_at(
    limit: CompileLimit,
    profile: Profile,
    bound: usize,
    limits: &CompileLimits,
    document: &impl Fn(usize) -> String,
) {
    let options = CompileOptions::default().with_limits(*limits);
    let compile = |size| Schema::compile_with(json(&document(size)), profile, &options);
    if let Err(error) = compile(bound) {
        panic!("{limit} at {bound}: {error}");
    }
    let error = compile(bound + 1).expect_err("one more must be refused");
    assert_eq!(
        (error.kind(), error.limit()),
        (CompileErrorKind::LimitExceeded, Some(limit)),
        "{error}"
    );
    assert!(error.location().is_some(), "{error}");
}

fn joined(count: usize, separator: &str, piece: impl Fn(usize) -> String) -> String {
    (0..count).map(piece).collect::<Vec<_>>().join(separator)
}

#[test]
fn schema_nodes() {
    // Four collections, so that none of them is the bound that is met.
    let document = |count: usize| {
        let quarter = (count - 1) / 4;
        let last = count - 1 - 3 * quarter;
        let map = |count: usize| joined(count, ",", |index| format!(r#""{index}":true"#));
        let list = |count: usize| joined(count.max(1), ",", |_| "true".to_owned());
        format!(
            r#"{{"$defs":{{{}}},"properties":{{{}}},"allOf":[{}],"anyOf":[{}]}}"#,
            map(quarter),
            map(last),
            list(quarter),
            list(quarter)
        )
    };
    bounded(CompileLimit::SchemaNodeCount, Profile::Profile1, document);
}

#[test]
fn schema_depth() {
    bounded(CompileLimit::SchemaDepth, Profile::Profile1, |depth| {
        format!(
            "{}true{}",
            r#"{"items":"#.repeat(depth - 1),
            "}".repeat(depth - 1)
        )
    });
}

#[test]
fn keywords() {
    // Each of up to 4,095 schemas takes eight keywords; the root takes the rest.
    let annotations = [
        "$comment",
        "title",
        "description",
        "format",
        "default",
        "deprecated",
        "readOnly",
        "writeOnly",
    ];
    let document = |count: usize| {
        let full = (count - 1) / annotations.len();
        let rest = (count - 1) % annotations.len();
        let text = |names: &[&str]| {
            let boolean = |name: &str| matches!(name, "deprecated" | "readOnly" | "writeOnly");
            joined(names.len(), ",", |index| {
                let name = names[index];
                format!(r#""{name}":{}"#, if boolean(name) { "true" } else { "\"\"" })
            })
        };
        let mut members = vec![format!("{{{}}}", text(&annotations)); full];
        members.push(format!("{{{}}}", text(&annotations[..rest])));
        let named: Vec<String> = members
            .iter()
            .enumerate()
            .map(|(index, each)| format!(r#""{index}":{each}"#))
            .collect();
        format!(r#"{{"$defs":{{{}}}}}"#, named.join(","))
    };
    let limits = CompileLimits::default()
        .with(CompileLimit::SchemaNodeCount, 65_536)
        .unwrap();
    let limits = limits.with(CompileLimit::CollectionEntryCount, 65_536).unwrap();
    bounded_at(
        CompileLimit::KeywordCount,
        Profile::Profile1,
        32_768,
        &limits,
        &document,
    );
    let small = CompileLimits::default()
        .with(CompileLimit::KeywordCount, 5)
        .unwrap();
    bounded_at(
        CompileLimit::KeywordCount,
        Profile::Profile1,
        5,
        &small,
        &document,
    );
}

#[test]
fn anchors() {
    bounded(CompileLimit::AnchorCount, Profile::Profile1, |count| {
        format!(
            r#"{{"$defs":{{{}}}}}"#,
            joined(count, ",", |index| format!(
                r#""{index}":{{"$anchor":"a{index}"}}"#
            ))
        )
    });
}

#[test]
fn references() {
    // Half in each map: a collection has as many entries as there may be references.
    let document = |count: usize| {
        let map = |count: usize| joined(count, ",", |index| format!(r##""{index}":{{"$ref":"#"}}"##));
        format!(
            r#"{{"$defs":{{{}}},"properties":{{{}}}}}"#,
            map(count / 2),
            map(count - count / 2)
        )
    };
    let limits = CompileLimits::default()
        .with(CompileLimit::SchemaNodeCount, 65_536)
        .unwrap();
    bounded_at(
        CompileLimit::ReferenceCount,
        Profile::Profile1,
        4_096,
        &limits,
        &document,
    );
}

#[test]
fn anchor_names() {
    bounded(CompileLimit::AnchorNameLength, Profile::Profile1, |length| {
        format!(r#"{{"$anchor":"{}"}}"#, "a".repeat(length))
    });
}

#[test]
fn reference_text() {
    // `%61` is `a`: three characters of text, one of anchor; a longer anchor is allowed for the test.
    let document = |length: usize| {
        let encoded = (length - 1) / 3;
        let plain = (length - 1) % 3;
        let name = "a".repeat(encoded + plain);
        format!(
            r##"{{"$anchor":"{name}","items":{{"$ref":"#{}{}"}}}}"##,
            "%61".repeat(encoded),
            "a".repeat(plain)
        )
    };
    let limits = CompileLimits::default()
        .with(CompileLimit::AnchorNameLength, 4_096)
        .unwrap();
    bounded_at(
        CompileLimit::ReferenceLength,
        Profile::Profile1,
        4_096,
        &limits,
        &document,
    );
}

#[test]
fn pointer_segments() {
    // Two segments for each step: `properties` and a name; the last is odd or even as asked.
    let document = |count: usize| {
        let odd = if count % 2 == 1 { r#","items":true"# } else { "" };
        let opening = r#"{"properties":{"a":"#.repeat(count / 2);
        let closing = "}}".repeat(count / 2);
        let pointer = "/properties/a".repeat(count / 2) + if count % 2 == 1 { "/items" } else { "" };
        let inner = format!(r#"{opening}{{"title":""{odd}}}{closing}"#);
        format!(r##"{{"anyOf":[{{"$ref":"#{pointer}"}}],{}"##, &inner[1..])
    };
    let limits = CompileLimits::default()
        .with(CompileLimit::SchemaDepth, 256)
        .unwrap();
    bounded_at(
        CompileLimit::PointerSegmentCount,
        Profile::Profile1,
        128,
        &limits,
        &document,
    );
}

#[test]
fn collection_entries() {
    let limit = CompileLimit::CollectionEntryCount;
    let list = |count: usize| joined(count, ",", |index| format!("\"{index}\""));
    bounded(limit, Profile::Profile1, |count| {
        format!(r#"{{"enum":[{}]}}"#, list(count))
    });
    bounded(limit, Profile::Profile1, |count| {
        format!(r#"{{"required":[{}]}}"#, list(count))
    });
    let limits = CompileLimits::default()
        .with(CompileLimit::SchemaNodeCount, 65_536)
        .unwrap();
    for keyword in ["$defs", "properties"] {
        let map = |count: usize| joined(count, ",", |index| format!(r#""{index}":true"#));
        bounded_at(limit, Profile::Profile1, 4_096, &limits, &|count| {
            format!(r#"{{"{keyword}":{{{}}}}}"#, map(count))
        });
    }
    for keyword in ["allOf", "anyOf"] {
        let list = |count: usize| joined(count, ",", |_| "true".to_owned());
        bounded_at(limit, Profile::Profile1, 4_096, &limits, &|count| {
            format!(r#"{{"{keyword}":[{}]}}"#, list(count))
        });
    }
}

#[test]
fn names() {
    let limit = CompileLimit::NameLength;
    for (before, after) in [
        (r#"{"properties":{""#, r#"":true}}"#),
        (r#"{"$defs":{""#, r#"":true}}"#),
        (r#"{"required":[""#, r#""]}"#),
    ] {
        bounded(limit, Profile::Profile1, |length| {
            format!("{before}{}{after}", "n".repeat(length))
        });
    }
    let header = |length: usize| {
        format!(
            r#"{{"type":"object","properties":{{"a":{{"type":"string","x-mcp-header":"{}"}}}}}}"#,
            "h".repeat(length)
        )
    };
    assert!(Schema::compile_tool_input(json(&header(1_024)), Profile::Profile1).is_ok());
    let error = Schema::compile_tool_input(json(&header(1_025)), Profile::Profile1).unwrap_err();
    assert_eq!(error.limit(), Some(limit));
}

#[test]
fn a_name_is_measured_in_utf16_units() {
    bounded_at(
        CompileLimit::NameLength,
        Profile::Profile1,
        1_024,
        &CompileLimits::default(),
        &|length| {
            format!(
                r#"{{"required":["{}{}"]}}"#,
                "🚀".repeat(512),
                "n".repeat(length - 1_024)
            )
        },
    );
}

#[test]
fn pointer_segment_text() {
    bounded_at(
        CompileLimit::PointerSegmentLength,
        Profile::Profile1,
        1_024,
        &CompileLimits::default()
            .with(CompileLimit::NameLength, 2_048)
            .unwrap(),
        &|length| {
            let name = "n".repeat(length);
            format!(r##"{{"$defs":{{"{name}":true}},"$ref":"#/$defs/{name}"}}"##)
        },
    );
}

#[test]
fn pattern_text() {
    bounded(CompileLimit::PatternLength, Profile::Draft2020_12, |length| {
        format!(r#"{{"pattern":"{}"}}"#, "a".repeat(length))
    });
}

#[test]
fn patterns_together() {
    // Small patterns count 32 KiB each.
    bounded_at(
        CompileLimit::PatternSize,
        Profile::Draft2020_12,
        16,
        &CompileLimits::default()
            .with(CompileLimit::PatternSize, 16 * 32 * 1024)
            .unwrap(),
        &|count| {
            format!(
                r#"{{"allOf":[{}]}}"#,
                joined(count, ",", |index| format!(r#"{{"pattern":"^{index}$"}}"#))
            )
        },
    );
}
