"""RapidFuzz's token_set_ratio of one question with many texts, on one thread. Reads {"texts"}, then answers
{"question", "cutoff"} with the least CPU time that one of its ways took, in microseconds, and the hits: place and the
bits of the ratio. The ways are `extract` and `cdist`, each with the texts processed beforehand and not."""

import json
import struct
import sys
import time

import numpy as np
from rapidfuzz import fuzz, process, utils

texts = json.loads(sys.stdin.readline())["texts"]
ready = [utils.default_process(text) for text in texts]
print("{}", flush=True)
for line in sys.stdin:
    ask = json.loads(line)
    question, cutoff = ask["question"], ask["cutoff"]
    short = utils.default_process(question)
    options = {"scorer": fuzz.token_set_ratio, "score_cutoff": cutoff}
    processed = {**options, "processor": utils.default_process}
    matrix = {"dtype": np.float64, "workers": 1}
    ways = [
        lambda: process.extract(question, texts, limit=None, **processed),
        lambda: process.extract(short, ready, limit=None, **options),
        lambda: process.cdist([question], texts, **processed, **matrix),
        lambda: process.cdist([short], ready, **options, **matrix),
    ]
    times, results = [], []
    for way in ways:
        before = time.process_time_ns()
        results.append(way())
        times.append((time.process_time_ns() - before) / 1e3)
    hits = sorted((place, struct.unpack("<Q", struct.pack("<d", ratio))[0]) for _, ratio, place in results[0])
    print(json.dumps({"least_us": min(times), "hits": hits}), flush=True)
