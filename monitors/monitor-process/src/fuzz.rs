//! For the fuzz targets alone: the parsers of this crate.

use crate::parse::{descriptors_limit, io, smaps_rollup};
use crate::{cgroup, disk, elsewhere};

/// A text of `/proc`; control groups in its first half, mounts in its second. Another machine answers with all of it.
pub fn proc(text: &str) {
    let _ = (smaps_rollup(text), io(text), descriptors_limit(text));
    let (groups, mounts) = text.split_at(text.floor_char_boundary(text.len() / 2));
    cgroup::parsed(groups, mounts);
    disk::parsed(groups, mounts);
    elsewhere::parsed(text);
}
