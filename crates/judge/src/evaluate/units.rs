//! Units of values: what goes together, and what comes of it.

use super::{NoValue, Sureness, Value};
use terms::{Quantity, Unit};

/// Unit of an evaluated expression, in base units: seconds, bytes, shares of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Time,
    Share,
    Count,
    PerSecond,
    Bytes,
    Cores,
}

/// A number of the study.
pub(super) fn constant(quantity: &Quantity) -> Value {
    let kind = match &quantity.unit {
        Unit::Time => Kind::Time,
        Unit::Share => Kind::Share,
        Unit::Bytes => Kind::Bytes,
        Unit::Cores => Kind::Cores,
        Unit::PerSecond | Unit::OfPerSecond(_) => Kind::PerSecond,
        Unit::Count | Unit::Of(_) => Kind::Count,
    };
    Value { is_constant: true, ..Value::census(quantity.value, kind, 0) }
}

/// The kind of a metric's unit as the head writes it.
pub fn metric_kind(unit: &str) -> Kind {
    match unit {
        "s" => Kind::Time,
        "share" => Kind::Share,
        "bytes" => Kind::Bytes,
        "cores" => Kind::Cores,
        _ if unit.ends_with("/s") => Kind::PerSecond,
        _ => Kind::Count,
    }
}

/// Two values joined by `+ - * /`. Exact values stay exact; an estimate in it makes the whole one without an interval.
pub(super) fn binary(operator: char, left: &Value, right: &Value) -> Result<Value, NoValue> {
    let kind = joined(operator, left.kind, right.kind).ok_or(NoValue::Units)?;
    let of = |left: f64, right: f64| match operator {
        '+' => left + right,
        '-' => left - right,
        '*' => left * right,
        _ => left / right,
    };
    let value = of(left.value, right.value);
    if !value.is_finite() {
        return Err(NoValue::NoSamples);
    }
    let is_census = left.sureness == Sureness::Census && right.sureness == Sureness::Census;
    let sureness = if is_census { Sureness::Census } else { Sureness::Compound };
    Ok(Value {
        told: None,
        value,
        unsettled: left.unsettled.saturating_add(right.unsettled),
        had_they_failed: of(left.had_they_failed, right.had_they_failed),
        is_censored: left.is_censored || right.is_censored,
        kind,
        sureness,
        count: left.count.max(right.count),
        is_constant: left.is_constant && right.is_constant,
        // A quotient of two counts can go either way.
        grows: operator != '/' && (left.grows || right.grows),
        may_rise: left.may_rise || right.may_rise,
    })
}

/// The unit of a sum, product or quotient: the table by which the study is checked.
fn joined(operator: char, left: Kind, right: Kind) -> Option<Kind> {
    use Kind::{Count, PerSecond, Share, Time};
    let is_factor = |kind| matches!(kind, Count | Share);
    match operator {
        '+' | '-' => (left == right).then_some(left),
        '*' => match (left, right) {
            (PerSecond, Time) | (Time, PerSecond) => Some(Count),
            (Share, Share) => Some(Share),
            (left, right) if is_factor(right) => Some(left),
            (left, right) if is_factor(left) => Some(right),
            _ => None,
        },
        '/' => match (left, right) {
            (left, right) if left == right => Some(Count),
            (left, right) if is_factor(right) => Some(left),
            (Count, Time) => Some(PerSecond),
            (Count, PerSecond) => Some(Time),
            _ => None,
        },
        _ => None,
    }
}

/// Whether two values can be compared. A quotient of two counts is a pure number, and may be compared with a share.
pub(crate) fn comparable(left: &Value, right: &Value) -> bool {
    let is_zero = |value: &Value| value.is_constant && value.value == 0.0;
    let is_pure = |kind| matches!(kind, Kind::Count | Kind::Share);
    left.kind == right.kind
        || is_zero(left)
        || is_zero(right)
        || (is_pure(left.kind) && is_pure(right.kind) && !left.grows && !right.grows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(value: f64, kind: Kind) -> Value {
        Value::census(value, kind, 0)
    }

    #[test]
    fn units_join_as_the_study_is_checked() {
        use Kind::{Bytes, Count, PerSecond, Share, Time};
        for (operator, left, right, joined) in [
            ('+', Time, Time, Some(Time)),
            ('+', Time, Count, None),
            ('*', Time, Time, None),
            ('*', Count, Share, Some(Count)),
            ('*', Share, Count, Some(Share)),
            ('*', PerSecond, Time, Some(Count)),
            ('/', Count, Time, Some(PerSecond)),
            ('/', Bytes, Bytes, Some(Count)),
            ('/', Time, Share, Some(Time)),
            ('/', Time, Bytes, None),
        ] {
            let found = binary(operator, &of(6.0, left), &of(2.0, right)).map(|value| value.kind);
            assert_eq!(found.ok(), joined, "{left:?} {operator} {right:?}");
        }
    }

    #[test]
    fn dividing_by_nothing_has_no_value() {
        assert_eq!(binary('/', &of(1.0, Kind::Count), &of(0.0, Kind::Count)), Err(NoValue::NoSamples));
    }
}
