//! `date`, `time`, `date-time` and `duration`: RFC 3339, with its appendix A.

pub(super) fn is_date_time(text: &str) -> bool {
    let (Some(date), Some(time)) = (text.get(..10), text.get(11..)) else {
        return false;
    };
    is_date(date) && matches!(text.as_bytes().get(10), Some(b'T' | b't')) && is_time(time)
}

pub(super) fn is_date(text: &str) -> bool {
    let [year, month, day] = [text.get(..4), text.get(5..7), text.get(8..10)].map(number);
    let dashes = [4, 7].map(|at| text.as_bytes().get(at)) == [Some(&b'-'); 2];
    match (year, month, day) {
        (Some(year), Some(month), Some(day)) => {
            text.len() == 10 && dashes && day >= 1 && day <= days_of(year, month)
        }
        _ => false,
    }
}

/// Zero for a month that is none.
fn days_of(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    }
}

pub(super) fn is_time(text: &str) -> bool {
    let Some(clock) = text.get(..8).and_then(read_clock) else {
        return false;
    };
    let rest = text.get(8..).unwrap_or_default();
    let Some(offset) = after_fraction(rest).and_then(read_offset) else {
        return false;
    };
    let minutes = i64::from(clock.hour * 60 + clock.minute) - offset;
    // A leap second is the last of a day in universal time.
    clock.second < 60 || (clock.second == 60 && minutes.rem_euclid(24 * 60) == 24 * 60 - 1)
}

struct Clock {
    hour: u32,
    minute: u32,
    second: u32,
}

fn read_clock(text: &str) -> Option<Clock> {
    let colons = [2, 5].map(|at| text.as_bytes().get(at)) == [Some(&b':'); 2];
    let [hour, minute, second] = [text.get(..2), text.get(3..5), text.get(6..8)].map(number);
    let clock = Clock {
        hour: hour?,
        minute: minute?,
        second: second?,
    };
    (colons && clock.hour < 24 && clock.minute < 60).then_some(clock)
}

/// What follows an optional fraction of a second.
fn after_fraction(rest: &str) -> Option<&str> {
    let Some(fraction) = rest.strip_prefix('.') else {
        return Some(rest);
    };
    let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 { None } else { fraction.get(digits..) }
}

/// The offset from universal time in minutes.
fn read_offset(text: &str) -> Option<i64> {
    if matches!(text, "Z" | "z") {
        return Some(0);
    }
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+')?),
    };
    let [hour, minute] = [rest.get(..2), rest.get(3..)].map(number);
    let (hour, minute) = (hour?, minute?);
    let sound = rest.len() == 5 && rest.as_bytes().get(2) == Some(&b':') && hour < 24 && minute < 60;
    sound.then(|| sign * i64::from(hour * 60 + minute))
}

/// A short run of digits.
fn number(text: Option<&str>) -> Option<u32> {
    let text = text?;
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

/// Units may be left out from either end, never from the middle; weeks stand alone.
pub(super) fn is_duration(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('P') else {
        return false;
    };
    if let Some(weeks) = rest.strip_suffix('W') {
        return number_of_any_length(weeks);
    }
    let (date, time) = match rest.split_once('T') {
        Some((date, time)) => (date, Some(time)),
        None => (rest, None),
    };
    match time {
        None => is_run(date, "YMD"),
        Some(time) => (date.is_empty() || is_run(date, "YMD")) && is_run(time, "HMS"),
    }
}

/// One or more numbers with units that follow each other in `units`.
fn is_run(text: &str, units: &str) -> bool {
    let mut rest = text;
    let mut expected: Option<usize> = None;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let unit = rest.get(digits..).and_then(|rest| rest.chars().next());
        let Some(place) = unit.and_then(|unit| units.find(unit)) else {
            return false;
        };
        if digits == 0 || expected.is_some_and(|expected| expected != place) {
            return false;
        }
        expected = Some(place + 1);
        rest = rest.get(digits + 1..).unwrap_or_default();
    }
    expected.is_some()
}

fn number_of_any_length(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_a_day_that_there_is() {
        for text in ["2024-02-29", "2000-02-29", "1999-12-31"] {
            assert!(is_date(text), "{text}");
        }
        for text in [
            "2023-02-29",
            "1900-02-29",
            "2024-13-01",
            "2024-00-10",
            "2024-04-31",
            "2024-1-01",
            "24-01-01",
            "2024-01-01 ",
            "+024-01-01",
        ] {
            assert!(!is_date(text), "{text}");
        }
    }

    #[test]
    fn a_time_has_an_offset_and_knows_leap_seconds() {
        for text in [
            "08:30:06Z",
            "23:59:60z",
            "01:29:60+01:30",
            "15:59:60-08:00",
            "00:00:00.123+23:59",
        ] {
            assert!(is_time(text), "{text}");
        }
        for text in [
            "08:30:06",
            "24:00:00Z",
            "22:59:60Z",
            "00:00:00.Z",
            "00:00:00+24:00",
            "00:00:00+1:00",
            "é0:00:00Z",
        ] {
            assert!(!is_time(text), "{text}");
        }
        assert!(is_date_time("1985-04-12t23:20:50.52z") && !is_date_time("1985-04-12 23:20:50Z"));
    }

    #[test]
    fn a_duration_leaves_no_unit_out_in_the_middle() {
        for text in ["P1Y2M3DT4H5M6S", "P2W", "PT1M2S", "P1M2D", "PT0S"] {
            assert!(is_duration(text), "{text}");
        }
        for text in [
            "P", "PT", "P1YT", "P1Y2D", "PT1H2S", "P1D1Y", "P1Y1W", "PT0.5S", "P1", "PW", "1Y",
        ] {
            assert!(!is_duration(text), "{text}");
        }
    }
}
