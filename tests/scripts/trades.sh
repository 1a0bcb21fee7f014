#!/usr/bin/env bash
# Judges recorded changes that trade one count for another: none that is faster may be red, and none that is slower may pass.
# They are judged by pairs on a GPU, by sessions, and as computed without one, where it may be unsure. baselines/measurements.md
# says where their sources are. Needs no GPU. Ends with "N passed, N failed".
#
#   CUGATE=build/cugate tests/scripts/trades.sh
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
cd "$work" || exit 2
tar -xJf "$top/tests/data/trades-nvidia-h100-80gb-hbm3.tar.xz" --strip-components=1 || exit 2
export CUDA_VISIBLE_DEVICES='' LC_ALL=C

# Three were written to be faster, and the GPU said otherwise.
slower='^slower/|^faster/(both_loads|one_pass|swizzled_index)$'

# verdicts NAME COMMAND...: files NAME.faster and NAME.slower with "KERNEL VERDICT" of each, a line.
verdicts() {
    local name=$1
    "${@:2}" --format json -o "$name.json" >said 2>&1
    jq -r '.judgements[] | "\(.kernel) \(.kernel_verdict)"' "$name.json" | sort -u >"$name.all"
    awk -v slower="$slower" -v name="$name" '{ print >(name ($1 ~ slower ? ".slower" : ".faster")) }' "$name.all"
}

# bounds NAME FASTER-NOT SLOWER-NOT UNSURE: no kernel that is faster has that verdict, none that is slower those, and so many at
# most are unsure.
bounds() {
    grep -E " ($2)$" "$1.faster" >said
    code=$(wc -l <said)
    expect "$1: none that is faster is red" 0
    grep -vE " ($3)$" "$1.slower" >said
    code=$(wc -l <said)
    expect "$1: none that is slower passes" 0
    grep ' unsure$' "$1.all" >said
    code=$(($(wc -l <said) > $4))
    expect "$1: $4 are unsure at most" 0
    # shellcheck disable=SC2034 # expect() reads it
    code=$(($(wc -l <"$1.all") != 62))
    expect "$1: each has a verdict" 0
}

"$cugate" accept -q --baselines base --reason recorded base-[123].json
verdicts pairs "$cugate" check --baselines base --replay paired.json
bounds pairs 'regressed|unsure|missing' 'regressed' 0
# Each report has the kernel's verdict, and what was gained beside what was paid.
ask "$cugate" check --baselines base --replay paired.json -k faster/split_k --report junit=junit.xml --report github=github.txt \
    --report comment=comment.md
expect 'a kernel that is faster by pairs passes, whatever it paid' 0
for gained in 'junit.xml:<system-out>improved: base' 'github.txt:%0Agained: ' 'comment.md:| improved | faster/split_k | time |'; do
    sed 's/%3A/:/g' "${gained%%:*}" >said
    expect "the kernel's verdict and its gain in ${gained%%:*}" 0 'trade-off (kernel: improved)' "${gained#*:}"
done
verdicts computed "$cugate" compare base-computed.json new-computed.json
bounds computed 'regressed|missing' 'regressed|unsure' 5
verdicts sessions "$cugate" check --baselines base --replay new-2.json
bounds sessions 'regressed' 'regressed|unsure|missing' 40

# What was paid and what was gained stand side by side.
ask "$cugate" compare base-computed.json new-computed.json -k faster/warp_sum
expect 'what a trade gained is shown beside it' 0 'trade-off  instructions' 'improved   atomic_meetings' ', global_atomics' '% faster ('
ask "$cugate" compare base-computed.json new-computed.json -k faster/warp_sum --trades no
expect 'where nobody may trade, it is red' 1 'regressed  instructions'
summary
