# What capture.sh makes of its files: a function for each table.

def number($metric): .metrics[$metric].sessions // [] | .[0] // [] | if length == 0 then null else . end;
# A value that all its samples share; null: there is none, or they differ.
def exact($metric): number($metric) | if . == null or (unique | length) > 1 then null else .[0] end;

# Exact counters of the program's own launches beside those of replays. Input: [the program's run, the capsules' run].
def counters: ["instructions", "global_load_sectors", "global_store_sectors", "shared_wavefronts", "global_load_requests",
               "branch_targets", "fp32_arithmetic", "fp16_arithmetic"];
def compared: .[0].kernels as $program | .[1].kernels | to_entries
    | map(.key as $id | .value as $replay | select($program[$id]) | counters[] as $c
          | {id: $id, counter: $c, program: ($program[$id] | exact($c)), replay: ($replay | exact($c))}
          | select(.program != null and .replay != null));
def agreement: compared as $all | ($all | map(select(.program != .replay))) as $others
    | if $all == [] then "NOTHING COMPARED: no count of any kernel repeats in both" else
      "\($all | length) counts of \($all | map(.id) | unique | length) kernels repeat in both; \($others | length) differ",
      ($others[:12][] | "  \(.counter) \(.program) \(.replay) \(.id[:90])") end;

# Kernels of a run that are not ok.
def failures: .kernels | to_entries | map(select(.value.status != "ok")) | "\(length) not ok",
    (.[:12][] | "  \(.value.status): \(.value.reason // "")[:160]  \(.key[:80])");
