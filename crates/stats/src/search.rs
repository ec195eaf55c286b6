//! The search for the highest load that holds, as a state machine without a clock. Page:
//! `docs/methods/capacity-search.md`.

/// How the next load lies between two bounds, and when they are close enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spacing {
    /// Halve the distance; done at a distance of `width` or less, in the load's unit, above 0.
    Arithmetic { width: f64 },
    /// Halve the ratio; done at a ratio of `1 + width` or less; `width` above 0, for example 0.02. Needs a lower end
    /// above 0.
    Geometric {
        /// The relative distance.
        width: f64,
    },
}

/// The search's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchRule {
    /// The lowest load of interest.
    pub from: f64,
    /// The highest load of interest, above `from`.
    pub to: f64,
    /// Spacing and width.
    pub spacing: Spacing,
    /// Loads are multiples of it, as users are of 1, but for the ends of the range; 0: any number is a load.
    pub grain: f64,
    /// Trials that must pass for a load to hold, at least 1.
    pub passes: u32,
    /// Trials at a load at most, at least `passes`.
    pub trials: u32,
    /// Whether the load found must hold once more in a long confirming trial.
    pub confirm: bool,
    /// Trials in all, at most; void ones included.
    pub most: u32,
}

/// Why a rule is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// The ends are not numbers, or not in order.
    #[error("`from` must lie below `to`, and both must be numbers of 0 or more")]
    Ends,
    /// The grain is negative or not a number.
    #[error("the grain must be 0 or more")]
    Grain,
    /// The width is not above 0.
    #[error("the width must be above 0")]
    Width,
    /// A geometric search from 0 never leaves 0.
    #[error("a geometric search needs a `from` above 0")]
    GeometricFromZero,
    /// More passes than trials, or none.
    #[error("`passes` must be 1 or more and at most `trials`")]
    Passes,
}

/// How a trial ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialOutcome {
    /// Requirements met, errors within the goal, no growing backlog, generator clean.
    Passed,
    /// The system did not keep up.
    Failed,
    /// The generator or the environment spoiled it; it says nothing about the load.
    Void,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NextTrial {
    /// Run a trial at this load.
    Try {
        load: f64,
        /// Trials that counted at this load, from 1.
        attempt: u32,
    },
    /// Run the long trial at the load found.
    Confirm { load: f64 },
    /// The search is over.
    Done(Bracket),
}

/// The result: between the two loads lies the capacity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bracket {
    /// The highest load that held below all that did not; `None`: not even the lowest load did.
    pub held: Option<f64>,
    /// The lowest load that did not hold; `None`: nothing failed, `held` is a lower bound.
    pub failed: Option<f64>,
    /// Why it ended.
    pub end: SearchEnd,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchEnd {
    /// The bounds are as close as asked, or an end of the range answered.
    Found,
    /// Trials at one load were void again and again: the generator is the limit.
    Generator,
    /// The bound on trials was reached.
    TrialsUsedUp,
}

/// Void trials at one load before the search gives up.
pub const MOST_VOID: u32 = 3;
/// Trials in all that no search exceeds; a bisection to 2 % of a range over nine powers of ten needs 11 loads.
pub const MOST_TRIALS: u32 = 200;

/// The search: ask [`Search::next`], run that trial, tell [`Search::observe`], until it is done.
///
/// Bisection between a load that held and one that did not. A load holds when `passes` of at most `trials` trials pass,
/// and fails as soon as that cannot be reached any more. The ends of the range are tried only when the search runs into
/// them. With `confirm`, the load found must pass once more; if it does not, it is the new upper bound and the search
/// goes on below.
#[derive(Clone, Debug)]
pub struct Search {
    rule: SearchRule,
    /// Loads that held, ascending.
    held: Vec<f64>,
    failed: Option<f64>,
    passed_here: u32,
    failed_here: u32,
    void_here: u32,
    trials: u32,
    next: NextTrial,
}

impl Search {
    /// A search that has tried nothing yet.
    ///
    /// # Errors
    /// [`RuleError`].
    /// Source: RFC 9971 (MLRsearch), 2026, for bounds and conditions; RFC 2544 section 26.1 for the bisection.
    pub fn new(rule: SearchRule) -> Result<Self, RuleError> {
        if !rule.from.is_finite() || !rule.to.is_finite() || rule.from < 0.0 || rule.from >= rule.to {
            return Err(RuleError::Ends);
        }
        let (Spacing::Arithmetic { width } | Spacing::Geometric { width }) = rule.spacing;
        if !width.is_finite() || width <= 0.0 {
            return Err(RuleError::Width);
        }
        if !rule.grain.is_finite() || rule.grain < 0.0 {
            return Err(RuleError::Grain);
        }
        if matches!(rule.spacing, Spacing::Geometric { .. }) && rule.from <= 0.0 {
            return Err(RuleError::GeometricFromZero);
        }
        if rule.passes == 0 || rule.passes > rule.trials {
            return Err(RuleError::Passes);
        }
        let mut search = Search {
            rule,
            held: Vec::new(),
            failed: None,
            passed_here: 0,
            failed_here: 0,
            void_here: 0,
            trials: 0,
            next: NextTrial::Try { load: rule.from, attempt: 1 },
        };
        search.next = search.choose();
        Ok(search)
    }

    /// The trial to run now, or the result.
    #[must_use]
    pub fn next(&self) -> NextTrial {
        self.next
    }

    /// Trials that were told, void ones included.
    #[must_use]
    pub fn trials(&self) -> u32 {
        self.trials
    }

    /// Takes the outcome of the trial that [`Search::next`] asked for. Does nothing once the search is done.
    pub fn observe(&mut self, outcome: TrialOutcome) {
        let (NextTrial::Try { load, .. } | NextTrial::Confirm { load }) = self.next else { return };
        self.trials += 1;
        match outcome {
            TrialOutcome::Passed => self.passed_here += 1,
            TrialOutcome::Failed => self.failed_here += 1,
            TrialOutcome::Void => self.void_here += 1,
        }
        if self.void_here >= MOST_VOID {
            self.next = NextTrial::Done(self.ended(SearchEnd::Generator));
            return;
        }
        if matches!(self.next, NextTrial::Confirm { .. }) {
            self.confirmed(load, outcome);
        } else {
            self.tried(load);
        }
        let is_done = matches!(self.next, NextTrial::Done(_));
        if !is_done && self.trials >= self.rule.most.clamp(1, MOST_TRIALS) {
            self.next = NextTrial::Done(self.ended(SearchEnd::TrialsUsedUp));
        }
    }

    fn confirmed(&mut self, load: f64, outcome: TrialOutcome) {
        match outcome {
            TrialOutcome::Passed => self.next = NextTrial::Done(self.ended(SearchEnd::Found)),
            TrialOutcome::Failed => {
                self.fail(load);
                self.forget_here();
                self.next = self.choose();
            }
            TrialOutcome::Void => {}
        }
    }

    fn tried(&mut self, load: f64) {
        let spare = self.rule.trials - self.rule.passes;
        if self.passed_here >= self.rule.passes {
            self.held.push(load);
        } else if self.failed_here > spare {
            self.fail(load);
        } else {
            self.next = NextTrial::Try { load, attempt: 1 + self.passed_here + self.failed_here };
            return;
        }
        self.forget_here();
        self.next = self.choose();
    }

    fn fail(&mut self, load: f64) {
        self.failed = Some(self.failed.map_or(load, |failed| failed.min(load)));
        self.held.retain(|&held| held < load);
    }

    fn forget_here(&mut self) {
        (self.passed_here, self.failed_here, self.void_here) = (0, 0, 0);
    }

    /// The highest load that held; bisection pushes them in ascending order.
    fn highest_held(&self) -> Option<f64> {
        self.held.iter().copied().max_by(f64::total_cmp)
    }

    fn ended(&self, end: SearchEnd) -> Bracket {
        Bracket { held: self.highest_held(), failed: self.failed, end }
    }

    /// Between which loads the capacity lies, as far as it has come.
    #[must_use]
    pub fn bracket(&self) -> Bracket {
        if let NextTrial::Done(bracket) = self.next { bracket } else { self.ended(SearchEnd::TrialsUsedUp) }
    }

    /// The nearest load that there is.
    fn rounded(&self, load: f64) -> f64 {
        let grain = self.rule.grain;
        if grain <= 0.0 {
            return load;
        }
        // A grain of a tenth is divided by, not multiplied with: 567 / 10 is the number that is written 56.7.
        let parts = (1.0 / grain).round();
        if grain < 1.0 && (parts * grain - 1.0).abs() < 1e-9 {
            (load * parts).round() / parts
        } else {
            (load / grain).round() * grain
        }
    }

    fn choose(&self) -> NextTrial {
        let low = self.highest_held().unwrap_or(self.rule.from);
        let high = self.failed.unwrap_or(self.rule.to);
        let (middle, is_close) = match self.rule.spacing {
            Spacing::Arithmetic { width } => (low + (high - low) / 2.0, high - low <= width),
            Spacing::Geometric { width } => (low * (high / low).sqrt(), high / low <= 1.0 + width),
        };
        let middle = self.rounded(middle);
        // Two neighbouring loads have none between them; a width below that is a width of that.
        if !is_close && low < middle && middle < high {
            return NextTrial::Try { load: middle, attempt: 1 };
        }
        if self.failed.is_none() && !self.held.contains(&self.rule.to) {
            return NextTrial::Try { load: self.rule.to, attempt: 1 };
        }
        if self.held.is_empty() {
            // Not even the lowest: `failed` is then `from` itself.
            if self.failed == Some(self.rule.from) {
                return NextTrial::Done(self.ended(SearchEnd::Found));
            }
            return NextTrial::Try { load: self.rule.from, attempt: 1 };
        }
        if self.rule.confirm {
            return NextTrial::Confirm { load: low };
        }
        NextTrial::Done(self.ended(SearchEnd::Found))
    }
}
