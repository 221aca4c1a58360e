//! Medians and spreads of a few rounds.

use std::fmt;

/// The middle and the ends of some measurements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    pub(crate) lowest: f64,
    pub(crate) median: f64,
    pub(crate) highest: f64,
}

impl Spread {
    /// `None` when there is nothing to describe.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let middle = values.len() / 2;
        let upper = *values.get(middle)?;
        let lower = if values.len().is_multiple_of(2) {
            *values.get(middle.checked_sub(1)?)?
        } else {
            upper
        };
        Some(Self {
            lowest: *values.first()?,
            median: f64::midpoint(lower, upper),
            highest: *values.last()?,
        })
    }
}

impl fmt::Display for Spread {
    /// `median (lowest-highest)`, with the precision asked for.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            lowest,
            median,
            highest,
        } = self;
        let digits = f.precision().unwrap_or(0);
        write!(f, "{median:.digits$} ({lowest:.digits$}-{highest:.digits$})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_count_is_the_middle_of_two() {
        assert_eq!(
            format!("{:.1}", Spread::of([4.0, 1.0, 3.0, 2.0]).unwrap()),
            "2.5 (1.0-4.0)"
        );
    }

    #[test]
    fn the_median_of_an_odd_count_is_one_of_them() {
        assert_eq!(
            format!("{:.0}", Spread::of([10.0, 1.0, 7.0]).unwrap()),
            "7 (1-10)"
        );
    }

    #[test]
    fn nothing_has_no_median() {
        assert_eq!(Spread::of([]), None);
    }
}
