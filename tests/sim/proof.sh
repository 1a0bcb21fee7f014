#!/usr/bin/env bash
# Compares what is proved of blocks that are not executed with what they do. Kernels whose blocks meet, or nearly do
# (proof.cu), must be said the same of as where every block is executed; so must kernels of the catalogue. Of random
# programs of a block's place (place_programs.c) every block is executed and its counts are compared with its class,
# instruction by instruction. Ends with "N passed, N failed". Needs nvcc, no GPU.
#
#   CUGATE=build/cugate [NVCC=nvcc CUDA_INCLUDES='DIR...' CUDA_LIBS='DIR...'] tests/sim/proof.sh [--compile | --turn COMMIT | SEED...]
#
# With seeds it tries 40 programs of each, launched 12 times; --turn takes one seed, by the hash of a commit. Without any
# it tries those that it has compiled.
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/../scripts/begin.sh"
build() {
    "$nvcc" -std=c++20 -w -lineinfo -gencode arch=compute_90a,code=sm_90a -Xcompiler -fPIC "-I$top/harness" "-I$top/tests/sim" "${includes[@]/#/-I}" \
        "${libraries[@]/#/-L}" -cudart shared -shared -o "$1" "$2"
}
programs() { # SEED KERNELS LAUNCHES: into programs.so
    [ -x ./place_programs ] || "${CC:-cc}" -Wa,-I"$top" -o place_programs "$top/tests/sim/place_programs.c"
    ./place_programs "$@" >programs.cu && build programs.so programs.cu
}
compile() {
    build meet.so "$top/tests/sim/proof.cu"
    programs 2 80 8
}
case ${1---compiled} in
    --compile*) begin_compiled "$@" ;;
    --turn) set -- $((16#${2:0:7})) ;;
esac
export XDG_CACHE_HOME=$work/cache # of what was disassembled
cd "$work" || exit 2

# simulate FILE ARGUMENT...: a run as FILE.json, and what is said of each kernel as FILE.txt, but for how it was found out
simulate() {
    local file=$1
    shift
    "$cugate" run --simulate=nvidia-h200 --metrics "$top/metrics" --lines --save "$file.json" "$@" >"$file.log" 2>&1
    jq -S '.kernels | map_values(del(.seconds, .blocks, .blocks_executed, .not_proved, .estimated_time, .lines.estimated, .lines.list[]?.stalls))' "$file.json" >"$file.txt"
    jq -e '.kernels | length > 0' "$file.json" >/dev/null 2>&1 && return
    verdict "$file" "no kernel is computed: $(tail -3 "$file.log")"
    summary # what is compared with nothing would be the same
    exit 1
}
# left_out FILE: the kernels of which blocks were left out
left_out() { jq -r '.kernels | to_entries[] | select(.value.blocks_executed) | .key' "$1.json" | sort | tr '\n' ' '; }

try_programs() { # LIBRARY NAME LEAST: of at least so many kernels blocks are left out
    local why='' proved
    CUGATE_SIM_PROOF=every simulate programs --kernels "$1" || why="cannot be simulated: $(tail -3 programs.log)"
    [ -n "$why" ] || why=$(jq -r '.kernels | to_entries[] | select(.value.status != "ok") | "\(.key): \(.value.reason)"' programs.json)
    proved=$(left_out programs | wc -w)
    [ "$proved" -ge "$3" ] || why="of $proved kernels blocks are left out, not of $3"
    verdict "$2: every block counts as its class says" "$why"
}

if [ $# -gt 0 ]; then
    for seed; do
        programs "$seed" 40 12 && try_programs programs.so "seed $seed" 8
    done
    summary
    exit
fi

CUGATE_SIM_PROOF=small simulate left --kernels "$compiled/meet.so"
simulate whole --kernels "$compiled/meet.so" --whole
exact() { jq -S '."meet/guards_sums" |= (del(.lines) | .metrics |= del(.fp32_arithmetic, .fp32_fused, .threads_per_instruction))' "$1.txt"; }
verdict 'kernels whose blocks meet: the same is said of them' "$(diff <(exact whole) <(exact left))"
verdict 'threads whose guard is data are between two bounds' "$(jq -rn --slurpfile left left.json --slurpfile whole whole.json '
    [$left, $whole | .[0].kernels."meet/guards_sums".metrics | map_values(.sessions[0]? // empty)] as [$has, $is] |
    [$has | to_entries[] | select((.value | length) == 3 and .value[0] < .value[2] and .value[0] <= $is[.key][0] and $is[.key][0] <= .value[2]) |
        .key] | select(. != ["fp32_arithmetic", "fp32_fused", "threads_per_instruction"])')"
read -rd '' -a wanted <<<'adds_columns adds_halves adds_odd adds_one adds_one_read adds_own adds_own_read adds_some
    adds_together adds_vectors adds_wide alike anywhere anywhere_shared backwards bank_by_block barrier_begins barrier_comes
    barrier_phase barrier_which bits both_signs carries carries_twice comes_nearer constants_apart constants_turn copies
    diagonal far_adds far_x far_y far_z fetches generic_banks generic_by_block generic_turns guards_decide guards_sums
    half_lines halves heavy heavy_columns in_place lane_product long_index long_quotient looks_on minus odd_rows one_decides one_of_four
    other_lane own parity product products quotient quotient_16 quotient_33 quotient_by quotient_decides quotient_even
    quotient_masked quotient_of_rows quotient_signed quotient_signed_by quotients reads_elsewhere right_of_two
    right_of_two_moves right_that_carries row_constant shift_at_edge shift_by shift_of_strides shift_that_carries
    shift_that_wraps side_by_side sign_of_xor smaller some_lanes spilled spilled_apart squares swizzled table ticket_apart tiles tiles_before
    tiles_cut told told_far turns upper_carries upper_shifted wide_backwards wide_signed with_buffer word_each
    wraps_and_carries'
CUGATE_SIM_PROOF=every simulate every --kernels "$compiled/meet.so"
verdict 'and every block counts as its class says' "$(diff <(exact whole) <(exact every))"
verdict 'blocks are left out where they do not meet' "$([ "$(left_out left | sed 's|meet/||g')" = "${wanted[*]} " ] || left_out left)"
verdict 'quotients are of few classes' "$(jq -r '.kernels | to_entries[] | select(.key | test("quotient|swizzled$")) |
    select(.value.blocks_executed > 17) | .key' left.json)"
verdict 'and none with --whole' "$(left_out whole)"
CUGATE_SIM_PROOF=every simulate sums --kernels "$compiled/meet.so" -k 'meet/guards_*' -m instructions
verdict 'guards of sums may be data where no threads are counted' "$(jq -r '.kernels | to_entries[] |
    select(.value.status != "ok" or (.value.blocks_executed > 9) == (.key == "meet/guards_sums")) | .value' sums.json)"
simulate heavy --kernels "$compiled/meet.so" -k 'meet/heavy*' -k meet/own
verdict 'a launch of few instructions is tried if they take long' "$([ "$(left_out heavy)" = 'meet/heavy meet/heavy_columns ' ] || echo "left out: $(left_out heavy)")"
simulate left -k reduce/first_add -k dgemm/tiled
simulate whole -k reduce/first_add -k dgemm/tiled --whole
verdict 'kernels of the catalogue: the same is said of them' "$(diff whole.txt left.txt)"
verdict 'and blocks of those are left out that take long' "$([ "$(left_out left)" = 'dgemm/tiled reduce/first_add ' ] || left_out left)"
try_programs "$compiled/programs.so" 'random programs' 20
summary
