//! Which scenarios are the cells of one grid: the study that was run has a scenario for each.

use study::Study;

/// A grid as the study has it after it was written out.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Written {
    /// The scenario's name before that.
    pub(super) name: String,
    pub(super) variables: Vec<String>,
    /// Scenario and the values of its variables.
    pub(super) cells: Vec<(String, Vec<String>)>,
}

/// All grids, in the study's order. What lacks the value of one of its variables is not a cell.
pub(super) fn written(study: &Study) -> Vec<Written> {
    let mut grids: Vec<Written> = Vec::new();
    for scenario in &study.scenarios {
        let Some(cell) = &scenario.cell else { continue };
        let values: Vec<String> = scenario.cell_values().iter().map(|(_, value)| (*value).to_owned()).collect();
        if values.is_empty() || values.len() != cell.variables.len() {
            continue;
        }
        let own = (scenario.name.clone(), values);
        match grids.iter_mut().find(|known| known.name == cell.grid && known.variables == cell.variables) {
            Some(grid) => grid.cells.push(own),
            None => {
                let (name, variables) = (cell.grid.clone(), cell.variables.clone());
                grids.push(Written { name, variables, cells: vec![own] });
            }
        }
    }
    grids
}
