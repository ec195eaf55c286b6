//! What bounds a script, and why. A load thread does nothing else while a script runs, so each bound is about how long
//! the other users of that thread may have to wait, or about how much memory a thread may take.

use terms::Nanos;

/// Bytes of a script's text.
pub const TEXT_BYTES_MAX: usize = 256 * 1024;
/// Steps of one call: an operator, a call, a pass of a loop. Some hundredths of a second of processor time.
pub const OPERATIONS_MAX: u64 = 500_000;
/// Time of one call, whatever its steps are: one step may look through a whole text. Only a script that is far too slow
/// comes so far, even on a busy machine; the steps decide otherwise, which are the same each time.
pub const TIME_MAX: Nanos = Nanos::SECOND;
/// Functions that call each other, or themselves.
pub const CALLS_MAX: usize = 32;
/// Expressions within each other in the text, which is read by recursion.
pub const DEPTH_MAX: usize = 48;
/// Bytes of a text, of all texts in a list together, and of one argument.
pub const STRING_BYTES_MAX: usize = 1024 * 1024;
/// Members of a list with the lists in it, bytes of a blob, and keys of a map with the maps in it.
pub const MEMBERS_MAX: usize = 20_000;
/// Variables that exist at once. With the largest values there are, a call takes some tens of megabytes.
pub const VARIABLES_MAX: usize = 64;
/// Functions of a script.
pub const FUNCTIONS_MAX: usize = 256;
