"""all-MiniLM-L6-v2 on onnxruntime, f32, one thread.

    python embed_peer.py MODEL

MODEL is the folder with model.safetensors and tokenizer.json. The graph is built here from the weights with the fused
operators that onnxruntime has for such models, which is the fastest form it can run them in. Reads {"texts"}, then answers
{"batch": true or false} with the CPU time of one round over all texts, in microseconds.
"""

import json
import os
import struct
import sys
import time

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer

LAYERS, HEADS, EPSILON = 6, 12, 1e-12


def weights(path):
    with open(path, "rb") as file:
        table = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        numbers = file.read()
    found = {}
    for name, entry in table.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            begin, end = entry["data_offsets"]
            found[name] = np.frombuffer(numbers[begin:end], np.float32).reshape(entry["shape"])
    return found


def graph(tensors):
    nodes, constants = [], []

    def constant(name, value):
        constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(kind, inputs, output, domain="", **attributes):
        nodes.append(helper.make_node(kind, inputs, [output], domain=domain, **attributes))
        return output

    def dense(name, x, output):
        product = node("MatMul", [x, constant(name + ".weight", tensors[name + ".weight"].T)], output + ".product")
        return product, constant(name + ".bias", tensors[name + ".bias"])

    def norm(name):
        return [constant(f"{name}.{part}", tensors[f"{name}.{part}"]) for part in ("weight", "bias")]

    fused = "com.microsoft"
    words = constant("words", tensors["embeddings.word_embeddings.weight"])
    kinds = tensors["embeddings.token_type_embeddings.weight"][0]
    places = constant("places", tensors["embeddings.position_embeddings.weight"] + kinds)
    x = node("Add", [node("Gather", [words, "ids"], "pieces"), node("Gather", [places, "order"], "at")], "sum")
    x = node("LayerNormalization", [x, *norm("embeddings.LayerNorm")], "begin", epsilon=EPSILON)
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        parts = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
        joined = constant(name + ".qkv", np.concatenate([tensors[part + ".weight"].T for part in parts], axis=1))
        biases = constant(name + ".qkv.bias", np.concatenate([tensors[part + ".bias"] for part in parts]))
        seen = node("Attention", [x, joined, biases, "mask"], name + ".seen", fused, num_heads=HEADS)
        product, bias = dense(name + ".attention.output.dense", seen, name + ".attended")
        x = node(
            "SkipLayerNormalization",
            [product, x, *norm(name + ".attention.output.LayerNorm"), bias],
            name + ".middle",
            fused,
            epsilon=EPSILON,
        )
        product, bias = dense(name + ".intermediate.dense", x, name + ".wide")
        wide = node("BiasGelu", [product, bias], name + ".gelu", fused)
        product, bias = dense(name + ".output.dense", wide, name + ".narrow")
        x = node(
            "SkipLayerNormalization",
            [product, x, *norm(name + ".output.LayerNorm"), bias],
            name + ".end",
            fused,
            epsilon=EPSILON,
        )
    inputs = [
        helper.make_tensor_value_info("ids", TensorProto.INT64, ["batch", "pieces"]),
        helper.make_tensor_value_info("order", TensorProto.INT64, ["pieces"]),
        helper.make_tensor_value_info("mask", TensorProto.INT32, ["batch", "pieces"]),
    ]
    outputs = [helper.make_tensor_value_info(x, TensorProto.FLOAT, ["batch", "pieces", "hidden"])]
    versions = [helper.make_opsetid("", 17), helper.make_opsetid(fused, 1)]
    whole = helper.make_graph(nodes, "minilm", inputs, outputs, constants)
    return helper.make_model(whole, opset_imports=versions, ir_version=8)


def embedder(folder):
    tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
    tokenizer.enable_truncation(256)
    tokenizer.enable_padding()
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    model = graph(weights(os.path.join(folder, "model.safetensors")))
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])

    def embed(texts):
        coded = tokenizer.encode_batch(texts) if len(texts) > 1 else [tokenizer.encode(texts[0])]
        ids = np.array([it.ids for it in coded], dtype=np.int64)
        mask = np.array([it.attention_mask for it in coded], dtype=np.int32)
        rows = session.run(None, {"ids": ids, "order": np.arange(ids.shape[1]), "mask": mask})[0]
        shares = mask[:, :, None].astype(np.float32)
        means = (rows * shares).sum(1) / shares.sum(1)
        return means / np.linalg.norm(means, axis=1, keepdims=True)

    return embed


def main():
    embed = embedder(sys.argv[1])
    texts = json.loads(sys.stdin.readline())["texts"]
    vectors = embed(texts)
    for _ in range(3):
        embed(texts)
        embed(texts[:1])
    print(json.dumps({"vectors": vectors.tolist()}), flush=True)
    for line in sys.stdin:
        batch = json.loads(line)["batch"]
        before = time.process_time_ns()
        if batch:
            embed(texts)
        else:
            for text in texts:
                embed([text])
        print(json.dumps({"cpu_us": (time.process_time_ns() - before) / 1e3}), flush=True)


if __name__ == "__main__":
    main()
