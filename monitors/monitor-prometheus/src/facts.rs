//! What is told of a page besides its values.

use contract::{FactKind, FactRole};

pub(crate) const OPENMETRICS: &str = "OpenMetrics";
pub(crate) const TEXT: &str = "Prometheus text";

contract::facts! {
    PAGE = FactKind::new("metrics page").with_role(FactRole::Label);
    FORMAT = FactKind::new("format of the page").with_values(&[("openmetrics", OPENMETRICS), ("text", TEXT)]);
    NO_PAGE = FactKind::new("no page");
}
