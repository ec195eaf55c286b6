//! What a report is made from, and the questions that every part of it asks.

use crate::messages::{Messages, say};
use judge::views::{ExchangeView, LegView, StepView, Views};
use judge::{Arg, Args, Finding, Judgement, Reason, Sign, StepResult, WireValidity};
use record::Head;
use study::Study;
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
    /// Input.
    pub input: Input<'a>,
    /// Messages.
    pub m: Messages,
    /// Which blocks the report has.
    pub profile: study::ReportProfile,
}

/// One scenario with its steps that took place.
pub(crate) struct ScenarioContext<'a> {
    /// Number of the scenario in the head.
    pub number: u16,
    /// Name.
    pub name: &'a str,
    /// Whether a closed load.
    pub is_closed: bool,
    /// Steps and what the judge says of each.
    pub steps: Vec<(&'a StepView, Option<&'a StepResult>)>,
    /// Begin of the first step.
    pub from: Nanos,
    /// End of the last step.
    pub to: Nanos,
}

impl<'a> Context<'a> {
    /// Input with the messages of a language.
    pub(crate) fn new(input: &Input<'a>, language: &str) -> Self {
        let profile = crate::profile::of(input.study);
        let m = Messages::of(language).with_terms(&profile.terms);
        Self { input: input.clone(), m, profile }
    }

    /// Scenarios in order of time.
    pub(crate) fn scenarios(&self) -> Vec<ScenarioContext<'a>> {
        let mut scenarios: Vec<ScenarioContext<'a>> = Vec::new();
        for step in &self.input.views.steps {
            let result = self.input.judgement.steps.iter().find(|result| result.number == step.number);
            match scenarios.iter_mut().find(|scenario| scenario.number == step.scenario) {
                Some(scenario) => {
                    scenario.from = scenario.from.min(step.from);
                    scenario.to = scenario.to.max(step.to);
                    scenario.is_closed |= step.is_closed;
                    scenario.steps.push((step, result));
                }
                None => scenarios.push(ScenarioContext {
                    number: step.scenario,
                    name: &step.scenario_name,
                    is_closed: step.is_closed,
                    steps: vec![(step, result)],
                    from: step.from,
                    to: step.to,
                }),
            }
        }
        scenarios
    }

    /// Whether the whole run has closed loads only, open ones only, or both: `closed`, `open`, `both`.
    pub(crate) fn models(&self) -> &'static str {
        let closed = self.input.head.scenarios.iter().any(|scenario| scenario.model == "closed");
        let open = self.input.head.scenarios.iter().any(|scenario| scenario.model != "closed");
        match (open, closed) {
            (true, true) => "both",
            (false, true) => "closed",
            _ => "open",
        }
    }

    /// A verdict's reason as a sentence. A code that the catalogue does not know is printed with its numbers.
    pub(crate) fn reason(&self, reason: &Reason) -> String {
        let key = format!("reason-{}", reason.code);
        let mut args = reason.args.clone();
        if let Some(Arg::Text(code)) = args.get("sign") {
            let name = Arg::Text(self.sign_name(code));
            args.insert("sign".to_owned(), name);
        }
        let said = self.m.judged(&key, &args, &[]);
        said.unwrap_or_else(|| self.unknown(&reason.code, &reason.args))
    }

    /// Short name of a sign; its code in words where the catalogue does not know it.
    pub(crate) fn sign_name(&self, code: &str) -> String {
        let key = format!("sign-{code}.name");
        if self.m.has(&key) { self.m.text(&key, &[]) } else { crate::number::clean(&code.replace('_', " ")) }
    }

    /// A sign of validity as a sentence.
    pub(crate) fn sign(&self, sign: &Sign) -> String {
        let mut args = sign.args.clone();
        for (name, value) in [("value", &sign.value), ("questionable", &sign.questionable), ("invalid", &sign.invalid)]
        {
            if let Some(value) = value {
                args.entry(name.to_owned()).or_insert_with(|| value.clone());
            }
        }
        let more = [("scope", sign.scope.as_str())];
        let key = format!("sign-{}", sign.code);
        self.m
            .judged(&key, &args, &more)
            .unwrap_or_else(|| format!("{}: {}", sign.scope, self.unknown(&sign.code, &args)))
    }

    /// What a finding saw, and what it means.
    pub(crate) fn finding(&self, finding: &Finding) -> (String, String) {
        let more = [("scope", finding.scope.as_str())];
        let say = |part: &str| self.m.judged(&format!("finding-{}.{part}", finding.rule), &finding.args, &more);
        let seen = say("seen").unwrap_or_else(|| self.unknown(&finding.rule, &finding.args));
        let means = say("means").unwrap_or_else(|| say!(self.m, "finding-unknown-means"));
        (seen, means)
    }

    /// What a finding asks to do; `None` where the catalogue does not know its rule.
    pub(crate) fn remedy(&self, finding: &Finding) -> Option<String> {
        let more = [("scope", finding.scope.as_str())];
        self.m.judged(&format!("finding-{}.do", finding.rule), &finding.args, &more)
    }

    fn unknown(&self, code: &str, args: &Args) -> String {
        let name = code.replace(['_', '-'], " ").to_lowercase();
        if args.is_empty() {
            return self.m.text("code-without-args", &[("code", (&name).into())]);
        }
        let list = self.m.list(args);
        self.m.text("code-with-args", &[("code", (&name).into()), ("list", (&list).into())])
    }

    /// Ids of findings of these rules whose scope lies in a scenario, and in an exchange when one is named.
    pub(crate) fn findings_on(&self, scenario: &str, exchange: Option<&str>, rules: &[&str]) -> Vec<String> {
        let on = |finding: &&Finding| {
            let mut parts = finding.scope.split('/');
            let is_here = parts.next() == Some(scenario);
            let named = parts.nth(1);
            rules.contains(&finding.rule.as_str())
                && is_here
                && exchange.is_none_or(|exchange| named.is_none_or(|named| named == exchange))
        };
        self.input.judgement.findings.iter().filter(on).map(|finding| finding.id.clone()).collect()
    }

    /// Signs that speak against the run.
    pub(crate) fn bad_signs(&self) -> impl Iterator<Item = &'a Sign> {
        self.input.judgement.signs.iter().filter(|sign| sign.state != WireValidity::Valid)
    }
}

impl<'a> ScenarioContext<'a> {
    /// Steps that are judged: the holds.
    pub(crate) fn holds(&self) -> impl Iterator<Item = (&'a StepView, Option<&'a StepResult>)> + '_ {
        self.steps.iter().copied().filter(|(step, _)| step.phase == Phase::Hold)
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

    /// Names of exchanges with legs that have any close in a hold: exchange and leg, in the study's order.
    pub(crate) fn legs(&self) -> Vec<(&'a str, &'a str)> {
        let mut names = Vec::new();
        for (step, _) in self.holds() {
            for exchange in &step.exchanges {
                for leg in &exchange.legs {
                    let pair = (exchange.name.as_str(), leg.name.as_str());
                    if !names.contains(&pair) {
                        names.push(pair);
                    }
                }
            }
        }
        names
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

/// Name of an exchange and leg for readers: the leg only where it says something.
pub(crate) fn leg_title(exchange: &str, leg: &str) -> String {
    if leg == "answer" { exchange.to_owned() } else { format!("{exchange} · {leg}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One value of each kind of argument, so that a message that uses it as a number or as a word is served.
    fn args(names: &[&str]) -> Args {
        let value = |name: &str| match name {
            "sign" => Arg::Text("run_queue".into()),
            "kind" => Arg::Text("gone".into()),
            "instance" | "exchange" | "requirement" | "where" | "files" => Arg::Text("x".into()),
            "count" | "needed" | "batches" | "started" | "dropped" | "lost" | "intended" | "timeouts" => {
                Arg::Count(3.0)
            }
            _ => Arg::Number(2.5),
        };
        names.iter().map(|name| ((*name).to_owned(), value(name))).collect()
    }

    #[test]
    fn every_code_of_the_judge_has_sentences_that_its_arguments_fill() {
        for language in crate::messages::LANGUAGES {
            every_code_can_be_said(&Messages::of(language));
        }
    }

    fn every_code_can_be_said(m: &Messages) {
        let language = m.language;
        let say = |key: &str, names: &[&str]| {
            let said = m.judged(key, &args(names), &[("scope", "nominal/hold")]);
            said.unwrap_or_else(|| panic!("`{key}` cannot be said in `{language}` with {names:?}"))
        };
        for (code, names) in judge::catalogue::REASONS {
            assert!(say(&format!("reason-{code}"), names).ends_with('.'), "{code}");
        }
        for (code, names) in judge::catalogue::SIGNS {
            assert!(say(&format!("sign-{code}"), names).ends_with('.'), "{code}");
            assert!(!say(&format!("sign-{code}.name"), &[]).ends_with('.'), "{code}");
        }
        for (rule, names) in judge::catalogue::FINDINGS {
            for part in ["seen", "means", "do"] {
                assert!(say(&format!("finding-{rule}.{part}"), names).ends_with('.'), "{rule}");
            }
        }
    }

    #[test]
    fn a_code_that_nobody_foresaw_is_printed_with_its_numbers() {
        let m = Messages::of("en");
        assert_eq!(m.judged("reason-brand_new", &Args::new(), &[]), None);
        assert_eq!(m.list(&args(&["count", "share"])), "count 3, share 2.50");
    }
}
