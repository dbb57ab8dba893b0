#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""colorcheck.py PAGE [PICTURE] - are the colors of a page told apart, by everybody and in print?

What can be beside another in a row: the states, each with the tints of programs; the tints; what is
read and written; what comes into the page cache and leaves it. Each pair must differ by NEAR in
CIE Lab, as it is seen with all cones, without those for long, middle or short waves (Machado,
Oliveira and Fernandes 2009), and in grey; 2.3 is what one can just see. Tints are looked at with all
cones only, for names and lines are there, too; they differ by TINTS_NEAR. Grey, which means not
known, has no hue, and each other color has one; so have the lines of calls and page faults. A
PICTURE of --to svg has the colors of the light page, and the same programs have the same tints.
"""
import itertools
import json
import re
import sys

NEAR = 8
TINTS_NEAR = 18
GREY = 6            # chroma: below it is grey
SEEN = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((.152286, 1.052583, -.204868), (.114503, .786281, .099216),
                   (-.003882, -.048116, 1.051998)),
    "deuteranopia": ((.367322, .860646, -.227968), (.280085, .672501, .047413),
                     (-.011820, .042940, .968881)),
    "tritanopia": ((1.255528, -.076749, -.178779), (-.078411, .930809, .147602),
                   (.004733, .691367, .303900)),
    "grey": ((.2126, .7152, .0722),) * 3,
}
XYZ = ((.4124564, .3575761, .1804375), (.2126729, .7151522, .0721750),
       (.0193339, .1191920, .9503041))
WHITE = (.95047, 1, 1.08883)
STATES = ("queue", "disk", "other", "sleep", "unknown")
PAIRS = (("read", "write"), ("add", "remove"), ("fault", "read"), ("fault", "write"))


def linear(byte):
    c = byte / 255
    return c / 12.92 if c <= .04045 else ((c + .055) / 1.055) ** 2.4


def times(matrix, vector):
    return [min(1, max(0, sum(a * b for a, b in zip(row, vector)))) for row in matrix]


def lab(color, seen="all cones"):
    rgb = times(SEEN[seen], [linear(int(color[i:i + 2], 16)) for i in (1, 3, 5)])
    x, y, z = (v / w for v, w in zip((sum(a * b for a, b in zip(row, rgb)) for row in XYZ), WHITE))
    x, y, z = (t ** (1 / 3) if t > .008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def distance(a, b, seen):
    return sum((p - q) ** 2 for p, q in zip(lab(a, seen), lab(b, seen))) ** .5


def hue(color):
    _, a, b = lab(color)
    return (a * a + b * b) ** .5


def colors_of(page, rule):
    block = re.search(rf"^{re.escape(rule)} \{{(.*?)\}}", page, re.S | re.M)[1]
    return dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block))


def near(theme, colors, tints):
    pairs = [(a, b, SEEN) for a, b in itertools.combinations(STATES, 2)]
    pairs += [(a, tint, SEEN) for a in STATES for tint in tints]
    pairs += [(a, b, SEEN) for a, b in PAIRS]
    pairs += [(a, b, ("all cones",)) for a, b in itertools.combinations(tints, 2)]
    for a, b, ways in pairs:
        least = TINTS_NEAR if a in tints and b in tints else NEAR
        for seen in ways:
            apart = distance(colors.get(a, a), colors.get(b, b), seen)
            if apart < least:
                yield f"{theme}: {a} and {b}: {apart:.1f} apart with {seen}"
    for name in ("queue", "disk", "other", "read", "write", "fault", "add", "remove", *tints):
        if hue(colors.get(name, name)) < 2 * GREY:
            yield f"{theme}: {name} is grey"
    if hue(colors["unknown"]) > GREY:
        yield f"{theme}: what is not known is not grey"


def differ(picture, colors, tints, programs):
    drawn = dict(re.findall(r"\.(\w+)\{fill:(#[0-9a-f]{6})\}", picture))
    if hue(drawn["call"]) < 2 * GREY:
        yield "calls of which it is not known what they did are grey in the picture"
    for name in {*STATES, *itertools.chain(*PAIRS)}:
        if drawn[name] != colors[name]:
            yield f"{name} is {drawn[name]} in the picture, {colors[name]} on the page"
    if [drawn.get(f"p{i}") for i in range(len(tints) + 1)] != [*tints, None]:
        yield "tints are others in the picture"
    named = re.findall(r'<path class="p(\d)" d="M[^"]*v150h-150z"/><text class="d"[^>]*>([^<]*)<',
                       picture.split(">marks:<")[0])
    if [name for _, name in named] != [*programs, "other programs"]:
        yield f"the picture has tints for {named}, the page for {programs}"


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        page = f.read()
    tints = re.findall("#[0-9a-f]{6}", re.search(r'"tints":\[(.*?)\]', page)[1])
    light = colors_of(page, ":root")
    wrong = [*near("light", light, tints), *near("dark", colors_of(page, ":root.dark"), tints)]
    if sys.argv[2:]:
        with open(sys.argv[2], encoding="utf-8") as f:
            wrong += differ(f.read(), light, tints, json.loads(re.search(r'"tinted":(\[.*?\])', page)[1]))
    print("\n".join(wrong))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
