//! One entry of the log: who did what with whose record, when, in which system, for whom.

use terms::seed::hash;
use terms::{Nanos, iso};

use super::Archive;

/// An entry as the table has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) code: &'static str,
    pub(crate) citizen: String,
    /// Who did it: a helper.
    pub(crate) user: String,
    /// On whose behalf.
    pub(crate) responsible: String,
    /// The kind of an organisation's number, a colon, and the number.
    pub(crate) organisation: String,
    pub(crate) system: &'static str,
    pub(crate) action: &'static str,
    pub(crate) session: String,
    /// `2026-10-31 12:34:56` in UTC.
    pub(crate) moment: String,
}

/// End of what is logged, 2026-11-01T00:00:00Z: what a store holds must not depend on the day it is filled.
const UNTIL_S: u64 = 1_793_491_200;
/// Entries older than two years are deleted in the system that this one stands for.
const SPAN_S: u64 = 2 * 365 * 86_400;

const CODES: [&str; 4] = ["Opslag", "Rettelse", "Oprettelse", "Udskrift"];
const SYSTEMS: [&str; 8] =
    ["FMK", "DDV", "Sundhedsjournalen", "E-journal", "NPI", "Medcom", "Labsvar", "Graviditetsmappe"];
const ACTIONS: [&str; 8] = [
    "Hent medicinkort",
    "Hent vaccinationer",
    "Hent forløb",
    "Hent notater",
    "Søg patient",
    "Hent laboratoriesvar",
    "Opdater medicinkort",
    "Bestil receptfornyelse",
];
const NUMBERS: [(&str, u64); 4] = [("ynumber", 6), ("pnumber", 10), ("skscode", 7), ("cvrnumber", 8)];

/// An entry about a citizen from one draw.
pub(super) fn draw(archive: &Archive, citizen: &str, key: u64) -> Entry {
    let below = |place: u64, bound: u64| hash(key, place) % bound.max(1);
    let (kind, digits) = NUMBERS[below(0, NUMBERS.len() as u64) as usize];
    let organisation = below(1, 10u64.pow(digits as u32));
    let moment = iso::seconds(Nanos::from_secs((UNTIL_S - 1 - below(2, SPAN_S)) as i64));
    Entry {
        code: CODES[below(3, CODES.len() as u64) as usize],
        citizen: citizen.to_owned(),
        user: archive.helper(below(4, archive.citizens)),
        responsible: format!("{:05}", below(5, 100_000)),
        organisation: format!("{kind}:{organisation:0width$}", width = digits as usize),
        system: SYSTEMS[below(6, SYSTEMS.len() as u64) as usize],
        action: ACTIONS[below(7, ACTIONS.len() as u64) as usize],
        session: format!("{:016x}", hash(key, 8)),
        moment: moment.replace('T', " ").trim_end_matches('Z').to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_lie_within_two_years_and_have_their_widths() {
        let archive = Archive { seed: 1, citizens: 100 };
        for entry in archive.about(3) {
            assert_eq!(entry.moment.len(), 19, "{}", entry.moment);
            assert!("2024-11-01 00:00:00" <= entry.moment.as_str(), "{}", entry.moment);
            assert!(entry.moment.as_str() < "2026-11-01 00:00:00", "{}", entry.moment);
            // Widths of the table's columns.
            assert!(entry.organisation.len() <= 20 && entry.action.chars().count() <= 75 && entry.system.len() <= 25);
            assert!(entry.session.len() <= 20 && entry.code.len() <= 20);
        }
    }
}
