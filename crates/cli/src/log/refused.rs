//! Connections that are not let in, in words for operators. The library of the links warns of each with what ended its
//! handshake, and with a hint about open files that is hardly ever to the point.

use std::fmt;

use tracing::{
    Event, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    fmt::{FmtContext, FormatEvent, FormatFields, format::Writer},
    registry::LookupSpan,
};

/// Who warns.
const TARGET: &str = "zenoh_link_tls::unicast";

/// What stands behind the reason.
const HINT: &str = ". Hint: increase the system open file limit.";

/// A format of lines, but for the connections that are not let in.
pub(super) struct WithRefusals<F>(pub(super) F);

impl<S, N, F> FormatEvent<S, N> for WithRefusals<F>
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
        match reason(event) {
            Some(reason) if writer.has_ansi_escapes() => {
                writeln!(
                    writer,
                    "\x1b[33m WARN\x1b[0m a connection was not let in: {reason}"
                )
            }
            Some(reason) => writeln!(writer, " WARN a connection was not let in: {reason}"),
            None => self.0.format_event(context, writer, event),
        }
    }
}

/// Why a connection was not let in, when that is what happened.
fn reason(event: &Event<'_>) -> Option<String> {
    if event.metadata().target() != TARGET {
        return None;
    }
    let mut message = Message(String::new());
    event.record(&mut message);
    let reason = message.0.strip_suffix(HINT)?;
    // The system's own errors are what the hint is for.
    (!reason.contains("os error")).then(|| reason.to_owned())
}

struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}
