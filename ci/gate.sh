#!/usr/bin/env bash
# The gate with all that CI shows of it: one `cugate check`, every report and the pages, in one folder. After `make all`;
# installed, as cugate-gate, in any repository.
#
#   ci/gate.sh [OPTION OF cugate check]...          for example: --simulate, or --replay RUN.json --baselines DIR
#
#   OUT=build/gate      the folder; it gets what `cugate check --out` leaves, and page/index.html
#   BASE=origin/main    say what was weakened in baselines and metric files since this revision (ci/before.sh); in cugate's
#                       own tree also settle times by running the kernels of that revision in turn (ci/build_base.sh), with
#                       --simulate what another compiler counts. Of other kernels so are times, and counts where another
#                       compiler made the baseline, if `build` of cugate.ini or CUGATE_BUILD says how they are built
#   HISTORY=URL         keep the run in this history and show all of its nights; without it the pages show this run
#   CUGATE=build/cugate     the program; installed, the one that came with this
#
# On GitHub it also prints the annotations and appends to the step's summary. Exit codes are those of cugate check, as
# ci/check.sh vouches for them; 2 also when nothing is worse but the pages cannot be made, and when OUT cannot.
set -Eeuo pipefail
trap 'exit 2' ERR # 1 is a verdict: that what is worse was judged

# shellcheck source=ci/where.sh
. "$(dirname "$(realpath "$0")")/where.sh"
tell_help "$@"
out=${OUT:-build/gate}
own_folders "$out"
cugate=$CUGATE
if ! command -v "$cugate" >/dev/null; then
    echo "gate: $cugate was not found: run \`make all\`, then this at the top of the tree" >&2
    exit 2
fi
if [ -e "$out/page" ] && ! [ -e "$out/page/.cugate-report" ]; then
    echo "gate: $out/page is not a cugate report and would be replaced: set OUT to another folder" >&2
    exit 2
fi

# In cugate's own pages only what is new is drawn.
set_aside() {
    [ ! -e "$out/page" ] || { rm -rf "$out/.page" && mv "$out/page" "$out/.page"; }
}
code=0
plan "$@" || code=$?
forget_reports "$out" "$(planned replay)" # it may be a run of before that is judged again
rm -f "$out/explain.json"
set_aside
[ $code -eq 0 ] || exit $code
way=$(planned way)

options_of_base "$way" "$@"
judge() {
    code=0
    "$here/check.sh" "$out" "${base_options[@]}" "$@" || code=$?
}
judge "$@"
if [ $code -eq 3 ] && [ "$way" = simulate ] && [ -z "$own_tree" ] && [ -n "${BASE-}" ] &&
    jq -e .upgrade "$out/check.json" >/dev/null && library=$(library_of_base); then
    echo "gate: another compiler built the baseline, so a base built with this compiler replaces it; to avoid this, accept $out/run.json"
    base_options+=(--against "$library")
    judge "$@"
fi
[ -s "$out/check.json" ] || exit $code # there is nothing to show
if [ -n "${GITHUB_ACTIONS-}" ]; then
    cat "$out/annotations.txt"
    [ -z "${GITHUB_STEP_SUMMARY-}" ] || cat "$out/summary.md" >>"$GITHUB_STEP_SUMMARY"
fi
[[ $way == measure || $way == replay ]] || exit $code # nothing was measured, so there is no night to show

# ---- The pages

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
reports() {
    HISTORY=${HISTORY:-$work/history.db} "$here/report.sh" "$@"
}

# This says how often the gate would fail without a reason, by several sessions of the same code.
analyse() {
    reports export --alike "$work/runs" --last 30 >/dev/null
    local runs=("$work"/runs/*.json)
    [ ${#runs[@]} -gt 1 ] || return 0
    "$cugate" aa --format json -o "$work/aa.json" "${runs[@]}" >/dev/null 2>&1 || true # a false alarm is no failure here
    [ ! -s "$work/aa.json" ] || reports ingest "$work/aa.json" >/dev/null
}

pages() {
    local found=("$out/run.json" "$out/check.json") baselines config
    baselines=$(planned baselines)
    [ ! -d "$baselines" ] || found+=("$baselines")
    "$cugate" explain '*' --replay "$out/run.json" --format json -o "$out/explain.json" 2>/dev/null || true # of what ran
    [ ! -s "$out/explain.json" ] || found+=("$out/explain.json")
    reports ingest "${found[@]}" >/dev/null
    [ -z "${HISTORY-}" ] || analyse
    [ ! -e "$out/.page" ] || mv "$out/.page" "$out/page"
    config=$("$cugate" list config | sed -n '1s/^# \(.*cugate\.ini\)$/\1/p') # for its [links]
    reports page -o "$out/page" ${config:+--config "$config"}
}

set +e # in a condition, a failure within would be overlooked
trap - ERR
(
    set -e
    pages
)
status=$?
if [ $status -ne 0 ]; then
    echo "gate: the verdict above stands, but its pages could not be made" >&2
    set_aside
    [ $code -ne 0 ] || code=2
fi
exit $code
