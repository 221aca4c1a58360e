//! Tables.

use comfy_table::{ContentArrangement, Table, presets};

use super::printable;

/// How a table looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// For people.
    Plain,
    /// For documents.
    Markdown,
}

/// A table with these headings. Every row keeps to one line, so that `grep` and `wc` can be used on it.
pub(crate) fn table(
    layout: Layout,
    headings: &[&str],
    rows: impl IntoIterator<Item = Vec<String>>,
) -> String {
    let mut table = Table::new();
    table.set_content_arrangement(ContentArrangement::Disabled);
    table.load_style(match layout {
        Layout::Plain => presets::NOTHING,
        Layout::Markdown => presets::ASCII_MARKDOWN,
    });
    table.set_header(
        headings
            .iter()
            .map(|heading| (*heading).to_owned())
            .collect::<Vec<_>>(),
    );
    for row in rows {
        table.add_row(
            row.into_iter()
                .map(|cell| one_line(&cell, layout))
                .collect::<Vec<_>>(),
        );
    }
    if layout == Layout::Plain {
        for column in table.column_iter_mut() {
            column.set_padding((0, 2));
        }
    }
    table
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect::<Vec<_>>()
        .join("\n")
}

fn one_line(cell: &str, layout: Layout) -> String {
    let text = cell.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = printable(&text).into_owned();
    if layout == Layout::Markdown {
        text.replace('|', "\\|")
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_keeps_to_one_line() {
        let rows = || {
            [
                vec!["a".to_owned(), "one\ntwo | three".to_owned()],
                vec!["longer".to_owned(), String::new()],
            ]
        };
        insta::assert_snapshot!(table(Layout::Plain, &["NAME", "TEXT"], rows()));
        insta::assert_snapshot!(table(Layout::Markdown, &["name", "text"], rows()));
    }
}
