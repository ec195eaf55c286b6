//! Mistakes in what the user wrote: place, code, what was found, what is possible, what to type.

/// Where in the user's text something stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Number of the file in the study's list of files; 0 is the study itself.
    pub file: u16,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Length of the marked text in characters, at least 1.
    pub length: u32,
}

/// One mistake. Its code has a paragraph in the guide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Stable code, such as `study::unknown-key`.
    pub code: &'static str,
    /// Where; `None` when it belongs to no place in a file.
    pub place: Option<Place>,
    /// What was found; one line, starting in lower case.
    pub message: String,
    /// What stands under the marked text: what to write instead.
    pub label: Option<String>,
    /// What is possible, and something to type.
    pub hint: Option<String>,
}

impl Mistake {
    /// A mistake with a place and nothing more yet.
    pub fn at(place: Place, code: &'static str, message: impl Into<String>) -> Self {
        Self { code, place: Some(place), message: bounded(message.into()), label: None, hint: None }
    }

    /// A mistake that belongs to no place in a file.
    pub fn nowhere(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, place: None, message: bounded(message.into()), label: None, hint: None }
    }

    /// Adds the words under the marked text.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(bounded(label.into()));
        self
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(bounded(hint.into()));
        self
    }
}

fn bounded(mut text: String) -> String {
    if text.len() > TEXT_MAX
        && let Some((end, _)) = text.char_indices().nth(TEXT_MAX)
    {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// So many mistakes are kept; whoever has more begins with these.
pub(crate) const KEPT_MAX: usize = 200;
/// Characters of one message, label or hint: what was found in a file may be megabytes long.
const TEXT_MAX: usize = 2000;

/// All the mistakes found so far. Finding one never stops the search for the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mistakes(pub Vec<Mistake>);

impl Mistakes {
    /// Adds one; the same mistake at the same place is kept once. Of very many, the first ones are kept.
    pub fn push(&mut self, mistake: Mistake) {
        if self.0.len() < KEPT_MAX && !self.0.contains(&mistake) {
            self.0.push(mistake);
        }
        if self.0.len() == KEPT_MAX {
            let text = format!("there are more mistakes than these {KEPT_MAX}; the others are not shown");
            self.0.push(Mistake::nowhere("study::too-large", text));
        }
    }

    /// Takes the value of a result, or keeps its mistake.
    pub fn keep<T>(&mut self, result: Result<T, Mistake>) -> Option<T> {
        result.map_err(|mistake| self.push(mistake)).ok()
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Ok when nothing is wrong.
    ///
    /// # Errors
    /// All mistakes, in order of place.
    pub fn into_result(mut self) -> Result<(), Self> {
        if self.is_empty() {
            return Ok(());
        }
        self.0.sort_by_key(|mistake| mistake.place);
        Err(self)
    }

    /// Adds all of another list.
    pub fn extend(&mut self, other: Self) {
        for mistake in other.0 {
            self.push(mistake);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_very_many_mistakes_the_first_are_kept_and_long_texts_are_cut() {
        let mut mistakes = Mistakes::default();
        (0..1000).for_each(|number| mistakes.push(Mistake::nowhere("study::yaml", format!("{number}"))));
        assert_eq!(mistakes.0.len(), KEPT_MAX + 1);
        assert!(mistakes.0[KEPT_MAX].message.contains("more mistakes than these 200"));
        let long = Mistake::nowhere("study::yaml", "é".repeat(5000)).label("x".repeat(2000)).hint("é".repeat(2001));
        assert_eq!(long.message.chars().count(), TEXT_MAX + 1);
        assert_eq!(long.label.as_ref().map(String::len), Some(2000));
        assert!(long.hint.is_some_and(|hint| hint.ends_with('…')));
    }
}
