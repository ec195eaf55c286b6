//! What the readers of a report demand, each demand with the places of the report that answer it.

use super::Text;

/// A demand of the readers' list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Demand {
    /// Number in that list.
    pub id: String,
    /// What is demanded.
    pub asks: Text,
    /// Places of which any answers it.
    pub at: Vec<DemandPlace>,
    /// Places that must all be there.
    pub needs: Vec<DemandPlace>,
    /// Why no block answers it.
    pub why_not: Option<Text>,
}

/// A place in a report: `results`, `results.system`, `results.system#heap|levels`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DemandPlace {
    /// Name of a block.
    pub block: String,
    /// Name of a part of it.
    pub part: Option<String>,
    /// What must be there, any of these: words of the name of a figure or table, the name of a finding's rule, or,
    /// after `~`, a word of a requirement's rule. None: anything.
    pub shows: Vec<String>,
}

impl std::fmt::Display for DemandPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.block)?;
        if let Some(part) = &self.part {
            write!(f, ".{part}")?;
        }
        if !self.shows.is_empty() {
            write!(f, "#{}", self.shows.join("|"))?;
        }
        Ok(())
    }
}
