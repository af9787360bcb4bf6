#!/usr/bin/env bash
# Run tests on every Python that is here, with the lowest and with the newest dependencies:
#
#     bash tools/try_versions.sh [PYTEST_ARGUMENT...]
#
# Lowest are the bounds of pyproject.toml, or the lowest versions that have wheels for a Python.
# Without arguments the oldest Python with the lowest dependencies and the newest Python with the
# newest run all tests; the others those of commands, files and output.
set -euo pipefail
cd "$(dirname "$0")/.."

all=(tests gelu_cli)
quick=(tests/api tests/cli tests/inputs tests/output gelu_cli)
[[ $# == 0 ]] || all=("$@") quick=("$@")

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

try() {
    local python=$1 resolution=$2
    local there=$folder/${python//\//_}-$resolution outcome=0
    {
        uv venv --quiet --python "$python" "$there" &&
            uv pip install --quiet --python "$there" --only-binary :all: -r pyproject.toml \
                --extra test --resolution "$resolution" &&
            uv pip install --quiet --python "$there" --no-deps --editable . &&
            "$there/bin/python" -m pytest -q -p no:cacheprovider "${@:3}"
    } >"$there.log" 2>&1 || outcome=$?
    [[ $outcome == 0 ]] || tail -n 40 "$there.log"
    echo "$("$python" -V) $resolution: $(tail -n 1 "$there.log")"
    return "$outcome"
}

# pyenv keeps the Pythons that are not chosen off the path.
PATH+=$(printf ':%s' "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin)
pythons=()
for minor in {11..20}; do
    python=$(uv python find --no-python-downloads --no-project --system "3.$minor" 2>/dev/null) ||
        continue
    pythons+=("$python")
done

start() {
    try "$@" &
    (($(jobs -rp | wc -l) < $(nproc))) || wait -n || failed=1
}

failed=0
oldest=${pythons[0]} newest=${pythons[-1]}
start "$oldest" lowest-direct "${all[@]}"
start "$newest" highest "${all[@]}"
for python in "${pythons[@]}"; do
    [[ $python == "$oldest" ]] || start "$python" lowest-direct "${quick[@]}"
    [[ $python == "$newest" ]] || start "$python" highest "${quick[@]}"
done
for job in $(jobs -p); do wait "$job" || failed=1; done
exit "$failed"
