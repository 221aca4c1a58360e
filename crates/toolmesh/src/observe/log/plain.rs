//! Fields and messages of the log, without what would make lines of their own or steer a terminal: much of what is logged was
//! written by others.

use std::fmt;

use toolmesh_tool::on_one_line;
use tracing_subscriber::{
    field::RecordFields,
    fmt::{
        FormatFields,
        format::{DefaultFields, Writer},
    },
};

/// Writes fields as usual, and what would end the line or steer a terminal as Rust writes it in a text.
pub(super) struct PlainFields(DefaultFields);

impl PlainFields {
    pub(super) fn new() -> Self {
        Self(DefaultFields::new())
    }
}

impl<'w> FormatFields<'w> for PlainFields {
    fn format_fields<R: RecordFields>(&self, mut writer: Writer<'w>, fields: R) -> fmt::Result {
        let mut text = String::new();
        self.0.format_fields(Writer::new(&mut text), fields)?;
        writer.write_str(&on_one_line(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::{super::written::Written, *};

    #[test]
    fn whatever_is_logged_is_one_line_that_steers_nothing() {
        let written = Written::default();
        let writer = written.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_writer(move || writer.clone())
            .with_ansi(false)
            .fmt_fields(PlainFields::new())
            .finish();
        let evil = "x\n WARN denied nothing\r\u{1b}[31m\u{9b}1m\u{7}\u{202e}\u{2028}";
        tracing::subscriber::with_default(subscriber, || {
            let span = tracing::info_span!("call", name = %evil);
            let _in_it = span.enter();
            tracing::warn!(shown = %evil, debug = ?evil, text = evil, "{evil}");
        });
        let text = written.text();
        let line = text.strip_suffix('\n').unwrap();
        assert!(
            !line.contains(|c: char| c.is_control() || matches!(c, '\u{202e}' | '\u{2028}')),
            "{line:?}"
        );
        assert!(line.contains(r"x\n WARN denied nothing\r\u{1b}[31m"), "{line}");
    }
}
