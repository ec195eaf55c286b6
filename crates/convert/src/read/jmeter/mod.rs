//! Plans of JMeter.
//!
//! Elements of a plan act on all samplers at their place and below, so the walk carries a [`Scope`] down. Variables are
//! the whole plan's, so they are gathered first.

mod answers;
mod config;
mod http;
pub(crate) mod load;
mod values;

use crate::build::Build;
use crate::draft::{Scenario, Step};
use crate::text::{duration, short};
use crate::xml::{self, Element};
use answers::Answers;
use values::Values;

/// An element of the plan with what stands below it.
pub(super) struct Node<'a> {
    pub(super) element: &'a Element,
    pub(super) children: Vec<Node<'a>>,
}

/// What acts on a sampler from around it.
#[derive(Clone, Default)]
pub(super) struct Scope<'a> {
    /// HTTP Request Defaults, the nearest last.
    pub(super) defaults: Vec<&'a Element>,
    pub(super) headers: Vec<(String, String)>,
    /// URL, `user:password`.
    pub(super) logins: Vec<(String, String)>,
    /// Waits before each sampler.
    pub(super) waits: Vec<String>,
    pub(super) answers: Answers,
}

/// A plan while it is read.
pub(super) struct Plan<'b, 'a> {
    pub(super) build: &'b mut Build<'a>,
    pub(super) values: Values,
    /// Defaults of extractors.
    defaults: Vec<answers::Default>,
    /// Calls that are made once for each user, before its iterations.
    once: Vec<String>,
    disabled: usize,
    listeners: usize,
    /// Limits of samples a minute that act on a whole group: how many, and whether for each user.
    pub(super) limits: Vec<(f64, bool)>,
    /// Pieces of a throughput shaping timer.
    pub(super) shape: Vec<(f64, f64, f64)>,
}

pub(crate) fn read(source: &str, build: &mut Build<'_>) -> Result<(), String> {
    let root = xml::parse(source)?;
    if root.tag != "jmeterTestPlan" {
        return Err(format!("its root is `<{}>`, not `<jmeterTestPlan>`", short(&root.tag, 40)));
    }
    let trees = root.children.iter().filter(|child| child.tag == "hashTree");
    let nodes: Vec<Node<'_>> = trees.flat_map(pairs).collect();
    let mut plan = Plan {
        build,
        values: Values::default(),
        defaults: Vec::new(),
        once: Vec::new(),
        disabled: 0,
        listeners: 0,
        limits: Vec::new(),
        shape: Vec::new(),
    };
    for node in nodes.iter().filter(|node| is_enabled(node.element)) {
        if node.element.tag == "TestPlan" {
            let title = node.element.attribute("testname");
            if !title.is_empty() && title != "Test Plan" {
                plan.build.draft.title = short(title, 80);
            }
            plan.build.draft.about = short(prop(node.element, "TestPlan.comments").unwrap_or("A plan of JMeter"), 300);
            if plan.build.draft.about.is_empty() {
                plan.build.draft.about = "A plan of JMeter".to_owned();
            }
        }
        config::gather(&mut plan, node);
    }
    let plans: Vec<&Node<'_>> =
        nodes.iter().filter(|node| node.element.tag == "TestPlan" && is_enabled(node.element)).collect();
    if plans.is_empty() {
        return Err("it has no test plan".to_owned());
    }
    plan.build.draft.seen = nodes.iter().map(samplers).sum();
    for node in plans {
        let one_by_one = prop(node.element, "TestPlan.serialize_threadgroups") == Some("true");
        plan.build.draft.is_mix = !one_by_one;
        let scope = plan.scope_of(&node.children, Scope::default());
        plan.groups(&node.children, &scope);
    }
    answers::tell_defaults(plan.build, &plan.defaults);
    plan.build.place = String::new();
    let (disabled, listeners) = (plan.disabled, plan.listeners);
    if disabled > 0 {
        plan.build.lose(
            format!("{disabled} elements that are disabled"),
            "what is disabled is left out, with all that stands below it",
            "",
        );
    }
    if listeners > 0 {
        plan.build.lose(format!("{listeners} listeners"), "results are recorded and reported by loadproof itself", "");
    }
    super::together(plan.build);
    plan.build.close();
    Ok(())
}

/// Elements of a hash tree, each with the tree behind it.
fn pairs(tree: &Element) -> Vec<Node<'_>> {
    let mut nodes: Vec<Node<'_>> = Vec::new();
    for child in &tree.children {
        if child.tag == "hashTree" {
            if let Some(last) = nodes.last_mut() {
                last.children.extend(pairs(child));
            }
        } else {
            nodes.push(Node { element: child, children: Vec::new() });
        }
    }
    nodes
}

pub(super) fn is_enabled(element: &Element) -> bool {
    element.attribute("enabled") != "false"
}

/// HTTP samplers and others that are enabled.
fn samplers(node: &Node<'_>) -> usize {
    if !is_enabled(node.element) {
        return 0;
    }
    usize::from(is_sampler(&node.element.tag)) + node.children.iter().map(samplers).sum::<usize>()
}

fn is_sampler(tag: &str) -> bool {
    let is_one = tag.contains("Sampler") && !tag.ends_with("SamplerGui") && !tag.contains("PreProcessor");
    (is_one && tag != "DebugSampler")
        || tag == "HTTPSamplerProxy"
        || tag == "PublisherSampler"
        || tag == "SubscriberSampler"
}

/// The text of a property.
pub(super) fn prop<'a>(element: &'a Element, name: &str) -> Option<&'a str> {
    let is_it =
        |child: &&Element| child.attribute("name") == name && child.tag.ends_with("Prop") && child.children.is_empty();
    element.children.iter().find(is_it).map(|child| child.text.as_str())
}

/// A property that holds others.
pub(super) fn inner<'a>(element: &'a Element, name: &str) -> Option<&'a Element> {
    element.children.iter().find(|child| child.attribute("name") == name)
}

pub(super) fn is_true(element: &Element, name: &str) -> bool {
    prop(element, name) == Some("true")
}

impl<'e> Plan<'_, '_> {
    pub(super) fn stand_at(&mut self, element: &Element) {
        let name = element.attribute("testname");
        let name = if name.is_empty() { element.tag.as_str() } else { name };
        self.build.place = format!("line {}, `{}`", element.line, short(name, 60));
    }

    pub(super) fn text(&mut self, text: &str) -> String {
        self.values.text(text, self.build)
    }

    /// A number of a property, its variables filled in.
    pub(super) fn number(&mut self, element: &Element, name: &str) -> Option<f64> {
        let text = prop(element, name)?.trim().to_owned();
        if text.is_empty() {
            return None;
        }
        let text = self.text(&text);
        let found = self.build.expanded(&text).trim().parse::<f64>().ok().filter(|number| number.is_finite());
        if found.is_none() {
            self.build.lose(
                format!("{name}: {}", short(&text, 60)),
                "its value is not known before the plan runs",
                "write the number in the study",
            );
        }
        found
    }

    /// Thread groups of the plan, in their order.
    fn groups(&mut self, nodes: &[Node<'e>], scope: &Scope<'e>) {
        let mut tear_down = Vec::new();
        let mut set_up = Vec::new();
        let first = self.build.draft.scenarios.len();
        for node in nodes {
            let element = node.element;
            let is_group = element.tag.contains("ThreadGroup");
            if is_group && !is_enabled(element) {
                self.disabled += 1;
                continue;
            }
            if !is_group {
                continue;
            }
            let inside = self.scope_of(&node.children, scope.clone());
            (self.limits, self.shape, self.once) = (Vec::new(), Vec::new(), Vec::new());
            let run = self.steps(&node.children, &inside);
            self.stand_at(element);
            match element.tag.as_str() {
                "SetupThreadGroup" => set_up.extend(flat(&run)),
                "PostThreadGroup" => tear_down.extend(flat(&run)),
                _ => {
                    let mut scenario = self.scenario(element, run);
                    scenario.set_up =
                        std::mem::take(&mut self.once).into_iter().map(|call| (call, "per user")).collect();
                    self.build.draft.scenarios.push(scenario);
                }
            }
        }
        if let Some(scenario) = self.build.draft.scenarios.get_mut(first) {
            scenario.set_up.splice(0..0, set_up.into_iter().map(|call| (call, "per study")));
            scenario.clean_up.extend(tear_down.into_iter().map(|call| (call, "per study")));
        }
    }

    /// The scope of what stands beside these elements.
    fn scope_of(&mut self, nodes: &[Node<'e>], mut scope: Scope<'e>) -> Scope<'e> {
        for node in nodes {
            if !is_enabled(node.element) {
                continue;
            }
            self.stand_at(node.element);
            config::enter(self, node.element, &mut scope);
        }
        scope
    }

    /// Samplers and controllers in their order.
    fn steps(&mut self, nodes: &[Node<'e>], scope: &Scope<'e>) -> Vec<Step> {
        let mut steps = Vec::new();
        for node in nodes {
            let element = node.element;
            if !is_enabled(element) {
                self.disabled += 1;
                continue;
            }
            self.stand_at(element);
            if ["ResultCollector", "Summariser", "BackendListener"].iter().any(|tag| element.tag.ends_with(tag)) {
                self.listeners += 1;
                continue;
            }
            if element.tag.starts_with("HTTPSampler") || element.tag == "AjpSampler" {
                let waits = scope.waits.clone();
                let inside = self.scope_of(&node.children, Scope { waits: Vec::new(), ..scope.clone() });
                self.stand_at(element);
                let name = http::sampler(self, element, &inside);
                if let Some(name) = name {
                    steps.extend(waits.into_iter().chain(inside.waits).map(Step::Think));
                    steps.push(Step::Call(name));
                }
                continue;
            }
            if is_sampler(&element.tag) || element.tag == "DebugSampler" {
                self.build.lose(
                    format!("the sampler {}", element.tag),
                    "only requests over HTTP are carried over",
                    "write it by hand: drivers are in the guide, and others as `loadproof schema` has them",
                );
                continue;
            }
            if element.tag == "TestAction" {
                self.pause(element, &mut steps);
                continue;
            }
            let is_controller = element.tag.contains("Controller")
                || ["InterleaveControl", "RandomController", "RunTime", "LoopController"]
                    .contains(&element.tag.as_str())
                || element.tag.contains("Control");
            if is_controller {
                let inside = self.scope_of(&node.children, scope.clone());
                self.stand_at(element);
                let place = self.build.place.clone();
                let ways: Vec<Vec<Step>> = match element.tag.as_str() {
                    "InterleaveControl" | "RandomController" => node
                        .children
                        .iter()
                        .map(|child| self.steps(std::slice::from_ref(child), &inside))
                        .filter(|it| !it.is_empty())
                        .collect(),
                    _ => vec![self.steps(&node.children, &inside)],
                };
                self.build.place = place;
                self.controller(element, ways, &mut steps);
                continue;
            }
            config::tell_unknown(self, element);
        }
        steps
    }

    fn pause(&mut self, element: &Element, steps: &mut Vec<Step>) {
        if prop(element, "ActionProcessor.action") == Some("1") {
            if let Some(millis) = self.number(element, "ActionProcessor.duration").filter(|millis| *millis >= 1.0) {
                steps.push(Step::Think(duration(millis / 1000.0)));
            }
            return;
        }
        self.build.lose(
            "a flow control action",
            "users are not stopped in the middle of an iteration",
            "a failed call can stop the run: `abort`",
        );
    }

    fn controller(&mut self, element: &Element, mut ways: Vec<Vec<Step>>, steps: &mut Vec<Step>) {
        const IN_STUDY: &str = "its requests are written as exchanges, and stand in no `run`";
        let title = element.attribute("testname").to_owned();
        let mut run = if ways.is_empty() { Vec::new() } else { ways.remove(0) };
        let has_calls = !run.is_empty();
        match element.tag.as_str() {
            "GenericController" | "RecordingController" | "CriticalSectionController" | "SimpleController" => {
                if element.tag == "CriticalSectionController" {
                    self.build.lose("a critical section", "users do not wait for each other", "");
                }
                steps.extend(run);
            }
            "TransactionController" => {
                if has_calls {
                    let name = self.build.names.give(&title, "transaction");
                    steps.push(Step::Transaction(name, run));
                }
            }
            "LoopController" => {
                let is_endless = prop(element, "LoopController.loops") == Some("-1");
                match self.number(element, "LoopController.loops") {
                    Some(loops) if (1.0..=10_000.0).contains(&loops) => steps.push(Step::Times(loops as u64, run)),
                    _ if is_endless => {
                        self.build.lose(
                            "a loop without an end",
                            "an iteration ends; here the loop is passed once, and iterations follow one another",
                            "",
                        );
                        steps.extend(run);
                    }
                    _ => self.build.lose(
                        "a loop",
                        format!("how often is not known; {IN_STUDY}"),
                        "write `times: N, run: […]`",
                    ),
                }
            }
            "OnceOnlyController" => self.once.extend(flat(&run)),
            "IfController" => {
                let condition = prop(element, "IfController.condition").unwrap_or_default();
                match self.values.condition(condition, self.build) {
                    Some(condition) => steps.push(Step::If(condition, run)),
                    None => self.build.lose(
                        format!("if {}", short(condition.trim(), 80)),
                        format!("only `\"${{x}}\" == \"y\"` and `!=` can be written; {IN_STUDY}"),
                        "write `if: $(x) = y, then: […]`",
                    ),
                }
            }
            "InterleaveControl" | "RandomController" => {
                ways.insert(0, std::mem::take(&mut run));
                ways.retain(|way| !way.is_empty());
                let count = ways.len();
                if count == 1 {
                    steps.extend(ways.remove(0));
                } else if count > 1 {
                    if element.tag == "InterleaveControl" {
                        self.build.lose(
                            "an interleave controller",
                            "which of its parts comes next is drawn by chance, each as often as the others",
                            "",
                        );
                    }
                    let share = (1_000_000.0 / count as f64).floor() / 10_000.0;
                    let rest = 100.0 - share * (count - 1) as f64;
                    let named = ways.into_iter().enumerate().map(|(index, way)| {
                        let name = self.build.names.give(&format!("{title} {}", index + 1), "way");
                        (name, if index == 0 { rest } else { share }, way)
                    });
                    steps.push(Step::Choose(named.collect()));
                }
            }
            "ThroughputController" => {
                let percent = config::float(element, "ThroughputController.percentThroughput");
                let is_percent = prop(element, "ThroughputController.style") == Some("1");
                match percent.filter(|percent| is_percent && *percent > 0.0 && *percent <= 100.0) {
                    Some(100.0) => steps.extend(run),
                    Some(percent) if has_calls => {
                        let (name, other) = (
                            self.build.names.give(&title, "way"),
                            self.build.names.give(&format!("without {title}"), "way"),
                        );
                        steps.push(Step::Choose(vec![(name, percent, run), (other, 100.0 - percent, Vec::new())]));
                    }
                    Some(_) => {}
                    None => self.build.lose(
                        "a throughput controller",
                        format!("only a share of the iterations can be written; {IN_STUDY}"),
                        "write `choose: { … }` with its shares",
                    ),
                }
            }
            "RandomOrderController" => {
                self.build.lose("a random order", "its requests stand in the order of the plan", "");
                steps.extend(run);
            }
            other => {
                if has_calls || other == "ModuleController" || other == "IncludeController" {
                    self.build.lose(
                        format!("the controller {other}"),
                        format!("the language has nothing that means just the same; {IN_STUDY}"),
                        "write the flow in `run` by hand",
                    );
                }
            }
        }
    }

    fn scenario(&mut self, element: &Element, run: Vec<Step>) -> Scenario {
        load::scenario(self, element, run)
    }
}

/// Calls of steps in a row, without their waits.
fn flat(steps: &[Step]) -> Vec<String> {
    let mut calls = Vec::new();
    for step in steps {
        match step {
            Step::Call(name) => calls.push(name.clone()),
            Step::Transaction(_, steps) | Step::Times(_, steps) | Step::If(_, steps) => calls.extend(flat(steps)),
            Step::Parallel(names, _) => calls.extend(names.iter().cloned()),
            Step::Choose(_) | Step::Think(_) => {}
        }
    }
    calls
}
