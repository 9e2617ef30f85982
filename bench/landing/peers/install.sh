#!/usr/bin/env bash
# Install the peers, pinned, into bench/landing/peers/installed: npm packages in node/, aider in a venv of its own.
# Each part may fail alone; a peer that is missing is skipped by the benchmark.
set -u
cd "$(dirname "$0")" || exit 1
here=$PWD
python=${PYTHON:-$here/../../../.venv/bin/python}
mkdir -p installed/node
failed=0

echo "npm packages ..."
cp package.json installed/node/package.json
if command -v npm >/dev/null; then
    (cd installed/node && npm install --ignore-scripts --no-audit --no-fund --no-package-lock --loglevel=error) || failed=1
else
    echo "npm is not installed: no npm peers. Node 20 or later brings it." >&2
    failed=1
fi

echo "aider ..."
# Its pins want Python 3.12 or earlier.
if { test -x installed/aider/bin/python || "$python" -m venv installed/aider; } &&
    installed/aider/bin/python -m pip install --quiet --disable-pip-version-check --requirement requirements.txt; then
    :
else
    echo "aider could not be installed with $python; name a Python 3.11 or 3.12: PYTHON=python3.12 make bench-peers" >&2
    failed=1
fi

for tool in patch git; do
    command -v "$tool" >/dev/null || { echo "$tool is not installed: it will be skipped." >&2; failed=1; }
done
exit "$failed"
