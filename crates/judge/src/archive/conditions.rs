//! Under which conditions a run was held: what must be equal for its values to stand in a series with others'.

use crate::Scope;
use crate::comparison::circumstances::Circumstances;
use record::Head;

/// Data and machines of a run, and the load of each of its scenarios.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conditions {
    of_run: Circumstances,
    scenarios: Vec<(String, Circumstances)>,
}

impl Conditions {
    /// Those of a run. Lengths of phases, versions and fault switches of the system are none of them: a history is there to
    /// show what these do.
    pub fn of(head: &Head) -> Self {
        let scenario = |name: &str| {
            let scope = Scope::whole(name);
            (name.to_owned(), Circumstances::of_scenario(head, name, Some(&scope)).only(&["load", "parts"]))
        };
        Self {
            of_run: Circumstances::of_data(head).with(Circumstances::of_machines(head)),
            scenarios: head.scenarios.iter().map(|known| scenario(&known.name)).collect(),
        }
    }

    /// Those that concern one scenario; all of them where none is named.
    pub(super) fn within(&self, scenario: Option<&str>) -> Circumstances {
        let concerned = self.scenarios.iter().filter(|(name, _)| scenario.is_none_or(|scenario| scenario == name));
        concerned.fold(self.of_run.clone(), |all, (_, of)| all.with(of.clone()))
    }
}
