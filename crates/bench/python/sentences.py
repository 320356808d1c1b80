"""Sentences people wrote, for benches of search: one JSON string a line.

    python sentences.py SYSROOT FOLDER

Takes them from the documentation of the Rust toolchain below SYSROOT (the component rust-docs) and from two packages of
PyPI: vaderSentiment 0.5 (tweets, reviews of films and goods, editorials) and the documentation in Django 5.2. Writes
texts.jsonl (up to 100 000, in an order that mixes the sources), questions.jsonl (300 held out) and sources.json (how
many of each) into FOLDER.
"""

import collections
import glob
import html
import io
import json
import os
import random
import re
import subprocess
import sys
import tarfile
import zipfile

MOST_TEXTS = 100_000
HELD_OUT = 300
SILENT = re.compile(r"<(script|style|pre|nav)\b.*?</\1>", re.S | re.I)
BLOCK = re.compile(r"</(p|li|div|h\d|td|dd|dt|section)>|<br ?/?>", re.I)
TAG = re.compile(r"<[^>]+>")
END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(])")


def sentences(text):
    for block in re.split(r"\n\s*\n|\x00", text):
        for sentence in END.split(" ".join(block.split())):
            letters = sum(c.isalpha() or c == " " for c in sentence)
            if 40 <= len(sentence) <= 300 and letters > 0.82 * len(sentence) and sentence.count(" ") >= 6:
                yield sentence


def page(raw):
    return html.unescape(TAG.sub("", BLOCK.sub("\x00", SILENT.sub(" ", raw))))


def rust(sysroot):
    root = os.path.join(sysroot, "share", "doc", "rust", "html")
    for path in sorted(glob.glob(os.path.join(root, "**", "*.html"), recursive=True)):
        parts = os.path.relpath(path, root).split(os.sep)
        # core and alloc repeat std, and src is code.
        if parts[0] in ("core", "alloc", "src") or "arch" in parts:
            continue
        with open(path, encoding="utf-8", errors="replace") as file:
            yield from sentences(page(file.read()))


def sdist(package, folder):
    def found():
        start = package.replace("==", "-").lower()
        return [os.path.join(folder, name) for name in os.listdir(folder) if name.lower().startswith(start)]

    if not found():
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
        subprocess.run([*command, "--dest", folder, package], check=True)
    return found()[0]


def vader(folder):
    with zipfile.ZipFile(sdist("vaderSentiment==0.5", folder)) as archive:
        name = next(name for name in archive.namelist() if name.endswith("hutto_ICWSM_2014.tar.gz"))
        inner = io.BytesIO(archive.read(name))
    with tarfile.open(fileobj=inner) as archive:
        for member in sorted(archive.getmembers(), key=lambda member: member.name):
            if os.path.basename(member.name).startswith("._") or not member.name.endswith("_GroundTruth.txt"):
                continue
            for line in archive.extractfile(member).read().decode("utf-8", "replace").splitlines():
                sentence = line.split("\t")[-1].strip()
                if 25 <= len(sentence) <= 500:
                    yield sentence


def django(folder):
    with tarfile.open(sdist("django==5.2", folder)) as archive:
        for member in sorted(archive.getmembers(), key=lambda member: member.name):
            if "/docs/" in member.name and member.name.endswith(".txt"):
                yield from sentences(archive.extractfile(member).read().decode("utf-8", "replace"))


def main():
    sysroot, folder = sys.argv[1:]
    seen, texts = set(), []
    for source, found in (("Rust", rust(sysroot)), ("vaderSentiment", vader(folder)), ("Django", django(folder))):
        for sentence in found:
            key = re.sub(r"[^a-z]+", " ", sentence.lower()).strip()
            if key not in seen:
                seen.add(key)
                texts.append((source, sentence))
    random.Random(7).shuffle(texts)
    held_out, texts = texts[:HELD_OUT], texts[HELD_OUT:][:MOST_TEXTS]
    for name, lines in (("questions", held_out), ("texts", texts)):
        with open(os.path.join(folder, name + ".jsonl"), "w", encoding="utf-8") as file:
            file.writelines(json.dumps(sentence) + "\n" for _, sentence in lines)
    with open(os.path.join(folder, "sources.json"), "w", encoding="utf-8") as file:
        json.dump(collections.Counter(source for source, _ in texts), file)


main()
