//! What a part of a scenario carries out outside measurement: before its load, after it, each user's own, or one
//! exchange of each kind to look at.

use crate::alone::{Alone, OUTSIDE, Shown};
use crate::blueprint::Blueprint;
use crate::error::DriveError;
use crate::sessions::{Captures, Sessions};
use crate::wait::Epoll;
use crate::{Control, Stop, Wait};
use clock::Clock;
use plan::{LoadPlan, PartPlan, ScenarioPlan};
use recorder::Arrival;
use std::sync::mpsc::Receiver;
use study::Per;

/// Carries out a user's set-up; what it captures outlives its iterations.
pub(crate) fn set_up_user<W: Wait>(alone: &mut Alone<'_, W>, part: &PartPlan, slot: u32) -> Result<(), DriveError> {
    alone.sessions.recorder.set_up_user();
    for &(exchange, _) in part.set_up.iter().filter(|(_, per)| *per == Per::User) {
        if alone.control.get() != Stop::No {
            break;
        }
        alone.carry_out_well(slot, exchange)?;
    }
    if has_clean_up_of_users(part) {
        alone.sessions.keep(slot);
    }
    alone.sessions.recorder.keep_captures(slot);
    Ok(())
}

/// Whether a part's users clean up by themselves. In an open load there are none.
fn has_clean_up_of_users(part: &PartPlan) -> bool {
    !matches!(part.load, LoadPlan::Open { .. }) && part.clean_up.iter().any(|(_, per)| *per == Per::User)
}

/// A virtual user whose load is over.
pub(crate) struct UserLeft {
    user: u64,
    /// What its last iteration captured, and before that its set-up.
    captures: Captures,
}

/// The users of a part after their last iterations, where they have something to clean up.
pub(crate) fn users_left(sessions: &Sessions, part: &PartPlan) -> Vec<UserLeft> {
    if !has_clean_up_of_users(part) {
        return Vec::new();
    }
    let left = |slot| {
        let captures = over(sessions.recorder.captures_of(slot), sessions.kept(slot));
        UserLeft { user: sessions.user(slot), captures }
    };
    sessions.owners().map(left).collect()
}

/// What newer exchanges captured, else what older ones did.
fn over(newer: &[Option<Vec<u8>>], older: &[Option<Vec<u8>>]) -> Captures {
    let place = |place: usize| {
        let of = |list: &[Option<Vec<u8>>]| list.get(place).cloned().flatten();
        of(newer).or_else(|| of(older))
    };
    (0..newer.len().max(older.len())).map(place).collect()
}

/// Sessions of one part with a loop of their own.
struct Outside<'a> {
    sessions: Sessions,
    wait: Epoll,
    inbox: Option<Receiver<Arrival>>,
    clock: &'a Clock,
    control: &'a Control,
}

impl<'a> Outside<'a> {
    fn new(
        blueprint: &Blueprint<'_>,
        (plan, part): (&ScenarioPlan, usize),
        clock: &'a Clock,
        control: &'a Control,
    ) -> Result<Self, DriveError> {
        let blueprint = Blueprint { workers: 1, ..blueprint.clone() };
        let wait = Epoll::new()?;
        let sessions = Sessions::new(&blueprint, (&plan.parts[part], part), 0, clock, &wait)?;
        let inbox = blueprint.mailbox.as_ref().zip(wait.waker()).map(|(mailbox, waker)| {
            mailbox.open(OUTSIDE..=OUTSIDE, 1);
            mailbox.subscribe(0, waker)
        });
        Ok(Self { sessions, wait, inbox, clock, control })
    }

    fn alone(&mut self) -> Alone<'_, Epoll> {
        let Self { sessions, wait, inbox, clock, control } = self;
        Alone { sessions, wait, clock, control, inbox: inbox.as_ref() }
    }
}

/// Carries out exchanges of one part in order on one slot, outside measurement, and hands on what they captured. Begins
/// none after the word `until` was stated.
pub(crate) fn prepare(
    blueprint: &Blueprint<'_>,
    part: (&ScenarioPlan, usize),
    exchanges: &[u16],
    before: &Captures,
    clock: &Clock,
    (control, until): (&Control, Stop),
) -> Result<Captures, DriveError> {
    if exchanges.is_empty() {
        return Ok(before.clone());
    }
    let mut outside = Outside::new(blueprint, part, clock, control)?;
    let slot = outside.sessions.add();
    outside.sessions.recorder.set_node_captures(before.clone());
    for &exchange in exchanges {
        if control.get() >= until {
            break;
        }
        outside.alone().carry_out_well(slot, exchange)?;
    }
    Ok(over(outside.sessions.recorder.captures_of(slot), before))
}

/// Carries out each user's clean-up with what that user knows, one user after another and each on connections of its
/// own. One that fails keeps nobody else from it; the first failure is told in the end.
pub(crate) fn clean_up_users(
    blueprint: &Blueprint<'_>,
    part: (&ScenarioPlan, usize),
    mut users: Vec<UserLeft>,
    before: &Captures,
    clock: &Clock,
    control: &Control,
) -> Result<(), DriveError> {
    if users.is_empty() {
        return Ok(());
    }
    users.sort_unstable_by_key(|left| left.user);
    let exchanges = those(&part.0.parts[part.1].clean_up, |per| per == Per::User);
    let mut outside = Outside::new(blueprint, part, clock, control)?;
    let mut outcome = Ok(());
    for left in users {
        if control.get() == Stop::Now {
            break;
        }
        let slot = outside.sessions.add_of(left.user);
        outside.sessions.recorder.set_node_captures(over(&left.captures, before));
        let mut alone = outside.alone();
        let ended = exchanges.iter().try_for_each(|&exchange| alone.carry_out_well(slot, exchange));
        // Its connections are closed before the next user's are opened.
        outside.sessions.let_go(slot);
        outcome = outcome.and(ended);
    }
    outcome
}

/// Exchanges of one part that are carried out so often.
pub(crate) fn those(exchanges: &[(u16, Per)], is_meant: fn(Per) -> bool) -> Vec<u16> {
    exchanges.iter().filter(|(_, per)| is_meant(*per)).map(|(exchange, _)| *exchange).collect()
}

/// One exchange of each kind that a part of a scenario carries out, set-up first, one after another whatever becomes of
/// those before, until somebody says stop. `blueprint` is that of the part.
///
/// # Errors
/// When drivers cannot be built, or the system refuses sockets.
pub fn once(
    blueprint: &Blueprint<'_>,
    part: (&ScenarioPlan, usize),
    exchanges: &[u16],
    clock: &Clock,
    control: &Control,
) -> Result<Vec<Shown>, DriveError> {
    let mut blueprint = blueprint.clone();
    blueprint.shared.is_looked_at = true;
    let mut outside = Outside::new(&blueprint, part, clock, control)?;
    let slot = outside.sessions.add();
    outside.sessions.recorder.look();
    let lists: Vec<_> = study::lists_of(&part.0.parts[part.1].run).collect();
    let mut alone = outside.alone();
    let mut carry_out = |&exchange: &u16| {
        if control.get() != Stop::No {
            return None;
        }
        let shown = alone.carry_out(slot, exchange);
        // Of each list that is there by now, the first member stands for all.
        for members in &lists {
            if let Some(value) = alone.sessions.member(slot, members.list, 0) {
                alone.sessions.keep_member(slot, members.member, &value);
            }
        }
        Some(shown)
    };
    Ok(exchanges.iter().map_while(&mut carry_out).collect())
}
