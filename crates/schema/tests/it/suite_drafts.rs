//! Draft 2020-12 and draft-07 against the official suite.

use toolmesh_schema::{CompileOptions, Draft, Formats};

use crate::suite::{Exception, Tally, files, remotes, run};

fn options() -> CompileOptions {
    CompileOptions::default().with_registry(remotes())
}

fn draft_07() -> CompileOptions {
    options().with_default_draft(Draft::Draft07)
}

#[test]
fn every_required_case_of_2020_12_is_answered_as_the_suite_wants() {
    let tally = run(&files("draft2020-12"), &options(), &[]);
    assert_eq!(
        tally,
        Tally {
            groups: 383,
            cases: 1_299
        }
    );
}

#[test]
fn every_required_case_of_draft_07_is_answered_as_the_suite_wants() {
    let tally = run(&files("draft7"), &draft_07(), &[]);
    assert_eq!(
        tally,
        Tally {
            groups: 257,
            cases: 927
        }
    );
}

/// `format` asserts in `format-assertion` because the meta-schema of those groups says so, not because we ask for it.
#[test]
fn the_optional_cases_of_2020_12_are_answered_but_for_a_few() {
    const EXCEPTIONS: &[Exception] = &[
        // The document that is referred to is in draft 2019-09, which is refused by name.
        (
            "draft2020-12/optional/cross-draft",
            "refs to historic drafts are processed as historic drafts",
            "*",
        ),
    ];
    let tally = run(&files("draft2020-12/optional"), &options(), EXCEPTIONS);
    assert_eq!(
        tally,
        Tally {
            groups: 50,
            cases: 162
        }
    );
}

#[test]
fn the_optional_cases_of_draft_07_are_answered_but_for_a_few() {
    const EXCEPTIONS: &[Exception] = &[
        // The content of strings is described and not asserted, as 2020-12 has made it the rule.
        (
            "draft7/optional/content",
            "validation of string-encoded content based on media type",
            "an invalid JSON document",
        ),
        (
            "draft7/optional/content",
            "validation of binary string-encoding",
            "an invalid base64 string (% is not a valid character)",
        ),
        (
            "draft7/optional/content",
            "validation of binary-encoded media type documents",
            "a validly-encoded invalid JSON document",
        ),
        (
            "draft7/optional/content",
            "validation of binary-encoded media type documents",
            "an invalid base64 string that is valid JSON",
        ),
        // The document that is referred to is in draft 2019-09, which is refused by name.
        (
            "draft7/optional/cross-draft",
            "refs to future drafts are processed as future drafts",
            "*",
        ),
    ];
    let tally = run(&files("draft7/optional"), &draft_07(), EXCEPTIONS);
    assert_eq!(
        tally,
        Tally {
            groups: 38,
            cases: 118
        }
    );
}

#[test]
fn formats_assert_where_they_are_asked_to_in_2020_12() {
    let asserting = options().with_formats(Formats::Assert);
    let tally = run(&files("draft2020-12/optional/format"), &asserting, &[]);
    assert_eq!(
        tally,
        Tally {
            groups: 23,
            cases: 663
        }
    );
}

#[test]
fn formats_assert_where_they_are_asked_to_in_draft_07() {
    let asserting = draft_07().with_formats(Formats::Assert);
    let tally = run(&files("draft7/optional/format"), &asserting, &[]);
    assert_eq!(
        tally,
        Tally {
            groups: 20,
            cases: 587
        }
    );
}
