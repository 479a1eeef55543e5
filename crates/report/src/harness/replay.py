#!/usr/bin/env python3
"""Runs the tests of tests.json on the Unicorn engine, and compares each run with the recorded one.

    python3 replay.py [--test NAME]... [PROGRAM]

PROGRAM is an ELF file that is loaded in place of the program that the tests were made from, which tests.json contains. Each
read of an input gets its recorded value. Compared are the path, the writes to devices, and at the end the registers and the
memory that the test writes.

Ends with 0 if every test behaves as recorded, with 1 if not, and with 2 if the tests cannot be run. Needs the Python package
`unicorn` (Debian: python3-unicorn).
"""

import argparse
import json
import pathlib
import struct
import sys

try:
    from unicorn import *
except ImportError:
    print("the Python package `unicorn` is missing: pip install unicorn, or Debian's python3-unicorn", file=sys.stderr)
    sys.exit(2)

# START

PAGE = 4096
# No instruction is there.
NOWHERE = (1 << 64) - 16


class Difference(Exception):
    """A run that is not as recorded."""


def number(text):
    return int(text, 16)


class Program:
    """A program: its bytes, and the names of its addresses."""

    def __init__(self, document, file):
        own = [(number(one["address"]), bytes.fromhex(one["bytes"])) for one in document["segments"]]
        self.segments = own if file is None else elf_segments(pathlib.Path(file).read_bytes())
        self.symbols = sorted((number(start), size, name) for start, size, name in document["symbols"])

    def place(self, address):
        """An address as function and offset, or variable and offset."""
        for start, size, name in self.symbols:
            if start <= address < start + size:
                return f"{name}+{address - start:#x} ({address:#x})"
        return f"{address:#x}"


def elf_segments(image):
    """The parts of an ELF file that are loaded; first those at load addresses, from which start-up code copies them."""
    if image[:4] != b"\x7fELF":
        raise ValueError("it is no ELF file")
    order = "<" if image[5] == 1 else ">"
    if image[4] == 1:
        table, size, count = struct.unpack_from(order + "28xI10xHH", image)
    else:
        table, size, count = struct.unpack_from(order + "32xQ14xHH", image)
    copies, parts = [], []
    for index in range(count):
        header = table + index * size
        if image[4] == 1:
            kind, offset, virtual, physical, length = struct.unpack_from(order + "5I", image, header)
        else:
            kind, offset, virtual, physical, length = struct.unpack_from(order + "I4x4Q", image, header)
        if kind == 1 and length > 0:
            contents = image[offset : offset + length]
            parts.append((virtual, contents))
            if physical not in (0, virtual):
                copies.append((physical, contents))
    return copies + parts


class Run:
    """A run of one test."""

    def __init__(self, program, test, program_counter):
        self.program, self.test = program, test
        self.counter = register(program_counter)
        self.engine = new_engine()
        self.order = "big" if self.engine._mode & UC_MODE_BIG_ENDIAN else "little"
        self.total = test["instructions"]
        # Number of instructions begun, and the address of the last one.
        self.done, self.at = 0, None
        self.difference = None
        self.path = self.addresses()
        self.expected = next(self.path, None)
        # Number of instructions at the end of the path that have no effect.
        self.tail = 0
        for _, has_no_effect in self.addresses():
            self.tail = self.tail + 1 if has_no_effect else 0
        self.reads, self.next_read = test["reads"], 0
        self.writes = [
            (write, number(write["address"]) + distance, byte)
            for write in test["expected"]["writes"]
            for distance, byte in enumerate(bytes.fromhex(write["bytes"]))
        ]
        self.next_write = 0

    def addresses(self):
        """The path: the address of each instruction, and whether its predicate is false, so that it has no effect."""
        blocks = [[number(address) for address in block] for block in self.test["blocks"]]
        blocks = [
            [(address, index in skipped) for index, address in enumerate(block)]
            for block, skipped in zip(blocks, self.test["predicate_false"])
        ]
        for block, times in self.test["path"]:
            for _ in range(times):
                yield from blocks[block]

    def fail(self, what):
        """Notes the first difference; an exception would not leave the engine."""
        if self.difference is None:
            where = "at the entry" if self.at is None else "at " + self.program.place(self.at)
            self.difference = f"{where}, instruction {max(self.done, 1)}: {what}"
        self.engine.emu_stop()

    def load(self):
        pages = set()
        ranges = [(number(first), number(last)) for first, last in self.test["touched"]]
        given = [(number(one["address"]), bytes.fromhex(one["bytes"])) for one in self.test["memory"]]
        ranges += [(start, start + len(contents) - 1) for start, contents in self.program.segments + given]
        for first, last in ranges:
            pages.update(range(first // PAGE, last // PAGE + 1))
        for first in sorted(page for page in pages if page - 1 not in pages):
            last = first
            while last + 1 in pages:
                last += 1
            self.engine.mem_map(first * PAGE, (last + 1 - first) * PAGE)
        for start, contents in self.program.segments:
            self.engine.mem_write(start, contents)
        for start, contents in given:
            self.engine.mem_write(start, contents)
        for name, value in self.test["registers"]:
            self.engine.reg_write(register(name), number(value))

    def hook(self):
        self.engine.hook_add(UC_HOOK_CODE, self.on_instruction)
        for first, last in self.test["devices"]:
            self.engine.hook_add(UC_HOOK_MEM_READ, self.on_read, begin=number(first), end=number(last))
            self.engine.hook_add(UC_HOOK_MEM_WRITE, self.on_write, begin=number(first), end=number(last))

    def on_instruction(self, engine, address, size, _):
        if self.difference is not None:
            return
        self.missed_read()
        # For some instructions whose predicate is false, such as those of an IT block, the engine calls no hook.
        wanted = self.expected
        while self.expected is not None and self.expected[1] and self.expected[0] != address:
            self.advance()
        if self.expected is None:
            engine.emu_stop()
            return
        if address != self.expected[0]:
            return self.fail(f"continues at {self.program.place(address)}, expected {self.program.place(wanted[0])}")
        self.at = address
        self.advance()

    def advance(self):
        """Goes on to the next instruction of the path."""
        self.done, self.expected = self.done + 1, next(self.path, None)

    def missed_read(self):
        """Checks that the last instruction has read all inputs that it is recorded to read."""
        if self.next_read < len(self.reads) and self.reads[self.next_read]["after"] < self.done:
            self.fail(f"does not read {self.reads[self.next_read]['cell']}")

    def on_read(self, engine, access, address, size, value, _):
        while self.next_read < len(self.reads) and self.difference is None:
            read = self.reads[self.next_read]
            start, contents = number(read["address"]), bytes.fromhex(read["bytes"])
            is_here = start < address + size and address < start + len(contents)
            if read["after"] != self.done - 1 or not is_here:
                return
            engine.mem_write(start, contents)
            self.next_read += 1

    def on_write(self, engine, access, address, size, value, _):
        contents = (value & ((1 << 8 * size) - 1)).to_bytes(size, self.order)
        for place, byte in enumerate(contents, address):
            if self.difference is not None:
                return
            if self.next_write == len(self.writes):
                if self.test["expected"]["all_writes"]:
                    self.fail(f"writes {byte:#04x} to {self.program.place(place)}, expected no further write")
                return
            write, wanted, expected = self.writes[self.next_write]
            if place != wanted or write["after"] != self.done - 1:
                return self.fail(
                    f"writes to {self.program.place(place)}, expected a write to {self.program.place(wanted)} "
                    f"at {self.program.place(number(write['at']))}"
                )
            if write["is_defined"] and byte != expected:
                return self.fail(f"writes {byte:#04x} to {self.program.place(place)}, expected {expected:#04x}")
            self.next_write += 1

    def run(self):
        """Runs the test; raises a difference."""
        self.load()
        self.hook()
        entry, end = number(self.test["entry"]), number(self.test["end"])
        executed = {address for block in self.test["blocks"] for address in block}
        until = NOWHERE if self.test["end"] in executed else end
        first = next((address for address, _ in self.addresses()), end)
        mode = entry - first if 0 < entry - first < 4 else 0
        start, problem = entry, None
        while self.done < self.total and self.difference is None and problem is None:
            before = self.done
            try:
                self.engine.emu_start(start, until)
            except UcError as error:
                problem = error
            # An instruction that waits for an interrupt ends the emulation.
            start = self.engine.reg_read(self.counter) | mode
            if self.done + self.tail >= self.total and start & ~1 == end & ~1:
                self.done = self.total
            if self.done == before:
                break
        if self.difference is None:
            self.compare(problem, end)
        if self.difference is not None:
            raise Difference(self.difference)

    def compare(self, problem, end):
        """Compares the state at the end."""
        self.missed_read()
        counter = self.engine.reg_read(self.counter)
        if self.done < self.total or counter & ~1 != end & ~1:
            why = f": {problem}" if problem is not None else ""
            return self.fail(f"is at {self.program.place(counter)}, expected {self.program.place(end)}{why}")
        if self.next_write < len(self.writes):
            write = self.writes[self.next_write][0]
            place = self.program.place(number(write["address"]))
            return self.fail(f"no write to {place} at {self.program.place(number(write['at']))}")
        for memory in self.test["expected"]["memory"]:
            start, expected = number(memory["address"]), bytes.fromhex(memory["bytes"])
            found = bytes(self.engine.mem_read(start, len(expected)))
            for distance, (one, other) in enumerate(zip(found, expected)):
                if one != other:
                    place, writer = self.program.place(start + distance), self.program.place(number(memory["at"]))
                    return self.fail(
                        f"at the end the byte at {place} is {one:#04x}, expected {other:#04x}, written at {writer}"
                    )
        for name, expected in self.test["expected"]["registers"]:
            found = self.engine.reg_read(register(name))
            if found != number(expected):
                return self.fail(f"at the end {name} is {found:#x}, expected {expected}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", metavar="PROGRAM", help="an ELF file in place of the recorded program")
    parser.add_argument("--test", action="append", metavar="NAME", help="only this test; may be repeated")
    arguments = parser.parse_args()
    document = json.loads((pathlib.Path(__file__).parent / "tests.json").read_text())
    try:
        program = Program(document, arguments.program)
    except (OSError, ValueError, struct.error) as error:
        print(f"{arguments.program}: {error}", file=sys.stderr)
        return 2
    names = [test["name"] for test in document["tests"]]
    unknown = [name for name in arguments.test or [] if name not in names]
    if unknown:
        print(f"there is no test {unknown[0]}; there are: {', '.join(names)}", file=sys.stderr)
        return 2
    wanted = [test for test in document["tests"] if not arguments.test or test["name"] in arguments.test]
    failed = 0
    for test in wanted:
        try:
            Run(program, test, document["program_counter"]).run()
        except Difference as difference:
            failed += 1
            print(f"test {test['name']}: {difference}")
    print(f"{len(wanted) - failed} of {len(wanted)} tests as recorded")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
