//! The interrupts that devices may raise on a path.

use everypath_ir::Place;

use crate::map::handlers::Handlers;
use crate::path::inputs::SymbolicInputs;
use crate::path::task::Task;

/// The interrupts that a device may raise before the instruction at a place, and whose handlers have any effect; `None` if what masks
/// them depends on input.
pub(crate) fn interrupts_by_devices(
    task: &mut Task,
    inputs: &SymbolicInputs<'_>,
    handlers: &Handlers,
    place: Place,
) -> Option<Vec<u64>> {
    let Some(controller) = inputs.world.controller() else { return Some(Vec::new()) };
    let mut numbers = controller.takeable(task.progress.lines(), &mut task.state, place)?.by_devices;
    handlers.retain_effective(controller, &mut numbers);
    Some(numbers)
}
