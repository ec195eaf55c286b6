//! The plan of a whole study: every scenario's phases, and the load of each.

mod rates;

pub(crate) use rates::segments;

use crate::shape::{LoadPlan, LoadStep, PartPlan, Plan, ScenarioPlan, Step, StreamsPlan};
use crate::{HeldPlan, Schedule, UserPlan};
use rates::{rated, staged, user_levels};
use std::collections::BTreeSet;
use study::{Extent, Item, Load, LoadPart, Model, Per, Profile, Scenario, Spacing, Study, UserStage, Wait};
use terms::{Nanos, Phase, seed};

/// Plans a checked study.
pub fn build(study: &Study) -> Plan {
    let mut plan = Plan { scenarios: Vec::new(), steps: Vec::new() };
    let repeats: Vec<u32> = study.scenarios.iter().map(|scenario| scenario.repeat).collect();
    for (number, repetition) in order(&repeats, study.repeat) {
        let scenario = &study.scenarios[number];
        let timeouts = scenario.parts.iter().map(|part| longest_iteration(study, &part.run));
        let timeout = timeouts.max().unwrap_or_default();
        let building = Building { plan: &mut plan, scenario, number: number as u16, repetition, part: None };
        let planned = building.build(study.seed, timeout);
        plan.scenarios.push(planned);
    }
    plan.keep_study_wide_once();
    plan
}

/// The numbers of the scenarios in the order in which they are carried out, with the time that each is, from 1: in rounds,
/// so that what drifts meets all of them alike, and all rounds as often as the order is.
fn order(repeats: &[u32], all: u32) -> Vec<(usize, u32)> {
    let rounds = repeats.iter().copied().max().unwrap_or(1);
    let round = |again: u32, round: u32| {
        let own = repeats.iter().enumerate().filter(move |(_, repeat)| round <= **repeat);
        own.map(move |(number, repeat)| (number, again * repeat + round))
    };
    (0..all).flat_map(|again| (1..=rounds).flat_map(move |number| round(again, number))).collect()
}

impl Plan {
    /// What is set up once for the whole study is set up where it is first wanted, and cleaned up where last.
    fn keep_study_wide_once(&mut self) {
        fn keep<'a>(lists: impl Iterator<Item = &'a mut Vec<(u16, Per)>>) {
            let mut done = BTreeSet::new();
            for list in lists {
                list.retain(|(exchange, per)| *per != Per::Study || done.insert(*exchange));
            }
        }
        keep(self.scenarios.iter_mut().flat_map(|scenario| &mut scenario.parts).map(|part| &mut part.set_up));
        let backwards = self.scenarios.iter_mut().rev().flat_map(|scenario| scenario.parts.iter_mut().rev());
        keep(backwards.map(|part| &mut part.clean_up));
    }
}

/// Until the last deadline of an iteration that starts at the last moment, and a second for what comes at it.
fn longest_iteration(study: &Study, items: &[Item]) -> Nanos {
    fn sum(study: &Study, items: &[Item]) -> Nanos {
        let timeout = |number: &u16| study.exchanges[usize::from(*number)].settings.timeout;
        items.iter().fold(Nanos::ZERO, |total, item| {
            total
                + match item {
                    Item::Exchange(number) => timeout(number),
                    // The last call begins once all connections have had theirs: none later than after the rounds before.
                    Item::Parallel(parallel) => {
                        let longest = parallel.calls.iter().map(timeout).max().unwrap_or_default();
                        longest * parallel.rounds() as i64
                    }
                    Item::Think(think) => think.most(),
                    Item::Choose(choices) => {
                        choices.iter().map(|choice| sum(study, &choice.run)).max().unwrap_or_default()
                    }
                    Item::If(_, then, otherwise) => sum(study, then).max(sum(study, otherwise)),
                    Item::Times(times, items) | Item::While(_, times, items) => sum(study, items) * i64::from(*times),
                    Item::ForEach(members, items) => sum(study, items) * i64::from(members.most),
                    Item::Transaction(_, items) => sum(study, items),
                }
        })
    }
    sum(study, items) + Nanos::SECOND
}

pub(crate) struct Building<'a> {
    pub(crate) plan: &'a mut Plan,
    pub(crate) scenario: &'a Scenario,
    number: u16,
    repetition: u32,
    /// The part in hand; `None` where the scenario is not a mix, and for phases that parts share.
    pub(crate) part: Option<u16>,
}

impl Building<'_> {
    fn build(mut self, study_seed: u64, timeout: Nanos) -> ScenarioPlan {
        let scenario = self.scenario;
        let first = self.plan.steps.len() as u32;
        let quiet = |length: Nanos| (length > Nanos::ZERO).then_some(length);
        // How long a wait takes that a rule may end is not planned.
        let planned = |wait, length| Some(length).filter(|_| !scenario.until.contains_key(&wait));
        let idle = quiet(scenario.idle)
            .map(|length| (self.step("idle".into(), Phase::Idle, planned(Wait::Idle, length)), length));
        let (parts, length) = match scenario.together() {
            Some(together) if scenario.is_mix() => self.mix(together, study_seed),
            _ => self.alone(study_seed),
        };
        let drain = self.step("drain".into(), Phase::Drain, None);
        let recovery = quiet(scenario.recovery)
            .map(|length| (self.step("recovery".into(), Phase::Recovery, planned(Wait::Recovery, length)), length));
        ScenarioPlan {
            number: self.number,
            repetition: self.repetition,
            name: scenario.name.clone(),
            steps: first..=self.plan.steps.len() as u32 - 1,
            idle,
            parts,
            length,
            at_most: scenario.parts.first().and_then(|part| part.load.at_most).filter(|_| length.is_none()),
            drain,
            drain_at_most: scenario.drain.unwrap_or(timeout),
            is_drain_automatic: scenario.drain.is_none(),
            recovery,
            gap: scenario.gap,
            until: scenario.until.keys().copied().collect(),
            variables: scenario.set.iter().cloned().collect(),
            nodes: scenario.parts.iter().filter_map(|part| part.load.nodes).max(),
        }
    }

    /// A scenario that is not a mix: its one load makes its phases.
    fn alone(&mut self, study_seed: u64) -> (Vec<PartPlan>, Option<Nanos>) {
        let seed = seed::hash(study_seed, 1 + u64::from(self.number));
        let scenario = self.scenario;
        let one = |part: &LoadPart| {
            let (load, load_steps, length) = match &part.load.model {
                Model::Arrivals { profile, spacing } => {
                    self.open(&part.load, profile, (*spacing == Spacing::Poisson).then_some(seed))
                }
                Model::Users { pacing, stages, .. } if !stages.is_empty() => self.staged(stages, *pacing),
                Model::Users { count, pacing, .. } => self.closed(&part.load, *count, *pacing),
                Model::Connections { count, .. } | Model::Subscribers { count, .. } => self.held(&part.load, *count),
            };
            (planned(part, load, load_steps, (seed, 0)), length)
        };
        let (parts, lengths): (Vec<_>, Vec<_>) = scenario.parts.iter().map(one).unzip();
        (parts, lengths.into_iter().next().flatten())
    }

    pub(crate) fn step(&mut self, id: String, phase: Phase, length: Option<Nanos>) -> u32 {
        self.plan.steps.push(Step {
            scenario: self.number,
            part: self.part,
            repetition: self.repetition,
            id,
            phase,
            length,
            at_most: None,
            offered: None,
            users: None,
            connections: None,
            iterations: None,
        });
        (self.plan.steps.len() - 1) as u32
    }

    /// Cuts the rate curve into named steps; the schedule runs through all of them.
    fn open(&mut self, load: &Load, profile: &Profile, poisson: Option<u64>) -> Shaped {
        let pieces = rated(load, profile);
        let segments = pieces.iter().map(|piece| piece.segment).collect();
        let schedule = poisson
            .map_or_else(|| Schedule::even(Vec::clone(&segments)), |seed| Schedule::poisson(segments.clone(), seed));
        let mut begins = Nanos::ZERO;
        let mut steps = Vec::new();
        for piece in &pieces {
            let number = self.step(piece.id.clone(), piece.phase, Some(piece.segment.length));
            let ends = begins + piece.segment.length;
            let starts = |offset| starts_until(&schedule, offset);
            let step = &mut self.plan.steps[number as usize];
            step.offered = Some((piece.segment.from, piece.segment.to));
            step.iterations = Some(starts(ends) - starts(begins));
            steps.push(LoadStep { step: number, from: Some(begins), from_count: None });
            begins = ends;
        }
        let length = schedule.length();
        (LoadPlan::Open { schedule, max_in_flight: load.max_in_flight }, steps, Some(length))
    }

    fn closed(&mut self, load: &Load, count: u32, pacing: Option<Nanos>) -> Shaped {
        let users = user_plan(load, count, &[]);
        let (over, by) = ramp_of(load);
        let mut begins = Nanos::ZERO;
        let mut steps = Vec::new();
        for (id, level, length) in user_levels(count, over, by, "users") {
            let number = self.step(id, Phase::Ramp, Some(length));
            self.plan.steps[number as usize].users = Some(level);
            steps.push(LoadStep { step: number, from: Some(begins), from_count: None });
            begins += length;
        }
        let mut counted = None;
        if let Some(warm_up) = load.warm_up {
            let length = if let Extent::Time(length) = warm_up { Some(length) } else { None };
            let number = self.step("warm_up".into(), Phase::WarmUp, length);
            self.plan.steps[number as usize].users = Some(count);
            steps.push(LoadStep { step: number, from: Some(begins), from_count: None });
            match warm_up {
                Extent::Time(length) => begins += length,
                Extent::Count(iterations) => {
                    self.plan.steps[number as usize].iterations = Some(iterations);
                    counted = Some(iterations);
                }
            }
        }
        let (length, iterations) = match load.hold {
            Extent::Time(length) => (Some(length), None),
            Extent::Count(iterations) => (None, Some(iterations)),
        };
        let number = self.step("hold".into(), Phase::Hold, length);
        self.plan.steps[number as usize].users = Some(count);
        self.plan.steps[number as usize].iterations = iterations;
        self.plan.steps[number as usize].at_most = load.at_most;
        steps.push(LoadStep { step: number, from: counted.is_none().then_some(begins), from_count: counted });
        let count = iterations.map(|iterations| iterations + counted.unwrap_or(0));
        (LoadPlan::Closed { users, pacing, count }, steps, length.map(|length| begins + length))
    }

    /// Connections that open over the ramp, and stay.
    fn held(&mut self, load: &Load, count: u32) -> Shaped {
        let (over, by) = ramp_of(load);
        let ramp = user_levels(count, over, by, "connections").into_iter();
        let mut phases: Vec<_> = ramp.map(|(id, level, length)| (id, Phase::Ramp, level, length)).collect();
        let time = |extent| if let Extent::Time(length) = extent { length } else { Nanos::ZERO };
        phases.extend(load.warm_up.map(|warm_up| ("warm_up".into(), Phase::WarmUp, count, time(warm_up))));
        phases.push(("hold".into(), Phase::Hold, count, time(load.hold)));
        let length = phases.iter().fold(Nanos::ZERO, |sum, (.., length)| sum + *length);
        let plan = held_plan(load, count, length);
        let mut begins = Nanos::ZERO;
        let mut steps = Vec::new();
        for (id, phase, _, length) in phases {
            let number = self.step(id, phase, Some(length));
            self.plan.steps[number as usize].holds_open(&plan, begins, begins + length);
            steps.push(LoadStep { step: number, from: Some(begins), from_count: None });
            begins += length;
        }
        (LoadPlan::Held(plan), steps, Some(length))
    }

    /// Users whose number changes: each stage is a step.
    fn staged(&mut self, stages: &[UserStage], pacing: Option<Nanos>) -> Shaped {
        let mut begins = Nanos::ZERO;
        let mut steps = Vec::new();
        for (id, phase, stage) in staged(stages) {
            let number = self.step(id, phase, Some(stage.length));
            self.plan.steps[number as usize].users = Some(stage.to);
            steps.push(LoadStep { step: number, from: Some(begins), from_count: None });
            begins += stage.length;
        }
        let users = UserPlan::stages(stages.to_vec());
        (LoadPlan::Closed { users, pacing, count: None }, steps, Some(begins))
    }
}

impl Step {
    /// Says what of a held load is in it, from one offset to another.
    pub(crate) fn holds_open(&mut self, plan: &HeldPlan, from: Nanos, to: Nanos) {
        let open = |offset: Nanos| if offset > Nanos::ZERO { plan.connections.at(offset - Nanos(1)) } else { 0 };
        let last = open(to);
        // A level is open in all of its step; a smooth ramp begins where the last step ended.
        let first = if plan.connections.at(from) == last { last } else { open(from) };
        self.connections = Some(last);
        self.offered = plan.every.map(|every| {
            let rate = |connections: u32| f64::from(connections) / every.as_secs_f64();
            (rate(first), rate(last))
        });
        self.iterations = Some(plan.due_until(to) - plan.due_until(from));
    }
}

/// When connections open, and what they send.
pub(crate) fn held_plan(load: &Load, count: u32, length: Nanos) -> HeldPlan {
    let (messages, in_step) = match load.model {
        Model::Connections { each, expected, .. } => (each.or(expected), false),
        Model::Subscribers { publish, .. } => (Some(publish), true),
        Model::Arrivals { .. } | Model::Users { .. } => (None, false),
    };
    let every = messages.map(|rate| Nanos::from_secs_f64(1.0 / rate.max(f64::MIN_POSITIVE)));
    HeldPlan { connections: user_plan(load, count, &[]), every, in_step, length }
}

/// A load, its steps, and its length unless it ends by count.
type Shaped = (LoadPlan, Vec<LoadStep>, Option<Nanos>);

pub(crate) fn planned(
    part: &LoadPart,
    load: LoadPlan,
    load_steps: Vec<LoadStep>,
    (seed, salt): (u64, u64),
) -> PartPlan {
    let is_poisson = matches!(part.load.model, Model::Arrivals { spacing: Spacing::Poisson, .. });
    let streams = part.load.streams.map(|streams| StreamsPlan {
        table: streams.data,
        count: streams.count,
        seed: is_poisson.then(|| seed::hash(seed, 0x57E4)),
    });
    PartPlan {
        name: part.name.clone(),
        after: part.after,
        load,
        load_steps,
        run: part.run.clone(),
        set_up: part.set_up.clone(),
        clean_up: part.clean_up.clone(),
        salt,
        streams,
    }
}

pub(crate) fn user_plan(load: &Load, count: u32, stages: &[UserStage]) -> UserPlan {
    if !stages.is_empty() {
        return UserPlan::stages(stages.to_vec());
    }
    let (over, by) = ramp_of(load);
    UserPlan::ramp(count, over, by)
}

/// Length of a ramp of users, and its levels.
fn ramp_of(load: &Load) -> (Nanos, Option<u32>) {
    let over = load.ramp.map_or(Nanos::ZERO, |ramp| ramp.over);
    (over, load.ramp.and_then(|ramp| ramp.by).map(|by| by.max(1.0) as u32))
}

/// How many starts lie before an offset.
pub(crate) fn starts_until(schedule: &Schedule, offset: Nanos) -> u64 {
    (schedule.area_until(offset) - 1e-6).ceil().max(0.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use recorder::NO_STREAM;
    use std::collections::BTreeMap;

    fn load(model: Model) -> Load {
        Load {
            model,
            ramp: None,
            warm_up: None,
            hold: Extent::Time(Nanos::from_secs(60)),
            at_most: None,
            max_in_flight: None,
            streams: None,
            nodes: None,
        }
    }

    fn scenario(load: Load) -> Scenario {
        Scenario {
            name: "nominal".into(),
            place: contract::Place::default(),
            set: Vec::new(),
            cell: None,
            point: None,
            repeat: 1,
            parts: vec![LoadPart {
                name: String::new(),
                set: Vec::new(),
                load,
                run: Vec::new(),
                carries: Vec::new(),
                set_up: Vec::new(),
                clean_up: Vec::new(),
                after: Nanos::ZERO,
                abort: Vec::new(),
            }],
            idle: Nanos::ZERO,
            drain: None,
            recovery: Nanos::from_secs(5),
            gap: Nanos::ZERO,
            until: BTreeMap::new(),
            abort: Vec::new(),
            only_if: None,
            is_whole: false,
        }
    }

    fn built(load: Load) -> (ScenarioPlan, Vec<Step>) {
        let scenario = scenario(load);
        let mut plan = Plan { scenarios: Vec::new(), steps: Vec::new() };
        let building = Building { plan: &mut plan, scenario: &scenario, number: 0, repetition: 1, part: None };
        let built = building.build(1, Nanos::from_secs(31));
        (built, plan.steps)
    }

    #[test]
    fn stepped_ramps_stand_below_the_hold() {
        let arrivals = Model::Arrivals { profile: Profile::Constant(200.0), spacing: Spacing::Even };
        let mut shape = load(arrivals);
        shape.ramp = Some(study::Ramp { over: Nanos::from_secs(60), by: Some(50.0) });
        let (plan, steps) = built(shape.clone());
        let seen: Vec<_> = steps.iter().map(|step| (step.id.as_str(), step.length, step.iterations)).collect();
        let twenty = Some(Nanos::from_secs(20));
        let expected = [
            ("ramp 50/s", twenty, Some(1000)),
            ("ramp 100/s", twenty, Some(2000)),
            ("ramp 150/s", twenty, Some(3000)),
            ("hold", Some(Nanos::from_secs(60)), Some(12_000)),
            ("drain", None, None),
            ("recovery", Some(Nanos::from_secs(5)), None),
        ];
        assert_eq!(seen, expected);
        let LoadPlan::Open { schedule, .. } = &plan.parts[0].load else { panic!("an open load") };
        assert_eq!(schedule.count(), 18_000);
    }

    #[test]
    fn streams_take_turns_and_poisson_streams_are_drawn() {
        let arrivals = |spacing| Model::Arrivals { profile: Profile::Constant(200.0), spacing };
        let streams = Some(study::Streams { data: 3, count: 20 });
        let (plan, _) = built(Load { streams, ..load(arrivals(Spacing::Even)) });
        let turns: Vec<u16> = (0..41).map(|start| plan.parts[0].stream_of(start)).collect();
        assert_eq!((turns[0], turns[19], turns[20], turns[40]), (0, 19, 0, 0));
        // Start k is due at k / 200 s: stream i's first at i / (N · rate), and the next after 100 ms.
        let LoadPlan::Open { schedule, .. } = &plan.parts[0].load else { panic!("an open load") };
        assert_eq!(schedule.nth(7), Nanos::from_millis(35));
        assert_eq!(schedule.nth(27) - schedule.nth(7), Nanos::from_millis(100));
        let (plan, _) = built(Load { streams, ..load(arrivals(Spacing::Poisson)) });
        let mut counts = [0u32; 20];
        (0..20_000).for_each(|start| counts[usize::from(plan.parts[0].stream_of(start))] += 1);
        // 1000 expected each, standard deviation 31.
        assert!(counts.iter().all(|count| count.abs_diff(1000) < 155), "{counts:?}");
        let (plan, _) = built(load(arrivals(Spacing::Even)));
        assert_eq!(plan.parts[0].stream_of(5), NO_STREAM);
    }

    #[test]
    fn a_counted_hold_of_arrivals_is_as_long_as_its_rate_makes_it() {
        let arrivals = Model::Arrivals { profile: Profile::Constant(50.0), spacing: Spacing::Even };
        let (_, steps) = built(Load { hold: Extent::Count(1000), ..load(arrivals) });
        assert_eq!((steps[0].length, steps[0].iterations), (Some(Nanos::from_secs(20)), Some(1000)));
    }

    #[test]
    fn held_connections_open_over_the_ramp_and_each_step_knows_its_messages() {
        let held = |by| Load {
            ramp: Some(study::Ramp { over: Nanos::from_secs(4), by }),
            warm_up: Some(Extent::Time(Nanos::from_secs(2))),
            hold: Extent::Time(Nanos::from_secs(10)),
            ..load(Model::Connections { count: 4, each: Some(1.0), expected: None })
        };
        let (plan, steps) = built(held(None));
        let seen: Vec<_> =
            steps.iter().map(|step| (step.id.as_str(), step.connections, step.offered, step.iterations)).collect();
        // They open at 0, 1, 2 and 3 s, and have messages due from 0, 1.25, 2.5 and 3.75 s on: 4 + 3 + 2 + 1 of them.
        let expected = [
            ("ramp", Some(4), Some((0.0, 4.0)), Some(10)),
            ("warm_up", Some(4), Some((4.0, 4.0)), Some(8)),
            ("hold", Some(4), Some((4.0, 4.0)), Some(40)),
            ("drain", None, None, None),
            ("recovery", None, None, None),
        ];
        assert_eq!((seen.as_slice(), plan.length), (&expected[..], Some(Nanos::from_secs(16))));
        // In levels of two: two are there from the beginning, the others when the ramp is over.
        let (_, steps) = built(held(Some(2.0)));
        let seen: Vec<_> = steps[..2].iter().map(|step| (step.id.as_str(), step.offered, step.iterations)).collect();
        assert_eq!(seen, [("ramp 2 connections", Some((2.0, 2.0)), Some(8)), ("warm_up", Some((4.0, 4.0)), Some(8))]);
        // Without messages there is nothing to count.
        let (_, steps) = built(load(Model::Connections { count: 4, each: None, expected: None }));
        assert_eq!((steps[0].connections, steps[0].offered, steps[0].iterations), (Some(4), None, Some(0)));
    }

    #[test]
    fn a_counted_closed_load_ends_by_number() {
        let users = Model::Users { count: 8, pacing: None, stages: Vec::new() };
        let shape = Load { warm_up: Some(Extent::Count(100)), hold: Extent::Count(1000), ..load(users) };
        let (plan, steps) = built(shape.clone());
        assert_eq!(steps[1].iterations, Some(1000));
        assert_eq!(plan.parts[0].load_steps[1].from_count, Some(100));
        assert!(matches!(plan.parts[0].load, LoadPlan::Closed { count: Some(1100), .. }) && plan.length.is_none());
        assert_eq!((plan.at_most, steps[1].at_most), (None, None));
        // A bound changes neither the count nor that the hold has no length of its own.
        let bounded = Load { at_most: Some(Nanos::from_secs(20)), ..shape };
        let (plan, steps) = built(bounded);
        assert!(matches!(plan.parts[0].load, LoadPlan::Closed { count: Some(1100), .. }) && plan.length.is_none());
        assert_eq!((steps[1].iterations, steps[1].length), (Some(1000), None));
        assert_eq!((plan.at_most, steps[1].at_most), (Some(Nanos::from_secs(20)), Some(Nanos::from_secs(20))));
    }

    #[test]
    fn scenarios_are_repeated_in_rounds_and_the_order_as_a_whole() {
        let shown = |repeats: &[u32], all| {
            order(repeats, all)
                .iter()
                .map(|(number, again)| format!("{}{again}", ["a", "b", "c"][*number]))
                .collect::<Vec<_>>()
        };
        assert_eq!(shown(&[1, 1], 1), ["a1", "b1"]);
        assert_eq!(shown(&[1, 1], 2), ["a1", "b1", "a2", "b2"]);
        let twice = ["a1", "b1", "c1", "a2", "c2", "c3", "a3", "b2", "c4", "a4", "c5", "c6"];
        assert_eq!(shown(&[2, 1, 3], 2), twice);
    }

    #[test]
    fn stages_of_users_are_steps_and_constant_ones_holds() {
        let stage = |from, to, seconds| study::UserStage { from, to, length: Nanos::from_secs(seconds) };
        let stages = vec![stage(0, 50, 60), stage(50, 50, 300), stage(200, 200, 60), stage(200, 0, 30)];
        let users = Model::Users { count: 200, pacing: None, stages };
        let (plan, steps) = built(Load { hold: Extent::Time(Nanos::from_secs(450)), ..load(users) });
        let seen: Vec<_> = steps.iter().map(|step| (step.id.as_str(), step.phase, step.users)).collect();
        let expected = [
            ("ramp 0 to 50 users", Phase::Ramp, Some(50)),
            ("hold 1", Phase::Hold, Some(50)),
            ("hold 2", Phase::Hold, Some(200)),
            ("ramp 200 to 0 users", Phase::Ramp, Some(0)),
            ("drain", Phase::Drain, None),
            ("recovery", Phase::Recovery, None),
        ];
        assert_eq!((seen.as_slice(), plan.length), (&expected[..], Some(Nanos::from_secs(450))));
        assert!(matches!(&plan.parts[0].load, LoadPlan::Closed { users, .. } if users.count == 200));
    }
}
