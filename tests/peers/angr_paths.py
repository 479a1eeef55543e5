"""Runs every path of a bare-metal guest in angr, with the same input as `everypath test` has, for comparison.

Usage: angr_paths.py ELF SECONDS STACK CELL:SIZE ...
Prints one line: the number of paths that ended, whether all did, and the CPU seconds used after loading.
"""

import logging
import sys
import time

import angr
import claripy

logging.disable(logging.CRITICAL)


def main():
    path, seconds, stack = sys.argv[1], float(sys.argv[2]), int(sys.argv[3], 0)
    project = angr.Project(path, auto_load_libs=False)
    cells = {}
    for word in sys.argv[4:]:
        name, size = word.split(":")
        symbol = project.loader.find_symbol(name)
        if symbol is not None:
            cells[symbol.rebased_addr] = int(size)
    start = time.process_time()
    options = {angr.options.ZERO_FILL_UNCONSTRAINED_MEMORY, angr.options.ZERO_FILL_UNCONSTRAINED_REGISTERS}
    state = project.factory.blank_state(addr=project.loader.find_symbol("main").rebased_addr, add_options=options)
    state.regs.sp = stack

    def read(state):
        address = state.solver.eval(state.inspect.mem_read_address)
        if address in cells:
            fresh = claripy.BVS(f"cell_{address:x}", 8 * cells[address])
            state.memory.store(address, fresh, endness=project.arch.memory_endness, inspect=False)

    state.inspect.b("mem_read", when=angr.BP_BEFORE, action=read)
    known = {}

    def leads_to_itself(address):
        """Whether a block does nothing but jump to itself, which is the end of a guest; a loop of one block decides."""
        if address not in known:
            code = project.factory.block(address).vex
            to = code.next.con.value if hasattr(code.next, "con") else None
            known[address] = to == address and not code.exit_statements
        return known[address]

    manager = project.factory.simulation_manager(state)
    ended = 0
    complete = True
    while manager.active:
        if time.process_time() - start > seconds:
            complete = False
            break
        manager.step()
        still = [one for one in manager.active if leads_to_itself(one.addr)]
        if still:
            ended += len(still)
            gone = {id(one) for one in still}
            manager.stashes["active"] = [one for one in manager.active if id(one) not in gone]
    ended += len(manager.deadended) + len(manager.errored)
    print(ended, "complete" if complete else "broken-off", f"{time.process_time() - start:.3f}")


main()
