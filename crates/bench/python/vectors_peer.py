"""faiss IndexFlatIP on one thread: answers {"vectors", "count", "questions", "most_questions", "k"} with the CPU time of a search (the
middle one, in microseconds) and the places found for each question. Vectors and questions are files of 384 f32 each."""

import json
import sys
import time

import faiss
import numpy as np

DIMENSIONS = 384
faiss.omp_set_num_threads(1)
kept = None, None
for line in sys.stdin:
    ask = json.loads(line)
    key = ask["vectors"], ask["count"]
    if kept[0] != key:
        kept = None, None
        index = faiss.IndexFlatIP(DIMENSIONS)
        index.add(np.fromfile(ask["vectors"], np.float32, count=ask["count"] * DIMENSIONS).reshape(-1, DIMENSIONS))
        kept = key, index
    questions = np.fromfile(ask["questions"], np.float32).reshape(-1, DIMENSIONS)[: ask["most_questions"]]
    # A few to warm up; each whole pass at a million takes long.
    for question in questions[:5]:
        kept[1].search(question[None], ask["k"])
    times, found = [], []
    for question in questions:
        question = question[None]
        before = time.thread_time_ns()
        _, places = kept[1].search(question, ask["k"])
        times.append((time.thread_time_ns() - before) / 1e3)
        found.append(places[0].tolist())
    print(json.dumps({"p50_us": float(np.median(times)), "found": found}), flush=True)
