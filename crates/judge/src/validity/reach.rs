//! What a disturbance can reach: which figures it can have changed, and in which direction.
//!
//! A late generator makes times longer, never shorter: what kept a ceiling all the same keeps it without the lateness,
//! too. So a check that fails does not void every verdict, but those that it can have turned.

/// What a figure is about, as far as disturbances tell figures apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Figure {
    /// From the intended start to the answer.
    Response,
    /// From the start as it was to the answer.
    Service,
    /// The share of calls that failed, or ended in one of the ways of failing.
    Failures,
    /// How many calls ended in some way; the greatest and the least of counts.
    Count,
    /// Calls a second.
    Throughput,
    /// Processor time of the whole machine.
    Machine,
    /// Any other watched value.
    Watched,
    /// Counts laid side by side: what was sent, stored and received.
    Reconciled,
    /// The same with what was planned among them.
    ReconciledPlan,
    /// The course of a figure over time, its change between scenarios, and whatever stands nowhere else.
    Other,
    /// Whether an instance lives and is the one meant.
    Alive,
}

/// Every figure, in the order of the guide.
pub const FIGURES: [Figure; 11] = [
    Figure::Response,
    Figure::Service,
    Figure::Failures,
    Figure::Count,
    Figure::Throughput,
    Figure::Machine,
    Figure::Watched,
    Figure::Reconciled,
    Figure::ReconciledPlan,
    Figure::Other,
    Figure::Alive,
];

/// How a disturbance can have moved what was measured, away from what would have been measured without it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moves {
    /// It can be more than it would have been.
    pub raised: bool,
    /// It can be less.
    pub lowered: bool,
}

impl Moves {
    /// Untouched.
    pub const NONE: Self = Self { raised: false, lowered: false };
    /// Never less than it would have been.
    pub const RAISED: Self = Self { raised: true, lowered: false };
    /// Never more.
    pub const LOWERED: Self = Self { raised: false, lowered: true };
    /// Nobody knows in which direction.
    pub const EITHER: Self = Self { raised: true, lowered: true };

    /// Of what grows as this shrinks.
    #[must_use]
    pub fn turned(self) -> Self {
        Self { raised: self.lowered, lowered: self.raised }
    }

    /// Of what either of the two moves.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { raised: self.raised || other.raised, lowered: self.lowered || other.lowered }
    }

    /// Name in `result.json` and in messages.
    pub fn name(self) -> &'static str {
        match (self.raised, self.lowered) {
            (false, false) => "none",
            (true, false) => "raised",
            (false, true) => "lowered",
            (true, true) => "either",
        }
    }
}

/// How a check that fails can have moved a figure. A check that stands nowhere here can have done anything.
pub fn reach(check: &str, figure: Figure) -> Moves {
    match check {
        // They say something and spoil nothing: `rate` explains what another check found.
        "killed" | "open_iterations" | "rate" => Moves::NONE,
        // After these not even what was recorded can be relied on.
        "altered_evidence" | "evidence_lost" | "torn_evidence" | "unsound_rows" => Moves::EITHER,
        // The load itself was recorded by those who drove it.
        "unwatched" | "node_unwatched" => {
            use Figure::{Count, Failures, Response, Service, Throughput};
            unless(figure, &[Response, Service, Failures, Count, Throughput])
        }
        // How the generator fared is not known: it can have made times longer, and the load less. Nobody asked who answered.
        "imported" => foreign_tool(figure),
        // The load has its own clock; what was watched may belong to other moments.
        "approximate" => {
            use Figure::{Machine, Other, Watched};
            if matches!(figure, Machine | Watched | Other) { Moves::EITHER } else { Moves::NONE }
        }
        // It may have died because its parent did, and not under the load.
        "orphaned" => Moves::EITHER,
        // What is not known to be the one meant can look alive; what is known to have died has died.
        "identity" | "unanswered" if figure == Figure::Alive => Moves::RAISED,
        _ if figure == Figure::Alive => Moves::NONE,
        "lateness" => late(figure),
        "run_queue" => starved(figure),
        "steal" => starved(figure),
        "foreign" => foreign(figure),
        "overloaded" => overloaded(figure),
        "cores_full" => full(figure),
        "lost_starts" => lost(figure),
        "resources" => unless(figure, &[Figure::Reconciled]),
        "clock_step" => unless(
            figure,
            &[Figure::Failures, Figure::Count, Figure::Throughput, Figure::Reconciled, Figure::ReconciledPlan],
        ),
        // What was in them nobody knows; what was watched has files of its own.
        "unreadable" | "broken_off" => unless(figure, &[Figure::Machine, Figure::Watched]),
        // What no file tells is counted as a success.
        "failures_unknown" => untold_failures(figure),
        // Of the monitor whose file it is: what rests on another is spared before this is asked.
        "unreadable_samples" if matches!(figure, Figure::Machine | Figure::Watched) => Moves::EITHER,
        "unreadable_samples" => Moves::NONE,
        "instance_lost" | "unanswered" => unless(figure, &[Figure::Reconciled, Figure::ReconciledPlan]),
        _ => Moves::EITHER,
    }
}

fn unless(figure: Figure, untouched: &[Figure]) -> Moves {
    if untouched.contains(&figure) { Moves::NONE } else { Moves::EITHER }
}

/// Calls that started late took longer from their intended start. Where they start in a bunch, those behind wait longer
/// and those that are alone wait less, so times from the start as it was can go either way; so can what is watched.
fn late(figure: Figure) -> Moves {
    match figure {
        Figure::Response | Figure::Failures => Moves::RAISED,
        Figure::Throughput => Moves::LOWERED,
        Figure::Count | Figure::Reconciled | Figure::ReconciledPlan => Moves::NONE,
        _ => Moves::EITHER,
    }
}

/// A generator that waits for a processor starts late and reads answers late.
fn starved(figure: Figure) -> Moves {
    if figure == Figure::Service { Moves::RAISED } else { late(figure) }
}

/// Other programs on the processors slow down the system and the generator, and use the machine themselves.
fn foreign(figure: Figure) -> Moves {
    if figure == Figure::Machine { Moves::RAISED } else { starved(figure) }
}

/// Arrivals waited for a connection because the generator did not free one in time; what waited reached the system
/// later, and less of it.
fn overloaded(figure: Figure) -> Moves {
    if figure == Figure::Failures { Moves::EITHER } else { late(figure) }
}

/// Users of a closed load whose generator had no time left asked for less than they could have: throughput, and what is
/// counted of it, is a lower bound. Times hold the generator's own work, and lack the load that was not made.
fn full(figure: Figure) -> Moves {
    match figure {
        Figure::Throughput | Figure::Count | Figure::Machine => Moves::LOWERED,
        Figure::Reconciled | Figure::ReconciledPlan => Moves::NONE,
        _ => Moves::EITHER,
    }
}

/// The load of another tool, of whose own state nothing was recorded.
fn foreign_tool(figure: Figure) -> Moves {
    use Figure::{Alive, Failures, Other, ReconciledPlan, Response, Service, Throughput};
    match figure {
        Response | Service | Failures | Alive => Moves::RAISED,
        Throughput => Moves::LOWERED,
        ReconciledPlan | Other => Moves::EITHER,
        _ => Moves::NONE,
    }
}

/// Calls that failed count among those that succeeded; how long each took is known all the same.
fn untold_failures(figure: Figure) -> Moves {
    match figure {
        Figure::Failures => Moves::LOWERED,
        Figure::Throughput => Moves::RAISED,
        Figure::Count | Figure::Reconciled | Figure::ReconciledPlan | Figure::Other => Moves::EITHER,
        _ => Moves::NONE,
    }
}

/// Starts that the generator lost never reached the system: under the load that was planned it is at least as slow, and
/// at least as many fail.
fn lost(figure: Figure) -> Moves {
    use Figure::{Count, Failures, Machine, Response, Service, Throughput};
    match figure {
        Response | Service | Failures | Count | Throughput | Machine => Moves::LOWERED,
        Figure::Reconciled => Moves::NONE,
        _ => Moves::EITHER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::SIGNS;

    /// Every cell by hand: `·` untouched, `↑` never too low, `↓` never too high, `↕` either.
    const TABLE: &str = "
        check             response service failures count throughput machine watched reconciled plan other alive
        altered_evidence  ↕        ↕       ↕        ↕     ↕          ↕       ↕       ↕          ↕    ↕     ↕
        approximate       ·        ·       ·        ·     ·          ↕       ↕       ·          ·    ↕     ·
        books             ↕        ↕       ↕        ↕     ↕          ↕       ↕       ↕          ↕    ↕     ·
        broken_off        ↕        ↕       ↕        ↕     ↕          ·       ·       ↕          ↕    ↕     ·
        clock_step        ↕        ↕       ·        ·     ·          ↕       ↕       ·          ·    ↕     ·
        cores_full        ↕        ↕       ↕        ↓     ↓          ↓       ↕       ·          ·    ↕     ·
        evidence_lost     ↕        ↕       ↕        ↕     ↕          ↕       ↕       ↕          ↕    ↕     ↕
        failures_unknown  ·        ·       ↓        ↕     ↑          ·       ·       ↕          ↕    ↕     ·
        foreign           ↑        ↑       ↑        ·     ↓          ↑       ↕       ·          ·    ↕     ·
        identity          ↕        ↕       ↕        ↕     ↕          ↕       ↕       ↕          ↕    ↕     ↑
        imported          ↑        ↑       ↑        ·     ↓          ·       ·       ·          ↕    ↕     ↑
        instance_lost     ↕        ↕       ↕        ↕     ↕          ↕       ↕       ·          ·    ↕     ·
        killed            ·        ·       ·        ·     ·          ·       ·       ·          ·    ·     ·
        lateness          ↑        ↕       ↑        ·     ↓          ↕       ↕       ·          ·    ↕     ·
        little            ↕        ↕       ↕        ↕     ↕          ↕       ↕       ↕          ↕    ↕     ·
        lost_starts       ↓        ↓       ↓        ↓     ↓          ↓       ↕       ·          ↕    ↕     ·
        node_lost         ↕        ↕       ↕        ↕     ↕          ↕       ↕       ↕          ↕    ↕     ·
        node_unwatched    ·        ·       ·        ·     ·          ↕       ↕       ↕          ↕    ↕     ↕
        open_iterations   ·        ·       ·        ·     ·          ·       ·       ·          ·    ·     ·
        orphaned          ↕        ↕       ↕        ↕     ↕          ↕       ↕       ↕          ↕    ↕     ↕
        overloaded        ↑        ↕       ↕        ·     ↓          ↕       ↕       ·          ·    ↕     ·
        rate              ·        ·       ·        ·     ·          ·       ·       ·          ·    ·     ·
        resources         ↕        ↕       ↕        ↕     ↕          ↕       ↕       ·          ↕    ↕     ·
        run_queue         ↑        ↑       ↑        ·     ↓          ↕       ↕       ·          ·    ↕     ·
        steal             ↑        ↑       ↑        ·     ↓          ↕       ↕       ·          ·    ↕     ·
        study_faults      ↕        ↕       ↕        ↕     ↕          ↕       ↕       ↕          ↕    ↕     ·
        torn_evidence     ↕        ↕       ↕        ↕     ↕          ↕       ↕       ↕          ↕    ↕     ↕
        unanswered        ↕        ↕       ↕        ↕     ↕          ↕       ↕       ·          ·    ↕     ↑
        unreadable        ↕        ↕       ↕        ↕     ↕          ·       ·       ↕          ↕    ↕     ·
        unreadable_samples ·       ·       ·        ·     ·          ↕       ↕       ·          ·    ·     ·
        unsound_rows      ↕        ↕       ↕        ↕     ↕          ↕       ↕       ↕          ↕    ↕     ↕
        unwatched         ·        ·       ·        ·     ·          ↕       ↕       ↕          ↕    ↕     ↕
    ";

    #[test]
    fn each_check_reaches_what_the_table_says() {
        let rows: Vec<Vec<&str>> = TABLE.trim().lines().skip(1).map(|line| line.split_whitespace().collect()).collect();
        let checks: Vec<&str> = rows.iter().map(|row| row[0]).collect();
        assert_eq!(checks, SIGNS.iter().map(|(code, _)| *code).collect::<Vec<_>>());
        for row in rows {
            assert_eq!(row.len(), FIGURES.len() + 1, "{row:?}");
            for (figure, cell) in FIGURES.into_iter().zip(&row[1..]) {
                let expected = match *cell {
                    "↑" => Moves::RAISED,
                    "↓" => Moves::LOWERED,
                    "↕" => Moves::EITHER,
                    _ => Moves::NONE,
                };
                assert_eq!(reach(row[0], figure), expected, "{} of {figure:?}", row[0]);
            }
        }
    }

    #[test]
    fn what_is_not_known_may_have_done_anything() {
        assert!(
            FIGURES.into_iter().filter(|figure| *figure != Figure::Alive).all(|it| reach("new", it) == Moves::EITHER)
        );
    }
}
