#!/usr/bin/env bash
# Prints what the simulator is compared by, of a run file with counts by instruction, as text.
#
#   tests/sim/counts.sh RUN.json
#
#   k ID CODE...            a kernel and the hashes of the machine code that it launches; k ID - REASON: it has no counts
#   m COUNTER LEAST MOST    of its samples; m COUNTER - STATE[: REASON]
#   f FUNCTION              of the instructions that follow
#   i OFFSET COUNT...       in the order below; zeros at the end are left out
set -euo pipefail
export LC_ALL=C

# shellcheck disable=SC2016 # variables of jq
jq -r '
    ["branch_efficiency", "branch_targets", "branch_targets_divergent", "constant_replays", "excess_wavefronts",
     "fp16_arithmetic", "fp16_fused", "fp32_arithmetic", "fp32_fused", "fp64_arithmetic", "fp64_fused",
     "global_load_requests", "global_load_sectors", "global_store_requests", "global_store_sectors", "instructions",
     "shared_wavefronts", "threads_per_instruction"] as $rows
    | .kernels | to_entries | sort_by(.key)[] | .key as $id | .value
    | if .status != "ok" then "k \($id) - \(.reason // "")"
      else "k \([$id, (.launches[]? | .code // "")] | join(" "))",
        (.metrics as $metrics | $rows[] as $name | $metrics[$name] // empty
            | if .sessions then [.sessions[] | (objects | .samples[]), arrays[]] | "m \($name) \(min) \(max)"
              else "m \($name) - \([.state, .reason // empty] | join(": "))" end),
        (.lines.list // [] | group_by(.function)[] | "f \(.[0].function)", (sort_by(.offset)[] | .counts as $n
            | "i \(.offset) \($n.instructions // 0) \($n.active_threads // 0) \($n.working_threads // 0) " +
              "\($n.divergent_branches // 0) \($n.uniform_branches // 0) \($n.shared_wavefronts // 0) \($n.shared_ideal // 0) " +
              "\($n.load_sectors // 0) \($n.load_ideal // 0) \($n.store_sectors // 0) \($n.store_ideal // 0) " +
              "\($n.local_sectors // 0) \($n.global_loads // 0) \($n.global_stores // 0)"))
      end' "$1" |
    awk '$1 == "f" { f = $0; next } # of one without counts nothing is said
        $1 == "i" { while (NF > 2 && $NF == 0) NF--; if (NF == 2) next; if (f) print f; f = "" } 1'
