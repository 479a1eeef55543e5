# The data above in Ghidra's listing.

# The difference between an address in this listing and the address in the program's file: not 0 if the program was loaded
# at another address.
SHIFT = 0

# Red, green and blue of a branch: the first of these verdicts that one of its directions has.
COLOURS = [
    ("open", (255, 200, 120)),
    ("unsupported", (225, 190, 245)),
    ("infeasible", (210, 210, 210)),
    ("covered", (190, 235, 190)),
]
FINDING = (255, 160, 160)


def colour_of(directions):
    verdicts = set(verdict for _, verdict, _ in directions)
    return next(colour for verdict, colour in COLOURS if verdict in verdicts)


def comment_of(directions):
    return u"\n".join(u"-> %s %s: %s" % direction for direction in directions)


def set_colour(address, colour):
    # Without a window there is nothing to colour.
    if not isRunningHeadless():
        from java.awt import Color

        setBackgroundColor(address, Color(*colour))


def address_at(text):
    # In bytes: a text would be taken for a number of words on a processor whose code is addressed by words.
    return currentProgram.getAddressFactory().getDefaultAddressSpace().getAddress(int(text, 16) + SHIFT)


def with_earlier(earlier, comment):
    # Comments of others stay; those of an earlier run of this script are not written twice.
    if not earlier or comment in earlier:
        return earlier or comment
    return earlier + u"\n" + comment


def main():
    missing = 0
    for branch, directions in BRANCHES:
        address = address_at(branch)
        if getInstructionAt(address) is None:
            missing += 1
        set_colour(address, colour_of(directions))
        setPreComment(address, with_earlier(getPreComment(address), comment_of(directions)))
    for place, oracle, violation, test in FINDINGS:
        address = address_at(place)
        set_colour(address, FINDING)
        comment = u"%s: %s (test %s)" % (oracle, violation, test)
        setPlateComment(address, with_earlier(getPlateComment(address), comment))
    print("%s: branches: %d, findings: %d" % (PROGRAM, len(BRANCHES), len(FINDINGS)))
    if missing:
        print("branches that are no instructions here: %d; disassemble them, or set SHIFT in the script" % missing)


main()
