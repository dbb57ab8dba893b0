#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The commands of a page, what they say, and their status, as files of their own.

examples.py PAGE DIR: N.command, N.said, N.status

In a literal block "$ COMMAND" begins an example, a line that is indented deeper goes on with the one
before it, and "[1]" is the status.
"""

import pathlib
import re
import sys


def examples(lines):
    """Command, what it says and status of each."""
    command = None
    said = []
    for line in lines:
        text = line.strip()
        if text.startswith("$ "):
            command, said = text[2:], []
        elif command is None or not text:
            continue
        elif re.fullmatch(r"\[\d+\]", text):
            yield command, said, text[1:-1]
            command = None
        elif said and line.startswith("\t    "):
            said[-1] += " " + text
        else:
            said.append(text)


def main():
    page, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    for nr, (command, said, status) in enumerate(examples(page.read_text().splitlines())):
        name = out / f"{nr:03}"
        name.with_suffix(".command").write_text(command + "\n")
        name.with_suffix(".said").write_text("".join(line + "\n" for line in said))
        name.with_suffix(".status").write_text(status + "\n")


main()
