//! Which process is meant, and how a monitor tells it.

use std::fmt;

/// A process, once and for all: an id can pass to another one, an id with a start time cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    pub pid: u32,
    /// Start, in clock ticks since the machine started.
    pub start: u64,
}

/// `456@8100`: the id with its start.
impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.pid, self.start)
    }
}

/// Name of the fact that tells which process an instance is, in which it runs, and so on. Two monitors may call one
/// process by two names, or watch a process and what it started: by this it is counted once all the same.
pub const LINEAGE: &str = "process and its parents";

/// Generations that a lineage tells at most; deeper ones are nobody's instance.
pub const GENERATIONS_MAX: usize = 32;

/// A process, its parent and so on as one text: `456@8100 123@7900`.
pub fn write_lineage(line: &[Identity]) -> String {
    line.iter().take(GENERATIONS_MAX).map(Identity::to_string).collect::<Vec<_>>().join(" ")
}

/// Reads what [`write_lineage`] wrote; what is none of it is left out.
pub fn read_lineage(text: &str) -> Vec<Identity> {
    let identity = |word: &str| {
        let (pid, start) = word.split_once('@')?;
        Some(Identity { pid: pid.parse().ok()?, start: start.parse().ok()? })
    };
    text.split_ascii_whitespace().take(GENERATIONS_MAX).filter_map(identity).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lineage_is_written_and_read_again() {
        let read = read_lineage("7@70 6@60 x 5@ @5 -1@2 5@50");
        assert_eq!(read.iter().map(|one| (one.pid, one.start)).collect::<Vec<_>>(), [(7, 70), (6, 60), (5, 50)]);
        assert_eq!(write_lineage(&read), "7@70 6@60 5@50");
        let deep = vec![Identity { pid: 9, start: 1 }; GENERATIONS_MAX + 8];
        assert_eq!(read_lineage(&write_lineage(&deep)).len(), GENERATIONS_MAX);
    }
}
