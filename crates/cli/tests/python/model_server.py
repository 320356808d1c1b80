"""Serves one gguf language model as an OpenAI-compatible HTTP server on loopback, for tests with a real model.

Usage: python3 model_server.py MODEL.gguf [--site FOLDER] [--port N] [--context TOKENS] [--threads N] ...

The server is the one of llama.cpp (from the wheel `xllamacpp`), with /v1/chat/completions, /v1/models and
/health. When it is ready to answer, one line `{"port": N}` is written to standard output; the log goes to
standard error. The process ends when its standard input closes, so it never outlives the test that started it:
give it a pipe and keep the pipe open, because /dev/null ends it at once. It needs no network.
"""

import argparse
import json
import os
import sys
from urllib.parse import urlsplit

LOG_WARNINGS = 2  # llama.cpp: 1 errors, 2 warnings, 3 information, 4 and more: debugging.


def arguments():
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gguf", help="the file of the model")
    parser.add_argument("--site", help="folder that holds the unpacked xllamacpp wheel (default: the Python path)")
    parser.add_argument("--port", type=int, default=0, help="port on 127.0.0.1; 0 takes a free one (default)")
    parser.add_argument("--context", type=int, default=4096, help="tokens of context of each request (default 4096)")
    parser.add_argument("--threads", type=int, default=2, help="threads that compute (default 2)")
    parser.add_argument("--parallel", type=int, default=2, help="requests answered at once (default 2)")
    parser.add_argument("--template", help="file with a chat template (jinja) that replaces the one of the model")
    parser.add_argument("--name", help="name under which /v1/models lists the model (default: the file's name)")
    parser.add_argument("--log", type=int, default=LOG_WARNINGS, help="log level, 1 to 5 (default 2: warnings)")
    return parser.parse_args()


def parameters(xllamacpp, args):
    """Turns the command line into the parameters of llama.cpp."""
    params = xllamacpp.CommonParams()
    params.model.path = args.gguf
    params.model_alias = {args.name or os.path.basename(args.gguf)}
    params.hostnames = ["127.0.0.1"]
    params.port = args.port
    params.n_parallel = args.parallel
    # llama.cpp divides the context among the requests answered at once.
    params.n_ctx = args.context * args.parallel
    params.cpuparams.n_threads = args.threads
    params.cpuparams_batch.n_threads = args.threads
    # A request that names no temperature gets the likeliest token, so that a test says the same thing twice.
    params.sampling.temp = 0.0
    params.use_jinja = True
    if args.template:
        with open(args.template, encoding="utf-8") as file:
            params.chat_template = file.read()
    params.verbosity = args.log
    params.offline = True
    params.ui = False
    return params


def main():
    """Starts the server, says its port, and waits for the end of standard input."""
    args = arguments()
    if not os.path.isfile(args.gguf):
        sys.exit(f"model_server: there is no file {args.gguf}; fetch_model.py fetches one")
    # The port line must be alone on standard output, so everything else, native code included, goes to the log.
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    # Threads that spin while they wait make the model many times slower on a machine whose cores are busy.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    if args.site:
        sys.path.insert(0, args.site)
    try:
        import xllamacpp
    except ImportError as error:
        sys.exit(f"model_server: cannot import xllamacpp ({error}); name its folder with --site")
    try:
        server = xllamacpp.Server(parameters(xllamacpp, args))
    except (RuntimeError, ValueError) as error:
        sys.exit(f"model_server: llama.cpp could not start with {args.gguf}: {error}")
    print(json.dumps({"port": urlsplit(server.listening_address).port}), file=answer, flush=True)
    answer.close()
    while os.read(0, 4096):
        pass
    # A request still being answered must not delay the end, and there is nothing to save.
    os._exit(0)


if __name__ == "__main__":
    main()
