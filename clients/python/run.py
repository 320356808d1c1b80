"""Tests the client against a real server: python3 run.py --venv FOLDER [--frameworks] PATH-OF-IDETIC [for pytest …].

The packages of requirements.txt are installed into the folder, unless they are there; then form and types are checked
and the tests run. With --frameworks it is the adapters of those frameworks whose packages are many and large: those of
requirements-frameworks.txt, which want a folder of their own, and the tests of tests_frameworks.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--venv", type=Path, required=True, help="where the packages are, or are put")
    parser.add_argument("--frameworks", action="store_true", help="try the adapters of large frameworks instead")
    parser.add_argument("binary", type=Path, help="the program `idetic`")
    arguments, rest = parser.parse_known_args()
    requirements = HERE / ("requirements-frameworks.txt" if arguments.frameworks else "requirements.txt")
    python = prepare(arguments.venv, requirements)
    # Nothing is written beside the sources.
    environment = os.environ | {"IDETIC_BINARY": str(arguments.binary.resolve()), "PYTHONDONTWRITEBYTECODE": "1"}
    environment |= {"PYTHONPATH": f"{HERE / 'src'}{os.pathsep}{HERE}", "PYTHONUNBUFFERED": "1"}
    # Nothing of mem0's client calls home, nor writes there.
    environment |= {"MEM0_TELEMETRY": "false", "MEM0_DIR": str(arguments.venv.resolve() / "mem0")}
    for name in ("IDETIC_KEY", "IDETIC_URL", "IDETIC_HOME"):
        environment.pop(name, None)

    def passes(*check: str) -> bool:
        return subprocess.run([python, "-m", *check], cwd=HERE, env=environment, check=False).returncode == 0

    if arguments.frameworks:
        # Nothing of a framework calls home.
        environment |= {"CREWAI_DISABLE_TELEMETRY": "true", "OTEL_SDK_DISABLED": "true", "DO_NOT_TRACK": "1"}
        return 0 if passes("pytest", "-p", "no:cacheprovider", "tests_frameworks", *rest) else 1
    is_tidy = passes("ruff", "check", "--no-cache") and passes("ruff", "format", "--check", "--no-cache")
    # What mypy keeps of an earlier run has been seen to be out of date; but what was found right stays right.
    stamp, sources = arguments.venv / "typed.txt", digest()
    is_typed = stamp.exists() and stamp.read_text() == sources
    if not is_typed and passes("mypy", "--cache-dir", os.devnull):
        stamp.write_text(sources)
        is_typed = True
    return 0 if passes("pytest", "-p", "no:cacheprovider", *rest) and is_tidy and is_typed else 1


def digest() -> str:
    """What the types of all sources depend on."""
    files = [HERE / "requirements.txt", HERE / "pyproject.toml", *sorted(HERE.rglob("*.py"))]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def prepare(venv: Path, requirements: Path) -> str:
    """The Python that has the packages; installed once, however many ask at a time."""
    venv.mkdir(parents=True, exist_ok=True)
    wanted = requirements.read_text()
    stamp, python = venv / "installed.txt", venv / "bin" / "python"
    with (venv.parent / f"{venv.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists() or stamp.read_text() != wanted:
            subprocess.run([sys.executable, "-m", "venv", "--clear", str(venv)], check=True)
            install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
            subprocess.run([str(python), *install, "-r", str(requirements)], check=True)
            stamp.write_text(wanted)
    return str(python.absolute())


if __name__ == "__main__":
    sys.exit(main())
