//! Units that exchanges carry: `rate(register.registrations)` is the rate of the calls, times what one of them carries.

use super::super::draft::{Call, DraftSeries};
use super::super::units::Measured;
use super::figures::FIGURES;
use super::{Resolver, Want};
use crate::model::Carried;
use crate::model::rule::{Expression, Function, Statistic, Subject, What};
use contract::{Mistake, Place};
use terms::{Quantity, Unit};

impl Resolver<'_> {
    /// The sum of calls, each times its units; `None` where the series does not end with a unit that an exchange of the
    /// study carries.
    pub(super) fn carried(&self, call: &Call) -> Option<Result<(Expression, Measured), Mistake>> {
        let [(head, _), .., (unit, place)] = call.series.segments.as_slice() else { return None };
        let is_leg = || self.world.exchanges.iter().any(|exchange| exchange.legs.iter().any(|leg| leg.name == unit));
        let units = || self.world.exchanges.iter().flat_map(|exchange| &exchange.carries);
        // A metric may well be called as a unit is.
        let is_watched = || head == contract::GENERATOR || self.world.watch.iter().any(|watch| watch.name == *head);
        if self.world.exchange(head).is_none() && is_watched() {
            return None;
        }
        if FIGURES.contains(&unit.as_str()) || is_leg() || !units().any(|known| known.unit == *unit) {
            return None;
        }
        Some(self.times_units(call, head, (unit, *place)))
    }

    fn times_units(
        &self,
        call: &Call,
        head: &str,
        (unit, place): (&str, Place),
    ) -> Result<(Expression, Measured), Mistake> {
        let measured = match call.function {
            Function::Count => Measured::of(Unit::Count),
            Function::Rate => Measured::of(Unit::PerSecond),
            _ => {
                let text = format!("`{}({})` has no meaning: units are counted", call.word, call.series.text);
                return Err(Mistake::at(place, "study::wrong-series", text).hint(format!(
                    "write `count({series})` or `rate({series})`; the calls themselves have times and shares",
                    series = call.series.text
                )));
            }
        };
        if call.condition.is_some() || call.of.is_some() {
            let text = format!("`{}` counts the units of what succeeded, and takes no limit", call.series.text);
            return Err(Mistake::at(place, "study::wrong-series", text).label("remove what follows the unit"));
        }
        let view = &self.world.scenarios[self.place(&call.series)?.0.unwrap_or(self.own)];
        let name = |number: u16| self.world.names().nth(usize::from(number)).unwrap_or_default();
        let is_meant = |carried: &&Carried| carried.unit == unit && (head == "*" || name(carried.exchange) == head);
        let mut counted: Vec<(u16, Option<u64>)> =
            view.carries.iter().filter(is_meant).map(|carried| (carried.exchange, carried.count)).collect();
        counted.sort_unstable();
        counted.dedup();
        let calls = |name: &str| {
            let inner = &call.series.segments[1..call.series.segments.len() - 1];
            let head = (name.to_owned(), call.series.segments[0].1);
            let segments: Vec<_> = std::iter::once(head).chain(inner.iter().cloned()).collect();
            let words: Vec<&str> = segments.iter().map(|(word, _)| word.as_str()).collect();
            let before = call.series.text.rfind('/').map_or("", |end| &call.series.text[..=end]);
            let text = format!("{before}{}", words.join("."));
            let series = self.series(&DraftSeries { text, segments, ..call.series.clone() }, Want::Figures)?;
            let (function, conditions) = (call.function, call.conditions.clone());
            Ok(Statistic { function, series, condition: None, of: None, conditions })
        };
        if counted.is_empty() {
            // Says whether the scenario carries it out at all.
            let calls = calls(head)?;
            if !view.is_sound {
                return Ok((Expression::Statistic(calls), measured));
            }
            let text = match head {
                "*" => format!("no exchange of scenario `{}` carries {unit}", view.name),
                _ => format!("`{head}` carries no {unit}"),
            };
            return Err(Mistake::at(place, "study::unknown-name", text)
                .label(format!("write `carries: {{ {unit}: … }}` in the exchange, or name one that has it")));
        }
        let mut sum: Option<Expression> = None;
        for (number, count) in counted {
            let calls = calls(name(number))?;
            let product = match count {
                Some(count) => {
                    let units = Expression::Number(Quantity { value: count as f64, unit: Unit::Count });
                    binary('*', Expression::Statistic(calls), units)
                }
                None => Expression::Statistic(units_said(calls, call, name(number), (unit, place))?),
            };
            sum = Some(match sum {
                Some(sum) => binary('+', sum, product),
                None => product,
            });
        }
        Ok((sum.unwrap_or(Expression::Number(Quantity { value: 0.0, unit: Unit::Count })), measured))
    }
}

/// Of the calls the units that their answers say.
fn units_said(
    mut calls: Statistic,
    call: &Call,
    name: &str,
    (unit, place): (&str, Place),
) -> Result<Statistic, Mistake> {
    let Subject::Exchanges { leg, what, .. } = &mut calls.series.subject else { return Ok(calls) };
    // Whoever succeeded is meant anyway; an answer closes the first leg.
    if leg.is_some_and(|leg| leg > 0) || !matches!(what, What::Itself | What::Outcome(terms::Outcome::Ok)) {
        let text =
            format!("`{}` has no {unit} of its own: the answer of `{name}` says how many there are", call.series.text);
        return Err(Mistake::at(place, "study::wrong-series", text).label(format!("write `{name}.{unit}`")));
    }
    (*leg, *what) = (Some(0), What::Units);
    calls.series.text = format!("{}.{unit}", calls.series.text);
    Ok(calls)
}

fn binary(operator: char, left: Expression, right: Expression) -> Expression {
    Expression::Binary { operator, left: Box::new(left), right: Box::new(right) }
}
