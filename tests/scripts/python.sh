#!/usr/bin/env bash
# Tests that no shipped script lets Python take a module from the current folder. Each starts Python with -I, and modules of
# such names in that folder must not run. Needs no network. Ends with "N passed, N failed".
#
#   CUGATE=build/cugate tests/scripts/python.sh
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
cd "$top" || exit 2
unset BASE CI OUT HISTORY GITHUB_ACTIONS GITHUB_STEP_SUMMARY PYTHONPATH
export CUGATE=$cugate TAKEN=$work/taken PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1

# ---- The rule, by the words that start a Python: an option or a file.
starts() {
    grep -rnoE --exclude="*.md" '#!.*python.*|shell: *python|python[0-9.]*"? +(-[^ ]*|[^ ]+\.py)' "$@"
}
open_starts() { starts "$@" | grep -v -- ' -I$'; }
ask starts Makefile ci templates
expect "there are starts of Python" 0 'Makefile:' 'ci/fetch.sh:' 'ci/report.sh:' 'ci/install_python.sh:'
expect "each is isolated" 1 -- open_starts Makefile ci templates
# shellcheck disable=SC2016 # not of this shell
printf '%s\n' 'python3 -m pip' '"$folder/bin/python" -c 1' 'python3.12 tool.py' '#!/usr/bin/python3' 'shell: python' >"$work/script"
expect "one that is not is found" 0 1:python3 2:python 3:python3.12 '4:#!' 5:shell -- open_starts "$work/script"

# ---- A checkout with such modules.
modules=(pip venv ensurepip runpy argparse json msgspec sqlalchemy matplotlib numpy sitecustomize)
poison() { # FOLDER
    local module
    mkdir -p "$1/cugate_reports"
    for module in "${modules[@]/%/.py}" cugate_reports/__init__.py cugate_reports/__main__.py; do
        echo 'import os; os.write(os.open(os.environ["TAKEN"], os.O_WRONLY | os.O_CREAT), b"taken")' >"$1/$module"
    done
}
poisoned() { # COMMAND...
    rm -f "$TAKEN"
    ask "$@"
    [ ! -e "$TAKEN" ] || cat "$TAKEN" >>"$work/said"
}
mkdir -p "$work"/installed/{bin,lib/cugate,share/cugate/reports}
cp -r ci metrics "$work/installed/share/cugate"
cp -r reports/{cugate_reports,requirements.txt} "$work/installed/share/cugate/reports"
for name in gate job report fetch; do
    ln -s "../share/cugate/ci/$name.sh" "$work/installed/bin/cugate-$name"
done
PATH=$work/installed/bin:$PATH
poison "$work/checkout"
cd "$work/checkout" || exit 2
export CUGATE_PYTHON=$top/build/python

expect "Python by itself takes them" 0 taken -- poisoned python3 -m pip
expect "cugate-fetch" 1 "cannot install NVIDIA's disassembler" '!taken' -- poisoned cugate-fetch disasm
poisoned "$top/ci/install_deps.sh" --check wheels python
[ ! -e "$TAKEN" ] || code=taken
expect "install_deps.sh" "$code" '!taken'
expect "cugate-report" 0 'usage: cugate-report' '!taken' -- poisoned cugate-report --help
expect "report.sh of a tree" 0 'usage: cugate-report' '!taken' -- poisoned "$top/ci/report.sh" --help
poisoned env PYTHONPATH=: cugate-report --help
expect "cugate-report, with the current folder on the path" 0 'usage: cugate-report' '!taken'

cp -r "$top/baselines" . && mkdir -p build/gate/parts
jq '.kernels |= with_entries(select(.key == "hierarchy/thread_index")) | .shard = {"number": 1, "of": 1, "measures": 1, "kernels": ["hierarchy/thread_index"]}' \
    "$top/tests/data/recorded-nvidia-h200.json" >build/gate/parts/1.json
poisoned env CUGATE_MODE=judge CUGATE_ARGUMENTS='-k hierarchy/thread_index' cugate-job gate
expect "cugate-job gate, of parts" 0 'nothing is worse' 'page: build/gate/page/index.html' '!taken'

# ---- cugate's own tree is the current folder of what installs its packages.
mkdir "$work/tree" && cd "$work/tree" && mkdir harness reports || exit 2
cp -r "$top/ci" . && cp "$top"/reports/requirements*.txt reports
poison .
expect "install_python.sh" 1 'cannot install the packages' '!taken' -- poisoned ci/install_python.sh

summary
