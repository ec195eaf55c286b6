//! Places in rules: a scenario or a part by its name, or one step of a grid by the values of its variables.

use super::draft::{Bound, DraftPlace};
use super::resolve::{ScenarioView, World};
use crate::syntax::read;
use contract::Mistake;
use terms::Quantity;

/// Steps that are listed for somebody who looks for one.
const LISTED: usize = 20;

impl World<'_> {
    /// The scenario that a place names, if there is exactly one.
    pub(crate) fn at(&self, place: &DraftPlace) -> Option<usize> {
        if place.step.is_empty() {
            return self.scenario(&place.name);
        }
        match &self.fitting(place)[..] {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// The same.
    ///
    /// # Errors
    /// What is wrong with the place, and what is possible.
    pub(crate) fn find(&self, place: &DraftPlace) -> Result<usize, Mistake> {
        let DraftPlace { name, place: at, step } = place;
        let cells: Vec<usize> = self.cells(name).collect();
        if step.is_empty() {
            return self.scenario(name).ok_or_else(|| self.unknown(name, *at, &cells));
        }
        let Some(first) = cells.first() else {
            return Err(match self.scenario(name) {
                Some(_) => Mistake::at(*at, "study::unknown-name", format!("`{name}` has no grid, so it has no steps"))
                    .label(format!("write `{name}`")),
                None => read::unknown(name, "grid", &self.grids(), *at),
            });
        };
        let variables: Vec<String> = self.scenarios[*first].bound().map(|(name, _)| name.clone()).collect();
        for Bound { variable, place, .. } in step {
            if !variables.contains(variable) {
                return Err(read::unknown(variable, &format!("variable of the grid `{name}`"), &variables, *place));
            }
        }
        let fitting = self.fitting(place);
        let asked =
            step.iter().map(|bound| format!("{}: {}", bound.variable, bound.value)).collect::<Vec<_>>().join(", ");
        match &fitting[..] {
            [only] => Ok(*only),
            [] => Err(Mistake::at(*at, "study::unknown-name", format!("`{name}` has no step `{asked}`"))
                .label("write one of its steps")
                .hint(format!("its steps are: {}", self.listed(&cells)))),
            several => Err(Mistake::at(*at, "study::conflict", format!("`{asked}` matches several steps of `{name}`"))
                .label("bind its other variables, too")
                .hint(format!("possible: {}", self.listed(several)))),
        }
    }

    fn unknown(&self, name: &str, at: contract::Place, cells: &[usize]) -> Mistake {
        if cells.is_empty() {
            let known: Vec<String> = self.scenarios.iter().map(|scenario| scenario.name.clone()).collect();
            return read::unknown(name, "scenario", &known, at);
        }
        Mistake::at(at, "study::unknown-name", format!("`{name}` is a grid, of which one step is needed here"))
            .label("name one of its steps")
            .hint(format!("its steps are: {}", self.listed(cells)))
    }

    /// Names of all grids.
    fn grids(&self) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for (grid, _) in self.scenarios.iter().filter_map(|scenario| scenario.cell.as_ref()) {
            if !all.contains(grid) {
                all.push(grid.clone());
            }
        }
        all
    }

    /// Whether this is the name of a grid.
    pub(crate) fn is_grid(&self, name: &str) -> bool {
        self.cells(name).next().is_some()
    }

    fn cells(&self, name: &str) -> impl Iterator<Item = usize> {
        let is_of = move |view: &ScenarioView| view.cell.as_ref().is_some_and(|(grid, _)| grid == name);
        self.scenarios.iter().enumerate().filter(move |(_, view)| is_of(view)).map(|(number, _)| number)
    }

    fn fitting(&self, place: &DraftPlace) -> Vec<usize> {
        let has = |number: usize, bound: &Bound| {
            let mut own = self.scenarios[number].bound();
            own.any(|(variable, value)| *variable == bound.variable && bound.is(value))
        };
        self.cells(&place.name).filter(|number| place.step.iter().all(|bound| has(*number, bound))).collect()
    }

    fn listed(&self, cells: &[usize]) -> String {
        let step = |number: &usize| {
            let view = &self.scenarios[*number];
            let grid = view.cell.as_ref().map_or("", |(grid, _)| grid.as_str());
            let values: Vec<String> = view.bound().map(|(name, value)| format!("{name}: {value}")).collect();
            format!("{grid}({})", values.join(", "))
        };
        let mut listed: Vec<String> = cells.iter().take(LISTED).map(step).collect();
        if cells.len() > LISTED {
            listed.push(format!("and {} more", cells.len() - LISTED));
        }
        listed.join("; ")
    }
}

impl ScenarioView {
    /// The variables of its grid with its values; none where it is not a step of one.
    fn bound(&self) -> impl Iterator<Item = &(String, String)> {
        self.cell.iter().flat_map(|(_, values)| values)
    }
}

impl Bound {
    /// Whether a variable's value is meant: the same text, or the same quantity however it is written.
    fn is(&self, value: &str) -> bool {
        let same = |quantity: &Quantity| Quantity::parse(value).is_ok_and(|value| value == *quantity);
        self.value == value || self.quantity.as_ref().is_some_and(same)
    }
}
