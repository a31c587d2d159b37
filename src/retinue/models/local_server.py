"""The child process that runs llama.cpp: `python -m retinue.models.local_server`.

It reads one JSON line from standard input (the fields of `ServerOptions`), loads the model, and writes one JSON line
to standard output: `{"port": N, "encoder_port": N}`, with null for a server that does not run, or `{"error": "…"}`.
Then it serves OpenAI's chat completions, and embeddings if there is an encoder, on the loopback interface. It exits
when standard input closes, at the latest when the parent dies.
"""

import json
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retinue.core.children.parent_death import die_with

if TYPE_CHECKING:
    import xllamacpp

# OpenMP reads these when it loads. Threads that spin long while they wait take cores from other work, and on a busy
# machine from each other. A short spin keeps half of the speed that immediate sleep would lose on an idle machine.
os.environ["OMP_WAIT_POLICY"] = "passive"
os.environ.setdefault("GOMP_SPINCOUNT", "1000")

ENCODED_TOKENS = 768
"""Most tokens of an encoded text: 700 characters, each of which may be a token."""
_AS_IT_IS = -1
"""llama.cpp's value for embeddings without normalisation."""


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Options of the server. It runs `slots` concurrent requests, each with a context of `slot_tokens`, and requires
    `key` as the bearer token. `path` is the file of the chat model and `encoder` that of the encoder; each may be
    empty.
    """

    path: str
    key: str
    parent: int
    encoder: str = ""
    slots: int = 4
    slot_tokens: int = 4096
    threads: int = 2
    prompt_cache_mb: int = 256


def main() -> None:
    """Serve one model until the parent closes standard input or dies."""
    answers = _keep_output_clean()
    options = ServerOptions(**json.loads(sys.stdin.readline()))
    die_with(options.parent)
    try:
        server = _load(options) if options.path else None
        encoder = _encoder(options)
    except (RuntimeError, ValueError, OSError) as error:
        _write(answers, {"error": str(error)})
        raise SystemExit(1) from error
    _write(answers, {"port": _port(server) if server else None, "encoder_port": _port(encoder) if encoder else None})
    sys.stdin.buffer.read()
    # An orderly shutdown takes seconds and gains nothing: the process has no state to save.
    os._exit(0)


def _keep_output_clean() -> int:
    """Redirect standard output to standard error, where llama.cpp may log. Return a descriptor of the real output."""
    answers = os.dup(1)
    os.dup2(2, 1)
    return answers


def _write(answers: int, line: dict[str, object]) -> None:
    os.write(answers, json.dumps(line).encode() + b"\n")


def _port(server: "xllamacpp.Server") -> int:
    return int(server.listening_address.rpartition(":")[2])


def _load(options: ServerOptions) -> "xllamacpp.Server":
    import xllamacpp  # noqa: PLC0415 - the environment above must be set first

    parameters = _parameters(options, options.path)
    parameters.n_parallel = options.slots
    parameters.n_ctx = options.slots * options.slot_tokens
    parameters.cache_ram_mib = options.prompt_cache_mb
    parameters.use_jinja = True
    parameters.enable_reasoning = 0  # a processor would spend minutes, and the limit of output, on reasoning
    return xllamacpp.Server(parameters)


def _encoder(options: ServerOptions) -> "xllamacpp.Server | None":
    """Load the encoder. Return None if there is none or it fails: chat works without it."""
    try:
        return load_encoder(options) if options.encoder else None
    except (RuntimeError, ValueError, OSError) as error:
        sys.stderr.write(f"requests are not placed: {error}\n")
        return None


def load_encoder(options: ServerOptions) -> "xllamacpp.Server":
    """Start a server that returns the hidden state of each token of a text."""
    import xllamacpp  # noqa: PLC0415 - as above

    parameters = _parameters(options, options.encoder)
    parameters.embedding = True
    parameters.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_NONE
    parameters.embd_normalize = _AS_IT_IS
    parameters.n_parallel = options.slots
    parameters.n_ctx = options.slots * ENCODED_TOKENS
    parameters.n_batch = parameters.n_ubatch = ENCODED_TOKENS
    return xllamacpp.Server(parameters)


def _parameters(options: ServerOptions, path: str) -> "xllamacpp.CommonParams":
    import xllamacpp  # noqa: PLC0415 - as above

    parameters = xllamacpp.CommonParams()
    parameters.model.path = path
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.api_keys = [options.key]
    parameters.cpuparams.n_threads = options.threads
    parameters.cpuparams_batch.n_threads = options.threads
    parameters.ui = False
    parameters.verbosity = 1
    return parameters


if __name__ == "__main__":
    main()
