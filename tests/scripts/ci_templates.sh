#!/usr/bin/env bash
# Tests what is in ci/ for CI servers: the workflow templates, the Slurm job and the Dockerfile. Runs no server: the files
# are judged by the servers' schemas, their scripts by shellcheck and by running them with a gate and make that only say
# what was asked of them. Needs nvcc, no GPU. Ends with "N passed, N failed".
#
#   CUGATE=build/cugate [NVCC=nvcc CUDA_INCLUDES='DIR...' CUDA_LIBS='DIR...'] tests/scripts/ci_templates.sh
#
# actionlint, which knows GitHub's expressions as well, is not used: what PyPI has of it fetches a program from elsewhere.
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
cd "$top" || exit 2
ci/install_python.sh --test || exit 1
python=$top/build/python/bin/python
unset BASE OUT HISTORY STRICT CODE ONLY CUGATE_BUILD GITHUB_ACTIONS GITHUB_STEP_SUMMARY SLURM_SUBMIT_DIR

workflows=(ci/github/*.yml .github/workflows/*.yml)
templates=("${workflows[@]}" ci/gitlab.yml ci/gitlab_shards.yml)

# ---- Schemas. They lie in the package, so nothing is fetched.
lint() { # SCHEMA FILE
    ask "$top/build/python/bin/check-jsonschema" --builtin-schema "vendor.$1" "$2"
}
for file in "${workflows[@]}"; do
    expect "the schema of workflows: $file" 0 -- lint github-workflows "$file"
done
for file in ci/gitlab.yml ci/gitlab_shards.yml; do
    expect "the schema of GitLab CI: $file" 0 -- lint gitlab-ci $file
done
examples=()
for file in ci/README.md README.md; do
    count=$(grep -c '^```yaml' "$file")
    for number in $(seq "$count"); do
        example=$work/$(dirname "$file" | tr -c '[:alnum:]\n' _)_example_$number.yml
        # shellcheck disable=SC2016 # Markdown's quotes
        awk -v number="$number" '/^```yaml/ { inside = ++block == number; next } /^```/ { inside = 0 } inside' "$file" >"$example"
        expect "the schema of workflows: example $number in $file" 0 -- lint github-workflows "$example"
        examples+=("$example")
    done
done

# Schemas that can fail.
spoilt() { # SCHEMA FILE SED
    sed "$3" "$2" >"$work/spoilt.yml"
    ! cmp -s "$2" "$work/spoilt.yml" || { echo "ci_templates.sh: '$3' changes nothing in $2" >&2; exit 2; }
    expect "refused: $2 with $3" 1 -- lint "$1" "$work/spoilt.yml"
}
spoilt github-workflows ci/github/pull-request.yml 's/runs-on:/run-on:/'
spoilt github-workflows ci/github/pull-request.yml 's/pull_request:/pull_requests:/'
spoilt github-workflows ci/github/nightly.yml 's/timeout-minutes: 120/timeout-minutes: long/'
spoilt gitlab-ci ci/gitlab.yml 's/expose_as:/exposed_as:/'
spoilt gitlab-ci ci/gitlab.yml 's/when: always/when: ever/'

# ---- The scripts within.
scripts=$work/scripts
for file in "${templates[@]}" "${examples[@]}"; do
    folder=$scripts/$(basename "$file" .yml)
    mkdir -p "$folder"
    grep -qE '^[^#]*( run:|script:|uses: ./ci$)' "$file" || continue # it calls an action elsewhere: tests/scripts/action.sh
    expect "scripts of $file" 0 "$folder/" -- "$python" reports/tests/workflow_scripts.py "$file" "$folder"
    [ -e "$folder/pipeline.json" ] || continue
    jq 'map_values(if type == "object" and .tags == [] then del(.tags) else . end)' "$folder/pipeline.json" >"$work/pipeline.json"
    lint gitlab-ci "$work/pipeline.json" # which knows no job of any runner
    expect "the schema of GitLab CI, with what $file includes" 0
done
for script in "$scripts"/*/*.sh; do
    expect "shellcheck: ${script#"$scripts"/}" 0 -- shellcheck "$script"
done
for script in ci/slurm.sh ci/slurm_shards.sh; do
    expect "shellcheck: $script" 0 -- shellcheck -x $script
done
# What stands in ${{ }} is put into the script as text, whoever wrote it: values come by `env`.
expect "no expression within a script" 1 -- grep -r --include='*.sh' "\${{" "$scripts"
sed '/^ *shell: bash$/d' ci/action.yml >"$work/spoilt.yml"
ask "$python" reports/tests/workflow_scripts.py "$work/spoilt.yml" "$work"
expect "a script without pipefail is refused" 1 'a failure within a pipe would pass'
ask grep -hE '^ *-? *uses:' "${workflows[@]}" "${examples[@]}"
grep -vE 'uses: (actions/[a-z-]+@v[0-9]+|OWNER/cugate/ci@COMMIT|\./ci)$' "$work/said" >"$work/others"
mv "$work/others" "$work/said"
expect "GitHub's own actions only, by major version, and ours" 0 '!uses'

# ---- Everything that is named exists.
named() { # PATTERN FILE...: what matches, once each
    grep -ohE "$1" "${@:2}" | sort -u
}
files=("${templates[@]}" ci/job.sh ci/slurm.sh ci/slurm_shards.sh ci/Dockerfile ci/README.md)
for path in $(named '\bci/[a-z_/-]+\.(sh|yml)|\bci/Dockerfile' "${files[@]}"); do
    expect "$path exists" 0 -- test -e "$path"
done
while read -r link; do
    expect "ci/README.md: $link exists" 0 -- test -e "ci/$link"
done < <(grep -ohE '\]\([^)#]+' ci/README.md | cut -c3- | sort -u)
grep -hv '^ *#' ci/Dockerfile ci/job.sh ci/slurm.sh ci/slurm_shards.sh | grep -ohE '\bmake [a-z][a-z-]*' >"$work/makes"
grep -ohE '\bmake [a-z-]+' "$scripts"/gitlab/*.sh >>"$work/makes"
grep -ohE '.make [a-z-]+' ci/README.md | grep '^[^ a-z]' | cut -c2- >>"$work/makes"
while read -r _ target; do
    expect "make $target" 0 -- grep -E "^$target:" Makefile
done < <(sort -u "$work/makes")
sed -n '/^table="/,/^"/p' ci/install_deps.sh | awk 'NF > 2 {print $1}' >"$work/needs"
while read -r need; do
    expect "ci/install_deps.sh knows '$need'" 0 -- grep -xF -- "$need" "$work/needs"
done < <(grep -hv '^COPY ' "${files[@]}" | grep -ohE 'install_deps\.sh( [a-z]+)+' | sed 's/^[^ ]* //' | tr ' ' '\n' | sort -u)

# ---- What cugate is asked for, it knows.
mkdir -p "$work/real/build"
ln -s "$cugate" "$work/real/build/cugate"
ln -s "$top/ci" "$work/real"
# Of one family, whose objects are built already: what is computed where code differs has tests/scripts/simulate.sh.
mkdir -p "$work/real/baselines/nvidia-h200"
cp -r "$top/baselines/nvidia-h200/transpose" "$work/real/baselines/nvidia-h200"
ci/registry.sh "" kernels/transpose.cu >"$work/real/registry.cpp"
{
    "${NVCC:-nvcc}" -std=c++20 -Xcompiler -fPIC -Iharness "${includes[@]/#/-I}" -c -o "$work/real/registry.o" "$work/real/registry.cpp" &&
        "${CXX:-c++}" -shared -o "$work/real/libtranspose.so" "$work/real/registry.o" build/kernels/transpose.o \
            "${libraries[@]/#/-L}" "${libraries[@]/#/-Wl,-rpath,}" -lcudart -ldl
} || exit 2
printf '%s\n' 'kernels = libtranspose.so' 'gpu = nvidia-h200' >"$work/real/cugate.ini"
# given WORKFLOW JOB: the inputs of the step that calls the action; of GitLab's JOB the variables. A line each.
given() {
    if [ -e "$scripts/$1/pipeline.json" ]; then
        jq -r --arg job "$2" '.[.[$job].extends // $job].variables | to_entries[] | "\(.key)=\(.value)"' "$scripts/$1/pipeline.json"
    else
        cat "$scripts/$1/$2".*.inputs
    fi
}
computed() ( # WORKFLOW JOB: exit code 3, a compiler that the baseline does not know, is as good here
    cd "$work/real" || exit
    mapfile -t inputs < <(given "$@")
    env "${inputs[@]}" CUGATE_BASE= GITHUB_STEP_SUMMARY="$work/real/summary" ci/job.sh gate
    ended=$?
    [ $ended -eq 0 ] || [ $ended -eq 3 ]
)
GITHUB_ACTIONS=true ask computed pull-request computed
expect "GitHub: the code is computed and judged" 0 '::' 'COMPUTED: NO KERNEL RAN ON A GPU'
expect "GitHub: and the summary written" 0 'COMPUTED: NO KERNEL RAN ON A GPU' -- cat "$work/real/summary"
rm -r "$work/real/build/gate"
expect "GitLab: the code is computed and judged" 0 'COMPUTED: NO KERNEL RAN ON A GPU' -- computed gitlab cugate-simulate
expect "GitLab: and the report written" 0 '<testsuite' -- cat "$work/real/build/gate/junit.xml"
while read -ra words; do
    expect "${words[*]}" 0 usage: -- "$cugate" "${words[1]}" --help "${words[@]:2}"
done < <(grep -hoE '^cugate [^|&]*' "$scripts"/*_example_*/*.sh)

# ---- Dockerfile: what it copies exists, and suffices for what it builds.
image=$work/image
mkdir "$image"
while read -r _ words; do
    read -ra words <<<"$words"
    for source in "${words[@]:0:${#words[@]}-1}"; do
        expect "Dockerfile: COPY $source" 0 -- test -e "$source"
        [ ! -d "$source" ] || source=${source%/}/.
        mkdir -p "$image/${words[-1]}"
        cp -r "$source" "$image/${words[-1]}"
    done
done < <(grep '^COPY ' ci/Dockerfile)
layer=$work/layer # what is there when the Python packages are installed
read -ra words <<<"$(grep '^COPY ci/install_python.sh' ci/Dockerfile)"
mkdir -p "$layer/ci" && cp "${words[@]:1:${#words[@]}-2}" "$layer/ci"
folder=$(sed -n 's/^ENV CUGATE_PYTHON=//p' ci/Dockerfile)
CUGATE_PYTHON=$folder ask "$layer/ci/install_python.sh" --where
expect "Dockerfile: the Python packages are where jobs look for them" 0 "$folder" '!No such file'
mkdir "$image/build"
[ ! -d build/cuda ] || ln -s "$top/build/cuda" "$image/build/cuda"
# As the Dockerfile does, but quickly: what this tree has compiled is newer than the copies, so that make looks for each
# source and header of it, compiles what lacks one, and links.
cp -p build/flags.{c,cu} "$image/build"
cp -r build/{harness,device} "$image/build"
install() {
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -C "$image" install CUDA_READY= DISASM=no DESTDIR="$work/root"
}
expect "Dockerfile: what is copied suffices for cugate" 0 -- install
expect "Dockerfile: and cugate runs where it is installed" 0 achieved_occupancy -- "$work/root/usr/local/bin/cugate" list --metrics
rm -r "$image/metrics"
expect "Dockerfile: what is not copied would be missed" 2 metrics -- install

# ---- A tree whose scripts only say what was asked of them, and end as CODE in the environment says.
tree=$work/tree
mkdir -p "$tree"/{ci,build,harness} "$work/bin" "$work/spool"
printf 'all:\n\t@echo "made all"; exit %s{MAKE_CODE:-0}\n' '$$' >"$tree/Makefile"
cp ci/job.sh ci/where.sh "$tree/ci"
for script in gate nightly shards; do
    cat >"$tree/ci/$script.sh" <<'END_OF_SCRIPT'
#!/usr/bin/env bash
echo "${0##*/} in $(pwd -P):$(printf ' <%s>' "$@") BASE=${BASE-unset} HISTORY=${HISTORY-unset} STRICT=${STRICT-unset}"
mkdir -p build/{gate,nightly} && echo '{"counts": {"same": 1}}' | tee build/gate/check.json >build/nightly/check.json
exit "${CODE:-0}"
END_OF_SCRIPT
done
printf '#!/usr/bin/env bash\necho "install_deps $*"\n' >"$tree/ci/install_deps.sh"
cat >"$tree/build/cugate" <<'END_OF_SCRIPT'
#!/usr/bin/env bash
[ "$2" != --dry-run ] || { echo '{"way": "measure"}'; exit; }
echo "cugate $*"
exit "${CODE:-0}"
END_OF_SCRIPT
printf '#!/usr/bin/env bash\n' >"$work/bin/apt-get"
chmod +x "$tree"/ci/*.sh "$tree/build/cugate" "$work/bin/apt-get"
PATH=$work/bin:$PATH
real=$(cd "$tree" && pwd -P)

# ---- slurm.sh, copied elsewhere, as Slurm does.
expect "slurm.sh: bash reads it" 0 -- bash -n ci/slurm.sh
cp ci/slurm.sh "$work/spool/slurm_script"
cd "$work/spool" || exit 2
export SLURM_SUBMIT_DIR=$tree
for code_of_gate in 0 1 3 4 5 130; do
    CODE=$code_of_gate BASE=HEAD~2 ask ./slurm_script gate -k 'reduce/*' --reason "two words"
    expect "slurm.sh: exit code $code_of_gate" "$code_of_gate" "made all" \
        "gate.sh in $real: <-k> <reduce/*> <--reason> <two words> BASE=HEAD~2 HISTORY=unset STRICT=1"
done
CODE=1 STRICT=0 HISTORY=sqlite:///a.db ask ./slurm_script nightly
expect "slurm.sh: nightly" 1 "nightly.sh in $real:" 'BASE=unset HISTORY=sqlite:///a.db STRICT=0'
MAKE_CODE=1 expect "slurm.sh: what does not build is not measured" 2 '!gate.sh' -- ./slurm_script gate
expect "slurm.sh: no argument" 2 'usage: sbatch' '!made' -- ./slurm_script
expect "slurm.sh: an unknown argument" 2 'usage: sbatch' '!made' -- ./slurm_script gat
SLURM_SUBMIT_DIR=$work expect "slurm.sh: submitted from elsewhere" 2 'submit from the top' '!made' -- ./slurm_script gate
# In a repository of somebody else's, by what is installed.
foreign=$work/foreign
mkdir -p "$foreign"/{ci,.git,bin}
printf 'echo not this one\n' >"$foreign/ci/nightly.sh" # theirs
# shellcheck disable=SC2016 # for the script
printf '#!/usr/bin/env bash\necho "built, $*"; exit "${MAKE_CODE:-0}"\n' >"$foreign/bin/cugate-job"
cp "$tree/ci/nightly.sh" "$foreign/bin/cugate-nightly"
chmod +x "$foreign"/{ci,bin}/*
SLURM_SUBMIT_DIR=$foreign ask ./slurm_script nightly
expect "slurm.sh: elsewhere, and cugate is not installed" 2 'cugate-nightly was not found' '!not this one'
CODE=1 SLURM_SUBMIT_DIR=$foreign ask env PATH="$foreign/bin:$PATH" ./slurm_script nightly -- python3 'a b.py'
expect "slurm.sh: elsewhere" 1 'built, build' "cugate-nightly in $(realpath "$foreign"): <--> <python3> <a b.py> BASE=unset" STRICT=1 '!not this one'
MAKE_CODE=1 SLURM_SUBMIT_DIR=$foreign ask env PATH="$foreign/bin:$PATH" ./slurm_script nightly
expect "slurm.sh: elsewhere, what does not build is not measured" 2 '!cugate-nightly in'
unset SLURM_SUBMIT_DIR
expect "slurm.sh: a GPU and a limit" 0 --gpus=1 --time= -- grep -E '^#SBATCH --(gpus=1|time=[0-9:]+)$' "$top/ci/slurm.sh"
expect "slurm.sh: no option for sbatch after the first command, where it is not read" 0 '!#SBATCH' -- sed '1,/^set -/d' "$top/ci/slurm.sh"

# ---- slurm_shards.sh: what it asks of sbatch. tests/scripts/slurm.sh asks a real one.
cat >"$work/bin/sbatch" <<'END_OF_SCRIPT'
#!/usr/bin/env bash
echo "sbatch$(printf ' <%s>' "$@"), where BUILD is '${BUILD-}'" >&2
case $* in *--parsable*) echo "$((RANDOM % 9 + 1))1;cluster" ;; *--wait*) echo "Submitted batch job 71" ;; esac
[ -z "${RUN-}" ] || SLURM_ARRAY_TASK_ID=1 sh -c "${*: -1}" >&2
exit "${CODE:-0}"
END_OF_SCRIPT
cat >"$work/bin/scontrol" <<'END_OF_SCRIPT'
#!/usr/bin/env bash
[ "$*" != "--oneliner show job 71" ] || echo "JobId=71 JobName=cugate-judge JobState=${STATE:-COMPLETED} Reason=None"
END_OF_SCRIPT
chmod +x "$work/bin/"{sbatch,scontrol}
cp "$top"/ci/{slurm_shards,where}.sh "$tree/ci"
cd "$tree" || exit 2
mkdir -p build/gate/parts
touch build/gate/parts/{1,2,3,4,8}.json
echo "as the judge says" >slurm-71.out
# make's own BUILD, a folder, means nothing to it, nor does it tell the jobs another.
CODE=0 CPUS=3 BUILD=elsewhere ask ci/slurm_shards.sh 4 -k 'reduce/*'
# shellcheck disable=SC2016 # as it is submitted
expect "slurm_shards.sh: three jobs" 0 '<--job-name=cugate-build> <--gpus=1>' '<--wrap> <make all>' '<--array=1-4> <--requeue> <--gpus=1>' \
    '1> <--kill-on-invalid-dep=yes> <--wrap> <exec '"'$tree/ci/shards.sh'"' measure $SLURM_ARRAY_TASK_ID/4 '"'-k' 'reduce/*'>" \
    '<--wait> <--job-name=cugate-judge> <--dependency=afterany:' "<exec '$tree/ci/shards.sh' judge '-k' 'reduce/*'>" '!cluster>' '<--cpus-per-task=3>' 'as the judge says' \
    "<make all>, where BUILD is 'elsewhere'"
# What sbatch --wrap gets is run by sh, which has no $'...'.
mkdir -p "$work/words/ci" && cp ci/{slurm_shards,where}.sh "$work/words/ci"
printf '#!/usr/bin/env bash\nprintf "%%q " "$@"\n' >"$work/words/ci/shards.sh"
chmod +x "$work/words/ci/shards.sh"
# shellcheck disable=SC1003,SC2016 # as they are
words=(-k $'a\n\'$(touch hit)\'' "it's" '$(touch hit)' '`touch hit`' '' 'a\' $'"\t' '*' ';touch hit' "''" $'\e')
cd "$work/words" || exit 2
CUGATE_BUILD='' RUN=1 ask ci/slurm_shards.sh 4 "${words[@]}"
expect "slurm_shards.sh: options come as they were given" 0 "$(printf '%q ' judge "${words[@]}")" "$(printf '%q ' measure 1/4 "${words[@]}")"
expect "slurm_shards.sh: and none of them is run" 0 '!hit' -- ls
cd "$tree" || exit 2
expect "slurm_shards.sh: no part of before is left" 0 '!.json' -- ls build/gate/parts
touch build/gate/parts/{1,2,3,4}.json
CUGATE_BUILD='' ONLY=2,3 ask ci/slurm_shards.sh 4
expect "slurm_shards.sh: some parts again, of what is built" 0 '<--array=2,3>' '!cugate-build' '!afterok'
expect "slurm_shards.sh: the others are kept" 0 1.json 4.json '!2.json' '!3.json' -- ls build/gate/parts
for count in '' 0 four 1000 -k; do
    expect "slurm_shards.sh: '$count' is no number of parts" 2 'usage: ' '!sbatch' -- ci/slurm_shards.sh $count
done
for only in 2-3 5 2,,3 ' 2' 02 2,x; do
    touch build/gate/parts/{1,2,3,4}.json
    ONLY=$only expect "slurm_shards.sh: '$only' are no parts of four" 2 'numbers of parts from 1 to 4' '!sbatch' -- ci/slurm_shards.sh 4
done
for state in CANCELLED NODE_FAIL; do
    STATE=$state expect "slurm_shards.sh: a judge that is $state is no pass" 5 'nothing was judged' -- ci/slurm_shards.sh 4
done
CODE=7 expect "slurm_shards.sh: a job that is not taken ends it" 7 '!--wait' -- ci/slurm_shards.sh 4
cd "$work" || exit 2
ask "$tree/ci/slurm_shards.sh" 4
expect "slurm_shards.sh: from any repository, as it is built" 0 "<exec '$tree/ci/shards.sh' judge>" '!make all'

# ---- The steps that decide something.
cd "$tree" || exit 2
step() { # WORDS: the one script that has them
    local found
    found=$(grep -rlF -e "$1" "$scripts/$2")
    if [ ! -f "$found" ]; then
        echo "ci_templates.sh: not one script has '$1': $found" >&2
        exit 2
    fi
    echo "$found"
}
# github WORKFLOW JOB [NAME=VALUE]...: the steps of the action, by the inputs of the job but for those that are given.
github() (
    mapfile -t inputs < <(given "$1" "$2")
    # shellcheck disable=SC2163 # NAME=VALUE
    export GITHUB_ACTIONS=true "${inputs[@]}" "${@:3}"
    for name in check-inputs install build gate; do ci/job.sh $name || exit; done
)
gitlab() ( # PIPELINE JOB [NAME=VALUE]...: its script
    mapfile -t variables < <(given "$1" "$2")
    env "${variables[@]}" "${@:3}" bash "$scripts/$1/$2.sh"
)
strict=(CUGATE_ALLOW_INCONCLUSIVE=false)
for code_of_gate in 0 1 2 3 4 5; do
    export CODE=$code_of_gate
    expect "GitHub, pull request: exit code $code_of_gate" "$code_of_gate" 'install_deps build gate wheels python' 'made all' \
        'gate.sh in' BASE=HEAD^1 '!but accepted' -- github pull-request gate "${strict[@]}"
    ask github nightly night "${strict[@]}" CUGATE_HISTORY=
    expect "GitHub, nightly: exit code $code_of_gate" "$code_of_gate" 'made all' 'nightly.sh in' HISTORY=unset STRICT=1 '!but accepted'
    ask github pull-request computed
    expect "GitHub, computed: exit code $code_of_gate" "$code_of_gate" 'made all' '<--simulate> BASE=HEAD^1'
    ask gitlab gitlab cugate-simulate CI_MERGE_REQUEST_DIFF_BASE_SHA=parted
    expect "GitLab, computed: exit code $code_of_gate" "$code_of_gate" 'made all' '<--simulate> BASE=parted'
    ask gitlab gitlab cugate-measure CI_MERGE_REQUEST_DIFF_BASE_SHA=parted
    expect "GitLab, merge request: exit code $code_of_gate" "$code_of_gate" 'made all' 'gate.sh in' BASE=parted
    expect "GitLab, nightly: exit code $code_of_gate" "$code_of_gate" HISTORY=unset STRICT=1 -- bash "$scripts/gitlab/nightly.sh"
done
for code_of_gate in 0 2 3 4 5; do
    export CODE=$code_of_gate
    ask github shards part CUGATE_PART=2
    expect "GitHub, in parts: exit code $code_of_gate" "$code_of_gate" 'made all' 'shards.sh in' '<measure> <2/4>'
    ask github shards gate "${strict[@]}"
    expect "GitHub, the parts: exit code $code_of_gate" "$code_of_gate" 'made all' '<judge> BASE=HEAD^1'
    ask gitlab gitlab_shards cugate-part CI_NODE_INDEX=2 CI_NODE_TOTAL=4
    expect "GitLab, in parts: exit code $code_of_gate" "$code_of_gate" 'made all' '<measure> <2/4>'
    ask gitlab gitlab_shards cugate-judge CI_MERGE_REQUEST_DIFF_BASE_SHA=parted
    expect "GitLab, the parts: exit code $code_of_gate" "$code_of_gate" 'made all' '<judge> BASE=parted'
done
unset CODE
ask grep -c "part: \[1, 2, 3, 4\]" "$top/ci/github/shards.yml" # as many as the step says
expect "GitHub, in parts: all of them" 0
ask cat "$scripts/shards/part".*.inputs
# shellcheck disable=SC2016 # GitHub's words
expect "GitHub, in parts: each is another" 0 'CUGATE_PART=${{ matrix.part }}' CUGATE_PARTS=4
ask grep -F "outcome != 'skipped'" "$top/ci/action.yml"
expect "GitHub: what an earlier job left is not handed on" 0 'always() && steps.gate.outcome'
ask grep -hc "CUGATE_ALLOW_INCONCLUSIVE=\${{ vars.CUGATE_ALLOW_INCONCLUSIVE == '1' }}" "$scripts"/{pull-request,shards}/gate.*.inputs "$scripts"/nightly/night.*.inputs
expect "GitHub: it is the team that says so" 0 '!0'
CODE=3 ask github pull-request gate CUGATE_ALLOW_INCONCLUSIVE=true
expect "GitHub: inconclusive is let through where the team says so" 0 '::warning' 'but accepted'
CODE=1 expect "GitHub: a regression never is" 1 '!but accepted' -- github pull-request gate CUGATE_ALLOW_INCONCLUSIVE=true
CODE=3 ask github nightly night CUGATE_ALLOW_INCONCLUSIVE=true
expect "GitHub, nightly: inconclusive is let through where the team says so" 0 '::warning' 'but accepted'
CODE=1 expect "GitHub, nightly: a regression never is" 1 '!but accepted' -- github nightly night CUGATE_ALLOW_INCONCLUSIVE=true
MAKE_CODE=1 expect "GitHub: what does not build is not measured" 2 '!gate.sh in' -- github pull-request gate "${strict[@]}"
ask github nightly night "${strict[@]}" CUGATE_HISTORY=postgresql+psycopg://a@b/c
expect "GitHub, nightly: a database" 0 HISTORY=postgresql+psycopg://a@b/c
CUGATE_HISTORY=postgresql+psycopg://a@b/c ask bash "$scripts/gitlab/nightly.sh"
expect "GitLab, nightly: a database" 0 HISTORY=postgresql+psycopg://a@b/c
ask gitlab gitlab cugate-measure CI_MERGE_REQUEST_TARGET_BRANCH_SHA=merged CI_MERGE_REQUEST_DIFF_BASE_SHA=parted
expect "GitLab: merged results" 0 BASE=merged
expect "GitLab: a fork does not pass" 5 'nothing was measured' -- bash "$scripts/gitlab/gate_of_a_fork.sh"
ask jq -r '.["cugate-measure", "gate of a fork"].rules[].if' "$scripts/gitlab/pipeline.json"
# shellcheck disable=SC2016 # GitLab's words
expect "GitLab: and measures nothing" 0 '$CI_PROJECT_PATH == $CI_MERGE_REQUEST_PROJECT_PATH' '$CI_PROJECT_PATH != $CI_MERGE_REQUEST_PROJECT_PATH'

# ---- The verdict, whose code is not the pull request's. What it says has tests/scripts/action.sh.
ask sed -n "/^  verdict:/,\$p" "$top/ci/github/pull-request.yml"
# shellcheck disable=SC2016 # GitHub's words
expect "verdict: of both jobs, whatever came of them, by what is in the base" 0 'needs: [computed, gate]' '    if: always()' \
    'needs: ${{ toJSON(needs) }}' 'ref: ${{ github.event.pull_request.base.sha || github.event.merge_group.base_sha }}'
ask grep -c -e '^  merge_group:' -e "if: github.event_name == 'merge_group' ||" "$top/ci/github/pull-request.yml"
expect "GitHub: a merge queue is measured" 0 2

summary
