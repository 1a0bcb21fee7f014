#!/usr/bin/env bash
# Tests ci/gate.sh and ci/nightly.sh from end to end with recorded runs: exit codes, every file that they leave, the pages
# and the history. Needs no GPU, and pretends that there is one where that matters. Ends with "N passed, N failed".
#
#   CUGATE=build/cugate tests/scripts/gate.sh
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
export LC_ALL=C

cd "$top" || exit 2
ci/install_python.sh || exit 1
python=$top/build/python/bin/python
PATH=$top/build/python/bin:$PATH # where python3 is a script of pyenv's, it takes longer to start than Python
unset BASE CI KEEP_NIGHTS REPLAY STRICT GITHUB_ACTIONS GITHUB_STEP_SUMMARY
export CUGATE=$cugate TMPDIR=$work/tmp OUT HISTORY
mkdir "$TMPDIR"

# check LABEL COMMAND...: that it succeeds.
check() {
    local label=$1
    shift
    expect "$label" 0 -- "$@"
}

absent() {
    local path found=0
    for path; do
        [ ! -e "$path" ] || { echo "there is $path" && found=1; }
    done
    return $found
}

runs_of() { # HISTORY: how many runs it has
    "$python" -I - "$1" <<<'import sqlite3, sys
print(*sqlite3.connect(sys.argv[1]).execute("select count(*) from cugate_documents where kind = ?", ["run"]).fetchone())'
}

# ---- A tree as small as it can be: two kernels, their baselines, and archives of a few runs of them.

tree=$work/tree
mkdir -p "$tree"/tests/data "$tree"/baselines
ln -s "$top"/{build,ci,metrics,reports} "$tree"
tar -xJf tests/data/planted-nvidia-h200.tar.xz -C "$work" || exit 2
planted=$work/planted-nvidia-h200
pad_removed=(--replay "$planted/pad_removed.json" --baselines "$planted/baselines" -k transpose/padded)

# night1.json to night6.json: the recording, its two kernels only, of one day each; in night6 transpose/padded is worse.
"$python" - "$work" tests/data/recorded-nvidia-h200.json "$planted/pad_removed.json" "$tree" <<'END' || exit 2
import datetime, json, pathlib, shutil, sys
work, recorded, fault, tree = (pathlib.Path(word) for word in sys.argv[1:])
kernels = ("transpose/padded", "hierarchy/thread_index")
for number in range(1, 7):
    run = json.loads(recorded.read_bytes())
    run["kernels"] = {kernel: run["kernels"][kernel] for kernel in kernels}
    if number == 6:
        worse = json.loads(fault.read_bytes())["kernels"]["transpose/padded"]
        for row in worse["metrics"].values():
            row["sessions"] = row.get("sessions", [])[:1]
            if not row["sessions"]:
                del row["sessions"]
        run["kernels"]["transpose/padded"] = worse
    date = datetime.datetime(2026, 10, number, 2).isoformat() + ".000Z"
    run["sessions"][0]["date"] = date
    (work / f"night{number}.json").write_text(json.dumps(run))
for kernel in kernels:
    to = tree / f"baselines/nvidia-h200/{kernel}.json"
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(f"baselines/nvidia-h200/{kernel}.json", to)
END
pack() { # ARCHIVE RUN...
    local archive=$tree/tests/data/$1.tar.xz
    shift
    rm -rf "$work/pack" && mkdir "$work/pack" && cp "$@" "$work/pack" && tar -cJf "$archive" -C "$work/pack" .
}
ln -s "$top/tests/data/planted-nvidia-h200.tar.xz" "$tree/tests/data"
pack nights-nvidia-h200 "$work"/night{1,2,3,4}.json

# A cugate that has a GPU, which measures what is in $RUN.
cat >"$work/with_gpu" <<'END'
#!/usr/bin/env bash
[ "$1" = check ] || exec "$REAL" "$@"
if [ "$2" = --dry-run ]; then
    set -o pipefail
    "$REAL" "$@" | sed 's/"no_gpu": .*,$/"no_gpu": null,/'
    exit
fi
arguments=() save=''
for ((i = 1; i <= $#; i++)); do
    case ${!i} in
    --save) i=$((i + 1)) && save=${!i} ;;
    --replay) i=$((i + 1)) ;;
    --all) echo 'all is read' >&2 ;; # a recording is all that there is
    *) arguments+=("${!i}") ;;
    esac
done
[ -z "$save" ] || cp "$RUN" "$save"
exec "$REAL" "${arguments[@]}" --replay "$RUN"
END
chmod +x "$work/with_gpu"

# ---- gate.sh: a regression

OUT=$work/worse HISTORY=''
ask ci/gate.sh "${pad_removed[@]}"
expect "a recorded regression" 1 "regressed  transpose/padded" "page: $OUT/page/index.html" '!::error' '!Traceback'
check "what it leaves: junit.xml" xmllint --noout "$OUT/junit.xml"
check "what it leaves: junit.xml names the kernel" grep -q 'transpose/padded' "$OUT/junit.xml"
check "what it leaves: report.txt" grep -q '^regressed  transpose/padded' "$OUT/report.txt"
check "what it leaves: summary.md" grep -qF 'transpose/padded' "$OUT/summary.md"
check "what it leaves: comment.md" grep -qF 'transpose/padded' "$OUT/comment.md"
check "what it leaves: a comment that GitHub takes" test "$(wc -c <"$OUT/comment.md")" -lt 65536
check "what it leaves: annotations.txt" grep -q '^::error.*transpose' "$OUT/annotations.txt"
check "what it leaves: check.json" "$python" -c 'import json, sys; assert json.load(open(sys.argv[1]))["exit_code"] == 1' \
    "$OUT/check.json"
check "what it leaves: run.json" cmp "$OUT/run.json" "$planted/pad_removed.json"
check "the page names the kernel" grep -qF 'transpose/padded' "$OUT/page/index.html"
check "the page shows the guilty line" grep -qF 'out[(first_column + y + k) * side + first_row + x] = tile[x][y + k];' \
    "$OUT/page/index.html"
check "the page says where it is" grep -qF 'kernels/transpose.cu:51' "$OUT/page/index.html"
check "the page of the kernel" grep -qF 'tile[x][y + k];' "$OUT/page/kernels/transpose-padded.html"

GITHUB_ACTIONS=true ask ci/gate.sh --replay="$OUT/run.json" --baselines="$planted/baselines" -k transpose/padded
expect "the run that it left, judged again, on a GitHub without a summary" 1 "regressed  transpose/padded" \
    "page: $OUT/page/index.html" "::error"
check "and left again" cmp "$OUT/run.json" "$planted/pad_removed.json"

# Pages cannot be made, and on GitHub all else is said.
OUT=$work/github HISTORY=/dev/null/x
echo "said before" >"$work/step.md"
GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=$work/step.md ask ci/gate.sh "${pad_removed[@]}"
expect "a regression without pages stays one" 1 "/dev/null is not a folder" '!Traceback' \
    "gate: the verdict above stands, but its pages could not be made" "::error file=" "title=transpose/padded"
check "the summary is appended" grep -qFx 'said before' "$work/step.md"
check "the summary is appended whole" grep -qF 'transpose/padded' "$work/step.md"
check "no page" absent "$OUT/page"

# ---- gate.sh: a pass, and what is neither

cd "$tree" || exit 2
OUT=$work/same HISTORY=''
ask ci/gate.sh --replay "$work/night1.json"
expect "a pass" 0 "nothing is worse" "NVIDIA H200" "page: $OUT/page/index.html" '!regressed' '!Traceback'
check "a pass: the page says it" grep -qi 'nothing is worse' "$OUT/page/index.html"
check "a pass: every kernel has a page" ls "$OUT"/page/kernels/{hierarchy-thread_index,transpose-padded}.html
check "a pass: junit.xml" xmllint --noout "$OUT/junit.xml"
check "a pass: its history is gone" absent "$OUT/history.db" "$TMPDIR"/*

expect "no GPU and no recording" 5 "cannot measure: no NVIDIA driver here" '!page: ' '!Traceback' -- ci/gate.sh
check "no GPU: nothing is left of before" absent "$OUT"/{run.json,junit.xml,summary.md,explain.json,page}

HISTORY=/dev/null/x ask ci/gate.sh --replay "$work/night1.json" -k 'hierarchy/*'
expect "a pass without pages is none" 2 "nothing is worse" "1 kernel" "/dev/null is not a folder" "could not be made"
check "a pass without pages: none of before" absent "$OUT/page"

touch "$work/a-file"
for script in check_perf.sh gate.sh nightly.sh 'shards.sh measure 1/1'; do
    # shellcheck disable=SC2086 # words
    OUT=$work/a-file/out expect "OUT that cannot be made is no verdict: $script" 2 'Not a directory' '!page: ' -- ci/$script
done
expect "nor is a report that cannot be written" 2 'Not a directory' -- ci/check.sh "$work/a-file/reports" --replay "$work/night1.json"

expect "a slip" 2 "unknown option --no-such" '!page: ' -- ci/gate.sh --replay "$work/night1.json" --no-such
check "a slip leaves nothing" absent "$OUT"/{run.json,check.json,report.txt,junit.xml,summary.md,comment.md,annotations.txt,report.sarif,bmf.json,benchmarks.json,page}
mkdir "$work/without_jq"
ln -s "$(command -v bash)" "$(command -v realpath)" "$(command -v dirname)" "$(command -v rm)" "$(command -v sed)" "$work/without_jq"
PATH=$work/without_jq ask ci/gate.sh --replay "$work/night1.json"
expect "a machine without jq" 2 "apt-get install jq" '!unbound' '!page: '
expect "half an option" 2 "--replay" '!page: ' '!unbound' -- ci/gate.sh --replay
expect "a recording that is not there" 2 "none.json" '!page: ' -- ci/gate.sh --replay "$work/none.json"
BASE=HEAD expect "a base outside of git" 2 "BASE=HEAD needs a git checkout" '!page: ' -- ci/gate.sh

CUGATE=/bin/true expect "a cugate that passes and reports nothing" 5 "nothing shows what was judged" '!page: ' -- ci/gate.sh

ask "$cugate" check --static -k transpose/padded
static=$code
expect "machine code alone" "$static" "machine code" '!page: ' '!--save' -- ci/gate.sh --static -k transpose/padded
check "machine code alone: reports" test -s "$OUT/junit.xml"
check "machine code alone: no page" absent "$OUT"/{run.json,page}

ask "$cugate" check --simulate -k transpose/padded
computed=$code
expect "computed" "$computed" "COMPUTED: NO KERNEL RAN ON A GPU" '!page: ' -- ci/gate.sh --simulate -k transpose/padded
check "computed: reports, and the run" test -s "$OUT/junit.xml" -a -s "$OUT/run.json"
check "computed: no page" absent "$OUT/page"

# ---- nightly.sh without a GPU

OUT=$work/nightly HISTORY=$work/none/history.db
printf '[links]\ncommit = https://host.example/{commit}\n' >"$tree/cugate.ini"
expect "a night without a GPU" 0 "NO KERNEL RAN ON THIS MACHINE: IT HAS NO GPU" "no GPU: " "judging 4 recorded runs" \
    "nothing is worse" "4 nights to 2026-10-04T02:00:00.000Z" "page: $OUT/page/index.html" '!Traceback' -- ci/nightly.sh
check "without a GPU: the page has a banner" grep -qF 'Nothing was measured on this machine' "$OUT/page/index.html"
check "without a GPU: commits are links" grep -qF 'https://host.example/' "$OUT/page/index.html"
check "without a GPU: the page has several nights" grep -qF '2026-10-03' "$OUT/page/kernels/transpose-padded.html"
check "without a GPU: something happened, and is said" grep -qF 'planted: tests/planted/pad_removed.patch' "$OUT/page/index.html"
check "without a GPU: this machine's own nights are not touched" absent "$work/none"
pack nights-nvidia-h200 "$work"/night{1,2,3,6}.json
expect "without a GPU, and the last recorded night is worse" 1 "regressed  transpose/padded" "IT HAS NO GPU" \
    "4 nights to 2026-10-06T02:00:00.000Z" -- ci/nightly.sh
check "the page names the kernel" grep -qF 'transpose/padded' "$OUT/page/index.html"

OUT=$work/strict
STRICT=1 expect "STRICT without a GPU" 5 "no GPU: " "STRICT is set" '!NO KERNEL RAN' '!page: ' -- ci/nightly.sh
CI=true expect "CI without a GPU" 5 "no GPU: " "CI is set" '!NO KERNEL RAN' '!page: ' -- ci/nightly.sh
check "STRICT without a GPU: no page" absent "$OUT/page" "$work/none"
STRICT=1 CUGATE=/bin/false expect "a GPU that does not answer" 1 '!NO KERNEL RAN' '!page: ' -- ci/nightly.sh

# ---- nightly.sh, as if there were a GPU

export REAL=$cugate RUN=$work/night1.json
OUT=$work/nights HISTORY=$work/new/history.db
CUGATE=$work/with_gpu
expect "the first night" 0 'all is read' "1 night to 2026-10-01T02:00:00.000Z" '!NO KERNEL RAN' '!Traceback' -- ci/nightly.sh
check "the first night is kept" test "$(runs_of "$HISTORY")" = 1
check "what was measured is left" cmp "$OUT/run.json" "$RUN"
RUN=$work/night2.json
expect "the second night, saved elsewhere too" 0 "2 nights to 2026-10-02T02:00:00.000Z" -- ci/nightly.sh --save "$work/mine.json"
check "the second night is kept" test "$(runs_of "$HISTORY")" = 2
check "what was saved elsewhere" cmp "$work/mine.json" "$RUN"
check "what was saved elsewhere is left as well" cmp "$OUT/run.json" "$RUN"
check "of two nights of the same code there is an analysis" grep -qi 'false alarm' "$OUT/page/gate.html"
page=$OUT/page/kernels/hierarchy-thread_index.html
ln "$page" "$work/drawn"
KEEP_NIGHTS=many expect "the same night again, and a slip in KEEP_NIGHTS" 2 "nothing is worse" "2 nights to" "page: " \
    "--keep: invalid number of 1 or more value: 'many'" -- ci/nightly.sh --save "$work/mine.json"
check "draws nothing again that did not change" test "$page" -ef "$work/drawn"
check "it is kept once, and nothing is removed" test "$(runs_of "$HISTORY")" = 2
RUN=$work/night6.json
KEEP_NIGHTS=1 expect "a night that is worse" 1 "regressed  transpose/padded" "3 nights to 2026-10-06T02:00:00.000Z" -- ci/nightly.sh
check "KEEP_NIGHTS keeps the newest" test "$(runs_of "$HISTORY")" = 1
ask ci/report.sh export "$work/runs"
check "the newest is that night" cmp "$work"/runs/*.json "$RUN"
HISTORY=/dev/null/x ask ci/nightly.sh
expect "a worse night that cannot be kept stays worse" 1 "/dev/null is not a folder" "its pages could not be made"
check "and has no page of before" absent "$OUT/page"
mkdir "$OUT/page" && touch "$OUT/page/index.html"
expect "a folder that is not ours is not replaced" 2 "is not a cugate report" -- ci/nightly.sh
rm -r "$OUT/page"
expect "a slip in an option" 2 "unknown option --no-such" '!page: ' -- ci/nightly.sh --no-such

check "nothing is left behind" absent "$TMPDIR"/*
summary
