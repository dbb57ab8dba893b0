#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""doclinks.py FILE...: report links and file names in documentation that lead nowhere.

Run in the top directory. Checks targets of links in reStructuredText and Markdown, names of pages
(in man pages, too), and paths and tests of this tree that are quoted as literals.
"""
import glob
import os
import re
import sys

from docutils import nodes
from docutils.core import publish_doctree

ROOMS = r"(?:kmod|bpf|user|tools|Documentation)"
TESTS = r"(?:unit|host|guest|vm|soak|vm-guest)"
# Stands for something else: user/emu/NAME/, *.rst.
PLACEHOLDER = re.compile(r"[A-Z]{3,}|\.\.\.|[$<(]")


def exists(path):
    """Whether a path, which may have wildcards and {a,b}, is there."""
    match = re.search(r"\{([^}]*)\}", path)
    if match:
        return all(exists(path[:match.start()] + part + path[match.end():])
                   for part in match.group(1).split(","))
    return bool(glob.glob(path))


def links(name, text):
    """Relative targets of the links of a page."""
    if name.endswith(".1"):
        return []
    if name.endswith(".md"):
        return re.findall(r"\]\(([^)#]+)", text)
    tree = publish_doctree(text, source_path=name,
                           settings_overrides={"report_level": 2, "halt_level": 2})
    return [node["refuri"] for node in tree.findall(nodes.reference) if "refuri" in node]


def check(name):
    """Print what is wrong with a page; returns the number of errors."""
    with open(name, encoding="utf-8") as file:
        text = file.read()
    here = os.path.dirname(name)
    wrong = [f"link to {link}" for link in links(name, text)
             if not re.match(r"[a-z]+:", link) and not os.path.exists(os.path.join(here, link))]
    for page in set(re.findall(r"(?<![\w./*-])(?!_)[\w./-]+\.rst\b", text)):
        if not any(os.path.exists(os.path.join(d, page)) for d in (here, "Documentation", ".")):
            wrong.append(f"page {page}")
    for path in set(re.findall(rf"`({ROOMS}/[^`\s]+)`", text)):
        if not PLACEHOLDER.search(path) and not exists(path):
            wrong.append(f"path {path}")
    for test in set(re.findall(rf"`({TESTS}/[^`\s]+\.(?:sh|c))`", text)):
        if not exists(f"tools/selftests/{test}"):
            wrong.append(f"test {test}")
    for problem in sorted(wrong):
        print(f"{name}: {problem}: does not exist")
    return len(wrong)


if __name__ == "__main__":
    sys.exit(1 if sum(check(name) for name in sys.argv[1:]) else 0)
