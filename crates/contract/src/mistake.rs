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
        Self { code, place: Some(place), message: message.into(), label: None, hint: None }
    }

    /// A mistake that belongs to no place in a file.
    pub fn nowhere(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, place: None, message: message.into(), label: None, hint: None }
    }

    /// Adds the words under the marked text.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// All the mistakes found so far. Finding one never stops the search for the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mistakes(pub Vec<Mistake>);

impl Mistakes {
    /// Adds one; the same mistake at the same place is kept once.
    pub fn push(&mut self, mistake: Mistake) {
        if !self.0.contains(&mistake) {
            self.0.push(mistake);
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
