# Of a run file with counts by instruction, what the simulator is compared by, as text:
#
#   k ID CODE...            a kernel and the hashes of the machine code that it launches; k ID - REASON: it has no counts
#   m COUNTER LEAST MOST    of its samples; m COUNTER - STATE[: REASON]
#   f FUNCTION              of the instructions that follow
#   i OFFSET COUNT...       in the order below; zeros at the end are left out

["instructions", "active_threads", "working_threads", "divergent_branches", "uniform_branches", "shared_wavefronts",
 "shared_ideal", "load_sectors", "load_ideal", "store_sectors", "store_ideal", "local_sectors", "global_loads",
 "global_stores"] as $counters
| ["branch_efficiency", "branch_targets", "branch_targets_divergent", "excess_wavefronts", "fp16_arithmetic",
   "fp16_fused", "fp32_arithmetic", "fp32_fused", "fp64_arithmetic", "fp64_fused", "global_load_requests",
   "global_load_sectors", "global_store_requests", "global_store_sectors", "instructions", "shared_wavefronts",
   "threads_per_instruction"] as $rows
| .kernels | to_entries[] | .key as $id | .value
| if .status != "ok" then "k \($id) - \(.reason)" else
    "k \($id) \([.launches[].code] | join(" "))",
    (.metrics as $metrics | $rows[] | . as $row | $metrics[$row]
     | if . == null then empty
       elif .sessions then (.sessions | map(if type == "object" then .samples else . end) | add
                            | "m \($row) \(min) \(max)")
       else "m \($row) - \(.state)\(if .reason then ": " + .reason else "" end)" end),
    ([.lines.list[]? | select(any(.counts[]; . != 0))] | group_by(.function)[]
     | "f \(.[0].function)",
       (sort_by(.offset)[] | .counts as $counts
        | "i \(.offset) \([$counters[] as $counter | $counts[$counter] // 0 | tostring] | join(" ") | sub("( 0)+$"; ""))"))
  end
