#!/usr/bin/env bash
# Run tests on the oldest Python with the lowest dependencies and on the newest with the newest:
#
#     bash tools/try_versions.sh [PYTEST_ARGUMENT...]
#
# Lowest are the bounds of pyproject.toml, or the lowest versions that have wheels for a Python.
set -euo pipefail
cd "$(dirname "$0")/.."

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

failed=0
try "${pythons[0]}" lowest-direct "$@" &
try "${pythons[-1]}" highest "$@" &
for job in $(jobs -p); do wait "$job" || failed=1; done
exit "$failed"
