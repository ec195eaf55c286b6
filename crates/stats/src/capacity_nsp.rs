//! The step rule of the NSP performance tests as a state machine without a clock. Page: `docs/methods/capacity.md`.

/// A load of the rule: `threads` on each of `nodes` load generators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NspLoad {
    /// Virtual users on each node, at least 1.
    pub threads: u32,
    /// Load generators, at least 1.
    pub nodes: u32,
}

impl NspLoad {
    /// Virtual users in all.
    #[must_use]
    pub fn users(self) -> u64 {
        u64::from(self.threads) * u64::from(self.nodes)
    }
}

/// The rule's parameters. The published studies: first 5 x 2, raise 3 threads then 1 node, target 60 %.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NspRule {
    /// The first load.
    pub first: NspLoad,
    /// Threads added at each step of the first phase; at least 1.
    pub raise_threads: u32,
    /// Nodes added at each step of the second phase; at least 1.
    pub raise_nodes: u32,
    /// The share of the users' growth that throughput must show, in percent.
    pub target_percent: u32,
    /// The bounds: no load has more threads or more nodes.
    pub most: NspLoad,
}

/// A step as it was rated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NspStep {
    /// The load that ran.
    pub load: NspLoad,
    /// Calls that succeeded a second.
    pub throughput_per_s: f64,
    /// The step rated against, counted from 0: the best so far. `None` for the first.
    pub reference: Option<usize>,
    /// Growth of the throughput in whole percent, cut towards zero. `None` for the first step.
    pub actual_percent: Option<i64>,
    /// Growth asked for in whole percent, cut twice. `None` for the first step.
    pub target_percent: Option<i64>,
    /// Growth of the throughput in percent as computed.
    pub actual_exact: Option<f64>,
    /// Growth asked for in percent as computed.
    pub target_exact: Option<f64>,
    /// Whether the target was met; the first step has none to miss.
    pub is_met: bool,
    /// Whether the step may be a reference or the result; a degraded one may not.
    pub is_eligible: bool,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NspNext {
    /// Run this load.
    Run(NspLoad),
    /// The search is over.
    End(NspEnd),
}

/// Why the search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NspEnd {
    /// More nodes no longer gave the throughput asked for: the maximum was found.
    TargetMissed,
    /// The bounds were reached before a miss: the best throughput is a lower bound.
    MostReached,
    /// A load had to be stopped before its end, and there is no other to go on with.
    Stopped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Threads,
    Nodes,
}

/// The search: ask [`NspSearch::next`], run that load, tell [`NspSearch::observe`], until the end.
///
/// Every step is rated against the *best* step so far, not the one before. Phase one raises threads while the target is
/// met; the first miss goes back to the best step's threads and raises nodes, until a miss or until no nodes are left.
/// The rule reproduces the three step sequences and all 19 printed pairs of the published MinLog2 report.
#[derive(Clone, Debug)]
pub struct NspSearch {
    rule: NspRule,
    steps: Vec<NspStep>,
    best: Option<usize>,
    phase: Phase,
    next: NspNext,
}

impl NspSearch {
    /// A search that has run nothing yet. Zeros in the rule count as 1, so that every search ends.
    #[must_use]
    pub fn new(rule: NspRule) -> Self {
        let first = NspLoad { threads: rule.first.threads.max(1), nodes: rule.first.nodes.max(1) };
        let rule =
            NspRule { first, raise_threads: rule.raise_threads.max(1), raise_nodes: rule.raise_nodes.max(1), ..rule };
        NspSearch { rule, steps: Vec::new(), best: None, phase: Phase::Threads, next: NspNext::Run(first) }
    }

    /// The load to run now, or why there is none.
    #[must_use]
    pub fn next(&self) -> NspNext {
        self.next
    }

    /// The steps that were run, in order.
    #[must_use]
    pub fn steps(&self) -> &[NspStep] {
        &self.steps
    }

    /// The step with the highest throughput among the eligible, the result of the search; counted from 0.
    #[must_use]
    pub fn best(&self) -> Option<usize> {
        self.best
    }

    /// Takes the throughput of the load that [`NspSearch::next`] asked for, and rates it.
    ///
    /// `throughput_per_s` a finite number, 0 or more (anything else counts as 0). `is_eligible` is false for a degraded
    /// step (a replica lost or restarted, a generator at its limit): it is rated, but never becomes the reference.
    /// Does nothing once the search has ended.
    pub fn observe(&mut self, throughput_per_s: f64, is_eligible: bool) {
        let NspNext::Run(load) = self.next else { return };
        let throughput_per_s = if throughput_per_s.is_finite() { throughput_per_s.max(0.0) } else { 0.0 };
        let step = self.rate(load, throughput_per_s, is_eligible);
        self.steps.push(step);
        let is_better = |best: usize| throughput_per_s > self.steps[best].throughput_per_s;
        if is_eligible && self.best.is_none_or(is_better) {
            self.best = Some(self.steps.len() - 1);
        }
        self.next = self.decide(load, step.is_met);
    }

    /// Takes that the load that [`NspSearch::next`] asked for had to be stopped before its end: it is too much, whatever its
    /// throughput was until then. It misses its target and never becomes the reference; the search goes on as behind any
    /// miss, unless nothing has held before.
    ///
    /// `throughput_per_s` as of [`NspSearch::observe`].
    pub fn observe_stopped(&mut self, throughput_per_s: f64) {
        let NspNext::Run(load) = self.next else { return };
        let throughput_per_s = if throughput_per_s.is_finite() { throughput_per_s.max(0.0) } else { 0.0 };
        let step = NspStep { is_met: false, ..self.rate(load, throughput_per_s, false) };
        self.steps.push(step);
        let is_over = self.phase == Phase::Nodes || self.best.is_none();
        self.next = if is_over { NspNext::End(NspEnd::Stopped) } else { self.decide(load, false) };
    }

    fn rate(&self, load: NspLoad, throughput_per_s: f64, is_eligible: bool) -> NspStep {
        let mut step = NspStep {
            load,
            throughput_per_s,
            reference: self.best,
            actual_percent: None,
            target_percent: None,
            actual_exact: None,
            target_exact: None,
            is_met: true,
            is_eligible,
        };
        if let Some(best) = self.best {
            let base = self.steps[best];
            let (users, base_users) = (load.users() as f64, base.load.users() as f64);
            let target = target_percent(load.users(), base.load.users(), self.rule.target_percent);
            let actual = actual_percent(throughput_per_s, base.throughput_per_s);
            step.target_percent = Some(target);
            step.target_exact = Some(f64::from(self.rule.target_percent) * (users / base_users - 1.0));
            step.actual_percent = actual;
            step.actual_exact = actual.map(|_| 100.0 * (throughput_per_s / base.throughput_per_s - 1.0));
            // From nothing, anything is growth.
            step.is_met = actual.map_or(throughput_per_s > 0.0, |actual| actual >= target);
        }
        step
    }

    fn decide(&mut self, load: NspLoad, is_met: bool) -> NspNext {
        let more_threads = NspLoad { threads: load.threads.saturating_add(self.rule.raise_threads), ..load };
        if self.phase == Phase::Threads && is_met && more_threads.threads <= self.rule.most.threads {
            return NspNext::Run(more_threads);
        }
        if self.phase == Phase::Nodes && !is_met {
            return NspNext::End(NspEnd::TargetMissed);
        }
        let base = match self.phase {
            Phase::Nodes => load,
            // Back to the best step, or to the first where every step was degraded.
            Phase::Threads => self.best.map_or(self.rule.first, |best| self.steps[best].load),
        };
        self.phase = Phase::Nodes;
        let nodes = base.nodes.saturating_add(self.rule.raise_nodes);
        if nodes > self.rule.most.nodes {
            return NspNext::End(NspEnd::MostReached);
        }
        NspNext::Run(NspLoad { threads: base.threads, nodes })
    }
}

/// Growth in users that throughput must show, cut to whole percent twice: `trunc(p/100 · trunc(100·(U - Ub)/Ub))`.
///
/// `users`, `base_users`: virtual users, the second above 0 (0 gives 0). 24 against 18 users and 60 %: 33 % growth, 19 %
/// asked for, not 20.
#[must_use]
pub fn target_percent(users: u64, base_users: u64, target: u32) -> i64 {
    if base_users == 0 {
        return 0;
    }
    let growth = 100 * (i128::from(users) - i128::from(base_users)) / i128::from(base_users);
    i64::try_from(i128::from(target) * growth / 100).unwrap_or(i64::MAX)
}

/// Growth of the throughput in whole percent, cut towards zero: -12.7 becomes -12. `None` when the base is not above 0.
#[must_use]
pub fn actual_percent(throughput: f64, base: f64) -> Option<i64> {
    /// Printed decimals are not exact binary numbers: 1.15 against 1 gives 14.999999999999991 and means 15.
    const NUDGE: f64 = 1e-9;
    if !(base > 0.0 && base.is_finite() && throughput.is_finite()) {
        return None;
    }
    let growth = 100.0 * (throughput - base) / base;
    Some((growth + NUDGE.copysign(growth)).trunc() as i64)
}
