#!/usr/bin/env bash
# Tests ci/check_perf.sh, ci/check.sh, ci/before.sh and ci/build_base.sh in a scratch repository. cugate and the kernels are
# replaced by scripts that only print their arguments. Needs no GPU and no CUDA. Ends with "N passed, N failed".
#
#   CUGATE=build/cugate tests/scripts/check_perf.sh     it tells the scripts what options come to
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
REAL=$cugate
export REAL BUILDS=$work/builds GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
# shellcheck disable=SC2046 # one word each
unset $(git rev-parse --local-env-vars) CI OUT CUGATE KERNELS BASE STRICT SIM CUDA_HOME CUDA_ARCHS CUBLAS NVCC_FLAGS
export NVCC=true XDG_CACHE_HOME=$work/cache

# A cugate that prints its arguments, and ends as GPU, COMPUTED and MEASURED in the environment say. Its report says the
# same, or what is in REPORT.
cat >"$work/cugate" <<'END'
#!/usr/bin/env bash
code=${MEASURED:-0}
case "$*" in
'check --dry-run'*)
    [ -z "${BROKEN-}" ] || { echo "cugate: error: $BROKEN" >&2; exit 5; }
    set -o pipefail
    "$REAL" "$@" | sed "s/\"no_gpu\": .*,\$/\"no_gpu\": $([ "${GPU-}" ] && echo null || echo '"none was found"'),/"
    exit
    ;;
*--simulate*) code=${COMPUTED:-0} ;;
esac
echo "cugate $*"
computed='{"rows": 24, "kernels": 2, "unchanged": 58, "unchanged_rows": 696, "not_simulated": 3, "declared": 0, "absent": 612}'
report=$(printf '{"schema": 1,\n "exit_code": %s,\n "computed": %s,\n "judgements": []}' "$code" "$computed")
for word; do
    case $word in
    --out) out=1 ;;
    *) [ -z "${out-}" ] || { mkdir -p "$word" && printf '%b' "${REPORT-$report\n}" >"$word/check.json"; } && out='' ;;
    esac
done
exit "$code"
END
chmod +x "$work/cugate"
export CUGATE=$work/cugate

mkdir -p "$work/tree"/{ci,harness} # as cugate's own
cp "$top"/ci/{before,build_base,check,check_perf,where}.sh "$work/tree/ci"
cd "$work/tree" || exit 2
printf 'build/\n' >.gitignore
cat >Makefile <<'END'
build/libkernels.so: kernels
	mkdir -p build && echo "$(CUDA_ARCHS)" >>"$(BUILDS)"
	if grep -q slow kernels; then touch "$(BUILDS).slow"; sleep 60; fi
	! grep broken kernels
	cp kernels $@
END
git init -q
commit() {
    echo "$1" >kernels
    git add -A
    git -c user.name=test -c user.email=test@localhost commit -qm "$1"
}
commit first
commit broken
commit slow
commit last
echo 'not committed' >kernels
# Worktrees of others: one on a disk that is not there now, with work that is staged and nowhere else, and one of a checkout
# where the same revision is built.
git worktree add -q --detach "$work/away"
echo staged >"$work/away/staged" && git -C "$work/away" add staged
mv "$work/away" "$work/elsewhere"
git worktree add -q --detach "$work/beside"
git worktree add -q --detach "$work/beside/build/base/$(git rev-parse HEAD)/tree"

expect_clean() {
    expect "no worktree is left $1" 0 "worktree $work/tree" '!/tree/build/base' -- git worktree list --porcelain
}

# ---- build_base.sh
ask ci/build_base.sh HEAD
expect "a revision is built" 0 "building the kernels of HEAD (" " last)" "build/base/$(git rev-parse HEAD)/tree/build/libkernels.so"
expect "what was committed is built, not what is there" 0 last -- cat "build/base/$(git rev-parse HEAD)/tree/build/libkernels.so"
expect "the second time it is there" 0 '!building' "build/base/$(git rev-parse HEAD)/tree/build/libkernels.so" -- ci/build_base.sh HEAD
CUDA_ARCHS="80 90" expect "other settings build it anew" 0 building -- ci/build_base.sh HEAD
expect "with these settings" 0 "80 90" -- cat "$BUILDS"
expect_clean "after a build"

GIT_DIR=$work/tree/.git GIT_INDEX_FILE=$work/tree/.git/index ask ci/build_base.sh HEAD~3
expect "a hook's variables do not lead astray" 0 "build/base/"
expect "and change nothing" 0 " M kernels" '!first' '!.gitignore' -- git status --porcelain

expect "an unknown revision" 2 "'no/such' is not a revision of this repository" -- ci/build_base.sh no/such
expect "an option is not a revision" 2 "'--all' is not a revision of this repository" -- ci/build_base.sh --all
expect "a file is not a revision" 2 "'HEAD:kernels' is not a revision of this repository" -- ci/build_base.sh HEAD:kernels
expect "a revision that does not build" 2 "the kernels of HEAD~2 do not build" "broken" "/log" -- ci/build_base.sh HEAD~2
expect_clean "after a failed build"

# A job in the background would ignore SIGINT.
setsid env --default-signal=INT ci/build_base.sh HEAD~1 >"$work/said" 2>&1 &
for _ in {1..1000}; do
    [ ! -e "$BUILDS.slow" ] || break
    sleep 0.05
done
kill -INT -- -$!
wait $!
# shellcheck disable=SC2034 # expect reads it
code=$?
expect "Ctrl-C in the midst of a build" 130
expect_clean "after Ctrl-C"
mv "$work/elsewhere" "$work/away"
expect "what was staged in another worktree is still there" 0 staged -- git -C "$work/away" diff --cached --name-only
ask git -C "$work/beside/build/base/$(git rev-parse HEAD)/tree" status
expect "so is the worktree of another checkout that builds the same" 0 'nothing to commit'

mkdir "$work/no_git" && cp -r ci Makefile kernels "$work/no_git"
cd "$work/no_git" || exit 2
expect "no git checkout" 2 "BASE=HEAD needs a git checkout" -- ci/build_base.sh HEAD
mkdir -p "$work/tree/build/inner" && cp -r ci Makefile kernels "$work/tree/build/inner"
cd "$work/tree/build/inner" || exit 2
expect "a folder of another checkout" 2 "BASE=HEAD needs a git checkout of its own" -- ci/build_base.sh HEAD
cd "$work/tree" || exit 2

# ---- before.sh
mkdir -p baselines/gpu other
echo 1 >baselines/gpu/a.json
echo 1 >other/b.ini
commit old
git rm -q baselines/gpu/a.json
echo 2 >other/b.ini
mkdir -p inner/perf baselines && echo 1 >inner/perf/c && echo 3 >file
commit new
echo 'not committed' >other/b.ini
expect "the folder is printed" 0 build/before -- ci/before.sh HEAD~1
ask find build/before -type f
expect "what was committed, and metrics only where they are cugate's own" 0 build/before/baselines/gpu/a.json '!metrics' '!index'
expect "the options say which folders" 0 build/before -- ci/before.sh HEAD~1 -k x --baselines=no/such --metrics other
expect "an earlier layout is gone" 0 build/before/metrics/b.ini:1 '!a.json' -- grep -r . build/before
ask ci/before.sh HEAD~1 --metrics other --metrics +inner/perf --metrics=+inner
expect "metrics beside others take the place of none" 0 build/before
expect "and those others are laid out" 0 build/before/metrics/b.ini:1 -- grep -r . build/before
(cd inner && ask ../ci/before.sh HEAD --baselines perf --metrics "$PWD/../other" && cat build/before/*/*) >"$work/said" 2>&1
# shellcheck disable=SC2034 # expect reads it
code=$?
expect "from within a repository, with an absolute path" 0 1 2
rm -r inner/build
printf 'baselines = other\nmetrics = +baselines\n' >cugate.ini
expect "without an option cugate.ini says where baselines are" 0 build/before -- ci/before.sh HEAD~1 --metrics +other
ask find build/before -type f
expect "and metrics that only add to cugate's own are no set of metrics" 0 build/before/baselines/b.ini '!build/before/metrics'
rm cugate.ini
expect "a folder outside of the repository" 0 build/before -- ci/before.sh HEAD --baselines ..
expect "is in no revision of it" 0 '!build' -- find build/before -type f
expect "no folder" 2 'file is not a folder in HEAD' -- ci/before.sh HEAD --baselines file
expect "an unknown revision is none here" 2 "'no/such' is not a revision of this repository" -- ci/before.sh no/such
cd "$work/no_git" || exit 2
expect "without git there is nothing before" 2 "BASE=HEAD needs a git checkout" -- "$work/tree/ci/before.sh" HEAD
cd "$work/tree" || exit 2

# ---- check.sh
while IFS='|' read -r ended report wanted; do
    MEASURED=$ended REPORT=$report expect "cugate ends with $ended, and its report is '$report'" "$wanted" -- ci/check.sh reports
done <<'END'
0|{"schema": 1,\n "exit_code": 0,\n "judgements": []}\n|0
0||5
0|{"schema": 1,\n "exit_code": 1,\n "judgements": []}\n|5
0|{"schema": 1,\n "exit_code": "0",\n "judgements": []}\n|5
0|{"schema": 1,\n "exit_code": 0,\n "judgements": []}\n{}\n|5
0|{"schema": 1,\n "exit_code": 0,\n "judgements": [\n  {"kernel": "a", "causes": []}|5
0|{"schema": 1,\n "exit_code": 0,\n|5
0|{"exit_code": 0,\n "judgements": []}\n|5
1|{"schema": 1,\n "exit_code": 0,\n "judgements": []}\n|5
1|{"schema": 1,\n "exit_code": 1,\n "judgements": []}\n|1
3||5
3|{"schema": 1,\n "exit_code": 3,\n "judgements": []}\n|3
2||2
4||4
5||5
4|{"schema": 1,\n "exit_code": 0,\n "judgements": []}\n|5
130|{"schema": 1,\n "exit_code": 130,\n "judgements": []}\n|130
130||130
END
CUGATE=/bin/true ask ci/check.sh reports
expect "a report of an earlier run" 5 'reports/check.json is not there, or not whole: nothing shows what was judged'

# ---- check_perf.sh
GPU=1 KERNELS='reduce/* dot/*' MEASURED=3 ask ci/check_perf.sh --samples 9
expect "with a GPU" 3 'check --out ' ' -k reduce/* -k dot/* --samples 9' '!--simulate' '!--against'
GPU=1 BASE=HEAD MEASURED=1 ask ci/check_perf.sh -q
expect "with a GPU and BASE" 1 "--before build/before --against build/base/$(git rev-parse HEAD)/tree/build/libkernels.so -q"
GPU=1 BASE=no/such expect "with a GPU and an unknown BASE" 2 "no/such" '!cugate check' -- ci/check_perf.sh
GPU=1 REPORT='' expect "with a GPU and without a report" 5 'nothing shows what was judged' -- ci/check_perf.sh
BROKEN='the GPU does not answer' ask ci/check_perf.sh
expect "a GPU that does not answer" 5 'the GPU does not answer' '!cugate check'
STRICT=1 BASE=no/such expect "STRICT without a GPU" 5 'STRICT is set' '!cugate check' '!build_base' -- ci/check_perf.sh
CI=true STRICT=1 expect "STRICT without a GPU on a CI server" 5 'STRICT is set' '!cugate check' -- ci/check_perf.sh
for value in '' 0 false; do
    STRICT=$value CI=true ask ci/check_perf.sh
    expect "STRICT=$value without a GPU on a CI server: computing is a verdict" 0 'check --out ' ' --simulate' '!--replay'
done
CI=true GPU=1 expect "CI with a GPU" 0 '!--simulate' -- ci/check_perf.sh
KERNELS='reduce/*' ask ci/check_perf.sh -q -o report.txt
expect "without a GPU" 0 'check --out build/check-perf -k reduce/* --simulate -q -o report.txt' '!--all' '!--against' \
    'NO KERNEL RAN ON A GPU' 'rows: 24, of kernels: 2 ' 'not computed again: ' 'rows: 696, of kernels: 58 ' 'NOT SIMULATED: kernels: 3 ' \
    'only a GPU knows: rows: 612 ' 'no GPU: none was found' 'computed, not measured: exit 0'
SIM=all expect "SIM=all without a GPU" 0 'check --out ' ' --simulate --all' -- ci/check_perf.sh
SIM=some expect "SIM=some without a GPU" 2 'SIM=some' '!cugate check' -- ci/check_perf.sh
BASE=HEAD expect "BASE without a GPU" 0 \
    "--simulate --before build/before --against build/base/$(git rev-parse HEAD)/tree/build/libkernels.so" -- ci/check_perf.sh
BASE=no/such expect "an unknown BASE without a GPU" 2 "'no/such' is not a revision" '!cugate check' -- ci/check_perf.sh
BASE=HEAD~4 expect "a BASE that does not build, without a GPU" 2 '!cugate check' -- ci/check_perf.sh
REPORT='' ask ci/check_perf.sh
expect "without a GPU and without a report" 5 'nothing shows what was judged' '!NO KERNEL RAN' 'exit 5'
REPORT='{"schema": 1,\n "exit_code": 2,\n "computed": null,\n "judgements": []}\n' COMPUTED=2 ask ci/check_perf.sh --slip
expect "a slip is told without a banner" 2 '--simulate --slip' '!NO KERNEL RAN'
BASE=HEAD ask ci/check_perf.sh --slip
expect "or before anything is built, where what was weakened is to be said" 2 'unknown option --slip' '!building' '!cugate check --out'
for wanted in 0 1 3 4 5 130; do
    COMPUTED=$wanted expect "without a GPU, computed $wanted" "$wanted" "exit $wanted" -- ci/check_perf.sh
done

# ---- What a change brings along
bring() { # LINK...: commits links out of the checkout, in place of what is there
    rm -rf build && mkdir -p "$work/victim/baselines" && touch "$work/victim/"{check.json,baselines/kept}
    local link
    for link; do mkdir -p "$(dirname "$link")" && ln -s "$work/victim" "$link"; done
    git add -f "$@" && git -c user.name=test -c user.email=test@localhost commit -qm brought
}
while read -r link script; do
    bring "$link"
    # shellcheck disable=SC2086 # words
    expect "$link is a link: $script" 2 "$link is a link, or git tracks it: remove it" -- env GPU=1 $script
    expect "and what is behind it stays" 0 -- ls "$work/victim/check.json" "$work/victim/baselines/kept"
    git rm -q "$link"
done <<END
build/before ci/before.sh HEAD~1
build ci/before.sh HEAD~1
build/check-perf ci/check_perf.sh
build/gate/parts OUT=build/gate ci/check_perf.sh
build/base ci/build_base.sh HEAD~1
END
base=$(git rev-parse HEAD)
mkdir -p "build/base/$base/tree/build"
echo brought >"build/base/$base/tree/build/libkernels.so"
printf '%s\n' '' 'CUDA_HOME= CUDA_ARCHS= CUBLAS= NVCC_FLAGS=' >"build/base/$base/settings"
expect "a library that nobody vouches for is built anew" 0 'building the kernels of HEAD' -- ci/build_base.sh HEAD
expect "and then vouched for" 0 '!building' -- ci/build_base.sh HEAD
echo changed >"build/base/$base/tree/build/libkernels.so"
expect "as long as it is that one" 0 'building the kernels of HEAD' -- ci/build_base.sh HEAD

# ---- A new clone waits for the kernels
ask cat "$top"/build/kernels/{reduce_1g,transpose,dgemm}.d
expect "they include no header that takes seconds to compile" 0 cugate/arrays.hpp '!cugate/kernel.hpp'

summary
