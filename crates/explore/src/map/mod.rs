//! Static knowledge of the program: branch directions, control-flow graph with value sets, interrupt handlers.

pub(crate) mod branches;
pub(crate) mod escapes;
pub(crate) mod evidence;
pub(crate) mod exactness;
pub(crate) mod exclusion;
pub(crate) mod handler_writes;
pub(crate) mod handlers;
pub(crate) mod static_map;
mod wait;
