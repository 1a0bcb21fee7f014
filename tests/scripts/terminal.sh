#!/usr/bin/env bash
# Tests the text of each command on terminals of many widths. No line may be longer than the terminal, and at 80 and 100
# columns the text must be that of tests/data/golden/terminal_*.txt. Ends with "N passed, N failed".
#
#   CUGATE=build/cugate tests/scripts/terminal.sh [--rewrite]
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
export LC_ALL=C.UTF-8 TERM=xterm
unset COLUMNS LINES NO_COLOR CUGATE_COLOR

golden=$top/tests/data/golden

cd "$work" || exit 2
ln -s "$top/tests/cli/made_up" made_up
ln -s "$top/tests/data/recorded-nvidia-h200.json" recorded.json
for data in planted exec sessions; do
    tar -xJf "$top/tests/data/$data-nvidia-h200.tar.xz" || exit 2
done
"$cugate" accept exec-nvidia-h200/train-[1-9].json --baselines exec --reason "made up" -q || exit 2
"$cugate" accept made_up/session_[123].json --metrics made_up/metrics --baselines made --reason "made up" -q || exit 2

# on COLUMNS COMMAND...: what a terminal of that width shows, without colour
on() {
    local columns=$1 command
    shift
    printf -v command '%q ' "$@"
    script -qec "stty cols $columns rows 50; $command" /dev/null </dev/null |
        sed -e 's/\r//g' -e "s#$work/##g" -e 's/\x1b\[[0-9;]*[mK]//g'
}

M='--metrics made_up/metrics'
P='--baselines planted-nvidia-h200/baselines'
# Those whose text is the same everywhere: the goldens.
lasting=(
    "compare $M made_up/before.json made_up/worse.json"
    "compare $M -k transpose/* -k reduce/atomic made_up/before.json made_up/worse_lines.json"
    "compare $M -v --power made_up/before.json made_up/worse.json"
    "compare $M made_up/before.json made_up/broken.json"
    "compare $M made_up/before.json made_up/unsure.json"
    "check $M --baselines made --replay made_up/same.json"
    "check $M --baselines none --replay made_up/same.json"
    "check $P -k transpose/padded --replay planted-nvidia-h200/pad_removed.json"
    "check --baselines exec --replay exec-nvidia-h200/train-gelu.json"
    "explain reduce/interleaved_index --replay made_up/explained.json"
    "aa $M made_up/session_1.json made_up/session_2.json made_up/session_3.json made_up/worse.json"
    "accept $M --baselines made made_up/worse.json -k * --reason why"
)
# Those whose text depends on the machine or on what the tree holds.
passing=(
    "check --baselines $top/baselines --replay recorded.json -v --power"
    "check $P --replay planted-nvidia-h200/block_too_small.json"
    "check --baselines exec --replay exec-nvidia-h200/train-fp32.json -v"
    "explain * --replay recorded.json -v"
    "aa -v final-1/s1.json final-1/s2.json final-2/s1.json"
    "list"
    "list --metrics -v"
    "list collectors"
    "doctor"
    "run --collector nosuch"
)

show() {
    local columns=$1 line words
    shift
    for line; do
        case $columns:$line in 60:explain* | 60:aa*) continue ;; esac # tables that take 80
        read -ra words <<<"$line"
        printf '$ cugate %s\n' "$line" | cut -c1-"$columns"
        on "$columns" "$cugate" "${words[@]}"
        printf '\n'
    done
}

for columns in 60 80 100 120 200; do
    rm -rf made
    "$cugate" accept made_up/session_[123].json --metrics made_up/metrics --baselines made --reason "made up" -q || exit 2
    show "$columns" "${lasting[@]}" >"lasting_$columns.txt"
    show "$columns" "${passing[@]}" >"passing_$columns.txt"
    for what in lasting passing; do
        why=
        [ "$(grep -c . "${what}_$columns.txt")" -gt 100 ] || why="says next to nothing"
        [ "$(wc -L <"${what}_$columns.txt")" -le "$columns" ] ||
            why=$(awk -v columns="$columns" 'length($0) > columns { print "too long: " $0 }' "${what}_$columns.txt" | head -5)
        verdict "$what, $columns columns" "$why"
    done
    [ -e "$golden/terminal_$columns.txt" ] || continue
    [ "${1-}" != --rewrite ] || cp "lasting_$columns.txt" "$golden/terminal_$columns.txt"
    why=$(diff -u "$golden/terminal_$columns.txt" "lasting_$columns.txt") && why=
    verdict "the golden of $columns columns" "$why"
done

# Whatever a narrow terminal moves elsewhere, it loses no number.
figures() {
    grep -oE '[0-9][0-9,.]*[0-9] (us|ms|ns|M|G|MB|kB|%|x|points)' | sort -u
}
on 200 "$cugate" compare -v --metrics made_up/metrics made_up/before.json made_up/worse.json | figures >all
for columns in 60 80 100; do
    on "$columns" "$cugate" compare -v --metrics made_up/metrics made_up/before.json made_up/worse.json | figures >some
    why=
    [ -s all ] || why="there are no figures"
    lost=$(comm -23 all some)
    [ -z "$lost" ] || why="lost: $lost"
    verdict "figures in $columns columns" "$why"
done

# A file is no terminal, whatever the shell says of one.
why=
COLUMNS=50 "$cugate" compare --metrics made_up/metrics made_up/before.json made_up/worse.json >narrow.txt
cmp -s narrow.txt "$golden/compare_worse.txt" || why="COLUMNS changes what a file gets"
verdict "a pipe" "$why"

# Of a program, whose kernels have long names and no number in some columns; of an analysis; and of an explanation.
why=
for line in "compare exec-nvidia-h200/train-1.json exec-nvidia-h200/train-fp32.json -v" "${passing[@]:3:2}"; do
    read -ra words <<<"$line"
    "$cugate" "${words[@]}" >wide.txt 2>&1
    grep -q kernel wide.txt || why+="$line: says nothing"
    [ "$(wc -L <wide.txt)" -le 120 ] || why+=$(awk 'length($0) > 120' wide.txt | head -3)
done
verdict "a pipe has 120 columns" "$why"

summary
