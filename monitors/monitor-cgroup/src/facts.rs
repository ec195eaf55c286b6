//! What a group is: where it is, what limits it, what it does not tell.

use contract::{FactKind, FactRole};

pub(crate) const NO_LIMIT: &str = "none";
pub(crate) const FROM_FILES: &str = "files of the control group";
pub(crate) const FROM_DOCKER: &str = "Docker's API";

contract::facts! {
    GROUP = FactKind::new("control group").with_role(FactRole::Label);
    SOURCE = FactKind::new("figures of the group").with_values(&[("files", FROM_FILES), ("docker", FROM_DOCKER)]);
    CPU_LIMIT = FactKind::new("limit of processor time").with_values(&[("none", NO_LIMIT)]);
    MEMORY_LIMIT = FactKind::new("limit of memory").with_role(FactRole::MemoryLimit).with_values(&[("none", NO_LIMIT)]);
    NOT_TOLD = FactKind::new("not told by the group");
    IMAGE = FactKind::new("image");
    SHARED = FactKind::new("also in the group");
}
