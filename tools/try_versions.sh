#!/usr/bin/env bash
# Run tests on every Python that is here, with the lowest and with the newest dependencies:
#
#     bash tools/try_versions.sh [PYTEST_ARGUMENT...]
#
# Lowest are the bounds of pyproject.toml, or, where those have no wheel for a Python, the lowest
# that do. Newest are the newest there are, past upper bounds too.
#
# Without arguments the oldest Python with the lowest dependencies and the newest Python with the
# newest run the tests of every room, of the command line those that are quick: seven minutes on a core
# of its own. The others run tests that take seconds and meet every dependency.
set -euo pipefail
cd "$(dirname "$0")/.."

quick=(tests/old/cli/test_{parser,help}.py tests/old/cli/commands/test_forms.py tests/old/writing
    tests/old/report tests/old/test_release.py gelu_cli)
rooms=("${quick[@]}" tests/test_{python_api,pytest_plugin}.py)
for room in tests/*/; do
    [[ $room =~ /(cli|fuzz|report|__pycache__)/ ]] || rooms+=("$room")
done
[[ $# == 0 ]] || rooms=("$@") quick=("$@")

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# What has an upper bound, by its name alone.
sed -nE 's/^    "([A-Za-z0-9_-]+)[^"]*<[^"]*",$/\1/p' pyproject.toml >"$folder/highest"
touch "$folder/lowest-direct"

try() {
    local python=$1 resolution=$2
    local there=$folder/${python//\//_}-$resolution outcome=0
    {
        uv venv --quiet --python "$python" "$there" &&
            uv pip install --quiet --python "$there" --only-binary :all: -r pyproject.toml \
                --extra test --resolution "$resolution" --override "$folder/$resolution" &&
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
start "$oldest" lowest-direct "${rooms[@]}"
start "$newest" highest "${rooms[@]}"
for python in "${pythons[@]}"; do
    [[ $python == "$oldest" ]] || start "$python" lowest-direct "${quick[@]}"
    [[ $python == "$newest" ]] || start "$python" highest "${quick[@]}"
done
for job in $(jobs -p); do wait "$job" || failed=1; done
exit "$failed"
