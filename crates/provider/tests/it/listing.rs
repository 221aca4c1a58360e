//! `toolmesh tools --format ... --mode ...`

use toolmesh_provider::{Format, Listing, Mode, Provider, listing};

use crate::support::tool;

fn list(format: &str, mode: &str) -> Listing {
    let schema = r#"{"type":"object","properties":{"q":{"type":"string"},"n":{"type":"integer","default":10}},"required":["q"]}"#;
    listing(
        format.parse().unwrap(),
        mode.parse().unwrap(),
        [tool("web.search", schema)],
    )
}

#[test]
fn every_format_in_both_modes() {
    let mut lines = Vec::new();
    for provider in Provider::ALL {
        for mode in ["compat", "safe"] {
            let found = list(provider.as_str(), mode);
            lines.push(format!("{provider} {mode}: {}", found.tools.to_text()));
            lines.extend(found.warnings.iter().map(|warning| format!("  {warning}")));
        }
    }
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn an_unknown_word_is_told_with_those_that_are_known() {
    assert_eq!(
        "opanai".parse::<Format>().unwrap_err().to_string(),
        "`opanai` is none of openai, openai-responses, anthropic, gemini, mcp"
    );
    assert_eq!(
        "x".parse::<Mode>().unwrap_err().to_string(),
        "`x` is none of safe, compat"
    );
    assert_eq!(Format::of(Provider::Mcp), "mcp".parse().unwrap());
}
