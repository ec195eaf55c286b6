//! What must be true of answers, and what is kept of them.

use super::{Plan, inner, is_true, prop};
use crate::build::Build;
use crate::draft::{Capture, Exchange, Requirement};
use crate::read::{expected, json_path, pattern};
use crate::text::{literal, names_in, short};
use crate::xml::Element;
use std::collections::BTreeSet;

/// Checks, captures and limits that act on a sampler.
#[derive(Clone, Default)]
pub(in crate::read) struct Answers {
    checks: Vec<String>,
    captures: Vec<Capture>,
    /// Milliseconds that no sample may take longer.
    limits: Vec<u64>,
}

impl Answers {
    pub(super) fn put(&self, exchange: &mut Exchange) {
        for check in &self.checks {
            if !exchange.checks.contains(check) {
                exchange.checks.push(check.clone());
            }
        }
        for capture in &self.captures {
            exchange.captures.retain(|other| other.name != capture.name);
            exchange.captures.push(capture.clone());
        }
    }

    pub(super) fn require(&self, exchange: &str, build: &mut Build<'_>) {
        for millis in &self.limits {
            let rule = format!("max({exchange}.response) <= {millis}ms");
            if !build.draft.requirements.iter().any(|other| other.rule == rule) {
                let name = build.names.give(&format!("{exchange} in time"), "limit");
                build.draft.requirements.push(Requirement { name, rule });
            }
        }
    }

    /// Takes an element in, if it is an assertion or an extractor.
    pub(super) fn enter(&mut self, plan: &mut Plan<'_, '_>, element: &Element) -> bool {
        match element.tag.as_str() {
            "ResponseAssertion" => self.response_assertion(plan, element),
            "JSONPathAssertion" => self.json_assertion(plan, element, "JSON_PATH", "EXPECTED_VALUE", "JSONVALIDATION"),
            "com.atlantbh.jmeter.plugins.jsonutils.jsonpathassertion.JSONPathAssertion" => {
                self.json_assertion(plan, element, "JSON_PATH", "EXPECTED_VALUE", "JSONVALIDATION");
            }
            "DurationAssertion" => {
                if let Some(millis) = plan.number(element, "DurationAssertion.duration").filter(|millis| *millis >= 1.0)
                {
                    self.limits.push(millis as u64);
                }
            }
            "SizeAssertion" => self.size_assertion(plan, element),
            "RegexExtractor" => self.regex_extractor(plan, element),
            "JSONPostProcessor" => self.json_extractor(plan, element),
            "com.atlantbh.jmeter.plugins.jsonutils.jsonpathextractor.JSONPathExtractor" => {
                let name = prop(element, "VAR").unwrap_or_default().to_owned();
                let path = prop(element, "JSONPATH").unwrap_or_default().to_owned();
                let default = prop(element, "DEFAULT").and_then(given);
                self.json_capture(plan, &name, &path, "1", default);
            }
            "BoundaryExtractor" => self.boundary_extractor(plan, element),
            "XPathExtractor" | "XPath2Extractor" | "XPathAssertion" | "XPath2Assertion" | "HtmlExtractor"
            | "JMESPathExtractor" | "JMESPathAssertion" | "XMLAssertion" | "HTMLAssertion" | "MD5HexAssertion"
            | "CompareAssertion" => {
                plan.build.lose(
                    element.tag.clone(),
                    "it cannot be carried over exactly",
                    "write it under `check` or `capture`: `xpath(…)`, `json(…)`, `regex(…)`",
                );
            }
            _ => return false,
        }
        true
    }

    fn response_assertion(&mut self, plan: &mut Plan<'_, '_>, element: &Element) {
        let field =
            prop(element, "Assertion.test_field").unwrap_or_default().trim_start_matches("Assertion.").to_owned();
        let kind: u64 = prop(element, "Assertion.test_type").and_then(|text| text.trim().parse().ok()).unwrap_or(2);
        let list = inner(element, "Asserion.test_strings").or(inner(element, "Assertion.test_strings"));
        let texts: Vec<&str> =
            list.map_or(&[][..], |list| list.children.as_slice()).iter().map(|it| it.text.as_str()).collect();
        let is_of_main = prop(element, "Assertion.scope")
            .is_none_or(|scope| scope.is_empty() || scope == "parent" || scope == "all");
        let (is_not, is_or) = (kind & 4 != 0, kind & 32 != 0);
        let wrong = |plan: &mut Plan<'_, '_>, text: &str| {
            let not = if is_not { "not " } else { "" };
            plan.build.lose(
                format!("{field} {not}{}", short(text, 60)),
                "this assertion cannot be carried over exactly",
                "write it under `check`: `status = …`, `body contains …`, `regex(…)`, `json(…)`",
            );
        };
        if !is_of_main || is_not || (is_or && texts.len() > 1) {
            texts.iter().for_each(|text| wrong(plan, text));
            return;
        }
        for text in texts {
            let value = plan.text(text);
            let has_names = !names_in(&value).is_empty();
            // Bits: 1 the whole matches a pattern, 2 contains one, 8 is the text, 16 contains the text.
            let is_text = kind & 24 != 0;
            let is_simple = !text.contains(['\\', '^', '$', '.', '|', '?', '*', '+', '(', ')', '[', '{']);
            let check = match field.as_str() {
                "response_code" if text.trim().len() == 3 && text.trim().bytes().all(|byte| byte.is_ascii_digit()) => {
                    Some(format!("status = {}", text.trim()))
                }
                "response_data" | "response_data_as_document" if is_text || (is_simple && kind & 2 != 0) => {
                    let sign = if kind & 8 != 0 { "=" } else { "contains" };
                    expected(&value)
                        .filter(|_| field == "response_data" && !value.is_empty())
                        .map(|value| format!("body {sign} {value}"))
                }
                "response_data" if !has_names => {
                    let whole = if kind & 1 != 0 { format!("^(?s)({text})$") } else { format!("({text})") };
                    pattern(&whole).map(|pattern| format!("regex({pattern})"))
                }
                _ => None,
            };
            match check {
                Some(check) => self.checks.push(check),
                None if text.is_empty() => {}
                None => wrong(plan, text),
            }
        }
    }

    fn json_assertion(&mut self, plan: &mut Plan<'_, '_>, element: &Element, path: &str, value: &str, has_value: &str) {
        let path = prop(element, path).unwrap_or_default().to_owned();
        let value = plan.text(prop(element, value).unwrap_or_default());
        let is_odd = is_true(element, "INVERT")
            || is_true(element, "EXPECT_NULL")
            || (is_true(element, "ISREGEX") && is_true(element, has_value));
        let check = json_path(&path).filter(|_| !is_odd).and_then(|path| {
            if !is_true(element, has_value) {
                return Some(format!("json({path})"));
            }
            expected(&value).map(|value| format!("json({path}) = {value}"))
        });
        match check {
            Some(check) => self.checks.push(check),
            None => plan.build.lose(
                format!("json {}", short(&path, 80)),
                "this assertion cannot be carried over exactly",
                "write it under `check`: `json($.a) = b`",
            ),
        }
    }

    fn size_assertion(&mut self, plan: &mut Plan<'_, '_>, element: &Element) {
        let sign = match prop(element, "SizeAssertion.operator").unwrap_or_default() {
            "1" => "=",
            "2" => "!=",
            "3" => ">",
            "4" => "<",
            "5" => ">=",
            "6" => "<=",
            _ => "",
        };
        let field = prop(element, "Assertion.test_field").unwrap_or_default();
        let size = plan.number(element, "SizeAssertion.size");
        match size.filter(|size| *size >= 0.0 && !sign.is_empty() && field == "SizeAssertion.response_data") {
            Some(size) => self.checks.push(format!("size {sign} {size}B")),
            None => {
                plan.build.lose("a size assertion", "only the size of a body can be checked", "write `size < 10kB`")
            }
        }
    }

    /// The capture that stands for a variable of the plan. Whether an answer without it is right is known when the whole
    /// plan has been read: see [`tell_defaults`].
    fn keep(
        &mut self,
        plan: &mut Plan<'_, '_>,
        name: &str,
        from: String,
        pick: Option<&'static str>,
        default: Option<String>,
    ) {
        let Some(own) = plan.values.get(name).map(str::to_owned) else { return };
        self.captures.push(Capture { name: own.clone(), from, pick, optional: default.is_some() });
        if let Some(text) = default {
            plan.values.set_default(name, &text);
            let default = Default { place: plan.build.place.clone(), capture: own, text };
            if !plan.defaults.contains(&default) {
                plan.defaults.push(default);
            }
        }
    }

    fn regex_extractor(&mut self, plan: &mut Plan<'_, '_>, element: &Element) {
        let text = |name: &str| prop(element, &format!("RegexExtractor.{name}")).unwrap_or_default();
        let (name, regex, template, number) = (text("refname"), text("regex"), text("template"), text("match_number"));
        let is_empty_default = is_true(element, "RegexExtractor.default_empty_value");
        let default = given(text("default")).or(is_empty_default.then(String::new));
        let pick = match number.trim() {
            "" | "1" => Some(None),
            "0" => Some(Some("any")),
            _ => None,
        };
        let has_group = template.trim() == "$1$" || (template.trim().is_empty() && regex.contains('('));
        let names = !names_in(&plan.text(regex)).is_empty();
        let from = pattern(regex).filter(|regex| has_group && !names && regex.contains('(')).and_then(|pattern| {
            match text("useHeaders") {
                "" | "false" => Some(format!("regex({pattern})")),
                _ => None,
            }
        });
        match (from, pick) {
            (Some(from), Some(pick)) => self.keep(plan, name, from, pick, default),
            _ => unkept(plan, name, &format!("regex {}", short(regex, 60))),
        }
    }

    fn json_extractor(&mut self, plan: &mut Plan<'_, '_>, element: &Element) {
        let list = |name: &str| -> Vec<String> {
            let text = prop(element, &format!("JSONPostProcessor.{name}")).unwrap_or_default();
            text.split(';').map(|part| part.trim().to_owned()).collect()
        };
        let (names, paths, numbers, defaults) =
            (list("referenceNames"), list("jsonPathExprs"), list("match_numbers"), list("defaultValues"));
        for (index, name) in names.iter().enumerate() {
            let of = |list: &[String]| list.get(index).cloned().unwrap_or_default();
            let number = of(&numbers);
            let number = if number.is_empty() { "0".to_owned() } else { number };
            self.json_capture(plan, name, &of(&paths), &number, given(&of(&defaults)));
        }
    }

    fn json_capture(&mut self, plan: &mut Plan<'_, '_>, name: &str, path: &str, number: &str, default: Option<String>) {
        let is_many = path.contains('*') || path.contains("..");
        let from = json_path(path).and_then(|path| match number {
            // JMeter draws one by chance: where there is one only, it is that.
            "0" if is_many => Some(format!("json({path}, any)")),
            "0" | "1" => Some(format!("json({path})")),
            _ => None,
        });
        match from {
            Some(from) => self.keep(plan, name, from, None, default),
            None => unkept(plan, name, &format!("json {}", short(path, 60))),
        }
    }

    fn boundary_extractor(&mut self, plan: &mut Plan<'_, '_>, element: &Element) {
        let text = |name: &str| prop(element, &format!("BoundaryExtractor.{name}")).unwrap_or_default();
        let name = text("refname").to_owned();
        let made = format!("{}(.*?){}", regex::escape(text("lboundary")), regex::escape(text("rboundary")));
        let is_first = ["", "1"].contains(&text("match_number"));
        let is_body = ["", "false"].contains(&text("useHeaders"));
        let is_plain = !text("lboundary").contains("${") && !text("rboundary").contains("${");
        match pattern(&format!("(?s){made}")).filter(|_| is_first && is_body && is_plain) {
            Some(pattern) => self.keep(plan, &name, format!("regex({pattern})"), None, given(text("default"))),
            None => unkept(plan, &name, "a boundary extractor"),
        }
    }
}

/// A default that an extractor names.
fn given(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// What a variable of the plan is worth where an answer does not have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Default {
    place: String,
    /// The capture that stands for the variable.
    capture: String,
    text: String,
}

/// Captures have no default. One that a request needs is not optional, since an answer without it would else count as
/// right and leave that request unsent; one that an `if` asks for may be missing. Both are reported.
pub(super) fn tell_defaults(build: &mut Build<'_>, defaults: &[Default]) {
    let asked: BTreeSet<String> =
        build.draft.scenarios.iter().flat_map(|scenario| crate::finish::asked(&scenario.run)).collect();
    let mut needed = BTreeSet::new();
    for exchange in &build.draft.exchanges {
        needed.extend(crate::finish::mentioned(exchange, &build.draft.files));
    }
    for Default { place, capture, text } in defaults {
        build.place.clone_from(place);
        let shown = if text.is_empty() { "empty text".to_owned() } else { format!("`{}`", short(text, 40)) };
        let what = format!("the default of `{capture}`: {shown}");
        if asked.contains(capture) {
            build.lose(
                what,
                "captures have no default: where the answer does not have the value, nothing is captured, a comparison of \
                 it with the default is written as one with nothing, and a request outside of that `if` which needs the \
                 value is not sent",
                "",
            );
        } else if needed.contains(capture) {
            let captures = build.draft.exchanges.iter_mut().flat_map(|exchange| &mut exchange.captures);
            captures.filter(|it| it.name == *capture).for_each(|it| it.optional = false);
            build.lose(
                what,
                "captures have no default: JMeter would go on with it; here an answer without the value is wrong, and \
                 requests that need the value are not sent",
                format!(
                    "if such an answer is right, write `optional: true` in the capture, and put the requests that need it \
                     under `if: $({capture})`"
                ),
            );
        } else {
            build.lose(what, "captures have no default, and no request needs this one", "");
        }
    }
}

/// Names of variables that an element sets from answers.
pub(super) fn names_of(element: &Element) -> Vec<String> {
    let text = match element.tag.as_str() {
        "RegexExtractor" => prop(element, "RegexExtractor.refname"),
        "JSONPostProcessor" => prop(element, "JSONPostProcessor.referenceNames"),
        "BoundaryExtractor" => prop(element, "BoundaryExtractor.refname"),
        "com.atlantbh.jmeter.plugins.jsonutils.jsonpathextractor.JSONPathExtractor" => prop(element, "VAR"),
        _ => None,
    };
    let names = text.unwrap_or_default().split(';').map(str::trim).filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}

fn unkept(plan: &mut Plan<'_, '_>, name: &str, what: &str) {
    let what = format!("`{}` from {what}", short(&literal(name), 40));
    plan.build.lose(
        what,
        "this extractor cannot be carried over exactly",
        "write it under `capture`: `name: json($.id)`, `regex(…)`, `header(…)`",
    );
}
