//! What is in a source.

use toolmesh::inspect::{InspectedEntry, Inspection};

use super::{Layout, table};

/// The report for a terminal.
pub(crate) fn inspection_table(inspection: &Inspection) -> String {
    let mut parts = vec![summary(inspection)];
    for (title, entries) in groups(inspection) {
        parts.push(format!(
            "{title} ({})\n{}",
            entries.len(),
            rows(Layout::Plain, entries)
        ));
    }
    if !inspection.notes.is_empty() {
        let notes: Vec<String> = inspection.notes.iter().map(|note| format!("- {note}")).collect();
        parts.push(format!("Notes\n{}", notes.join("\n")));
    }
    parts.join("\n\n")
}

/// The report as a Markdown page.
pub(crate) fn inspection_markdown(inspection: &Inspection) -> String {
    let mut parts = vec![format!("# {}", inspection.source), summary_of_counts(inspection)];
    for (title, entries) in groups(inspection) {
        parts.push(format!("## {title}\n\n{}", rows(Layout::Markdown, entries)));
    }
    if !inspection.notes.is_empty() {
        let notes: Vec<String> = inspection.notes.iter().map(|note| format!("* {note}")).collect();
        parts.push(format!("## Notes\n\n{}", notes.join("\n")));
    }
    parts.join("\n\n")
}

fn summary(inspection: &Inspection) -> String {
    format!(
        "{} ({}): {}",
        inspection.source,
        inspection.kind,
        summary_of_counts(inspection)
    )
}

fn summary_of_counts(inspection: &Inspection) -> String {
    let tools = inspection.tool_count();
    let entries = inspection.entries().count();
    format!(
        "{}, {}",
        counted(entries, "entry", "entries"),
        counted(tools, "tool", "tools")
    )
}

pub(crate) fn counted(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

/// The groups that have something in them.
fn groups(inspection: &Inspection) -> impl Iterator<Item = (&'static str, &[InspectedEntry])> {
    [
        ("Functions", inspection.functions.as_slice()),
        ("Events", inspection.events.as_slice()),
        ("Errors", inspection.errors.as_slice()),
    ]
    .into_iter()
    .filter(|(_, entries)| !entries.is_empty())
}

fn rows(layout: Layout, entries: &[InspectedEntry]) -> String {
    let headings = match layout {
        Layout::Plain => ["SIGNATURE", "KIND", "TOOL", "REASON"],
        Layout::Markdown => ["signature", "kind", "tool", "reason"],
    };
    let or_dash = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    let row = |entry: &InspectedEntry| {
        vec![
            entry.signature.clone(),
            entry.kind.clone(),
            or_dash(&entry.tool),
            or_dash(&entry.reason),
        ]
    };
    table(layout, &headings, entries.iter().map(row))
}
