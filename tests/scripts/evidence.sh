#!/usr/bin/env bash
# Holds what a report says of a kernel that is worse to recorded changes. (1) Of planted faults that move many counts at once the
# first red line names the cause, in 19 of 20, and four of them fit a screen. (2) Each advice of the program, followed, is never red: a table has a change
# for each text, where the kernel before it gets that advice. Needs no GPU. Ends with "N passed, N failed".
#
#   CUGATE=build/cugate tests/scripts/evidence.sh
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
cd "$work" || exit 2
tar -xJf "$top/tests/data/trades-nvidia-h100-80gb-hbm3.tar.xz" || exit 2
tar -xJf "$top/tests/data/planted-nvidia-h200.tar.xz" || exit 2
tar -xJf "$top/tests/data/all-kernels-nvidia-h200.tar.xz" all-kernels/5ed5/lines.json || exit 2
export CUDA_VISIBLE_DEVICES='' LC_ALL=C
trades=trades-nvidia-h100-80gb-hbm3 planted=planted-nvidia-h200

# there: computed without a GPU, from before a recorded trade to after it; back: the other way.
for way in there:base:new back:new:base; do
    IFS=: read -r name was is <<<"$way"
    "$cugate" compare "$trades/$was-computed.json" "$trades/$is-computed.json" --format json -o "$name.json" \
        --report text="$name.txt" >said 2>&1
done

# ---- 1. The cause comes first

# A fault of tests/planted as an H200 measured it, or a recorded trade, one way or back; the metric that names its
# cause; what was done. To add a fault: a row.
cat >faults <<'END'
planted pad_removed             excess_wavefronts         the pad of a tile is gone
planted a_tile_not_transposed   excess_wavefronts         a tile is read by columns
planted divergent_branch        branch_targets_divergent  each thread decides for itself
planted block_too_small         theoretical_occupancy     blocks of a warp
planted register_cap_spills     local_memory              launch bounds that leave too few registers
planted launch_bound_relaxed    theoretical_occupancy     more registers
planted shared_oversized        theoretical_occupancy     a shared array that is too long
planted strided_load            global_load_sectors       lanes read far apart
planted misaligned_base         global_load_sectors       each warp starts past its sectors
planted extra_pass              global_store_sectors      the output is cleared first
planted unroll_dropped          instructions              a loop is no longer unrolled
planted double_promoted         fp64_arithmetic           a literal without its f
there   slower/capped_registers local_memory              half the registers
there   slower/conflicting_tile excess_wavefronts         lanes meet in banks
there   slower/consecutive      global_store_sectors      nothing coalesces
there   slower/loaded_again     global_load_sectors       values are loaded again for each pair
there   slower/one_address      hottest_address           an atomic of each thread at one address
there   slower/scattered_stores global_store_sectors      stores lie apart
there   slower/table_of_roots   global_load_sectors       loads at random
there   slower/two_passes       kernel_launches           a second pass is a second launch
there   slower/tile_too_large   grid_balance              16 blocks
there   slower/test_each_load   load_waits                one load at a time
back    faster/warp_sum         atomic_meetings           an atomic a thread, not a warp
back    faster/byte_vectors     global_load_requests      bytes one by one, not 16 at once
back    faster/magic_division   instructions              an integer division
back    faster/sorted_lengths   branch_targets_divergent  neighbours have loops of other lengths
back    faster/coarsened        global_load_sectors       what is in registers is loaded again
back    faster/staged_window    global_load_sectors       rows are read at a stride
back    faster/register_tile    excess_wavefronts         a smaller tile a thread
back    faster/half_pairs       instructions              halves one by one
END

while read -r data fault _; do
    [ "$data" = planted ] || continue
    kernel=$(awk -F ' *[|] *' -v fault="$fault" '$1 == fault { print $2 }' "$top/tests/planted/cases.txt")
    "$cugate" check -q -k "$kernel" --replay "$planted/$fault.json" --baselines "$planted/baselines" 2>&1 |
        sed "s|^regressed  $kernel|regressed  $fault|" >>planted.txt
done <faults
# Of each kernel the line with its name and the first red row, in one line.
for data in planted there back; do
    awk -v data=$data '/^regressed  / { kernel = $2; words = "" } kernel { words = words " " $0 }
        /^  regressed  / && kernel { print data, kernel, words; kernel = "" }' "$data.txt"
done >first
awk 'NR == FNR { first[$1 " " $2] = $0; next }
    index(first[$1 " " $2], " " $3 " ") == 0 { print $1, $2 ": not " $3 ", but " first[$1 " " $2]; wrong++ }
    END { print wrong + 0, "of", FNR, "do not name the cause"; exit wrong * 20 > FNR }' first faults >said
code=$?
expect 'the first red line names the cause, in 19 of 20' 0 'do not name the cause'

# Four faults fit a screen: the cause with its line, then what was paid and what was gained.
jq -s '.[0].kernels = (map(.kernels) | add) | .[0]' $planted/{pad_removed,strided_load,unroll_dropped,divergent_branch}.json >four.json
kernels=(-k transpose/padded -k reduce/grid_stride -k dgemm/tiled -k divergence/per_warp)
ask "$cugate" check "${kernels[@]}" --replay four.json --baselines $planted/baselines
echo "$(wc -l <said) lines" >>said
expect 'four faults, measured, are a screen' 1 'mine += in[i];' 'time +9.44 us (+8.5 %), branch_targets' 'global_load_requests +63 (<0.1 %), and 5 more' \
    '-k reduce/grid_stride -k transpose/padded -k' '56 lines'
kernels=(-k slower/scattered_stores -k slower/consecutive -k slower/capped_registers -k slower/conflicting_tile)
ask "$cugate" compare "${kernels[@]}" $trades/base-computed.json $trades/new-computed.json
echo "$(wc -l <said) lines" >>said
expect 'four faults, computed, are a screen' 1 'improved   load_waits -253,952 (-96.9 %), instructions' '54 lines'

# ---- 2. Advice, followed, is not red

# The texts, from the sources: the words of a table's row behind its metrics or its meaning, and what a function returns.
texts() {
    local source=$top/harness/explain
    joined() { tr '\n' ' ' <"$1" | sed 's/" *"//g' && echo; }
    joined "$source/pattern.c" | grep -o '" [a-z0-9_ ]* ", *"[^"]*"'
    joined "$source/stall.c" | grep -oE '\{"[a-z_]*", *"[^"]*", *"[^"]*"\}|return "[^"]*"'
    joined "$top/harness/report/explain_words.c" | grep -o '? "use fewer[^"]*"'
}
texts | sed 's/"}*$//; s/.*"//' | sort -u >advices
rows=$(grep -c '^    {"' "$top/harness/explain/pattern.c")
rows=$((rows + $(grep -c '^    {"' "$top/harness/explain/stall.c") - $(grep -c 'NULL},$' "$top/harness/explain/stall.c") + 2))
code=$(($(wc -l <advices) != rows))
wc -l advices >said
expect "there are $rows texts of advice" 0

# A way to follow it; how the text begins. "there KERNEL" and "back KERNEL" follow it by a recorded trade, computed: the
# other way gets the advice. "REASON KERNEL KERNEL" follows it from one kernel of the catalogue to another, as an H200 measured
# them, where warps of the first one waited for that reason alone. No kernel was recorded that waits for its own code: there it
# is a planted fault that unrolls less, with a time that is a fifth less. "elsewhere SCRIPT": that test follows it.
cat >ways <<'END'
there faster/padded_tile | lanes of one warp access the same bank:
there faster/register_tile | more shared-memory cycles without bank conflicts:
there faster/sorted_lengths | threads of one warp take both sides of this branch,
there faster/sorted_lengths | threads of the warp are inactive here,
back slower/capped_registers | registers are spilled here, or an array is indexed by a variable:
there faster/staged_window | lanes of one load touch more sectors than their bytes need:
there faster/turned_writes | lanes of one store touch more sectors than their bytes need:
there faster/coarsened | more reads, although coalesced:
back slower/two_passes | more writes, although coalesced:
there faster/byte_vectors | more load instructions:
there faster/byte_vectors | more store instructions:
there faster/warp_sum | lanes of one warp update the same address,
there faster/private_histogram | more atomics on global memory,
elsewhere timeless.sh | lanes read constant memory at different addresses,
elsewhere timeless.sh | more instructions outside waits:
elsewhere timeless.sh | special functions, conversions, divisions or double arithmetic
elsewhere timeless.sh | synchronize less often,
elsewhere timing.sh | warps are estimated, not measured, to spend their time here;
there faster/double_buffer | a warp waits here before it issues its next load:
there faster/half_pairs | more branches:
there faster/early_exit | more instructions:
misc reduce/interleaved_modulo reduce/warp_shuffle | warps spend their time here;
long_scoreboard reduce/grid_stride reduce/grid_stride_ilp4 | keep more loads in flight
short_scoreboard shared_bank/stride32 shared_bank/stride1 | use fewer shared-memory wavefronts:
mio_throttle sgemm/tiled sgemm/register_tile | issue fewer shared-memory instructions:
mio_throttle cached_reads/constant_scattered cached_reads/constant_same_address | let all lanes read the same constant,
lg_throttle elementwise/row_blocks elementwise/vector2 | issue fewer loads and stores:
tex_throttle cached_reads/texture_scattered cached_reads/constant_same_address | issue fewer texture reads,
math_pipe_throttle dot/fp32 dot/half2 | arithmetic is the limit:
barrier reduce/sequential reduce/unroll_last_warp | let warps arrive together or wait less often:
membar reduce/first_add reduce/warp_shuffle | use fewer memory fences,
branch_resolving reduce/sequential reduce/unroll_full | unroll the loop,
wait reduce/grid_stride reduce/grid_stride_ilp4 | give each warp independent instructions
no_instructions dgemm/tiled unroll_dropped | the code does not stay in the instruction cache:
imc_miss cached_reads/constant_scattered cached_reads/constant_same_address | read fewer constants,
drain access/stride8 access/coalesced | coalesce the last stores,
not_selected reduce/interleaved_modulo reduce/interleaved_index | enough warps are ready:
selected reduce/interleaved_modulo reduce/interleaved_index | the scheduler issues nearly all the time:
issue reduce/interleaved_modulo reduce/interleaved_index | use fewer instructions:
END

awk -F ' *[|] *' '{ print $2 }' ways >begins
awk 'NR == FNR { begins[FNR] = $0; next } { of = 0; for (i in begins) of += index($0, begins[i]) == 1 }
    of != 1 { print of " ways to follow: " $0; wrong++ } END { exit wrong > 0 }' begins advices >said
code=$?
expect 'each advice has a way to follow it' 0

# before.json and after.json: those of the catalogue, each with a name of its own.
awk '$1 != "there" && $1 != "back" && $1 != "elsewhere" { print $1, NR, $2, $3 }' ways |
    jq -Rn --slurpfile recorded all-kernels/5ed5/lines.json --slurpfile unrolled "$planted/unroll_dropped.json" '
    def waits(stalls): .lines.period = 1e6 | .lines.list[] |= (.stalls = stalls);
    ($unrolled[0].kernels["dgemm/tiled"] | (.metrics[] | select(.sessions).sessions) |= .[:1] | .metrics.time.sessions[][] *= 0.8) as $less
    | [inputs / " "] as $ways | (false, true) as $after
    | $recorded[0] | .kernels as $of | .kernels = ([$ways[] | . as [$reason, $way, $was, $is] | {("\($reason)/\($way)"):
        (if $after then ($of[$is] // $less) + {lines: $of[$was].lines} | waits({}) else $of[$was] | waits({($reason): 9}) end)}]
        | add)' >sides || exit 2
jq -s '.[0]' sides >before.json
jq -s '.[1]' sides >after.json
"$cugate" compare after.json before.json --format json -o before-report.json >said 2>&1
"$cugate" compare before.json after.json --format json -o after-report.json >said 2>&1

"$cugate" explain --replay before.json --format json '*' >explained.json 2>said

row=0
while IFS='|' read -r way begin; do
    row=$((row + 1))
    read -r from kernel _ <<<"$way"
    if [ "$from" = elsewhere ]; then
        grep -h 'pays' "$top/tests/scripts/$kernel" >said
        code=$?
        expect "followed: $way:$begin" 0 'trade-off'
        continue
    fi
    case $from in
    there) gives=back.json follows=there.json ;;
    back) gives=there.json follows=back.json ;;
    *) gives=before-report.json follows=after-report.json kernel=$from/$row ;;
    esac
    jq -nr --arg kernel "$kernel" --arg begin "${begin# }" --slurpfile gives "$gives" --slurpfile follows "$follows" \
        --slurpfile explained explained.json '
        [$gives[0].judgements[] | select(.kernel == $kernel)] + [$explained[] | select(.kernel == $kernel) | .stories[]]
        | any(.advice // "" | startswith($begin)) as $told
        | [$follows[0].judgements[] | select(.kernel == $kernel)] as $rows
        | "told: \($told), followed: \($rows[0].kernel_verdict)",
          ($rows[] | select(.verdict == "regressed" or .verdict == "missing") | "\(.metric): \(.verdict)")' >said 2>&1
    # shellcheck disable=SC2034 # expect() reads it
    code=$?
    expect "followed: $way:$begin" 0 'told: true' '!regressed' '!missing' '!null'
done <ways
summary
