//! What a report is made from, and the questions that every part of it asks.

use crate::messages::Messages;
use crate::plugin_words::PluginWords;
use crate::short_names::ShortNames;
use contract::Role;
use judge::assess::Backlog;
use judge::assess::moments::Moment;
use judge::views::{ExchangeView, LegView, StepView, Views};
use judge::{Arg, Finding, Judgement, Scope, Sign, StepResult, WireValidity};
use record::Head;
use std::cell::OnceCell;
use study::{Registry, Study};
use terms::{Nanos, Phase};

/// Everything that a report is made from. Same input, same bytes.
#[derive(Clone)]
pub struct Input<'a> {
    /// `run.json`.
    pub head: &'a Head,
    /// The study, when it could be read; without it purpose, assumptions and limits in figures are missing.
    pub study: Option<&'a Study>,
    /// The merged figures.
    pub views: &'a Views,
    /// What the judge says.
    pub judgement: &'a Judgement,
    /// In which state the run folder was found.
    pub state: EvidenceState,
    /// The plug-ins that are built in: what they watch and exercise is told in their words.
    pub plugins: Registry<'a>,
}

/// The state in which the run folder was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EvidenceState {
    /// The run has no ending of its own: it was killed, or its machine went down.
    pub was_killed: bool,
    /// Evidence files that were changed after they were sealed.
    pub altered: Vec<String>,
    /// What was lost of the recording, a sentence each.
    pub damage: Vec<String>,
}

/// Input with the messages of one language.
pub(crate) struct Context<'a> {
    pub input: Input<'a>,
    pub m: Messages,
    /// Words of the plug-ins.
    pub words: PluginWords,
    /// Which blocks the report has.
    pub profile: study::ReportProfile,
    /// Names of the cells of grids, for readers.
    pub short_names: ShortNames,
    /// What happened together, once somebody asked.
    moments: OnceCell<Vec<Moment>>,
}

/// One scenario, carried out once, with its steps that took place.
#[derive(Clone)]
pub(crate) struct ScenarioContext<'a> {
    /// Number of the scenario in the head.
    pub index: u16,
    /// What anchors tell it by: the number of the scenario, and which time it was carried out: `3`, `3-2`.
    pub number: String,
    /// Name; where the order is carried out several times with the repetition: `nominal#2`.
    pub name: &'a str,
    /// Whether a closed load; in a mix whether all its parts are.
    pub is_closed: bool,
    /// Steps and what the judge says of each.
    pub steps: Vec<(&'a StepView, Option<&'a StepResult>)>,
    /// Begin of the first step.
    pub from: Nanos,
    /// End of the last step.
    pub to: Nanos,
    /// `run.json`.
    head: &'a Head,
}

impl<'a> Context<'a> {
    /// Input with the messages of a language.
    pub(crate) fn new(input: &Input<'a>, language: &str) -> Self {
        let profile = crate::profile::of(input.study);
        let m = Messages::of(language).with_terms(&profile.terms);
        let words = PluginWords::of(&input.plugins, m.language);
        let short_names = ShortNames::of(input.study);
        Self { input: input.clone(), m, words, profile, short_names, moments: OnceCell::new() }
    }

    /// What stood apart from the rest of its hold, in order of time.
    pub(crate) fn moments(&self) -> &[Moment] {
        self.moments.get_or_init(|| judge::assess::moments::moments(self.input.views))
    }

    /// Whether the profile names that part of a block: some parts are printed only then.
    pub(crate) fn chosen(&self, block: &str, part: &str) -> bool {
        self.profile.chosen().any(|choice| choice.name == block && choice.parts.iter().any(|name| name == part))
    }

    /// Whether the profile names that part, or the block with its usual parts.
    pub(crate) fn chosen_or_usual(&self, block: &str, part: &str) -> bool {
        let is_usual = |choice: &study::BlockChoice| choice.name == block && choice.parts.is_empty();
        self.chosen(block, part) || self.profile.chosen().any(is_usual)
    }

    /// Whether the report has a block at all.
    pub(crate) fn has_block(&self, block: &str) -> bool {
        self.profile.chosen().any(|choice| choice.name == block)
    }

    /// As [`Context::scenarios`], of a search only the attempt that is its result: its chapter has the others.
    pub(crate) fn told_scenarios(&self) -> Vec<ScenarioContext<'a>> {
        let asides = judge::searches::asides(&self.input.judgement.searches);
        self.scenarios().into_iter().filter(|scenario| !asides.contains(scenario.name)).collect()
    }

    /// Scenarios in order of time, each time that one was carried out by itself.
    pub(crate) fn scenarios(&self) -> Vec<ScenarioContext<'a>> {
        let mut scenarios: Vec<ScenarioContext<'a>> = Vec::new();
        for step in &self.input.views.steps {
            let result = self.input.judgement.steps.iter().find(|result| result.number == step.number);
            match scenarios.iter_mut().find(|scenario| (scenario.index, scenario.name) == (step.scenario, &step.title))
            {
                Some(scenario) => {
                    scenario.from = scenario.from.min(step.from);
                    scenario.to = scenario.to.max(step.to);
                    scenario.steps.push((step, result));
                }
                None => scenarios.push(ScenarioContext {
                    index: step.scenario,
                    number: match step.repetition {
                        0 | 1 => step.scenario.to_string(),
                        again => format!("{}-{again}", step.scenario),
                    },
                    name: &step.title,
                    is_closed: false,
                    steps: vec![(step, result)],
                    from: step.from,
                    to: step.to,
                    head: self.input.head,
                }),
            }
        }
        for scenario in &mut scenarios {
            let loads = || scenario.steps.iter().filter(|(step, _)| step.phase.has_load());
            scenario.is_closed = loads().next().is_some() && loads().all(|(step, _)| step.is_closed);
        }
        scenarios
    }

    /// The whole run as if it were one scenario; `None` where no step took place.
    pub(crate) fn whole_run(&self) -> Option<ScenarioContext<'a>> {
        let all = self.scenarios();
        let (from, to) = (all.iter().map(|one| one.from).min()?, all.iter().map(|one| one.to).max()?);
        let steps = all.into_iter().flat_map(|one| one.steps).collect();
        let (number, head) = ("run".to_owned(), self.input.head);
        Some(ScenarioContext { index: u16::MAX, number, name: "", is_closed: false, steps, from, to, head })
    }

    /// The other times that a scenario was carried out, in order of time.
    pub(crate) fn repetitions_of(&self, scenario: &ScenarioContext<'_>) -> Vec<ScenarioContext<'a>> {
        let is_other = |other: &ScenarioContext<'_>| other.index == scenario.index && other.name != scenario.name;
        self.scenarios().into_iter().filter(is_other).collect()
    }

    /// Whether the whole run has closed loads only, open ones only, or both: `closed`, `open`, `both`.
    pub(crate) fn models(&self) -> &'static str {
        let of_parts = |scenario: &'a record::ScenarioHead| match scenario.parts.as_slice() {
            [] => std::slice::from_ref(scenario),
            parts => parts,
        };
        let loads = || self.input.head.scenarios.iter().flat_map(of_parts);
        let closed = loads().any(|load| load.model == "closed");
        let open = loads().any(|load| load.model != "closed");
        match (open, closed) {
            (true, true) => "both",
            (false, true) => "closed",
            _ => "open",
        }
    }

    /// Ids of findings of these rules whose scope lies in a scenario, and in an exchange when one is named; in a mix
    /// that is `part/exchange`.
    pub(crate) fn findings_on(&self, scenario: &str, exchange: Option<&str>, rules: &[&str]) -> Vec<String> {
        let on = |finding: &&Finding| {
            // What stands behind scenario and step: an exchange, a part, or both.
            let behind = finding.scope.inner().join("/");
            let is_of = |exchange: &str| {
                let rest = exchange.strip_prefix(behind.as_str());
                behind.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            rules.contains(&finding.rule()) && is_in_scenario(&finding.scope, scenario) && exchange.is_none_or(is_of)
        };
        self.input.judgement.findings.iter().filter(on).map(|finding| finding.id.clone()).collect()
    }

    /// Whether a backlog was found in a scenario.
    pub(crate) fn backlog_in(&self, scenario: &str) -> Option<Backlog> {
        let findings = self.input.judgement.findings.iter();
        Backlog::among(findings.filter(|finding| is_in_scenario(&finding.scope, scenario)))
    }

    /// Ids of findings of these rules in a scenario that are about a monitor's metrics: those that name a series, only
    /// where it is one of these; those that name none, all.
    pub(crate) fn findings_about(
        &self,
        scenario: &str,
        rules: &[&str],
        monitor: &str,
        metrics: &[&str],
    ) -> Vec<String> {
        let is_of =
            |text: &str| text.split_once('.').is_some_and(|(of, metric)| of == monitor && metrics.contains(&metric));
        let about = |finding: &&Finding| {
            let args = finding.args();
            let mut named = ["series", "subject", "exchange"].iter().filter_map(|name| args.get(*name));
            named.all(|arg| matches!(arg, Arg::Text(text) if is_of(text)))
        };
        let findings = self.input.judgement.findings.iter();
        let here = findings.filter(|it| rules.contains(&it.rule()) && is_in_scenario(&it.scope, scenario));
        here.filter(about).map(|finding| finding.id.clone()).collect()
    }

    /// Names of a monitor's metrics of some roles.
    pub(crate) fn names_of(&self, monitor: &str, roles: &[Role]) -> Vec<&'a str> {
        let heads = self.input.head.monitors.iter().filter(|head| head.name == monitor);
        let is_meant = |metric: &&record::MetricHead| metric.role().is_some_and(|role| roles.contains(&role));
        heads.flat_map(|head| &head.metrics).filter(is_meant).map(|metric| metric.name.as_str()).collect()
    }

    /// Signs that speak against the run.
    pub(crate) fn bad_signs(&self) -> impl Iterator<Item = &'a Sign> {
        self.told_signs().filter(|sign| sign.state != WireValidity::Valid)
    }

    /// Verdicts, but those on attempts that a search made to find out whether they are too much.
    pub(crate) fn told_requirements(&self) -> impl Iterator<Item = &'a judge::RequirementResult> {
        let asides = judge::searches::asides(&self.input.judgement.searches);
        let results = self.input.judgement.requirements.iter();
        results.filter(move |result| result.scope.scenario().is_none_or(|scenario| !asides.contains(scenario)))
    }

    /// Whether anybody wrote down which calls failed: the logs of some tools hold those only that came back.
    pub(crate) fn knows_failures(&self) -> bool {
        let imported = self.input.head.imported.as_ref();
        imported.is_none_or(|imported| imported.unknown.iter().all(|what| what != "failures"))
    }

    /// Whether it was looked at how much of the processors other programs used, where the system shares them with the
    /// generator. Of the load of another tool the chapter on what was imported speaks.
    pub(crate) fn knows_other_programs(&self) -> bool {
        let head = self.input.head;
        // What a warm-up was like says nothing of the hold that is judged.
        let holds = self.input.judgement.steps.iter().filter(|step| step.phase == terms::Phase::Hold.name());
        let signs = || self.input.judgement.signs.iter().filter(|sign| sign.code == "foreign");
        let is_looked_at = || holds.clone().any(|step| signs().any(|sign| step.scope.is_in(&sign.scope)));
        !head.shares_machine || head.imported.is_some() || is_looked_at()
    }

    /// Verdicts that decide what their requirements come to: of one with `needs: any` the best in each scenario.
    pub(crate) fn deciding(&self) -> Vec<&'a judge::RequirementResult> {
        judge::deciding(&self.input.judgement.requirements, self.input.study)
    }

    /// Signs of validity, but those of attempts that a search made again or found to be too much.
    pub(crate) fn told_signs(&self) -> impl Iterator<Item = &'a Sign> {
        let asides = judge::searches::asides(&self.input.judgement.searches);
        let is_told = move |sign: &&Sign| sign.scope.scenario().is_none_or(|scenario| !asides.contains(scenario));
        self.input.judgement.signs.iter().filter(is_told)
    }
}

impl<'a> ScenarioContext<'a> {
    /// Whether the scenario was carried out before in this run: what does not differ by time is drawn with the first.
    pub(crate) fn is_again(&self) -> bool {
        self.number.contains('-')
    }

    /// Which time it was carried out, `#2`; empty where it was once.
    pub(crate) fn repetition(&self) -> &'a str {
        self.name.rfind('#').map_or("", |at| &self.name[at..])
    }

    /// Steps that are judged: the holds.
    pub(crate) fn holds(&self) -> impl Iterator<Item = (&'a StepView, Option<&'a StepResult>)> + '_ {
        self.steps.iter().copied().filter(|(step, _)| step.phase == Phase::Hold)
    }

    /// The same scenario with the model of the part that carries out an exchange: in a mix some parts have response
    /// times, others only service times.
    pub(crate) fn as_carrying_out(&self, exchange: &str) -> Self {
        let own = self.holds().find(|(step, _)| step.exchanges.iter().any(|found| found.name == exchange));
        Self { is_closed: own.map_or(self.is_closed, |(step, _)| step.is_closed), ..self.clone() }
    }

    /// Length of the judged time, seconds: once for the parts of a mix, which hold together.
    pub(crate) fn held_seconds(&self) -> f64 {
        let mut spans: Vec<(Nanos, Nanos)> = self.holds().map(|(step, _)| (step.from, step.to)).collect();
        spans.sort_unstable();
        spans.dedup();
        spans.into_iter().map(|(from, to)| (to - from).as_secs_f64()).sum()
    }

    /// `service` in a closed load, else `response`: the word for its times everywhere.
    pub(crate) fn measure(&self) -> &'static str {
        if self.is_closed { "service" } else { "response" }
    }

    /// Seconds since the scenario began.
    pub(crate) fn since(&self, at: Nanos) -> f64 {
        (at - self.from).as_secs_f64()
    }

    /// Seconds since the scenario began, of the middle of a second of the run.
    pub(crate) fn since_second(&self, second: i64) -> f64 {
        self.since(Nanos::from_secs(second)) + 0.5
    }

    /// Length in seconds; never zero, so that it can carry an axis.
    pub(crate) fn length(&self) -> f64 {
        (self.to - self.from).as_secs_f64().max(1.0)
    }

    /// Names of exchanges with legs that have any close in a hold: exchange and leg, in the study's order; behind them
    /// those that there are on occasion only.
    pub(crate) fn legs(&self) -> Vec<(&'a str, &'a str)> {
        let (mut names, mut occasional) = (Vec::new(), Vec::new());
        for (step, _) in self.holds() {
            for exchange in &step.exchanges {
                for leg in &exchange.legs {
                    let pair = (exchange.name.as_str(), leg.name.as_str());
                    let list = if leg.is_occasional { &mut occasional } else { &mut names };
                    if !list.contains(&pair) && judge::is_awaited(self.head, pair.0, pair.1) {
                        list.push(pair);
                    }
                }
            }
        }
        names.append(&mut occasional);
        names
    }

    /// Whether a leg is waited for.
    pub(crate) fn awaits(&self, exchange: &str, leg: &str) -> bool {
        judge::is_awaited(self.head, exchange, leg)
    }

    /// One leg in each step that carried it out.
    pub(crate) fn leg_views(&self, exchange: &str, leg: &str) -> Vec<(&'a StepView, &'a ExchangeView, &'a LegView)> {
        let mut found = Vec::new();
        for (step, _) in &self.steps {
            for view in step.exchanges.iter().filter(|view| view.name == exchange) {
                found.extend(view.legs.iter().filter(|each| each.name == leg).map(|each| (*step, view, each)));
            }
        }
        found
    }
}

/// Whether a scope lies in a scenario as contexts name it: `nominal#2` holds `nominal/hold#2`, and `nominal/hold`, which
/// is of all repetitions together.
pub(crate) fn is_in_scenario(scope: &Scope, name: &str) -> bool {
    let (scenario, repetition) = name.split_once('#').map_or((name, None), |(name, again)| (name, Some(again)));
    scope.is_of(scenario, repetition.and_then(|again| again.parse().ok()))
}

/// Name of an exchange and leg for readers: the leg only where it says something.
pub(crate) fn leg_title(exchange: &str, leg: &str) -> String {
    // In a mix it is the exchange of a part.
    let exchange = exchange.replace('/', " · ");
    if ["answer", study::TRANSACTION_LEGS[0].name].contains(&leg) { exchange } else { format!("{exchange} · {leg}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_lies_in_its_own_repetition_or_in_all() {
        let hold = |scenario: &str, repetition| Scope::step(scenario, "hold", repetition);
        assert!(
            is_in_scenario(&hold("nominal", None), "nominal") && !is_in_scenario(&hold("nominal2", None), "nominal")
        );
        let first = hold("nominal", Some(1)).within("rih");
        assert!(is_in_scenario(&first, "nominal#1") && !is_in_scenario(&first, "nominal#2"));
        let family = Scope::family(&["nominal".into()]);
        assert!(is_in_scenario(&hold("nominal", None), "nominal#2") && is_in_scenario(&family, "nominal#2"));
    }
}
