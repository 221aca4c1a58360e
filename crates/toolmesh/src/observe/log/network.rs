//! What the network library under the mesh logs, in words for operators. Of each connection that is not let in it warns with
//! what ended the handshake, and with a hint about open files that is hardly ever to the point; behind its errors stand places in
//! its source.

use std::{fmt, time::Instant};

use toolmesh_mesh::Seldom;
use tracing::{
    Event, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    fmt::{FmtContext, FormatEvent, FormatFields, format::Writer},
    registry::LookupSpan,
};

/// What the targets of the library begin with.
const LIBRARY: &str = "zenoh";

/// Who warns of connections.
const CONNECTIONS: &str = "zenoh_link_tls::unicast";

/// What stands behind the reason.
const HINT: &str = ". Hint: increase the system open file limit.";

/// What a place in the library's source begins with.
const PLACE: &str = " at /";

/// A format of lines, but for those of the network library.
pub(super) struct WithNetwork<F> {
    others: F,
    /// Anybody who can reach a node can be refused any number of times.
    refusals: Seldom,
}

impl<F> WithNetwork<F> {
    pub(super) fn new(others: F) -> Self {
        Self {
            others,
            refusals: Seldom::new(),
        }
    }
}

impl<S, N, F> FormatEvent<S, N> for WithNetwork<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        match said(event) {
            None => self.others.format_event(context, writer, event),
            Some(Said::Refused(reason)) => match self.refusals.may_write(Instant::now()) {
                None => Ok(()),
                Some(0) => line(
                    &mut writer,
                    event,
                    format_args!("a connection was not let in: {reason}"),
                ),
                Some(more) => line(
                    &mut writer,
                    event,
                    format_args!(
                        "a connection was not let in: {reason} (and {more} more since the last line)"
                    ),
                ),
            },
            Some(Said::Other(words)) => line(&mut writer, event, format_args!("the network says: {words}")),
        }
    }
}

fn line(writer: &mut Writer<'_>, event: &Event<'_>, words: fmt::Arguments<'_>) -> fmt::Result {
    let level = event.metadata().level();
    if writer.has_ansi_escapes() {
        let colour = if *level == tracing::Level::ERROR { 31 } else { 33 };
        writeln!(writer, "\x1b[{colour}m{level:>5}\x1b[0m {words}")
    } else {
        writeln!(writer, "{level:>5} {words}")
    }
}

/// What the library says.
enum Said {
    /// Why a connection was not let in.
    Refused(String),
    Other(String),
}

/// What an event of the library at the levels that nobody has to ask for says.
fn said(event: &Event<'_>) -> Option<Said> {
    let metadata = event.metadata();
    if !metadata.target().starts_with(LIBRARY) || *metadata.level() > tracing::Level::WARN {
        return None;
    }
    let mut message = Message(String::new());
    event.record(&mut message);
    let refused = message
        .0
        .strip_suffix(HINT)
        .filter(|_| metadata.target() == CONNECTIONS);
    Some(match refused {
        // The system's own errors are what the hint is for.
        Some(reason) if !reason.contains("os error") => Said::Refused(format!("{reason}{}", meaning(reason))),
        _ => Said::Other(without_places(&message.0)),
    })
}

/// What the reasons mean that an operator sees most.
const MEANINGS: [(&str, &str); 6] = [
    (
        "received fatal alert: UnknownCA",
        "; the other believes another authority than this node's",
    ),
    ("UnknownIssuer", "; another authority made its certificate"),
    ("peer sent no certificates", "; it has none"),
    (
        "InvalidContentType",
        "; it has no certificate, or is no node of a mesh",
    ),
    (
        "CertificateExpired",
        "; a certificate has expired, or a clock is wrong",
    ),
    (
        "certificate expired",
        "; a certificate has expired, or a clock is wrong",
    ),
];

fn meaning(reason: &str) -> &'static str {
    let meant = MEANINGS.iter().find(|(words, _)| reason.contains(words));
    meant.map_or("", |(_, meaning)| meaning)
}

/// The words up to each place in a source, and what follows it.
fn without_places(words: &str) -> String {
    let mut parts = words.split(PLACE);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let place = part.split_ascii_whitespace().next().unwrap_or_default();
        let is_source = place.contains(".rs:");
        match part.get(place.len()..).filter(|_| is_source) {
            Some(rest) => out.push_str(rest),
            None => {
                out.push_str(PLACE);
                out.push_str(part);
            }
        }
    }
    out
}

struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_told_with_what_they_mean_and_others_as_they_are() {
        let unknown = "invalid peer certificate: UnknownIssuer";
        assert_eq!(meaning(unknown), "; another authority made its certificate");
        assert_eq!(meaning("Timeout during TLS handshake"), "");
    }

    #[test]
    fn places_in_a_source_are_left_out_and_nothing_else() {
        for (words, left) in [
            (
                "closed by the other at /home/someone/.cargo/src/a-1.0/open.rs:526.",
                "closed by the other",
            ),
            ("a at /x/y.rs:1. - Caused by b at /x/z.rs:22.", "a - Caused by b"),
            ("looked at /etc/hosts and left", "looked at /etc/hosts and left"),
            ("plain", "plain"),
            ("", ""),
        ] {
            assert_eq!(without_places(words), left);
        }
    }
}
