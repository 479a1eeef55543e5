"""Recovers the graph of a stripped program with angr's CFGFast, for comparison.

Usage: angr_graph.py ELF
Prints JSON: where functions and instructions begin, the computed jumps with their targets, and the CPU seconds used after
loading.
"""

import json
import logging
import sys
import time

import angr

logging.disable(logging.CRITICAL)


def main():
    project = angr.Project(sys.argv[1], auto_load_libs=False)
    # Bit 0 says in which of two modes code is, where there are two.
    mask = ~1 if project.arch.name.startswith("ARM") else ~0
    start = time.process_time()
    graph = project.analyses.CFGFast(normalize=True)
    seconds = time.process_time() - start
    functions = {address & mask for address, function in graph.kb.functions.items() if not function.is_simprocedure}
    instructions, jumps = set(), []
    for node in graph.model.nodes():
        instructions.update(address & mask for address in node.instruction_addrs)
    for address, jump in graph.indirect_jumps.items():
        if jump.jumpkind == "Ijk_Boring":
            jumps.append({"block": address & mask, "targets": sorted({to & mask for to in jump.resolved_targets})})
    result = {"functions": sorted(functions), "instructions": sorted(instructions), "jumps": jumps, "seconds": seconds}
    json.dump(result, sys.stdout)


main()
