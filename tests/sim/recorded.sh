#!/usr/bin/env bash
# Compares counts and outputs of the simulator with those of an H200 or H100: for small kernels that each test one thing
# (micro.cu and async.cu), for random ones (random_kernels.c), for kernels of CUB (cub.cu), for products of matrices
# (hopper.cu) and CUTLASS's tutorial of them, wgmma_sm90.cu, captured, as are kernels of Triton and torch.compile (others:
# small_triton.py, small_torch.py), for forms of instructions that others use (forms.cu), and for how kernels of today are
# built (patterns.cu). All are machine code of the day of recording. A new kernel goes into forms.cu, which
# record.sh records. The other sources are in tests/data/recorded-sources.tar.xz, since nothing compiles them any more; those
# of the scripts are in the history, `git show d1ad3e2a:tests/gpu/programs/`.
# Ends with "N passed, N failed". Needs no GPU and no nvcc, but cc.
#
#   CUGATE=build/cugate tests/sim/recorded.sh [--all | --quarter COMMIT | --choose] [LIBRARY...]
#
# It takes the kernels of sample.txt, which have each opcode with its modifiers, each kind of access and each row of metrics
# (features.awk) that any kernel has; choose.awk chose them. --all takes all kernels, in the parts of recorded.txt, and sees
# whether the sample still has all that they have; --quarter those parts whose turn it is, by the hash of a commit; --choose
# all, and it writes sample.txt anew. --all and --choose need build/tests/opcodes.
#
# A count that the simulator gives as one number must be the GPU's. One with two bounds must have the GPU's between them,
# and counts by instruction may differ only in kernels with such bounds. Both lists have how many kernels, rows and
# instructions are right today, below which a part fails, and recorded.txt has known errors by name.
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/../scripts/begin.sh"
export LC_ALL=C
here=$top/tests/sim
cd "$top" || exit 2

mode=${1-} list=$here/sample.txt turn=''
case $mode in
--all | --choose) list=$here/recorded.txt && shift ;;
--quarter)
    list=$here/recorded.txt turn=$((16#${2:0:8} % 4 + 1))
    shift 2
    ;;
esac
wanted=$*
for archive in tests/data/sim-*.tar.xz; do
    tar -xJf "$archive" -C "$work" || exit 2
done

# place NAME: the folder of its archive, and the GPU that this is named after.
place() {
    local file
    recorded='' gpu=''
    for file in "$work"/sim-*/"$1".counts; do
        recorded=${file%/*}
    done
    for file in metrics/gpus/*.ini; do
        file=$(basename "$file" .ini)
        [ "${recorded%"-$file"}" = "$recorded" ] || gpu=$file
    done
    [ -e "$recorded/$1.counts" ] && [ -n "$gpu" ]
}

# Libraries of the first archive are of ABI 1.
adapt() {
    if [ -e "$recorded/$1.capsule" ]; then
        ln -sf "$recorded/$1.capsule" "$work/$1.so"
        return
    fi
    if [ "${recorded##*/}" != sim-nvidia-h200 ]; then
        ln -sf "$recorded/$1.so" "$work/$1.so"
        return
    fi
    objcopy -O binary --only-section=.nv_fatbin --set-section-flags .nv_fatbin=alloc "$recorded/$1.so" "$work/$1.fatbin" &&
        "${CC:-cc}" -D_GNU_SOURCE -shared -fPIC -Iharness -DRECORDED="\"$recorded/$1.so\"" \
            -DMACHINE_CODE="\"$work/$1.fatbin\"" -o "$work/$1.so" tests/sim/abi1.c -ldl
}

# simulate LIBRARY [PATTERN...]
simulate() {
    local pattern chosen=()
    for pattern in "${@:2}"; do
        chosen+=(-k "$pattern")
    done
    rm -rf "$work/outputs" "$work/run.json"
    mkdir "$work/outputs"
    CUGATE_OUTPUTS=$work/outputs "$cugate" run --simulate="$gpu" --kernels "$work/$1.so" --metrics metrics --lines \
        "${chosen[@]}" --save "$work/run.json" >"$work/log" 2>&1
    [ -s "$work/run.json" ] || return
    "$here/counts.sh" "$work/run.json" >"$work/counts" && "$here/outputs.sh" "$work/outputs" >"$work/outputs.txt" || return
    cp "$work/counts" "$work/all_counts"
    # A library may have been recorded without counts by instruction.
    lines=1
    grep -q '^i ' "$recorded/$1.counts" || { lines=0 && sed -i '/^[fi] /d' "$work/counts"; }
    cp "$recorded/$1.counts" "$work/recorded"
    # Of a part, what else was recorded is not missing.
    [ $# -eq 1 ] || awk '$1 == "k" { wanted = FILENAME == ARGV[1] || $2 in ran; ran[$2] } FILENAME == ARGV[2] && wanted' \
        "$work/counts" "$recorded/$1.counts" >"$work/recorded"
}

# Adds what the kernels of a part have to $work/features.
features() {
    local library=$1
    [ -e "$work/$library.forms" ] || "${cugate%/*}/tests/opcodes" "$work/$library.so" >"$work/$library.forms"
    awk -v library="$library" -v lines="$lines" -f "$here/features.awk" - "$work/compared" "$work/all_counts" \
        <"$work/$library.forms" >>"$work/features"
}

# What is not as on the GPU: lines "KERNEL COUNTER WORDS".
differences() {
    sed -n 's/^difference //p' "$work/compared"
    awk 'FILENAME == ARGV[1] { right[$0]; recorded[$1]; next }
         !($0 in right) { print $1, "output", ($1 in recorded) ? "is not what the GPU wrote" : "was not recorded" }' \
        "$recorded/$1.outputs" "$work/outputs.txt" | sort -u
}

# part LIBRARY KERNELS ROWS INSTRUCTIONS OUTPUTS [PATTERN...]: of a library the kernels that match, and how many are right.
part() {
    local library=$1 floor=("${@:2:4}") began=$EPOCHREALTIME why
    local exact within equal loose outputs kernels now i of=(kernels rows instructions outputs)
    if ! place "$library"; then
        verdict "$library" 'there is no such library in the archives'
        return
    fi
    if ! adapt "$library" >"$work/log" 2>&1 || ! simulate "$library" "${@:6}"; then
        verdict "$library" "could not be simulated: $(tail -3 "$work/log")"
        return
    fi
    awk -f "$here/compare.awk" "$work/recorded" "$work/counts" >"$work/compared"
    read -r _ kernels exact within equal loose <<<"$(grep '^total' "$work/compared")"
    outputs=$(grep -cxF -f "$recorded/$library.outputs" "$work/outputs.txt")
    printf '%-9s %3d kernels, %4d rows exact, %3d within bounds; %7d counts of instructions, %3d within; %3d outputs; %s s\n' \
        "$library" "$kernels" "$exact" "$within" "$equal" "$loose" "$outputs" \
        "$(awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')"

    differences "$library" >"$work/now"
    awk -v library="$library" 'FILENAME == ARGV[1] { ran[$2]; next }
        $1 == "known" && $2 == library && $3 in ran { print $3, $4 }' "$work/counts" "$here/recorded.txt" >"$work/known"
    why=$(awk 'FILENAME == ARGV[1] { known[$1 " " $2]; next } !(($1 " " $2) in known)' "$work/known" "$work/now" | head -20)
    verdict "$library: is as on the GPU, or known not to be" "${why:+$'\n'$why}"
    why=$(awk 'FILENAME == ARGV[1] { now[$1 " " $2]; next } !($0 in now)' "$work/now" "$work/known" | head -20)
    verdict "$library: what is known is so" "${why:+take it out of recorded.txt, it is right now:$'\n'$why}"
    now=("$kernels" "$exact" "$equal" "${outputs:-0}") # grep says nothing where none were recorded
    echo "floor - $library ${now[*]} ${*:6}" >>"$work/floors"
    why=''
    for i in 0 1 2 3; do
        [ "${now[i]}" -ge "${floor[i]}" ] || why+="${of[i]}: ${now[i]} are right, and ${floor[i]} were; "
    done
    verdict "$library: as much is exact as before" "$why"
    case $mode in --all | --choose) features "$library" ;; esac
}

# Runs the parts of a list whose turn it is, of the libraries that are wanted.
parts() {
    local row
    while read -ra row; do
        if [ "${row[0]-}" = floor ] && [[ "${turn:-${row[1]}}" = "${row[1]}" && " ${wanted:-${row[2]}} " = *" ${row[2]} "* ]]; then
            part "${row[@]:2}"
        fi
    done <"$1"
}
parts "$list"
# Kernels that notice a mutant are in the sample, too.
case $mode in --all | --choose)
    sed '/^#/d; s/ *| */|/g' "$here/mutations.txt" | awk -F '|' '{ n = split($4, word, " ")
        for (i = 2; i <= n; i++) print word[1], word[i], 0, "what notices: " $1 }' >>"$work/features" ;;
esac
[ $passed -gt 0 ] || verdict "$wanted" "is no library in ${list##*/}"

if [ "$mode" = --choose ]; then
    rm "$work/floors"
    sed '/^floor/d' "$here/sample.txt" >"$work/sample.txt"
    cp "$work/sample.txt" "$work/chosen"
    awk -f "$here/choose.awk" "$work/features" >>"$work/chosen"
    parts "$work/chosen"
    cat "$work/sample.txt" "$work/floors" >"$here/sample.txt"
fi
if [ "$mode" = --all ] && [ -z "$wanted" ]; then
    why=$(awk 'FILENAME == ARGV[1] { for (i = 8; i <= NF; i++) sample[$3, $i]; next }
        { feature = substr($0, length($1 $2 $3) + 4) }
        ($1, $2) in sample { has[feature]; next }
        { other[feature] = $1 " " $2 }
        END { for (feature in other) if (!(feature in has)) print feature ": " other[feature] }' "$here/sample.txt" "$work/features")
    verdict 'the sample has all that others have' "${why:+$'\n'"$why"$'\n'choose anew: tests/sim/recorded.sh --choose}"
fi

# A comparison that could not fail would show nothing: one count, one row and one output of another kind.
printf '%s\n' 'k a/b 1' 'm instructions 5 5' 'm global_load_sectors 5 9' 'm excess_wavefronts - not counted' 'f f' 'i 0 5 5 5' >"$work/a"
printf '%s\n' 'k a/b 1' 'm instructions 6 6' 'm global_load_sectors 8 8' 'm excess_wavefronts 0 0' 'f f' 'i 0 6 5 5' 'i 16 1' >"$work/b"
why=$(awk -f "$here/compare.awk" "$work/b" "$work/a" | diff - <(printf '%s\n' 'difference a/b instructions 5 and not 6' \
    'difference a/b excess_wavefronts - not counted and not 0 0' 'difference a/b line:instructions at 0x0: 5 and not 6' \
    'total 1 0 1 13 0'))
verdict 'what differs is said' "$why"
summary
