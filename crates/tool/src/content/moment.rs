//! Moments in the form of ISO 8601.

/// Whether `text` is `YYYY-MM-DD`, or that with `Thh:mm`, seconds, a fraction, and `Z` or an offset.
pub(super) fn is_moment(text: &str) -> bool {
    match text.split_once(['T', 't']) {
        None => is_date(text),
        Some((date, time)) => is_date(date) && is_time(time),
    }
}

fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next(), parts.next(), parts.next());
    let (Some(year), Some(month), Some(day), None) = (
        year.and_then(|text| number(text, 4)),
        month.and_then(|text| number(text, 2)),
        day.and_then(|text| number(text, 2)),
        parts.next(),
    ) else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

fn is_time(text: &str) -> bool {
    let (clock, offset) = match text.find(['Z', 'z', '+', '-']) {
        Some(place) => text.split_at(place),
        None => (text, "Z"),
    };
    let (clock, fraction) = clock
        .split_once('.')
        .map_or((clock, None), |(clock, fraction)| (clock, Some(fraction)));
    let is_fraction = |text: &str| (1..=9).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    let seconds = fraction.is_none() || clock.matches(':').count() == 2;
    is_clock(clock) && seconds && fraction.is_none_or(is_fraction) && is_offset(offset)
}

/// `hh:mm` or `hh:mm:ss`; a leap second is one.
fn is_clock(text: &str) -> bool {
    let mut parts = text.split(':');
    let below = |part: Option<&str>, end: u32| part.and_then(|text| number(text, 2)).is_some_and(|n| n < end);
    below(parts.next(), 24)
        && below(parts.next(), 60)
        && match parts.next() {
            None => true,
            seconds => below(seconds, 61) && parts.next().is_none(),
        }
}

fn is_offset(text: &str) -> bool {
    match text.strip_prefix(['+', '-']) {
        None => matches!(text, "Z" | "z"),
        Some(clock) => clock.len() == 5 && is_clock(clock),
    }
}

fn number(text: &str, digits: usize) -> Option<u32> {
    let is_number = text.len() == digits && text.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::is_moment;

    #[test]
    fn a_moment_is_a_date_or_a_date_and_time_that_exist() {
        for text in [
            "2026-11-30",
            "2024-02-29T23:59:60Z",
            "2026-11-30T12:00",
            "2026-11-30T12:00:00.123456789+05:30",
            "2026-11-30t12:00:00z",
        ] {
            assert!(is_moment(text), "{text}");
        }
        for text in [
            "",
            "30.11.2026",
            "2026-02-29",
            "2100-02-29",
            "2026-13-01",
            "2026-00-10",
            "2026-1-1",
            "2026-11-30 12:00:00Z",
            "2026-11-30T24:00:00Z",
            "2026-11-30T12:00:00.Z",
            "2026-11-30T12:00.5Z",
            "2026-11-30T12:00:00+0530",
            "2026-11-30T12:00:00Zx",
            "2026-11-30T1२:00:00Z",
        ] {
            assert!(!is_moment(text), "{text}");
        }
    }
}
