#!/usr/bin/env bash
# Tests ci/action.yml and templates/gate.yml: their syntax, and their steps, unchanged, in a foreign repository with an
# installed cugate. Needs nvcc, no GPU. Ends with "N passed, N failed".
#
#   CUGATE=build/cugate NVCC=nvcc tests/scripts/action.sh
# shellcheck disable=SC2030,SC2031 # what a job sets is its own
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
export LC_ALL=C

cd "$top" || exit 2
nvcc=$(command -v "${NVCC:-nvcc}") || { echo "action.sh: there is no ${NVCC:-nvcc}" >&2; exit 2; }
python=$top/build/python/bin/python
for name in "${!CUGATE@}" "${!GITHUB@}" BASE OUT HISTORY STRICT MAKEFLAGS MFLAGS MAKELEVEL; do unset "$name"; done
export CUDA_VISIBLE_DEVICES='' XDG_CACHE_HOME=$work/cache RUNNER_TEMP=$work/runner CUGATE_NVDISASM=$top/build/disasm/nvidia/cu13/bin/nvdisasm
mkdir -p "$work/bin" "$RUNNER_TEMP"

# ---- Their form.
lint() { # SCHEMA FILE
    ask build/python/bin/check-jsonschema --builtin-schema "vendor.$1" "$2"
}
expect "the schema of actions" 0 -- lint github-actions ci/action.yml
sed 's/using: composite/using: compost/' ci/action.yml >"$work/spoilt.yml"
expect "the schema of actions can fail" 1 -- lint github-actions "$work/spoilt.yml"
steps=$work/steps
mkdir "$steps"
expect "scripts of the action" 0 action.1.sh -- "$python" reports/tests/workflow_scripts.py ci/action.yml "$steps"
expect "shellcheck: scripts of the action" 0 -- shellcheck "$steps"/*.sh
expect "no expression within a script" 1 -- grep -F "\${{" -r "$steps"
loose() { grep -E '^ *(- )?uses:' ci/action.yml | grep -vE 'uses: actions/[a-z-]+@[0-9a-f]{40} # v[0-9.]+$'; }
expect "actions are pinned by commit" 1 -- loose

# declared.py FILE: each input that is used is declared, and each that is declared is used.
cat >"$work/declared.py" <<'END'
import json, re, sys
from pathlib import Path
from ruamel.yaml import YAML
text = Path(sys.argv[1]).read_text()
documents = list(YAML(typ="safe").load_all(text))
inputs = set((documents[0].get("inputs") or documents[0]["spec"]["inputs"]).keys())
used = set(re.findall(r"\binputs\.([a-z_0-9-]+)", re.sub(r"(?m)#.*$", "", text)))
if inputs != used:
    sys.exit(f"not declared: {used - inputs}; not used: {inputs - used}")
for document in documents[1:]:  # as GitLab fills it in, with what has no default
    values = {
        name: facts.get("default", facts.get("options", [""])[0]) or {"array": ["gpu"], "boolean": False}.get(facts.get("type"), "")
        for name, facts in documents[0]["spec"]["inputs"].items()
    }
    body = text.split("\n---\n")[1]
    for name, value in values.items():
        body = body.replace(f"$[[ inputs.{name} ]]", value if isinstance(value, str) else json.dumps(value))
    Path(sys.argv[2]).write_text(body)
END
expect "the action's inputs" 0 -- "$python" "$work/declared.py" ci/action.yml
expect "the component's inputs" 0 -- "$python" "$work/declared.py" templates/gate.yml "$work/filled_in.yml"
expect "the component, filled in: the schema of GitLab CI" 0 -- lint gitlab-ci "$work/filled_in.yml"
expect "the inputs of the component in parts" 0 -- "$python" "$work/declared.py" templates/parts.yml "$work/parts.yml"
expect "the component in parts, filled in: the schema of GitLab CI" 0 -- lint gitlab-ci "$work/parts.yml"
mkdir "$work/gitlab_parts"
ask "$python" reports/tests/workflow_scripts.py "$work/parts.yml" "$work/gitlab_parts"
expect "scripts of the component in parts" 0 cugate-part.sh cugate-judge.sh
mkdir "$work/gitlab"
expect "scripts of the component" 0 cugate-static.sh -- "$python" reports/tests/workflow_scripts.py "$work/filled_in.yml" "$work/gitlab"
expect "shellcheck: script of the component" 0 -- shellcheck "$work/gitlab/cugate-static.sh"

# The workflow that cugate init writes gives inputs that there are, and modes. with_of.py FILE [JOB]: what its steps give the
# action, as a job's variables.
cat >"$work/with_of.py" <<'END'
import sys
from pathlib import Path
from ruamel.yaml import YAML
yaml = YAML(typ="safe")
inputs = yaml.load(Path(sys.argv[1]))["inputs"]
jobs = yaml.load(Path(sys.argv[2]))["jobs"]
for name, job in jobs.items():
    for step in job["steps"]:
        given = step.get("with", {}) if "cugate" in step["uses"] else {}
        if given.keys() - inputs.keys():
            sys.exit(f"unknown inputs {given.keys() - inputs.keys()}")
        for key, value in given.items():
            if name in sys.argv[3:]:
                print(f"CUGATE_{key.upper().replace('-', '_')}={value}")
    if not sys.argv[3:]:
        print(f"job {name}")
END
with_of() { "$python" "$work/with_of.py" "$top/ci/action.yml" "$@"; }
expect "the workflow that cugate init knows" 0 'job computed' 'job measured' 'job verdict' -- with_of ci/github/performance.yml

# ---- A repository of somebody else's: a library of kernels, and make.
repository=$work/repository
mkdir -p "$repository/kernels" && cd "$repository" || exit 2
cp "$top/tests/data/own_kernels.cu" kernels/mine.cu
cat >Makefile <<'END'
libmine.so: kernels/mine.cu
	$(NVCC) -std=c++17 -O3 -lineinfo -arch=sm_90 $(DEFINE) -I$(PREFIX)/include -I$(PREFIX)/include/cugate \
	    -Xcompiler -fPIC -cudart shared -shared -o $@ $<
END
printf 'libmine.so\nbuild/\n' >.gitignore
git() { command git -c user.name=me -c user.email=me@example.org -c init.defaultBranch=main "$@"; }
git init -q . && git add . && git commit -qm 'kernels'

# step NAME: the script of the action's step. step_env: its inputs come as variables, as the action has them.
step() {
    local number
    number=$(awk '/^    - / { n++ } /- name: '"$1"'$/ { print n; exit }' "$top/ci/action.yml")
    bash "$steps/action.$number.sh"
}
job() { # [NAME=VALUE]...: the steps of a job, in order, until one fails
    (
        # shellcheck disable=SC2163 # NAME=VALUE
        export "$@"
        export GITHUB_ACTIONS=true GITHUB_ACTION_PATH=$top/ci GITHUB_STEP_SUMMARY=$work/summary \
            GITHUB_PATH=$work/github_path GITHUB_ENV=$work/github_env GITHUB_OUTPUT=$work/github_output
        : >"$GITHUB_STEP_SUMMARY"
        for name in inputs sources install build gate; do
            step "$name" || exit
            [ ! -s "$GITHUB_PATH" ] || PATH=$(tac "$GITHUB_PATH" | paste -sd :):$PATH
        done
    )
}
arguments="--kernels=libmine.so
--baselines=perf/baselines -k 'mine/s*'"
building=(CUGATE_BUILD="make -s libmine.so NVCC=$nvcc PREFIX=$work/runner/cugate-installed")
mine=("${building[@]}" CUGATE_MODE=simulate CUGATE_ARGUMENTS="--simulate=nvidia-h200
$arguments")

# make, as the action calls it, but with all that this tree has built already.
cat >"$work/bin/make" <<END
#!/usr/bin/env bash
[ "\$1" = -C ] || exec $(command -v make) "\$@"
echo "make \$*" >&2
arguments=("\$@")
exec $(command -v make) "\${arguments[@]/CUBLAS=no/-s}"
END
chmod +x "$work/bin/make"
PATH=$work/bin:$PATH
ask job "${mine[@]}"
expect "the first time: cugate is installed from the action's sources, and there is no baseline" 4 "make -C $top" 'no baseline'
PATH=$RUNNER_TEMP/cugate-installed/bin:$PATH
expect "what was installed" 0 -- test -x "$RUNNER_TEMP/cugate-installed/bin/cugate-job"
expect "and the cache keeps it, by its sources" 0 'key=cugate-' "path=$RUNNER_TEMP/cugate-installed" -- cat "$work/github_output"
# shellcheck disable=SC2317 # ask calls it
without_it() { PATH=${PATH#*:} && job CUGATE_MODE=static "CUGATE_ARGUMENTS=--static=sm_90 kernels"; }
: >"$work/github_path"
ask without_it
PATH=$RUNNER_TEMP/cugate-installed/bin:$PATH
expect "of which the next job takes it" 2 'an earlier job built from the same sources (cache key cugate-' '!make -C'
: >"$work/github_path"

# ---- The baseline, as ci/README.md says; then pull requests.
ask cugate check --simulate=nvidia-h200 --kernels libmine.so --baselines perf/baselines -k 'mine/s*' --save first.json
expect "a first run" 4 'no baseline'
expect "is kept" 0 -- cugate accept first.json --baselines perf/baselines --reason 'first baseline'
rm first.json
git add perf && git commit -qm baseline
git commit -q --allow-empty -m 'a change'
expect "a harmless change passes" 0 'nothing is worse' '!make -C' '!WEAKENED' -- job "${mine[@]}" CUGATE_BASE=HEAD^1
ask test -s build/gate/check.json -a -s build/gate/junit.xml -a -s build/gate/comment.md -a -s "$work/summary"
expect "and leaves its reports" 0
rm libmine.so
ask job "${mine[@]}" "CUGATE_BUILD=make -s libmine.so NVCC=$nvcc PREFIX=$RUNNER_TEMP/cugate-installed DEFINE=-DSTRIDE=8"
expect "a regression fails on its line" 1 'regressed  mine/scale' 'kernels/mine.cu:' '::error'
rm libmine.so
expect "what does not build is not judged" 2 '!COMPUTED' -- job "${mine[@]}" CUGATE_BUILD='make -s libmine.so NVCC=false'
echo "build = ${building[0]#*=}" >cugate.ini
expect "built again, as cugate.ini says" 0 'nothing is worse' -- job "${mine[@]}" CUGATE_BUILD=
rm cugate.ini
unsure=("${mine[@]}" "CUGATE_ARGUMENTS=${mine[2]#*=} -k mine/handle") # which no CPU executes
expect "inconclusive fails" 3 unsure '!but accepted' -- job "${unsure[@]}"
expect "inconclusive is let through where the team says so" 0 'but accepted' '::warning' -- job "${unsure[@]}" CUGATE_ALLOW_INCONCLUSIVE=true
# The desk's compiler made the baseline, and the job has another.
sed -i 's/"compiler": "[^"]*"/"compiler": "nvcc, ptxas 12.0.1"/; s/"code": "[^"]*"/"code": "'"$(printf '0%.0s' {1..32})"'"/' perf/baselines/*/mine/*.json
git commit -qam 'a baseline by another compiler' && git commit -q --allow-empty -m 'a change'
expect "counts of another compiler's code are no judge" 3 'ptxas 12.0.1' '!building the kernels' -- job "${mine[@]}"
ask job "${mine[@]}" CUGATE_BASE=HEAD^1
expect "so the base is built by this one, and an empty change passes" 0 'building the kernels of HEAD^1' 'another compiler built the baseline' 'nothing is worse'
sed -i 's/define STRIDE 1/define STRIDE 8/' kernels/mine.cu && git commit -qam 'a fault'
ask job "${mine[@]}" CUGATE_BASE=HEAD^1
expect "and a fault does not" 1 'another compiler built the baseline' 'regressed  mine/scale' 'kernels/mine.cu:'
git reset -q --hard HEAD~3
git rm -q perf/baselines/nvidia-h200/mine/shift.json && git commit -qm 'hides one'
expect "what a change took away from the gate is said" 0 WEAKENED mine/shift -- job "${mine[@]}" CUGATE_BASE=HEAD^1
ask job "${mine[@]}" "CUGATE_ARGUMENTS=${arguments/mine\/s\*/mine/shift}"
expect "a gate that compared nothing is not green" 4 'nothing was compared' '::warning'
cat >"$work/bin/liar" <<'END_OF_SCRIPT'
#!/usr/bin/env bash
[ "${1-}" = check ] || exit 0
touch build/gate/{annotations.txt,summary.md}
printf '{"schema": 1,\n "exit_code": 0,\n "counts": {"kernels": 0, "new": 3, "same": 0, "info": 9},\n "judgements": []}\n' >build/gate/check.json
END_OF_SCRIPT
chmod +x "$work/bin/liar"
expect "nor one whose report judged nothing" 5 'no kernel was judged against a baseline' '::error' -- job "${mine[@]}" CUGATE="$work/bin/liar"
git revert --no-edit HEAD >/dev/null
expect "measure, without a GPU" 5 -- job "${mine[@]}" CUGATE_MODE=measure CUGATE_ARGUMENTS="$arguments"
expect "measure does not compute" 2 'mode is measure' -- job "${mine[@]}" CUGATE_MODE=measure
code_of=("${building[@]}" CUGATE_MODE=static CUGATE_ARGUMENTS="--baselines=perf/code
--static=sm_90
libmine.so")
expect "static: no baseline yet" 4 -- job "${code_of[@]}"
ask cugate check --static=sm_90 libmine.so --baselines perf/code --save code.json
expect "static: a baseline" 0 -- cugate accept code.json --baselines perf/code --reason first
expect "static: judged" 0 'nothing is worse' -- job "${code_of[@]}"

# ---- A repository that begins with cugate init, as it says.
mkdir "$work/begun" && cd "$work/begun" && cp -r "$repository"/{Makefile,kernels} . && printf 'libmine.so\n' >.gitignore &&
    sed -i '/{"handle"/d; s/variants, 4,/variants, 3,/; s/^static int launch_handle/[[maybe_unused]] &/' kernels/mine.cu && git init -q . && git add . && git commit -qm kernels || exit 2
ask cugate init --kernels libmine.so --build "make -s libmine.so NVCC=$nvcc PREFIX=$RUNNER_TEMP/cugate-installed" --gpu nvidia-h200 --action me/cugate/ci@abc
expect "init" 0 'wrote cugate.ini' 'wrote .github/workflows/performance.yml' 'next, here:' 'require the check' '!OWNER'
mapfile -t next < <(sed -n '/^next, here:/,/^then/s/^  //p' "$work/said")
export GIT_AUTHOR_NAME=me GIT_AUTHOR_EMAIL=me@example.org GIT_COMMITTER_NAME=me GIT_COMMITTER_EMAIL=me@example.org
for i in "${!next[@]}"; do
    expect "init: next: ${next[i]}" "$([[ ${next[i]} == "cugate check"* ]] && echo 4 || echo 0)" -- bash -c "${next[i]}"
done
expect "init: and all is committed" 0 '!??' '!perf' -- git status --porcelain
lint_begun() { (cd "$top" && build/python/bin/check-jsonschema --builtin-schema vendor.github-workflows "$work/begun/.github/workflows/performance.yml"); }
expect "init: the schema of workflows" 0 -- lint_begun
ask grep -e OWNER -e COMMIT -e measured .github/workflows/performance.yml
expect "init: nothing is left to be filled in, and nothing that was not asked for" 1
mapfile -t computed < <(with_of .github/workflows/performance.yml computed)
expect "init: what the action is given" 0 -- test "${computed[*]}" = 'CUGATE_MODE=simulate CUGATE_FETCH=nvcc'
computed+=(CUGATE_FETCH=) # nvcc is here
expect "init: its workflow passes" 0 'nothing is worse' '!WEAKENED' -- job "${computed[@]}" CUGATE_BASE=HEAD
rm libmine.so
ask job "${computed[@]}" CUGATE_BASE=HEAD DEFINE=-DSTRIDE=8
expect "init: its workflow fails where a kernel is slower, on the line" 1 'regressed  mine/scale' 'kernels/mine.cu:'
ask cugate init --program "sh -c 'exit 3'" --runner 'self-hosted, linux, gpu' --action me/cugate/ci@abc --force
expect "init: of a program" 0 "cugate aa --save sessions -- sh -c 'exit 3'" 'self-hosted, linux, gpu'
expect "init: of a program: the schema of workflows" 0 -- lint_begun
mapfile -t measured < <(with_of .github/workflows/performance.yml measured)
ask job "${measured[@]}" CUGATE_PYTHON="$top/build/python"
expect "init: of a program, which is not measured without a GPU" 5 'no NVIDIA driver here' '!computed'
cd "$repository" || exit 2

# ---- A program through the action, of every pull request and every night; and the job of Slurm. On a GPU that is made up.
mkdir "$work/nights" && cd "$work/nights" && git init -q . || exit 2
standin=$top/build/tests/standin
on_standin=("CUGATE_PYTHON=$top/build/python" "LD_LIBRARY_PATH=$standin" "LD_PRELOAD=$standin/libcupti.so.13")
printf '#!/bin/sh\nexec %s %s\n' "$standin/program" 'plain 8' >bench && chmod +x bench
ask cugate init --program ./bench --nightly --slurm --action me/cugate/ci@abc
expect "init: of every night" 0 'wrote .github/workflows/nightly.yml' 'wrote perf/slurm.sh' 'sbatch --wait perf/slurm.sh nightly -- ./bench' \
    'CUGATE_PAGES' 'build/ sessions/'
echo mine >perf/slurm.sh
ask cugate init --program ./bench --slurm --action me/cugate/ci@abc
expect "init: a job of Slurm that is there is left" 2 'perf/slurm.sh already exists and differs' '--force'
expect "init: and replaced by --force" 0 'wrote perf/slurm.sh' -- cugate init --program ./bench --slurm --action me/cugate/ci@abc --force
mapfile -t next < <(sed -n '/^next, here:/,/^then/s/^  //p' "$work/said")
lint_night() { (cd "$top" && build/python/bin/check-jsonschema --builtin-schema vendor.github-workflows "$work/nights/.github/workflows/nightly.yml"); }
expect "init: of every night: the schema of workflows" 0 -- lint_night
expect "init: of every night: nothing is left to be filled in" 1 -- grep -e OWNER -e COMMIT -e 'uses: \./' .github/workflows/nightly.yml
for command in "${next[@]}"; do
    expect "init: of every night: next: $command" 0 -- env "${on_standin[@]}" bash -c "$command"
done
mapfile -t measured < <(with_of .github/workflows/performance.yml measured)
expect "a program through the action" 0 'nothing is worse' -- job "${measured[@]}" "${on_standin[@]}" CUGATE_NAME=cugate-measure
ask test -s build/gate/comment.md -a -s build/gate/check.json -a -s build/gate/page/index.html -a -s "$work/summary"
expect "and it leaves comment, report and pages" 0
sed -i 's/plain 8/plain 16/' bench
expect "a program that launches twice as much fails through the action" 1 regressed '::error' -- job "${measured[@]}" "${on_standin[@]}"
sed -i 's/plain 16/plain 8/' bench
mapfile -t night < <(with_of .github/workflows/nightly.yml night)
night+=("${on_standin[@]}" CUGATE_HISTORY='' CUGATE_ALLOW_INCONCLUSIVE=false)
expect "what the action is given every night" 0 CUGATE_MODE=nightly 'CUGATE_ARGUMENTS=-- ./bench' -- printf '%s\n' "${night[@]}"
for number in 1 2; do
    expect "night $number is judged and kept" 0 'nothing is worse' "Stand-in GPU, $number night" -- job "${night[@]}"
done
expect "every night leaves its pages and its report" 0 -- test -s build/nightly/page/index.html -a -s build/nightly/check.json
sed -i 's/plain 8/plain 16/' bench
expect "a night that is worse fails" 1 regressed -- job "${night[@]}"
sed -i 's/plain 16/plain 8/' bench
expect "a night does not compute" 2 'mode is nightly' -- job "${night[@]}" CUGATE_ARGUMENTS='--simulate=nvidia-h200'
ask env "${on_standin[@]}" OUT=build/slurm HISTORY=build/slurm.db bash perf/slurm.sh nightly -- ./bench
expect "the job of Slurm" 0 'nothing is worse'
expect "and its pages" 0 -- test -s build/slurm/page/index.html
cd "$repository" || exit 2

# ---- A base that cugate.ini says how to build: by the host's clock, of a library that make copies.
mkdir "$work/based" && cd "$work/based" && git init -q . || exit 2
# shellcheck disable=SC2016 # for make
printf 'libmany.so: source\n\tcp %s $@\n\techo "built `cat source`" >>%s\n' "$top/build/tests/libmany.so" "$work/builds" >Makefile
printf '%s\n' build/ libmany.so >.gitignore
printf '%s\n' 'kernels = libmany.so' 'baselines = perf' "metrics = $top/tests/cli/made_up/host_metrics" >cugate.ini
echo base >source && git add . && git commit -qm base && echo change >source && git commit -qam change || exit 2
of_base=(CUGATE_PYTHON="$top/build/python" CUGATE_MODE=measure CUGATE_BASE=HEAD^1 CUGATE_ARGUMENTS="--collector=host --samples=2 -k 'family_1/*'")
make -s libmany.so
expect "without a baseline, and nobody says how the base is built" 4 'no baseline' '!building the kernels' -- job "${of_base[@]}"
echo 'build = make -s libmany.so' >>cugate.ini && rm -f libmany.so "$work/builds"
based() { # whatever the host's clock says of two equal sides
    ask job "${of_base[@]}"
    [[ $code != [13] ]] || code=0
}
based
expect "the base is built as cugate.ini says, and stands in for the baseline" 0 'building the kernels of HEAD^1' \
    "build/base/$(git rev-parse HEAD^1)/tree/libmany.so" '!no baseline for'
expect "each side by its own sources" 0 'built change' 'built base' -- cat "$work/builds"
based
expect "the base is built once" 0 'build/base' '!building the kernels'
expect "and no worktree is left" 0 '!build/base' -- git worktree list
sed -i 's/^build = .*/build = make -s libmany.so \&\& [ -d .git ]/' cugate.ini # in a worktree .git is a file
expect "a base that does not build leaves the verdict to the baseline, of which there is none" 4 'the kernels of HEAD^1 do not build' \
    'the base is not built, so nothing is compared with it' 'no baseline' -- job "${of_base[@]}"
cd "$repository" || exit 2

# ---- In parts: by the host's clock, as there is no GPU.
parts=(CUGATE_PYTHON="$top/build/python" CUGATE_ARGUMENTS="--collector=host --kernels=$top/build/tests/libmany.so
--metrics=$top/tests/cli/made_up/host_metrics --baselines=perf/many --samples=2 -k 'family_1/*'")
for number in 1 2; do
    expect "part $number" 0 'kernels (exit 0)' '!baseline ' -- job "${parts[@]}" CUGATE_MODE=measure CUGATE_PART=$number CUGATE_PARTS=2
done
mv build/gate/parts/2.json .
expect "a part is missing" 5 'missing: shard 2 of 2' -- job "${parts[@]}" CUGATE_MODE=judge
mv 2.json build/gate/parts
expect "the parts, without a baseline" 4 'no baseline' -- job "${parts[@]}" CUGATE_MODE=judge
ask cugate accept build/gate/merged.json --baselines perf/many --metrics "$top/tests/cli/made_up/host_metrics" --reason first
expect "the parts are a baseline" 0 'of 20 kernels'
expect "the parts are judged, whose rows can hardly fail" 3 'unsure: 20 of 20 rows' -- job "${parts[@]}" CUGATE_MODE=judge

# ---- Inputs.
while IFS='|' read -r wanted words; do
    read -r -a given <<<"$wanted"
    expect "inputs: $wanted" 2 "$words" '!nothing is worse' -- job CUGATE_MODE=simulate "${given[@]}"
done <<'END_OF_TABLE'
CUGATE_MODE=|mode is ''
CUGATE_MODE=simulated|mode is 'simulated'
CUGATE_ALLOW_INCONCLUSIVE=yes|allow-inconclusive is 'yes'
CUGATE_NAME=a/b|name is 'a/b'
CUGATE_FETCH=cuda|fetch is 'cuda'
CUGATE_PACKAGE=http://example.org/cugate.deb|an address that begins with https://
CUGATE_PACKAGE=https://example.org/cugate.deb|package-sha256 has to be
CUGATE_PACKAGE=cugate.deb|which does not exist
CUGATE_MODE=static|arguments names no file
CUGATE_ARGUMENTS=-k'a|an unclosed quote
CUGATE_PART=2 CUGATE_PARTS=4|only the mode measure has parts
CUGATE_MODE=measure CUGATE_PART=2|parts is ''
CUGATE_MODE=measure CUGATE_PART=a CUGATE_PARTS=4|part is 'a'
END_OF_TABLE

# ---- What GitLab's runner clones, everybody may write to.
mkdir "$work/cloned" && cd "$work/cloned" && echo 'samples = 3' >cugate.ini && chmod 777 . && chmod 666 cugate.ini || exit 2
expect "others may write to cugate.ini" 2 'cugate.ini is not read, because others can' -- cugate list config
expect "in a job of GitLab's that is taken back" 0 -- env GITLAB_CI=true CUGATE_MODE=static cugate-job check-inputs
expect "and then it is read" 0 'samples = 3' -- cugate list config
cd "$repository" || exit 2
cat >"$work/bin/curl" <<'END_OF_SCRIPT'
#!/usr/bin/env bash
while [ "$1" != --output ]; do shift; done
echo another >"$2"
END_OF_SCRIPT
chmod +x "$work/bin/curl"
ask job "${mine[@]}" CUGATE_PACKAGE=https://example.org/cugate.deb CUGATE_PACKAGE_SHA256="$(printf '0%.0s' {1..64})"
expect "a package that is another one is refused" 2 'does not match package-sha256'

# ---- Comment and verdict. gh finds the comment FOUND, and says what it was to write.
cat >"$work/bin/gh" <<'END_OF_SCRIPT'
#!/usr/bin/env bash
case $* in
*--paginate*) [ -z "${FOUND-}" ] || printf '%s\n' $FOUND ;;
*) echo "gh $*"; for last; do :; done; cat "${last#body=@}"; exit "${CODE:-0}" ;;
esac
END_OF_SCRIPT
chmod +x "$work/bin/gh"
export GITHUB_ACTION_PATH=$top/ci GITHUB_SERVER_URL=https://server GITHUB_REPOSITORY=owner/name GITHUB_RUN_ID=7 CUGATE_NUMBER=12 CUGATE_COMMIT=abc
mkdir -p report/cugate-simulate && printf '%s\n' 'regressed: mine/scale' '```sh' 'cugate accept build/gate/run.json -k mine/scale' '```' >report/cugate-simulate/comment.md
ask step comment
expect "comment: the first one" 0 'POST repos/owner/name/issues/12/comments' 'regressed: mine/scale' \
    'abc, [log and pages](https://server/owner/name/actions/runs/7)' '<!-- cugate -->' \
    "build/gate/ is in the artifact cugate-simulate: \`gh run download 7 --name cugate-simulate --dir build/gate\`"
FOUND='41 42' expect "comment: there is one" 0 'PATCH repos/owner/name/issues/comments/42' '!POST' -- step comment
CODE=1 expect "comment: that cannot be written is no verdict" 0 '::warning' -- step comment
echo '## :white_check_mark: cugate: nothing is worse: 9 rows' >report/cugate-simulate/comment.md
expect "comment: none of a green check" 0 'no comment' '!gh api' -- step comment
FOUND=42 ask step comment
expect "comment: but a red one is put right" 0 'PATCH repos/owner/name/issues/comments/42' 'nothing is worse: 9 rows'
rm -r report
expect "comment: nothing was judged" 0 'nothing was judged' -- step comment

# Of several jobs, one that is short and two that are not: within what GitHub takes, each verdict, and whole blocks.
long_comment() { # WORD
    printf '## :x: cugate: %s\n\n| row |\n|---|\n' "regressed $1"
    for ((i = 0; i < 300; i++)); do echo "| $1 row $i, $(printf '\u00e9%.0s' {1..9}) |"; done
    printf '\n````sh\n'
    for ((i = 0; i < 300; i++)); do echo "cugate accept $1 $i"; done
    printf '````\n\n<details><summary>more</summary>\n\n'
    for ((i = 0; i < 1900; i++)); do echo "| $1 more $i |"; done
    printf '</details>\n\n'
}
mkdir -p report/cugate-{first,measure,simulate,static}
long_comment one >report/cugate-measure/comment.md
long_comment two >report/cugate-simulate/comment.md
echo '## :white_check_mark: cugate: nothing is worse' >report/cugate-static/comment.md
: >report/cugate-first/comment.md
expect "comment: of several jobs, each verdict" 0 'regressed one' 'regressed two' 'nothing is worse' \
    'the comment of cugate-first is empty' 'abc, [log and pages]' 'comment.md in the artifact cugate-measure has all' \
    'comment.md in the artifact cugate-simulate has all' '!artifact cugate-static' '!cannot' -- step comment
tail -n +2 "$work/said" >"$work/joined"
ask test "$(wc -c <"$work/joined")" -le 65536 -a "$(wc -c <"$work/joined")" -gt 62000
expect "comment: of several jobs, what GitHub takes, and no less" 0
ask test "$(grep -c '^````' "$work/joined")" = 4 -a "$(grep -c '^<details>' "$work/joined")" = 2 -a \
    "$(grep -c '^</details>' "$work/joined")" = 2
expect "comment: of several jobs, blocks are closed" 0
rows() { grep -c "$1" "$work/joined"; }
ask test $(($(rows 'one row') + $(rows 'one more') + $(rows 'accept one'))) = $(($(rows 'two row') + $(rows 'two more') + $(rows 'accept two')))
expect "comment: of several jobs, each has as much space" 0
printf '## %070000d\n' 1 >report/cugate-first/comment.md
ask step comment
expect "comment: a verdict that has no end hides no other" 0 'regressed one' 'nothing is worse' '1 more of the jobs' '!00000000'
printf '## unclosed\n\n````sh\n<details>\n' >report/cugate-first/comment.md
ask "$top/ci/join_comments.sh" 4096 report/cugate-{first,static}/comment.md
expect "comment: what one leaves open takes in no other" 0 '1 more line; comment.md in the artifact cugate-first' 'nothing is worse'
rm -r report
while IFS='|' read -r needs wanted words; do
    CUGATE_NEEDS=$needs expect "verdict: $needs" "$wanted" "$words" -- step verdict
done <<'END_OF_TABLE'
{"computed": {"result": "success"}, "measured": {"result": "success"}}|0|measured: success
{"computed": {"result": "success"}, "measured": {"result": "failure"}}|1|measured: failure
{"computed": {"result": "failure"}, "measured": {"result": "success"}}|1|::error
{"computed": {"result": "success"}, "measured": {"result": "skipped"}}|1|judged nothing
{"computed": {"result": "failure"}}|1
{"computed": {"result": "cancelled"}}|1
{}|2
|2
nonsense|2
END_OF_TABLE

# ---- GitLab, by what is installed.
gitlab() { # MODE [NAME=VALUE]...
    env -u GITHUB_ACTIONS CUGATE_PACKAGE='' "$@" bash "$work/gitlab/cugate-static.sh"
}
expect "GitLab: judged" 0 'nothing is worse' -- gitlab "${mine[@]}" CI_MERGE_REQUEST_DIFF_BASE_SHA=HEAD^1
expect "GitLab: inputs" 2 "fetch is 'cuda'" -- gitlab "${mine[@]}" CUGATE_FETCH=cuda CI_MERGE_REQUEST_DIFF_BASE_SHA=HEAD^1
ask gitlab "${mine[@]}" CUGATE_BUILD=false CI_MERGE_REQUEST_DIFF_BASE_SHA=HEAD^1
expect "GitLab: what does not build is not judged" 1 '!nothing is worse'

summary
