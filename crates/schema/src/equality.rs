//! JSON equality under the meter.

use toolmesh_json::{ArrayView, Kind, ObjectView, Value, View};

use crate::instance::Instance;
use crate::meter::{Meter, Metered};

/// Pairs still to compare. An explicit stack, so that deep values take no native stack.
type Pairs<'v> = Vec<(View<'v>, View<'v>)>;

/// Whether an instance equals a value of the schema.
pub(crate) fn equals(meter: &mut Meter, instance: Instance<'_>, wanted: &Value) -> Metered<bool> {
    match instance {
        Instance::Value(view) => equal(meter, view, wanted.view()),
        Instance::Name(name) => {
            meter.charge(1)?;
            Ok(wanted.as_str() == Some(name))
        }
    }
}

/// Whether two values are equal: numbers by value, objects without regard to order.
///
/// Charges 1 for each pair that is started, and the length of two arrays or objects of equal size before their
/// members are looked at.
pub(crate) fn equal<'v>(meter: &mut Meter, left: View<'v>, right: View<'v>) -> Metered<bool> {
    // Most values that are compared have no parts, and need no list of what is still to compare.
    if !has_parts(left) || !has_parts(right) {
        meter.charge(1)?;
        return Ok(left.kind() == right.kind() && equal_scalars(left, right));
    }
    let mut pairs: Pairs<'v> = vec![(left, right)];
    while let Some((left, right)) = pairs.pop() {
        meter.charge(1)?;
        if left.kind() != right.kind() {
            return Ok(false);
        }
        let open = match (
            left.as_array(),
            right.as_array(),
            left.as_object(),
            right.as_object(),
        ) {
            (Some(left), Some(right), _, _) => open_arrays(meter, &mut pairs, left, right)?,
            (_, _, Some(left), Some(right)) => open_objects(meter, &mut pairs, left, right)?,
            _ => equal_scalars(left, right),
        };
        if !open {
            return Ok(false);
        }
    }
    Ok(true)
}

fn has_parts(value: View<'_>) -> bool {
    matches!(value.kind(), Kind::Array | Kind::Object)
}

fn equal_scalars(left: View<'_>, right: View<'_>) -> bool {
    match left.kind() {
        Kind::Null => true,
        Kind::Boolean => left.as_bool() == right.as_bool(),
        Kind::Number => left.as_number() == right.as_number(),
        Kind::String => left.as_str() == right.as_str(),
        Kind::Array | Kind::Object => false,
    }
}

fn open_arrays<'v>(
    meter: &mut Meter,
    pairs: &mut Pairs<'v>,
    left: ArrayView<'v>,
    right: ArrayView<'v>,
) -> Metered<bool> {
    if left.len() != right.len() {
        return Ok(false);
    }
    meter.charge(left.len() as u64)?;
    let start = pairs.len();
    pairs.extend(left.iter().zip(right.iter()));
    reverse_from(pairs, start);
    Ok(true)
}

fn open_objects<'v>(
    meter: &mut Meter,
    pairs: &mut Pairs<'v>,
    left: ObjectView<'v>,
    right: ObjectView<'v>,
) -> Metered<bool> {
    if left.len() != right.len() {
        return Ok(false);
    }
    meter.charge(left.len() as u64)?;
    let start = pairs.len();
    for (name, value) in left.iter() {
        let Some(other) = right.get(name) else {
            return Ok(false);
        };
        pairs.push((value, other));
    }
    reverse_from(pairs, start);
    Ok(true)
}

/// Puts the pairs from `start` on so that the first member is popped first.
fn reverse_from(pairs: &mut Pairs<'_>, start: usize) {
    if let Some(added) = pairs.get_mut(start..) {
        added.reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::EvaluationLimits;

    fn compare(left: &str, right: &str) -> (bool, u64) {
        let left = toolmesh_json::parse(left.as_bytes()).unwrap();
        let right = toolmesh_json::parse(right.as_bytes()).unwrap();
        let mut meter = Meter::new(&EvaluationLimits::default());
        let same = equal(&mut meter, left.view(), right.view()).unwrap();
        (same, meter.operations())
    }

    #[test]
    fn scalars_cost_one_and_numbers_are_equal_by_value() {
        for (left, right) in [
            ("1", "1.0"),
            ("100", "1e2"),
            ("null", "null"),
            ("\"a\"", "\"\\u0061\""),
            ("-0", "0"),
        ] {
            assert_eq!(compare(left, right), (true, 1), "{left} {right}");
        }
        for (left, right) in [
            ("1", "true"),
            ("0", "false"),
            ("null", "false"),
            ("1", "\"1\""),
            ("\"e\\u0301\"", "\"é\""),
        ] {
            assert_eq!(compare(left, right), (false, 1), "{left} {right}");
        }
    }

    #[test]
    fn arrays_and_objects_of_equal_size_cost_their_size_and_their_members() {
        assert_eq!(compare("[1,2]", "[1,2]"), (true, 5));
        assert_eq!(compare("{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}"), (true, 5));
        assert_eq!(compare("[[],{}]", "[[],{}]"), (true, 5));
    }

    #[test]
    fn unequal_sizes_cost_nothing_beyond_the_pair() {
        assert_eq!(compare("[1]", "[1,2]"), (false, 1));
        assert_eq!(compare("{\"a\":1}", "{}"), (false, 1));
    }

    #[test]
    fn the_first_difference_ends_the_comparison() {
        assert_eq!(compare("[1,2,3]", "[9,2,3]"), (false, 5));
    }

    #[test]
    fn objects_with_other_names_differ() {
        assert_eq!(compare("{\"a\":1}", "{\"b\":1}"), (false, 2));
    }
}
