#!/usr/bin/env bash
# Installs the Python packages of reports/ into a virtual environment: those of reports/requirements.txt, and with --test
# also those of reports/requirements-test.txt. When they are installed, nothing is done, and no network is needed.
#
#   ci/install_python.sh [--test | --where]         --where only prints the environment's folder
#
# The folder is build/python in cugate's tree. Where cugate is installed it is CUGATE_PYTHON, else cugate/python in the
# user's cache ($XDG_CACHE_HOME or ~/.cache).
set -euo pipefail
# shellcheck source=ci/where.sh
. "$(dirname "$(realpath "$0")")/where.sh"

if [ -n "$in_tree" ]; then
    folder=build/python
else
    folder=${CUGATE_PYTHON:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/cugate/python}
    folder=$(realpath -m "$folder")
fi
cd "$here/.."
if [ "${1-}" = --where ]; then
    realpath -ms "$folder"
    exit
fi
mkdir -p "$(dirname "$folder")"
lists=(reports/requirements.txt)
stamps=("$folder/installed" "$folder/installed-test")
if [ "${1-}" = --test ]; then
    lists+=(reports/requirements-test.txt)
    stamps=("$folder/installed-test")
fi

# A stamp says what was installed, and by which Python. When either changes, everything is installed again.
wanted=$(python3 -I -c 'import sys; print(sys.version)' && cat "${lists[@]}")
for stamp in "${stamps[@]}"; do
    [ ! -f "$stamp" ] || [[ $(cat "$stamp") != "$wanted"* ]] || exit 0
done

# The pinned packages have wheels for these versions of Python.
if ! python3 -I -c 'import sys; sys.exit(not (3, 10) <= sys.version_info < (3, 14))'; then
    echo "error: reports/ needs Python 3.10 to 3.13; python3 here is $(python3 -I --version)" >&2
    exit 1
fi
echo "installing the Python packages of reports/ from PyPI into $folder"
rm -f "$folder"/installed*
python3 -I -m venv --clear "$folder"
requirements=()
for list in "${lists[@]}"; do
    requirements+=(--requirement "$list")
done
if ! PIP_ROOT_USER_ACTION=ignore "$folder/bin/python" -I -m pip install --quiet --timeout 60 --disable-pip-version-check \
    --no-deps --only-binary=:all: --require-hashes "${requirements[@]}"; then
    echo "error: cannot install the packages of ${lists[*]} from PyPI; try again when it can be reached" >&2
    exit 1
fi
printf '%s\n' "$wanted" >"$folder/installed${1:+-test}"
