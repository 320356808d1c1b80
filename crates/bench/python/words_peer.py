"""bm25s with its stop words and the Snowball stemmer, on one thread: reads the file of texts that is its argument (one
JSON string a line) and answers {"questions", "k", "count"} with the CPU time of a question, its tokenizing included (the
middle one, in microseconds)."""

import json
import statistics
import sys
import time

import bm25s
import Stemmer

stemmer = Stemmer.Stemmer("english")
retriever = None
with open(sys.argv[1], encoding="utf-8") as file:
    texts = [json.loads(line) for line in file]
for line in sys.stdin:
    ask = json.loads(line)
    if retriever is None:
        retriever = bm25s.BM25()
        corpus = [texts[at % len(texts)] for at in range(ask["count"])]
        retriever.index(bm25s.tokenize(corpus, stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False)

    def answer(question):
        tokens = bm25s.tokenize(question, stopwords="en", stemmer=stemmer, show_progress=False)
        return retriever.retrieve(tokens, k=ask["k"], show_progress=False, n_threads=0)

    for question in ask["questions"][:20]:
        answer(question)
    times = []
    for question in ask["questions"]:
        before = time.process_time_ns()
        answer(question)
        times.append((time.process_time_ns() - before) / 1e3)
    print(json.dumps({"p50_us": statistics.median(times)}), flush=True)
