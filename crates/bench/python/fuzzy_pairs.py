"""Random and adversarial pairs of texts with what RapidFuzz makes of them: Unicode of many scripts, empty texts, repeated
and shuffled words, small edits, long texts.

    python fuzzy_pairs.py COUNT SEED OUT

Writes for each pair a line of JSON: both texts, the bits of token_set_ratio as they are, processed, and with a cutoff
of 60, and the first text processed.
"""

import json
import random
import struct
import sys

from rapidfuzz import fuzz, utils

R = random.Random(int(sys.argv[2]))

WORDS = """user input actor output error tool call result the a of to in and deploy server fails with timeout after
retry build cache index memory search query token ratio loop summary window agent persona file path missing schema
migration database write read fix bug test green red alpha beta gamma colour color straße naïve café Ärger ÑANDÚ""".split()
SETS = {
    "latin1": [chr(c) for c in range(0xa0, 0x100)] + list("abc XYZ\x85\xa0"),
    "greek": [chr(c) for c in range(0x370, 0x400)] + [" "] * 9,
    "cyr": list("абвгдежзийклмнопрстуфхцчшщъыьэюяАБВГДЕЁЖ   "),
    "cjk": [chr(c) for c in range(0x4e00, 0x4e60)] + list("。、　 　"),
    "kana": [chr(c) for c in range(0x3040, 0x3100)] + ["　", " "],
    "hangul": [chr(c) for c in range(0xac00, 0xac80)] + [" "] * 8,
    "rtl": list("אבגדהוזחטיכלמנסעפצקרשת   \u200f\u200e") + [chr(c) for c in range(0x627, 0x64b)],
    "emoji": list("😀😃🎉🚀👍🏽❤️👨\u200d👩\u200d👧🇩🇪  "),
    "combining": list("aeiou ") + [chr(c) for c in range(0x300, 0x320)],
    "deva": [chr(c) for c in range(0x900, 0x980)] + [" "] * 6,
    "spaces": list("ab\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2007\u200a\u2028\u2029\u202f\u205f\u3000\u200b\ufeff"),
    "ctrl": [chr(c) for c in range(0, 0x21)] + list("ab"),
    "ab": list("ab "), "abc": list("abcabcabc  "),
    "math": [chr(c) for c in range(0x1d400, 0x1d480)] + [" "] * 5,
    "case": list("İıIiſKÅΣςσẞßǅǄǆ ŸµªºⅣⅳ①½²ⒶꙀ"),
}
KEYS = list(SETS)
def anychar():
    while True:
        c = R.choice([R.randrange(0x80), R.randrange(0x800), R.randrange(0x10000), R.randrange(0x110000)])
        if not 0xd800 <= c < 0xe000: return chr(c)
def chars(n):
    k = R.random()
    if k < .15: return "".join(anychar() for _ in range(n))
    s = SETS[R.choice(KEYS)]
    if k < .25: s = s + SETS[R.choice(KEYS)]
    return "".join(R.choices(s, k=n))
def words(n):
    s = ""
    for _ in range(n):
        w = R.choice(WORDS)
        if R.random() < .1: w = w.upper()
        if R.random() < .1: w += R.choice(",.:;!?_-")
        if R.random() < .05: w += str(R.randrange(100))
        s += w + R.choice([" "] * 12 + ["  ", "\n", "\t", "_", "-", "\u2003", "\xa0"])
    return s[:-1] if R.random() < .8 else s
def mutate(s):
    l = list(s)
    for _ in range(R.choice([1, 1, 2, 3, 8, 30])):
        i = R.randrange(len(l) + 1); k = R.random()
        if k < .35 and i < len(l): del l[i]
        elif k < .6: l.insert(i, R.choice(l) if l and R.random() < .7 else anychar())
        elif k < .8 and i < len(l): l[i] = R.choice(l)
        elif i < len(l): l[i] = l[i].swapcase()[:1]
    return "".join(l)
def shuffled(s):
    t = s.split(" "); R.shuffle(t)
    if t and R.random() < .6: t = t[:R.randrange(len(t)) + 1]
    return " ".join(t + R.choices(t, k=R.choice([0, 0, 1, 4])))
def text():
    k = R.random()
    if k < .02: return ""
    if k < .04: return "".join(R.choices(SETS["spaces"][2:], k=R.randrange(6)))
    if k < .08: return " ".join([R.choice(WORDS)] * R.randrange(1, 40))
    n = R.choice([1, 2, 3, 5, 8, 13, 20, 40]) if R.random() < .93 else R.choice([63, 64, 65, 100, 127, 128, 129, 200, 256, 257, 320])
    if k < .55: return words(n)
    if k < .75: return chars(n)
    if k < .9: return chars(n * 4)
    return words(n) + chars(n)
def long_text():
    n = R.choice([500, 512, 513, 1000, 2000, 5000])
    s = words(n // 6) if R.random() < .4 else chars(n) if R.random() < .6 else "".join(R.choices("abcdefgh" + " " * R.randrange(2), k=n))
    return s[:n]
def pair():
    f = long_text if R.random() < .015 else text
    a = f(); k = R.random()
    if k < .4: b = f()
    elif k < .6: b = mutate(a)
    elif k < .8: b = shuffled(a)
    elif k < .9: b = mutate(shuffled(a))
    elif k < .93: b = a
    else: b = shuffled(a) + " " + text()
    return (a, b) if R.random() < .5 else (b, a)
def bits(ratio):
    return struct.unpack("<Q", struct.pack("<d", ratio))[0]


with open(sys.argv[3], "w", encoding="utf-8") as file:
    for _ in range(int(sys.argv[1])):
        a, b = pair()
        ratios = [
            fuzz.token_set_ratio(a, b),
            fuzz.token_set_ratio(a, b, processor=utils.default_process),
            fuzz.token_set_ratio(a, b, score_cutoff=60),
        ]
        row = {"a": a, "b": b, "ratios": [bits(ratio) for ratio in ratios], "processed": utils.default_process(a)}
        file.write(json.dumps(row) + "\n")
