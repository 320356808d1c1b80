"""Drives the page in a real Chromium: python3 run.py --venv FOLDER [--assets FOLDER] [--shots FOLDER] PATH-OF-IDETIC [arguments of pytest].

The packages of requirements.txt are installed into the folder, unless they are there, and so is Debian's chromium. The
server is the given program, with the page inside it; with --assets the files of a folder are put before it by a small
proxy, so that a change is seen without building. IDETIC_LONG=1 adds what takes long: a hundred moments instead of two,
and half an hour of the live view (IDETIC_MINUTES). What else is here: `measure.py` and `pictures.py`, run as
`python3 run.py --venv FOLDER PATH-OF-IDETIC --script measure.py`.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--venv", type=Path, required=True, help="where the packages are, or are put")
    parser.add_argument("--assets", type=Path, help="show these files instead of those inside the program")
    parser.add_argument("--shots", type=Path, help="where screenshots are put [default: beside the packages]")
    parser.add_argument("--script", help="run this script of the folder instead of the tests")
    parser.add_argument("binary", type=Path, help="the program `idetic`")
    arguments, rest = parser.parse_known_args()
    python = prepare(arguments.venv)
    shots = (arguments.shots or arguments.venv / "shots").resolve()
    shots.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {
        "IDETIC_BINARY": str(arguments.binary.resolve()),
        "IDETIC_ASSETS": str(arguments.assets.resolve()) if arguments.assets else "",
        "IDETIC_SHOTS": str(shots),
        "IDETIC_BROWSER": browser(),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": str(HERE),
    }
    for name in ("IDETIC_KEY", "IDETIC_URL", "IDETIC_HOME"):
        environment.pop(name, None)
    # Two at a time, each with a server and a browser of its own: most of the time is spent waiting.
    tests = ["-m", "pytest", "-p", "no:cacheprovider", "-q", "-n", "2"]
    command = [python, *([arguments.script] if arguments.script else tests), *rest]
    return subprocess.run(command, cwd=HERE, env=environment, check=False).returncode


def browser() -> str:
    """The path of Chromium; Debian's is installed where there is none."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        subprocess.run(["apt-get", "install", "-y", "--no-install-recommends", "chromium"], check=True, stdout=subprocess.DEVNULL)
        found = shutil.which("chromium")
    if found is None:
        sys.exit("there is no Chromium, and it could not be installed: apt-get install chromium")
    return found


def prepare(venv: Path) -> str:
    """The Python that has the packages; installed once, however many ask at a time."""
    venv.mkdir(parents=True, exist_ok=True)
    wanted = (HERE / "requirements.txt").read_text()
    stamp, python = venv / "installed.txt", venv / "bin" / "python"
    with (venv.parent / f"{venv.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists() or stamp.read_text() != wanted:
            subprocess.run([sys.executable, "-m", "venv", "--clear", str(venv)], check=True)
            install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
            subprocess.run([str(python), *install, "-r", str(HERE / "requirements.txt")], check=True)
            stamp.write_text(wanted)
    return str(python.absolute())


if __name__ == "__main__":
    sys.exit(main())
