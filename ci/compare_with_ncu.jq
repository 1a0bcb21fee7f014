# The table of compare_with_ncu.sh. Inputs: $run (a run file), $rows (ncu's CSV as arrays: heads, units, then a row a launch
# in launch order, $ncu_samples for each kernel), $order (kernel ids in the order in which they ran), seconds that each tool
# took.

def median: sort | if length % 2 == 1 then .[length / 2 | floor] else (.[length / 2 - 1] + .[length / 2]) / 2 end;
def number: gsub(","; "") | try tonumber catch null; # device attributes may be words
def sum_of($name): map(.[$name]) | add;
# As harness/model/sample.c: launches of one sample add up, ratios are weighed by their denominator.
def weighed($name; $weight): sum_of($weight) as $total
    | if $total == 0 then null else (map(.[$name] * .[$weight]) | add) / $total end;
def padded($width): tostring | . + (" " * ([0, $width - length] | max));
def left($width): tostring | (" " * ([0, $width - length] | max)) + .;
def digits($n): if . == null then "-" else . * pow(10; $n) | round / pow(10; $n) end;

def apart: (.[0] - .[1]) | fabs;
def share: if .[1] == 0 then (if .[0] == 0 then 0 else 1e9 end) else (.[0] / .[1] - 1) | fabs end;

# To add a figure: a row, and its bar, a filter on [cugate's, ncu's].
def figures: [
    {name: "instructions", counter: "smsp__inst_executed.sum", bar: "identical"},
    {name: "branch_targets", counter: "smsp__sass_branch_targets.sum", bar: "identical"},
    {name: "achieved_occupancy", counter: "sm__warps_active.avg.pct_of_peak_sustained_active",
     weight: "sm__cycles_active.avg", bar: "1 point"},
    {name: "dram_bytes_read", counter: "dram__bytes_read.sum", bar: "5 % above 10 MB"},
    {name: "dram_bytes_write", counter: "dram__bytes_write.sum", bar: "5 % above 10 MB"},
    {name: "dram_throughput", counter: "dram__throughput.avg.pct_of_peak_sustained_elapsed",
     weight: "gpu__time_duration.sum", bar: "2 points"},
    {name: "shared_wavefronts", counter: "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum", bar: "0.1 %"},
    {name: "time", counter: "gpu__time_duration.sum", bar: "3 % or 1 us"}
];
def within($bar):
    if $bar == "identical" then .[0] == .[1]
    elif $bar == "1 point" then apart <= 1
    elif $bar == "2 points" then apart <= 2
    elif $bar == "0.1 %" then share <= 0.001
    elif $bar == "5 % above 10 MB" then .[1] < 1e7 or share <= 0.05
    elif $bar == "3 % or 1 us" then apart <= 1000 or share <= 0.03
    else error("no rule for the bar \($bar)") end;

# [cugate's, ncu's] in words.
def difference: if .[0] == .[1] then "identical"
    elif .[1] == 0 then "\(.[0] | digits(3)) more"
    else "\((.[0] / .[1] - 1) * 100 | digits(3)) %" end;

# One line for a kernel {id, metrics, ncu: samples of launches} and a figure; nothing when cugate has no number.
def line($kernel; $figure):
    ($kernel.metrics[$figure.name].sessions // empty | .[0] | median) as $ours
    | ($kernel.ncu | map(if $figure.weight then weighed($figure.counter; $figure.weight)
                         else sum_of($figure.counter) end) | median) as $theirs
    | [$ours, $theirs]
    | ($kernel.id | padded(36)) + ($figure.name | padded(20)) + ($ours | digits(3) | left(16))
      + ($theirs | digits(3) | left(16)) + "  " + difference
      + (if within($figure.bar) then "" else "  bar: \($figure.bar)  OUT" end);

def cost($kernels): ($cugate_seconds | tonumber) as $ours | ($ncu_seconds | tonumber) as $theirs
    | "cost: cugate \($ours | digits(2)) s for \($kernels) kernels x 5 samples, "
      + "\($ours / $kernels / 5 * 1000 | digits(1)) ms a kernel sample; "
      + "ncu \($theirs | digits(2)) s for 1 sample of each, "
      + "\($theirs / $kernels * 1000 | digits(1)) ms a kernel sample; "
      + "ratio \($ours / 5 / $theirs | digits(4)), bar 0.2"
      + (if $ours / 5 / $theirs <= 0.2 then "" else "  OUT" end);

$rows[0][0] as $heads
| [$rows[0][2:][] | . as $row
   | reduce range($heads | length) as $i ({};
       if $heads[$i] | test("__") then .[$heads[$i]] = ($row[$i] | number) else . end)] as $launches
| (reduce ($order[0][] | . as $id | $run[0].kernels[$id] + {id: $id} | select(.launches // [] | length > 0)) as $kernel
      ({at: 0, kernels: []};
       ($kernel.launches | map(.times) | add) as $times
       | [range($ncu_samples) as $sample | .at + $sample * $times | $launches[. : . + $times]] as $samples
       | .kernels += [$kernel + {ncu: $samples}] | .at += $times * $ncu_samples)) as $matched
| if $matched.at != ($launches | length) then
      "cugate launched \($matched.at) kernels, ncu saw \($launches | length): they cannot be matched  OUT"
  else
      ("kernel" | padded(36)) + ("metric" | padded(20)) + ("cugate" | left(16)) + ("ncu" | left(16)) + "  difference",
      ($matched.kernels[] as $kernel | figures[] as $figure | line($kernel; $figure)),
      cost($matched.kernels | length)
  end
