//! What a rule ends with: its window, what it is split by, and for how long it must hold.

use super::super::draft::Draft;
use super::super::token::What;
use super::Parser;
use crate::model::rule::{Scope as Member, Window, WindowEnd};
use crate::syntax::not_yet;
use contract::{Mistake, Place, suggestion};
use terms::{Nanos, Phase};

/// Words of scopes, and their row in the table of what is not supported yet.
const SCOPES: [(&str, Member, &str); 10] = [
    ("scenario", Member::Scenario, ""),
    ("step", Member::Step, ""),
    ("repetition", Member::Repetition, ""),
    ("exchange", Member::Exchange, ""),
    ("stream", Member::Stream, ""),
    ("group", Member::Group, "per group"),
    ("instance", Member::Instance, ""),
    ("replica", Member::Replica, ""),
    ("partition", Member::Partition, "per partition"),
    ("node", Member::Node, ""),
];

impl Parser<'_> {
    /// `in window`, `per scopes`, `for duration`: each once, in any order.
    pub(super) fn endings(&mut self, draft: &mut Draft) -> Result<(), Mistake> {
        loop {
            let place = self.peek().place;
            if draft.window.is_none() && self.eat_word("in") {
                draft.window = Some((self.window()?, place));
            } else if draft.per.is_empty() && self.eat_word("per") {
                draft.per.push(self.scope()?);
                while self.eat(",") {
                    draft.per.push(self.scope()?);
                }
            } else if draft.sliding.is_none() && self.eat_word("for") {
                draft.sliding = Some((self.span()?, place));
            } else if self.peek().what == What::End {
                return Ok(());
            } else {
                return Err(self.expected("`and`, `in`, `per`, `for` or the end"));
            }
        }
    }

    fn span(&mut self) -> Result<Nanos, Mistake> {
        let (quantity, place) = self.constant()?;
        match quantity.nanos().filter(|span| *span >= Nanos::SECOND) {
            Some(span) => Ok(span),
            None => Err(Mistake::at(place, "study::out-of-range", "a duration of at least a second is needed here")
                .label("write `30s` or `5m`")),
        }
    }

    pub(super) fn window(&mut self) -> Result<Window, Mistake> {
        let part = match self.peek().text.as_str() {
            "first" => Some(WindowEnd::First),
            "last" => Some(WindowEnd::Last),
            _ => None,
        };
        let part = match part {
            Some(part) => {
                self.at += 1;
                let span = self.span()?;
                if !self.eat_word("of") {
                    return Err(self.expected("`of`"));
                }
                Some((part, span))
            }
            None => None,
        };
        let word = self.word("a phase")?;
        if word.text == "all" {
            return Ok(Window { part, phase: None });
        }
        match Phase::from_name(&word.text) {
            Some(phase) => Ok(Window { part, phase: Some(phase) }),
            None => {
                let known = ["idle", "warm_up", "ramp", "hold", "drain", "recovery", "all"];
                let mistake =
                    Mistake::at(word.place, "study::unknown-word", format!("there is no phase `{}`", word.text));
                let mistake = match suggestion(&word.text, known) {
                    Some(near) => mistake.label(format!("did you mean `{near}`?")),
                    None => mistake,
                };
                Err(mistake.hint(format!("possible: {}", known.join(", "))))
            }
        }
    }

    fn scope(&mut self) -> Result<(Member, Place), Mistake> {
        let token = self.word("what to split by")?;
        let Some((_, scope, row)) = SCOPES.iter().find(|(word, ..)| *word == token.text) else {
            let known = SCOPES.map(|(word, ..)| word);
            let mistake =
                Mistake::at(token.place, "study::unknown-word", format!("`per {}` is not possible", token.text));
            let mistake = match suggestion(&token.text, known) {
                Some(near) => mistake.label(format!("did you mean `{near}`?")),
                None => mistake,
            };
            return Err(mistake.hint(format!("possible: {}", known.join(", "))));
        };
        not_yet::mistake(row, token.place).map_or(Ok((*scope, token.place)), Err)
    }
}
