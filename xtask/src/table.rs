//! Plain tables for a terminal or a log: columns as wide as their widest cell, numbers to the right.

/// A table being filled row by row.
#[derive(Debug)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with this heading.
    pub(crate) fn new(heading: &[&str]) -> Self {
        Self {
            rows: vec![heading.iter().map(|cell| (*cell).to_owned()).collect()],
        }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The table as text, each line ended by a line feed and without spaces at its end.
    pub(crate) fn render(&self) -> String {
        let widths = self.widths();
        self.rows.iter().map(|row| line(row, &widths)).collect()
    }

    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column| {
            self.rows
                .iter()
                .filter_map(|row| row.get(column))
                .map(|cell: &String| cell.chars().count())
                .max()
        };
        (0..columns).map(|column| width(column).unwrap_or(0)).collect()
    }
}

fn line(row: &[String], widths: &[usize]) -> String {
    let cells = row.iter().zip(widths).map(|(cell, width)| {
        if starts_with_a_digit(cell) {
            format!("{cell:>width$}")
        } else {
            format!("{cell:<width$}")
        }
    });
    format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
}

fn starts_with_a_digit(cell: &str) -> bool {
    cell.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(&["file", "tools", "note"]);
        table.row(["token.json".to_owned(), "9".to_owned(), String::new()]);
        table.row(["a".to_owned(), "12345678".to_owned(), "late".to_owned()]);
        assert_eq!(
            table.render(),
            "file        tools     note\ntoken.json         9\na           12345678  late\n"
        );
    }
}
