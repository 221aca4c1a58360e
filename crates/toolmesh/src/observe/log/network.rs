//! What the network library under the mesh logs, in words for operators. Of each connection that is not let in its TLS links
//! warn with what ended the handshake; behind its errors stand places in its source.

use std::{fmt, time::Instant};

use toolmesh_mesh::Seldom;
use toolmesh_tool::on_one_line;
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

/// Who warns of connections that are not let in, and of nothing else.
const CONNECTIONS: &str = "zenoh_link_tls::listener";

/// Who tells of connections of which a router lets nothing pass.
const MEMBERS: &str = "zenoh::net::routing::interceptor::access_control";

/// What it says then.
const NO_MEMBER: &str = "did not match any configured ACL subject";

/// What it says, as an error, of a text that comes while a node leaves or has just come: the meeting goes on without it.
const OF_NOBODY: &str = "for unknown key_expr";

/// What a place in the library's source begins with.
const PLACE: &str = " at /";

/// A format of lines, but for those of the network library.
pub(super) struct WithNetwork<F> {
    others: F,
    /// Anybody who can reach a node can be refused any number of times.
    refusals: Seldom,
    /// Whatever else it says may come as often: that there are too many open files, with each connection.
    others_said: Seldom,
}

impl<F> WithNetwork<F> {
    pub(super) fn new(others: F) -> Self {
        Self {
            others,
            refusals: Seldom::new(),
            others_said: Seldom::new(),
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
        let (words, budget) = match said(event) {
            None => return self.others.format_event(context, writer, event),
            Some(Said::Nothing) => return Ok(()),
            Some(Said::Refused(reason)) => (format!("a connection was not let in: {reason}"), &self.refusals),
            Some(Said::NoMember) => (
                "who connected has the certificate of no `--member`: nothing of it passes".to_owned(),
                &self.refusals,
            ),
            Some(Said::Other(words)) => (format!("the network says: {words}"), &self.others_said),
        };
        let words = on_one_line(&words);
        match budget.may_write(Instant::now()) {
            None => Ok(()),
            Some(0) => line(&mut writer, event, format_args!("{words}")),
            Some(more) => line(
                &mut writer,
                event,
                format_args!("{words} (and {more} more since the last line)"),
            ),
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
    /// Nothing that an operator can do anything about.
    Nothing,
    /// Somebody connected to a router who is none of its members.
    NoMember,
    /// Why a connection was not let in.
    Refused(String),
    Other(String),
}

/// What an event of the library at the levels that nobody has to ask for says.
fn said(event: &Event<'_>) -> Option<Said> {
    let metadata = event.metadata();
    let tells_of_members = metadata.target() == MEMBERS && *metadata.level() == tracing::Level::INFO;
    let is_loud = *metadata.level() <= tracing::Level::WARN || tells_of_members;
    if !(metadata.target().starts_with(LIBRARY) && is_loud) {
        return None;
    }
    let mut message = Message(String::new());
    event.record(&mut message);
    if tells_of_members {
        return message.0.contains(NO_MEMBER).then_some(Said::NoMember);
    }
    if message.0.contains(OF_NOBODY) {
        return Some(Said::Nothing);
    }
    if metadata.target() == CONNECTIONS && *metadata.level() == tracing::Level::WARN {
        let reason = message.0;
        return Some(Said::Refused(format!("{reason}{}", meaning(&reason))));
    }
    Some(Said::Other(without_places(&message.0)))
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
    use tracing_subscriber::fmt::format;

    use super::{super::written::Written, *};

    #[test]
    fn reasons_are_told_with_what_they_mean_and_others_as_they_are() {
        let unknown = "invalid peer certificate: UnknownIssuer";
        assert_eq!(meaning(unknown), "; another authority made its certificate");
        assert_eq!(meaning("the handshake took too long"), "");
    }

    #[test]
    fn whatever_the_network_says_any_number_of_times_does_not_fill_the_log() {
        let written = Written::default();
        let writer = written.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_writer(move || writer.clone())
            .event_format(WithNetwork::new(format()))
            .finish();
        tracing::subscriber::with_default(subscriber, || {
            for _ in 0..1_000 {
                tracing::error!(target: "zenoh_link_tcp::unicast", "Too many open files (os error 24)");
                tracing::warn!(target: CONNECTIONS, "UnknownIssuer");
                tracing::error!(target: "zenoh", "Received Data {OF_NOBODY}: Remote resource 1 not found");
            }
        });
        let text = written.text();
        for words in ["Too many open files", "UnknownIssuer"] {
            let lines = text.lines().filter(|line| line.contains(words)).count();
            assert!((1..100).contains(&lines), "{lines} of {words}");
        }
        assert!(!text.contains(OF_NOBODY));
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
