#!/usr/bin/env bash
# Runs the command lines of cases.txt against the program and ends with "N passed, N failed". Needs no GPU, and hides
# one that is there.
#
#   CUGATE=build/cugate tests/cli/run.sh            compare
#   CUGATE=build/cugate tests/cli/run.sh --rewrite  write the golden outputs anew
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
golden=$here/../data/golden
cugate=$(realpath "${CUGATE:-build/cugate}")
rewrite=${1-}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/scripts/expect.sh
. "$here/../scripts/expect.sh"
cd "$work" || exit 2
ln -s "$here/made_up" made_up
"${CC:-cc}" -shared -fPIC -I"$here/../../harness" -o libmade_up.so made_up/kernels.c || exit 2
"${CC:-cc}" -DMILLISECONDS=500 -shared -fPIC -I"$here/../../harness" -o libslower.so made_up/kernels.c || exit 2
mkdir -p "$golden"

# The recording of a real GPU and its baseline, and copies of the recording with one thing changed in each.
recorded=$here/../data/recorded-nvidia-h200.json
cp "$recorded" recorded.json
change() {
    sed "$2" "$recorded" >"$1"
    if cmp -s "$1" "$recorded"; then
        echo "run.sh: $1 is unchanged" >&2
        exit 2
    fi
}
change one_more.json '/"transpose\/padded"/,/"status"/s/\("shared_wavefronts": .*\[\[\).*/\11048577]]},/'
change slower.json '/"sgemm\/cublas"/,/"status"/s/\("time": .*\[\[\).*/\1380000]]},/'
change pageable.json '/"transfer\/pageable"/,/"status"/s/\("wall_time": .*\[\[\).*/\110600000]]}/'
# Names that are wider than a line, and no kernel with a number for the column of DRAM.
jq '.kernels |= with_entries((.value.metrics |= del(.dram_throughput)) | .key |= sub("/"; "/\("long_" * 12)\("name_" * 12)"))' \
    "$recorded" >long_names.json
change other_gpu.json 's/NVIDIA H200/NVIDIA H100/'
change other_key.json 's/"sm_count": 132/"sm_count": 114/'
change cut.json '/^    "reduce\/cub": {/,/^    }/d'
change cut_many.json '/^    "\(reduce\|sgemm\)\/[a-z_0-9]*": {/,/^    }/d; /"transpose\/padded"/,/"status"/s/\("shared_wavefronts": .*\[\[\).*/\11048577]]},/'
change renamed.json 's/"reduce\/cub"/"reduce\/cub2"/'
change denied.json '/"dot\/fp32"/,/"status"/s/^\( *"instructions": \){"sess.*/\1{"state": "not counted"},/'
change not_a_number.json '/"dot\/fp32"/,/"status"/s/\("time": .*\[\[\).*/\1NaN]]},/'
change negative.json '/"dot\/fp32"/,/"status"/s/\("time": .*\[\[\).*/\1-1]]},/'
change too_large.json '/"dot\/fp32"/,/"status"/s/\("time": .*\[\[\).*/\19223372036854775808]]},/'
change above_2_53.json '/"dot\/fp32"/,/"status"/s/^\( *"instructions": .*\[\[\).*/\19007199254740993]]},/'
change faster.json '/"dot\/fp32"/,/"status"/s/\("time": .*\[\[\).*/\133000]]},/'
change no_time.json '/"dot\/fp32"/,/"status"/s/\("time": .*\[\[\).*/\10]]},/'
change idle.json '/"dot\/fp32"/,/"status"/s/^\( *"instructions": .*\[\[\).*/\10]]},/'
change half.json '/"dot\/fp32"/,/"status"/s/\("theoretical_occupancy": .*\[\[\).*/\150]]},/'
change ended.json 's/"date": "/"cut": "Ctrl-C", &/'
head -c 100000 recorded.json >cut_off.json
: >empty.json
printf '{\n<<<<<<< HEAD\n' >conflict.json
printf '!<arch>\n' >lib.a
truncate -s 100M large.json
awk '/^ *"time": .*\[\[/ {
    split($0, part, /\[\[|\]\]/)
    values = split(part[2], value, ", ")
    for (i = 1; i <= values; i++)
        value[1] = (i > 1 ? value[1] ", " : "") value[i] * 1.1
    $0 = part[1] "[[" value[1] "]]" part[3]
} 1' "$recorded" >suite.json

# What other programs wrote, of a day; ten nights of it; and one that is slower, twice.
cp "$here"/../data/import/* .
sed 's/Made-up GPU/Test GPU/' nvbench.json >of_test_gpu.json
jq '.benchmarks += .benchmarks[:1]' nvbench.json >namesakes.json
sed 's/"skipped": true/"error_occurred": true/; s/skip_message/error_message/' google_benchmark.json >google_failed.json
echo '[{"name": "g/k", "unit": "ns/iter", "value": 3}, {"name": "a b", "unit": "us", "value": 3.5, "range": "+- 1"}]' >list.json
echo '[{"name": "a", "unit": "ops/s", "value": 3}]' >rates.json
echo '{"bench": {"latency": {"value": 12.5}, "throughput": {"value": 1}}}' >bencher.json
mkdir nights
for i in 0 1 2 3 4 5 6 7 8 9; do
    sed "s/1.1264e-05/1.126${i}e-05/" nvbench.json >nights/$i.json
    touch -d "2026-11-1${i}T08:00:00Z" nights/$i.json
done
for i in 1 2; do
    sed "s/1.1264e-05/1.3${i}e-05/" nvbench.json >slower_$i.json
    touch -d "2026-11-22T08:0${i}:00Z" slower_$i.json
done
touch -d 2026-11-21T08:00:00Z nvbench.json google_benchmark.json google_failed.json ncu.csv of_test_gpu.json

export CUDA_VISIBLE_DEVICES='' LC_ALL=C
unset NO_COLOR CUGATE
cp -r "$here/../../baselines" h200
cp -r h200 cut_baselines
echo '{' >cut_baselines/nvidia-h200/dot/fp32.json
# Words in the table; eval splits them.
export CODE=$here/../fuzz/corpus/cubin
export M='--metrics made_up/metrics' H200="--baselines h200" HOST='--metrics made_up/host_metrics --collector host --kernels ./libmade_up.so'

complain() {
    complaints+="    $1"$'\n'
}

expect_golden() {
    if [ "$rewrite" = --rewrite ]; then
        cp out "$golden/$1"
    elif ! diff -u "$golden/$1" out >difference 2>&1; then
        complain "standard output is not golden/$1:"
        complaints+=$(sed 's/^/      /' difference)$'\n'
    fi
}

meets() {
    case $1 in
    =*) expect_golden "${1#=}" ;;
    'file '*) [ -e "${1#file }" ] || complain "${1#file } is not there" ;;
    '!file '*) [ ! -e "${1#!file }" ] || complain "${1#!file } is there" ;;
    *)
        printf -v words '%b' "$1"
        lacks "$words"
        ;;
    esac
}

# finish LABEL CODE WANTED EXPECTATIONS: judges a command that left its output in out and err
finish() {
    local label=$1 code=$2 wanted=$3 rest=$4 one words
    complaints=
    hear out err
    commands_in out >>told
    [ "$code" = "$wanted" ] || complain "exit code $code, expected $wanted"
    [[ $heard != *'runtime error'* && $heard != *Sanitizer* && $heard != *'cugate: bug'* ]] || complain 'a bug was found'
    while [ -n "$rest" ]; do
        one=${rest%%; *}
        [ "$one" = "$rest" ] && rest= || rest=${rest#*; }
        meets "$one"
    done
    verdict "$label" "${complaints:+$'\n'$complaints$(cat out err | sed 's/^/    | /' | head -40)}"
}

trim() { # VARIABLE...: of spaces at both ends
    local -n text
    for text; do
        text=${text#"${text%%[![:space:]]*}"}
        text=${text%"${text##*[![:space:]]}"}
    done
}

while IFS='|' read -r wanted arguments expectations; do
    case $wanted in '' | '#'*) continue ;; esac
    eval "set -- $arguments"
    "$cugate" "$@" >out 2>err </dev/null
    code=$?
    trim wanted arguments expectations
    finish "cugate $arguments" $code "$wanted" "$expectations"
done <"$here/cases.txt"

# What a table cannot say.

eval "set -- $HOST"
rm -f hanging
# A job in the background would ignore SIGINT.
env --default-signal=INT "$cugate" check "$@" -k 'fine/*' -k faults/hang \
    --save stopped.json --report json=stopped_report.json >out 2>err &
until [ -e hanging ] || ! kill -0 $! 2>/dev/null; do
    sleep 0.05
done
kill -INT $!
wait $!
finish "check, stopped by Ctrl-C" $? 130 "fine/two; interrupted; (exit 130); file stopped.json; file stopped_report.json"

eval "set -- $M"
"$cugate" compare "$@" -o /dev/full made_up/before.json made_up/same.json >out 2>err
finish "compare -o /dev/full" $? 2 "cannot write"
"$cugate" compare "$@" -o /dev/full --report json=kept_report.json made_up/before.json made_up/same.json >out 2>err
finish "compare -o /dev/full --report" $? 2 "cannot write /dev/full; file kept_report.json"
cmp report_markdown.md report_comment.md >out 2>err # of the table
finish "a comment is Markdown with -q" $? 0 ""
"$cugate" compare "$@" made_up/before.json made_up/worse.json >/dev/full 2>err
finish "compare >/dev/full" $? 2 "cannot write"
"$cugate" list --help >/dev/full 2>err
finish "list --help >/dev/full" $? 2 "cannot write"

for i in 1 2; do
    sed 's/"Test GPU"/"GPU\\n::error::\\u202e"/' made_up/session_$i.json >hostile_$i.json
done
"$cugate" aa "$@" hostile_1.json hostile_2.json >out 2>err
code=$?
"$cugate" compare "$@" made_up/before.json hostile_1.json >>out 2>>err
"$cugate" check "$@" --replay hostile_1.json >>out 2>>err
grep -q $'^ *::\|\u202e' out err && echo "a line begins with a command" >>out
finish "text of files plants no command for CI servers" $code 0 "GPU ::error::?; !a line begins with a command"

# A repository that begins. What it then runs, tests/scripts/action.sh says.
mkdir -p begun/.git
begun() { # EXPECTED WORDS ARGUMENT...
    (cd begun && "$cugate" init "${@:3}") >out 2>err
    finish "init ${*:3}" $? "$1" "$2"
}
begun 2 "cugate.ini:2: a comment needs a line of its own" --kernels l.so --build 'make ; true' --gpu nvidia-h200
begun 0 "wrote cugate.ini; wrote .github/workflows/performance.yml; set OWNER; !runner with a GPU" --kernels l.so --build 'make l.so' --gpu nvidia-h200
begun 0 "kept  cugate.ini; kept  .github/workflows/performance.yml"
begun 2 ".github/workflows/performance.yml already exists and differs: edit it, or replace it with --force" --runner gpu
begun 0 "wrote .github/workflows/performance.yml; a runner with a GPU and the labels gpu" --runner gpu --force
cat begun/cugate.ini begun/.github/workflows/performance.yml >out
finish "what init wrote" 0 0 "kernels = l.so; build = make l.so; baselines = perf/baselines; gpu = nvidia-h200; runs-on: [gpu]; needs: [computed, measured]; merge_group:"
begun 0 "cugate aa --save sessions -- it's; !OWNER" --program "it's" --runner 'self-hosted, linux, gpu' --action me/cugate/ci@0 --force
cat begun/cugate.ini begun/.github/workflows/performance.yml >out
finish "what init wrote of a program" 0 0 "arguments: '-- it''s'; needs: [measured]; uses: me/cugate/ci@0; !kernels = ; !computed; !OWNER"
# Beside what was written by hand.
rm -r begun/.github && printf '# mine\nkernels = l.so\n[links]\nline = https://a/{commit}/{path}#{line}\n' >begun/cugate.ini
begun 2 "unknown GPU 'H300'; nvidia-h200; !file begun/.github" --build make --gpu H300
begun 2 "cugate.ini already exists with kernels = l.so; --force" --kernels x.so --build make --gpu H200
begun 0 "wrote cugate.ini; wrote here/SKILL.md; here/SKILL.md cugate.ini; file begun/here/SKILL.md" --build make --gpu H200 --skill here
cat begun/cugate.ini >out
finish "init adds what cugate.ini lacks" 0 0 "# mine\nkernels = l.so\nbuild = make\nbaselines = perf/baselines\ngpu = nvidia-h200\n[links]\nline = https:"
echo '# changed' >>begun/.github/workflows/performance.yml
begun 2 "performance.yml already exists and differs"
begun 0 "kept  cugate.ini; kept  here/SKILL.md; accept first.json; accept sessions; !performance.yml is" --skill here --slurm
mkdir -p begun/perf/baselines/nvidia-h200/f && touch begun/perf/baselines/nvidia-h200/f/v.json
begun 0 "kept  here/SKILL.md; require the check; !accept; !no baseline yet" --skill here --slurm
begun 0 "accept sessions; !first.json" --program ./x --runner gpu --force
begun 0 "cugate run --simulate --save first.json -- ./x; accept first.json; !sessions/\*; !runner" --program ./x --gpu H200 --force
cat begun/.github/workflows/performance.yml >out
finish "a program with --gpu needs no GPU in CI" 0 0 "mode: simulate; arguments: '-- ./x'; needs: [computed]; !mode: measure"
touch begun/perf/baselines/nvidia-h200/f/program.json
begun 0 "require the check; !accept" --program ./x --force

# cugate.ini, from a folder below it.
mkdir -p configured/below
printf '%s\n' 'metrics = ../made_up/metrics' 'baselines = perf' 'samples = 9' 'build = make' >configured/cugate.ini
configured() { # COMMAND...: in that folder
    (cd configured/below && "$cugate" "$@") >out 2>err
}
configured accept ../../made_up/same.json --reason "made up"
finish "accept where cugate.ini says" $? 0 "file configured/perf/test-gpu"
configured check --replay ../../made_up/same.json
finish "check by what cugate.ini says" $? 0 \
    "baseline  ../perf/test-gpu; options   ../cugate.ini: metrics, baselines, samples; nothing is worse"
configured check --replay ../../made_up/same.json --baselines nowhere
finish "the command line wins over cugate.ini" $? 4 "options   ../cugate.ini: metrics, samples; --baselines nowhere"
configured check --replay ../../made_up/same.json --format markdown
finish "a comment says what cugate.ini gave" $? 0 "../cugate.ini: metrics, baselines, samples"
configured check --samples 3 -- true
finish "an option that a program has no use for" $? 2 "--samples has no effect when a program is measured"
configured check --simulate=nvidia-h200 --samples 3
finish "an option that computing has no use for" $? 2 "--samples has no effect when counts are computed"
configured check --simulate=nvidia-h200 --kernels ../../libmade_up.so -k fine/none
finish "of cugate.ini it is passed over" $? 2 "no kernel; fine/none; !--samples"
configured list config
finish "list config" $? 0 "# ../cugate.ini; metrics = ../../made_up/metrics; baselines = ../perf; samples = 9; build = make"
configured doctor --collector host --kernels ../../libmade_up.so
finish "doctor with a cugate.ini" $? 5 "cugate.ini; ../cugate.ini: metrics"
printf '%s\n' 'kernels = perf/libmine.so' >>configured/cugate.ini
configured list
finish "a library of cugate.ini that is not built" $? 2 \
    "no kernel library ../perf/libmine.so (set in ../cugate.ini:5): build your project first; !make"
configured check --replay ../../made_up/same.json
finish "is not asked for where nothing is measured" $? 0 "nothing is worse"
configured doctor
finish "doctor on it" $? 5 "FAIL  kernel library; (set in ../cugate.ini:5); !cugate run -- PROGRAM; cannot measure: fix the first FAIL line"
sed -i '$d' configured/cugate.ini
configured check --help -v
finish "check --help -v with a cugate.ini" $? 0 "here: baselines = ../perf, set in ../cugate.ini:2"
echo 'sampels = 3' >>configured/cugate.ini
configured compare ../../made_up/same.json ../../made_up/same.json
finish "an unknown key" $? 2 '../cugate.ini:5: unknown key "sampels": did you mean samples?; !nothing is worse'
configured --version
finish "--version whatever cugate.ini says" $? 0 "cugate 0.1.0; !error"
configured check --help -v
finish "--help whatever cugate.ini says" $? 0 "usage: cugate check; unknown key"
rm -r begun/cugate.ini begun/.github && mkdir -p begun/baselines/nvidia-h200
begun 0 "wrote cugate.ini" --program ./x --build make --gpu H200
cat begun/cugate.ini >out
finish "init keeps the folder that accept wrote" 0 0 "baselines = baselines; !perf/baselines"
rm configured/cugate.ini
configured list config
finish "list config without any" $? 0 "# no cugate.ini here or in a parent folder"

# Installed, but for what NVIDIA's is and for kernels: who gates programs needs no library of kernels.
mkdir -p installed/bin
cp "$cugate" installed/bin/cugate && touch installed/bin/cugate-fetch
installed/bin/cugate doctor "$@" >out 2>err
finish "doctor where cugate is installed without kernels" $? 5 \
    "FAIL  GPU; FAIL  CUPTI; sudo cugate-fetch cupti; -     kernel library  none: only needed; cannot measure programs either; -     computing; sudo cugate-fetch\`; check --static FILE; !check --simulate; !FAIL  kernel library; !make; !install_deps"
installed/bin/cugate check --static --metrics made_up/metrics >out 2>err
finish "check --static where there is no library" $? 2 "there is no kernel library; FILE"
without_cupti() { # CODE EXPECTATIONS ARGUMENT...
    installed/bin/cugate list --metrics=made_up/metrics "${@:3}" >out 2>err
    finish "list --metrics ${*:3}, without CUPTI" $? "$1" "$2"
}
without_cupti 5 'smsp__inst_executed; CUPTI, which needs no GPU for this, does not show the counters of the chip GH100; sudo cugate-fetch cupti; !make' H200
without_cupti 0 'GH100  H100, H200; GB202  ; RTX 5090; !error' help
without_cupti 2 "'RTX 4909' is not a chip or product: did you mean 'RTX 4090'?" 'RTX 4909'
installed/bin/cugate run "$@" >out 2>err
finish "run there" $? 2 "no kernel library here; name yours with --kernels LIB.so; which \`cugate init\` writes; !make"
installed/bin/cugate check --simulate >out 2>err
finish "check --simulate there" $? 2 "no kernel library here; \`cugate init\` writes; !which GPU"
rm installed/bin/cugate-fetch
installed/bin/cugate run "$@" >out 2>err
finish "run in a tree without it" $? 2 "no kernel library; build it with \`make\`, or name yours with --kernels"

head -c 3000 made_up/same.json >truncated.json
"$cugate" compare "$@" made_up/before.json truncated.json >out 2>err
finish "compare with a truncated file" $? 2 "truncated.json; !nothing is worse"

cp made_up/same.json kept.json
"$cugate" compare "$@" -o kept.json made_up/before.json truncated.json >out 2>err
finish "a failed command removes the report of an earlier one" $? 2 "truncated.json; !file kept.json"

for kernel in transpose/naive transpose/padded reduce/tree reduce/atomic; do
    "$cugate" accept "$@" made_up/same.json --baselines parallel -k $kernel --reason "made up" >/dev/null 2>&1 &
done
wait
"$cugate" check "$@" --baselines parallel --replay made_up/same.json >out 2>err
finish "accepts at the same time lose nothing" $? 0 "!reduce/tree  new; !transpose/naive  new; !missing"
grep -h '": {$' parallel/test-gpu/*/*.json | grep -c / >out
finish "accepts at the same time keep every kernel" 0 0 "4"

printf '[transpose/padded instructoins]\nissue = x\nexpires = 2030-01-01\n' >parallel/test-gpu/expected.ini
"$cugate" check "$@" --baselines parallel --replay made_up/same.json >out 2>err
finish "a metric in expected.ini that is none" $? 2 'expected.ini:1: unknown metric "instructoins": did you mean instructions?'
printf '[transpose/pad time]\nissue = x\nexpires = 2030-01-01\n' >parallel/test-gpu/expected.ini
"$cugate" check "$@" --baselines parallel --replay made_up/same.json >out 2>err
finish "a kernel in expected.ini that has no baseline" $? 0 "expected.ini:1: transpose/pad has no baseline"

# AddressSanitizer cannot live with CUPTI, which loads its parts with RTLD_DEEPBIND.
if ! grep -q __asan_init "$cugate"; then
    "$cugate" list metrics gh100 >out 2>err
    finish "list metrics gh100" $? 0 "smsp__inst_executed.sum; chip GH100: 81 of 81 metrics, 3 passes; !not supported"
    list() { # CODE EXPECTATIONS ARGUMENT...
        local wanted=$1 expectations=$2
        shift 2
        "$cugate" list --metrics "$@" >out 2>err
        finish "list --metrics $*" $? "$wanted" "$expectations"
    }
    list 0 'chip AD102: 81 of 81 metrics' 'GeForce RTX 4090'
    list 2 "'RTX 4909' is not a chip or product: did you mean 'RTX 4090'?" 'RTX 4909'
    list 2 "'frob' is not a chip or product: ; list metrics help" frob
    list 0 'GH100  H100, H200; GB202  ; RTX 5090' help
    list 0 'chip GH100: 89 of 93 metrics, 8 passes; not supported; tensor_ops_int8 alone needs 2 passes; !tensor_active takes' \
        +tensor H200
    list 2 'chip GH100 cannot count [pcie_read] (pcie__read_bytes.sum) with [dram_throughput] (dram__throughput' \
        +made_up/clashing.ini H100
fi

# What outputs tell to type is no slip, though a file may be gone since, and the library of a recording is not known. What
# measures is ended after a second, by one signal: LeakSanitizer hangs at a second one, which timeout sends without --foreground.
LC_ALL=C sort -u told >told_once
while read -r told; do
    eval "timeout --foreground -k 20 1 '$cugate' ${told#cugate}" >out 2>err </dev/null
    finish "told to type: $told" 0 0 '!: unknown; !does not take; !does not know; !has no effect; !: which GPU'
done <told_once

summary
