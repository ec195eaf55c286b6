//! What the judge found, as sentences: reasons, signs of validity, findings and what to do about them.

use crate::input::Context;
use crate::messages::{Messages, say};
use judge::{Arg, Args, Disturbance, Finding, Found, Reason, RequirementResult, Sign};
use terms::Verdict;

/// The fault switch that ends an instance.
const CRASH: &str = "crash";

/// Reasons that tell of a change an hour, and how they tell of it over a shorter time.
const HOURLY: [(&str, &str); 3] =
    [("drifts", "within-drifts"), ("drift_unclear", "within-drift_unclear"), ("steady", "within-steady")];

/// An hour, seconds.
const HOUR_S: f64 = 3600.0;

impl Context<'_> {
    /// A verdict's reason as a sentence. A code that the catalogue does not know is printed with its numbers.
    pub(crate) fn reason(&self, reason: &Reason) -> String {
        let mut key = format!("reason-{}", reason.code);
        let mut args = reason.args.clone();
        // A change within minutes multiplied to an hour is a number that nobody saw: it is told over its own time.
        let told = HOURLY.iter().find(|(code, _)| *code == reason.code);
        if let (Some((_, within)), Some(&Arg::Seconds(horizon))) = (told, reason.args.get("horizon"))
            && horizon < HOUR_S
        {
            for name in ["hourly", "detectable"] {
                if let Some(arg) = args.get_mut(name) {
                    *arg = scaled(arg, horizon / HOUR_S);
                }
            }
            (*within).clone_into(&mut key);
        }
        if let Some(Arg::Text(code)) = args.get("sign") {
            let name = Arg::Text(self.sign_name(code));
            args.insert("sign".to_owned(), name);
        }
        if let Some(Arg::Text(counts)) = args.get("counts") {
            let grouped = Arg::Text(self.counts(counts));
            args.insert("counts".to_owned(), grouped);
        }
        let said = self.m.judged(&key, &args, &[]);
        let said = said.unwrap_or_else(|| self.unknown(&reason.code, &reason.args));
        // Of several clauses, which one these figures are of.
        let clause = |name: &str| match reason.args.get(name) {
            Some(Arg::Text(clause)) => Some(crate::number::clean(clause)),
            _ => None,
        };
        if let Some(clause) = clause(judge::catalogue::DECIDED_BY) {
            return say!(self.m, "clause-decides", clause = &clause, why = &said);
        }
        match clause(judge::catalogue::SHOWN_OF) {
            Some(clause) => say!(self.m, "clause-shown", clause = &clause, why = &said),
            None => said,
        }
    }

    /// `ping.started = 1441, store.pings = 1441` with its digits grouped as this language does.
    fn counts(&self, text: &str) -> String {
        let one = |piece: &str| match piece.rsplit_once(" = ") {
            Some((name, digits)) => match digits.parse::<u64>() {
                Ok(count) => format!("{name} = {}", self.m.numbers.count(count as f64)),
                Err(_) => piece.to_owned(),
            },
            None => piece.to_owned(),
        };
        text.split(", ").map(one).collect::<Vec<_>>().join(", ")
    }

    /// Why a verdict is as it is, and what it stands in spite of.
    pub(crate) fn why(&self, result: &RequirementResult) -> String {
        let mut sentences = vec![self.reason(&result.reason)];
        if result.verdict != Verdict::CannotTell {
            let mut checks: Vec<&str> = Vec::new();
            for disturbance in &result.disturbed {
                if !checks.contains(&disturbance.check.as_str()) {
                    checks.push(&disturbance.check);
                    sentences.push(self.disturbance(disturbance));
                }
            }
        }
        sentences.join(" ")
    }

    fn disturbance(&self, disturbance: &Disturbance) -> String {
        let mut args = Args::new();
        args.insert("check".to_owned(), Arg::Text(self.sign_name(&disturbance.check)));
        args.insert("moves".to_owned(), Arg::Text(disturbance.moves.name().to_owned()));
        let key = match (disturbance.can_turn, &disturbance.at_most) {
            (false, _) => "disturbed-harmless",
            (true, None) => "disturbed-slight",
            (true, Some(at_most)) => {
                args.insert("at_most".to_owned(), at_most.clone());
                "disturbed-bounded"
            }
        };
        let said = self.m.judged(key, &args, &[("where", disturbance.scope.as_str())]);
        said.unwrap_or_else(|| self.unknown(&disturbance.check, &args))
    }

    /// Short name of a sign; its code in words where the catalogue does not know it.
    pub(crate) fn sign_name(&self, code: &str) -> String {
        self.m.sign_name(code)
    }

    /// A validity check as a sentence.
    pub(crate) fn sign_sentence(&self, sign: &Sign) -> String {
        let mut args = sign.args.clone();
        let limit = |limit: &Option<Arg>| limit.clone().map(Arg::given);
        let own = [
            ("value", sign.value.clone()),
            ("questionable", limit(&sign.questionable)),
            ("invalid", limit(&sign.invalid)),
        ];
        for (name, value) in own {
            if let Some(value) = value {
                args.entry(name.to_owned()).or_insert(value);
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
        let say = |part: &str| self.m.judged(&format!("finding-{}.{part}", finding.rule()), &finding.args(), &more);
        let seen = say("seen").unwrap_or_else(|| self.unknown(finding.rule(), &finding.args()));
        if self.is_asked_for(finding) {
            return (seen, say!(self.m, "down-asked-means"));
        }
        let means = say("means").unwrap_or_else(|| say!(self.m, "finding-unknown-means"));
        (seen, means)
    }

    /// What a finding asks to do; `None` where the catalogue does not know its rule.
    pub(crate) fn remedy(&self, finding: &Finding) -> Option<String> {
        if self.is_asked_for(finding) {
            return Some(say!(self.m, "down-asked-do"));
        }
        let more = [("scope", finding.scope.as_str())];
        self.m.judged(&format!("finding-{}.do", finding.rule()), &finding.args(), &more)
    }

    /// Whether an instance ended because the study switched on the fault of it: then it is what was to be measured.
    fn is_asked_for(&self, finding: &Finding) -> bool {
        let Found::InstanceDown(down) = &finding.found else { return false };
        let mut instances = self.input.head.instances.iter().filter(|instance| instance.name == down.instance);
        instances.any(|instance| instance.faults.iter().any(|(fault, _)| fault == CRASH))
    }

    fn unknown(&self, code: &str, args: &Args) -> String {
        let name = code.replace(['_', '-'], " ").to_lowercase();
        if args.is_empty() {
            return self.m.text("code-without-args", &[("code", (&name).into())]);
        }
        let list = self.m.list(args);
        self.m.text("code-with-args", &[("code", (&name).into()), ("list", (&list).into())])
    }
}

/// A quantity times a factor; texts stay.
fn scaled(arg: &Arg, factor: f64) -> Arg {
    match arg {
        Arg::Milliseconds(value) => Arg::Milliseconds(value * factor),
        Arg::Seconds(value) => Arg::Seconds(value * factor),
        Arg::Share(value) => Arg::Share(value * factor),
        Arg::Count(value) | Arg::Number(value) => Arg::Number(value * factor),
        Arg::PerSecond(value) => Arg::PerSecond(value * factor),
        Arg::Bytes(value) => Arg::Bytes(value * factor),
        Arg::Cores(value) => Arg::Cores(value * factor),
        Arg::Text(text) => Arg::Text(text.clone()),
        Arg::Given(arg) => scaled(arg, factor).given(),
    }
}

impl Messages {
    /// As [`Context::sign_name`], for pages that are not of one run.
    pub(crate) fn sign_name(&self, code: &str) -> String {
        let key = format!("sign-{code}.name");
        if self.has(&key) { self.text(&key, &[]) } else { crate::number::clean(&code.replace('_', " ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::Messages;

    /// One value of each kind of argument, so that a message that uses it as a number or as a word is served.
    fn args(names: &[&str]) -> Args {
        let value = |name: &str| match name {
            "sign" => Arg::Text("run_queue".into()),
            "kind" => Arg::Text("gone".into()),
            // A sentence of its own.
            "why" => Arg::Text("It is missing.".into()),
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
