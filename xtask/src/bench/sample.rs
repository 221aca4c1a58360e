//! One measurement of a server, as a load generator prints it, and its place in a table.

use anyhow::{Context, Result};
use serde_json::Value;

use super::statistics::Spread;

/// One measurement.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample {
    /// Calls a second.
    pub(super) rate: f64,
    /// Microseconds within which half of the calls were answered.
    pub(super) p50: f64,
    /// Microseconds within which 99 of 100 were.
    pub(super) p99: f64,
    /// Microseconds of processor time that the server spent on a call.
    pub(super) cpu: f64,
}

impl Sample {
    /// Reads what a load generator printed.
    pub(super) fn read(json: &[u8]) -> Result<Self> {
        let figures = Figures::read(json)?;
        Ok(Self {
            rate: figures.get("requests_per_second")?,
            p50: figures.get("p50_microseconds")?,
            p99: figures.get("p99_microseconds")?,
            cpu: figures.get("cpu_microseconds_per_request")?,
        })
    }
}

/// What a load generator printed.
#[derive(Debug)]
pub(super) struct Figures(Value);

impl Figures {
    pub(super) fn read(json: &[u8]) -> Result<Self> {
        let figures = serde_json::from_slice(json).context("the load generator printed no JSON")?;
        Ok(Self(figures))
    }

    pub(super) fn get(&self, name: &str) -> Result<f64> {
        let figure = self.0.get(name).and_then(Value::as_f64);
        figure.with_context(|| format!("the load generator printed no `{name}`"))
    }
}

/// The heading of the columns that [`cells`] fills.
pub(super) const HEADING: [&str; 4] = ["calls/s", "p50 us", "p99 us", "CPU us/call"];

/// The figures of one server: medians with their spread.
pub(super) fn cells(samples: &[Sample]) -> Result<[String; 4]> {
    let spread =
        |pick: fn(&Sample) -> f64| Spread::of(samples.iter().map(pick)).context("nothing was measured");
    Ok([
        format!("{:.0}", spread(|sample| sample.rate)?),
        format!("{:.0}", spread(|sample| sample.p50)?),
        format!("{:.0}", spread(|sample| sample.p99)?),
        format!("{:.1}", spread(|sample| sample.cpu)?),
    ])
}

/// A figure of one server as a ratio to that of another in the same round.
pub(super) fn ratio(own: &[Sample], other: &[Sample], pick: fn(&Sample) -> f64) -> Result<Spread> {
    let ratios = own.iter().zip(other).map(|(own, other)| pick(own) / pick(other));
    Spread::of(ratios).context("nothing was measured")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(rate: f64) -> Sample {
        Sample {
            rate,
            p50: 1.0,
            p99: 2.0,
            cpu: 10.0,
        }
    }

    #[test]
    fn ratios_are_taken_within_a_round() {
        // The machine was twice as slow in the second round; the ratio stayed.
        let (floor, own) = ([sample(100.0), sample(50.0)], [sample(80.0), sample(40.0)]);
        let ratio = ratio(&own, &floor, |sample| sample.rate).unwrap();
        assert_eq!(format!("{ratio:.2}"), "0.80 (0.80-0.80)");
    }

    #[test]
    fn a_missing_figure_is_named() {
        let error = Sample::read(br#"{"requests_per_second": 1.0}"#).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the load generator printed no `p50_microseconds`"
        );
    }
}
