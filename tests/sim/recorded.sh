#!/usr/bin/env bash
# Compares counts and outputs of the simulator with those of an H200 or H100: for small kernels that each test one thing
# (tests/sim/micro.cu and async.cu), for random ones (random_kernels.c), for those of tests/sim/cub.cu, for products of
# matrices (hopper.cu) and CUTLASS's tutorial of them, wgmma_sm90.cu, captured, as are kernels of Triton and torch.compile
# (others: small_triton.py and small_torch.py of tests/gpu/programs), and for forms of instructions that others use
# (forms.cu). All are machine code of the day of recording. Ends with "N passed, N failed". Needs no GPU and no nvcc, but
# cc.
#
#   CUGATE=build/cugate tests/sim/recorded.sh [NAME...]    of the archives' libraries; default: those that `make test` takes
#
# A count that the simulator gives as one number must be the GPU's. One with two bounds must have the GPU's between them,
# and counts by instruction may differ only in kernels with such bounds. recorded.txt has how many kernels, rows and
# instructions are right today, below which a library fails, and known errors by name.
set -uo pipefail
export LC_ALL=C

top=$(cd "$(dirname "$0")/../.." && pwd)
cugate=$(realpath "${CUGATE:-$top/build/cugate}")
here=$top/tests/sim
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$top" || exit 2
passed=0
failed=0

# verdict NAME [WHY]: without a reason the test has passed.
verdict() {
    if [ -z "${2-}" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: recorded: %s: %s\n' "$1" "$2"
    fi
}

[ $# -gt 0 ] || set -- micro random3 async hopper cute_nt others cub forms
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

simulate() {
    local chosen=()
    # warps/any_in_loop of that day had no end.
    [ "$1" != micro ] || chosen=(-k '[!w]*' -k 'warps/[!a]*')
    mkdir "$work/outputs"
    CUGATE_OUTPUTS=$work/outputs "$cugate" run --simulate="$gpu" --kernels "$work/$1.so" --metrics metrics --lines \
        "${chosen[@]}" --save "$work/run.json" >"$work/log" 2>&1
    jq -r -f "$here/compact.jq" "$work/run.json" >"$work/counts" && "$here/outputs.sh" "$work/outputs" >"$work/outputs.txt"
    rm -rf "$work/outputs"
    # A capsule may have been recorded without counts by instruction.
    grep -q '^i ' "$recorded/$1.counts" || sed -i '/^[fi] /d' "$work/counts"
}

# What is not as on the GPU: lines "KERNEL COUNTER WORDS".
differences() {
    sed -n 's/^difference //p' "$work/compared"
    awk 'FILENAME == ARGV[1] { right[$0]; recorded[$1]; next }
         !($0 in right) { print $1, "output", ($1 in recorded) ? "is not what the GPU wrote" : "was not recorded" }' \
        "$recorded/$1.outputs" "$work/outputs.txt" | sort -u
}

for library; do
    if ! place "$library"; then
        verdict "$library" 'there is no such library in the archives'
        continue
    fi
    began=$EPOCHREALTIME
    if ! adapt "$library" >"$work/log" 2>&1 || ! simulate "$library"; then
        verdict "$library" "could not be simulated: $(tail -3 "$work/log")"
        continue
    fi
    awk -f "$here/compare.awk" "$recorded/$library.counts" "$work/counts" >"$work/compared"
    read -r _ kernels exact within equal loose <<<"$(grep '^total' "$work/compared")"
    outputs=$(grep -cxF -f "$recorded/$library.outputs" "$work/outputs.txt")
    printf '%-9s %3d kernels, %4d rows exact, %3d within bounds; %7d counts of instructions, %3d within; %3d outputs; %s s\n' \
        "$library" "$kernels" "$exact" "$within" "$equal" "$loose" "$outputs" \
        "$(awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')"

    differences "$library" >"$work/now"
    awk -v library="$library" '$1 == "known" && $2 == library { print $3, $4 }' "$here/recorded.txt" >"$work/known"
    why=$(awk 'FILENAME == ARGV[1] { known[$1 " " $2]; next } !(($1 " " $2) in known)' "$work/known" "$work/now" | head -20)
    verdict "$library: is as on the GPU, or known not to be" "${why:+$'\n'$why}"
    why=$(awk 'FILENAME == ARGV[1] { now[$1 " " $2]; next } !($0 in now)' "$work/now" "$work/known" | head -20)
    verdict "$library: what is known is so" "${why:+take it out of recorded.txt, it is right now:$'\n'$why}"
    why=$(awk -v library="$library" -v now="$kernels $exact $equal $outputs" -v loose="$within $loose" '
        $1 != "floor" || $2 != library { next }
        {
            found = 1
            split("kernels rows instructions outputs", of, " ")
            split(now, value, " ")
            for (i = 1; i <= 4; i++)
                if (value[i] < $(i + 2))
                    printf "%s: %d are right, and %d were; ", of[i], value[i], $(i + 2)
        }
        END { if (!found) print "has no line in recorded.txt" }' "$here/recorded.txt")
    verdict "$library: as much is exact as before" "$why"
done

# A comparison that could not fail would show nothing: one count, one row and one output of another kind.
printf '%s\n' 'k a/b 1' 'm instructions 5 5' 'm global_load_sectors 5 9' 'm excess_wavefronts - not counted' 'f f' 'i 0 5 5 5' >"$work/a"
printf '%s\n' 'k a/b 1' 'm instructions 6 6' 'm global_load_sectors 8 8' 'm excess_wavefronts 0 0' 'f f' 'i 0 6 5 5' 'i 16 1' >"$work/b"
why=$(awk -f "$here/compare.awk" "$work/b" "$work/a" | diff - <(printf '%s\n' 'difference a/b instructions 5 and not 6' \
    'difference a/b excess_wavefronts - not counted and not 0 0' 'difference a/b line:instructions at 0x0: 5 and not 6' \
    'total 1 0 1 13 0'))
verdict 'what differs is said' "$why"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
