# What exec.sh makes of the files of its parts, a function each: lines "ok - NAME", "not ok - NAME: why", and lines of
# tables, which are all others. What the input of a function is, is said where it stands. What is absent never reads as
# good: where nothing could be compared, that is "not ok".

# ---- Numbers and words -----------------------------------------------------------------------------------------------

def median: sort | if length == 0 then null elif length % 2 == 1 then .[length / 2 | floor]
    else (.[length / 2 - 1] + .[length / 2]) / 2 end;
def digits($n): if . == null then "-" elif isinfinite then "inf"
    else (if . < 0 then "-" else "" end) as $sign | . * pow(10; $n) | round | fabs | tostring
        | ("0" * ([0, $n + 1 - length] | max)) + .
        | $sign + .[:length - $n] + (if $n > 0 then "." + .[length - $n:] else "" end)
    end;
def percent: if . == null then "-" else "\(. * 100 | digits(2)) %" end;
def some($n): unique | (.[:$n] | join(", ")) + (if length > $n then " and \(length - $n) more" else "" end);

# A verdict: `complaints` is a list of words; empty means good.
def verdict($name; complaints): complaints as $all
    | if $all == [] then "ok - \($name)" else "not ok - \($name): \($all | some(5))" end;

# ---- Run files -------------------------------------------------------------------------------------------------------

def samples($metric): .metrics[$metric].sessions // [] | .[0] // [];
# Launches whose numbers a run has.
def measured: [.kernels[] | [.metrics | del(.launches, .processes)[] | .sessions // [] | .[0] // [] | length] | max // 0] | add // 0;

# Kernels with one launch: each stands for one function in one shape.
def groups: [.kernels | to_entries[] | .key as $id | .value | select((.launches // []) | length == 1)
    | . + {id: $id, function: .launches[0].function, grid: .launches[0].grid, block: .launches[0].block}];

# A function's name alone: no namespaces, no template arguments, no parameters, no result.
def base: gsub("\\(anonymous namespace\\)::|<unnamed>::"; "") | split("(")[0] | split("<")[0]
    | sub(" +$"; "") | split(" ") | last | split("::") | last;

# ---- truth -----------------------------------------------------------------------------------------------------------
# {name, run: of every launch, again: another run, ncu: [[cell, ...], ...] of its CSV, left_out: how many launches of
#  each group exec does not measure}

def dimensions: [scan("[0-9]+") | tonumber];
def count: gsub(","; "") | tonumber;
def ncu_groups: .[0] as $heads
    | (["Kernel Name", "Grid Size", "Block Size", "smsp__inst_executed.sum", "gpu__time_duration.sum"]
       | map(. as $head | $heads | index([$head]))) as $at
    | if any($at[]; . == null) then error("ncu's heads lack what is needed: \($heads)") else . end
    | reduce .[2:][] as $row ({order: [], of: {}};
        {function: $row[$at[0]], grid: ($row[$at[1]] | dimensions), block: ($row[$at[2]] | dimensions)} as $shape
        | ($shape | tojson) as $key
        | (if .of[$key] then . else .order += [$key] | .of[$key] = $shape + {instructions: [], time: []} end)
        | .of[$key].instructions += [$row[$at[3]] | count] | .of[$key].time += [$row[$at[4]] | count])
    | .of as $of | [.order[] | $of[.]];

# The groups of a run that may be that group of ncu's: by the whole name, else, where it is the only one of ncu's with
# this name and shape, by the name alone. ncu does not say by which shared memory or code two may differ.
def partners($ncu; $all): map(select(.grid == $ncu.grid and .block == $ncu.block)) as $shaped
    | ($ncu.function | base) as $base
    | ($shaped | map(select(.function == $ncu.function))) as $same
    | ($all | map(select(.grid == $ncu.grid and .block == $ncu.block and (.function | base) == $base))) as $rivals
    | if $same != [] then $same
      else ($shaped | map(select((.function | base) == $base))) | . + if . != [] then $rivals[1:] else [] end end;

def compared($ncu; $left_out; $again): .id as $id
    | samples("instructions") as $ours | samples("time") as $time
    | (if ($ours | length) == 1 and ($ncu.instructions | length) == 1 then 0 else $left_out end) as $skip
    | $ncu.instructions[$skip:] as $theirs | ([($theirs | length), ($ours | length)] | min) as $n
    | ($again.kernels[$id] // {} | samples("instructions")) as $other
    | ([($other | length), ($ours | length)] | min) as $both
    | {
        id: $id, launches: $n, absent: (($theirs | length) - $n),
        identical: ([range($n) | select($ours[.] == $theirs[.])] | length),
        apart: ([range($n) | if $theirs[.] == 0 then 0 else $ours[.] / $theirs[.] - 1 | fabs end] | max),
        repeats: ($both > 0 and $ours[:$both] == $other[:$both]),
        ncu_time: ($ncu.time[$skip:][:$n] | median),
        time: (if ($time | length) >= $n then $time[:$n] | median else null end)
      };

def is_off: .time == null or (.time / .ncu_time - 1 | fabs) > 0.03;
def truth: .name as $name | .left_out as $left_out | .again as $again | (.run | groups) as $ours
    | (.ncu | ncu_groups) as $theirs
    | [$theirs[] | . as $ncu | ($ours | partners($ncu; $theirs)) as $partners
       | if ($partners | length) == 1 then $partners[0] | compared($ncu; $left_out; $again)
         else {id: "\($ncu.function | base) \($ncu.grid) \($ncu.block)", launches: 0, ambiguous: ($partners != []),
               absent: (if $partners == [] then ($ncu.instructions | length) - $left_out else 0 end)} end] as $all
    | ($all | map(select(.launches > 0))) as $compared
    | ($compared | map(select(.ncu_time >= 10000))) as $long | ($long | map(select(.time))) as $timed
    | "\($name): ncu: \($theirs | map(.instructions | length) | add // 0) launches in \($theirs | length) groups,"
      + " of which \($all | map(select(.ambiguous)) | length) are not told apart;"
      + " compared: \($compared | map(.launches) | add // 0) launches in \($compared | length) groups",
      "  instructions identical: \($compared | map(.identical) | add // 0) launches,"
      + " \($compared | map(select(.identical == .launches)) | length) groups",
      "  time, \($long | length) groups of 10 us and more: exec / ncu: median"
      + " \($timed | map(.time / .ncu_time) | median | digits(4)), sums"
      + " \($timed | if . == [] then null else (map(.time) | add) / (map(.ncu_time) | add) end | digits(4))",
      ([$compared[] | select(.identical < .launches)][:10][]
       | "  differs: \(.id): \(.launches - .identical) of \(.launches), by \(.apart | percent) at most;"
         + " two runs of exec \(if .repeats then "agree" else "differ as well" end)"),
      ([$long[] | select(is_off)][:10][]
       | "  time: \(.id): \(.time | digits(0)) ns, ncu \(.ncu_time | digits(0)) ns"),
      verdict("truth: \($name): every launch that ncu saw was measured, but the first of each group";
              [$all[] | select(.absent > 0) | "\(.id): \(.absent) more by ncu"]
              + if $compared == [] then ["nothing could be compared"] else [] end),
      verdict("truth: \($name): instructions are ncu's, launch by launch, where the program repeats";
              [$compared[] | select(.repeats and .identical < .launches) | .id]
              + if $compared | any(.repeats) then [] else ["no group repeats"] end),
      verdict("truth: \($name): time within 3 % of ncu's from 10 us up";
              [$long[] | select(is_off) | .id] + if $long == [] then ["no kernel takes 10 us"] else [] end);

# ---- graph -----------------------------------------------------------------------------------------------------------
# A run in which a row of several kernels is a graph launch; the same kernels were launched by themselves too.

def graph: groups as $own
    | [.kernels | to_entries[] | select((.value.launches // []) | length > 1)] as $graphs
    | ($graphs[] | .key as $id | .value as $row | ($row | samples("instructions")) as $counted
       | [$row.launches[] | . as $launch
          | [$own[] | select(.function == $launch.function and .grid == $launch.grid and .block == $launch.block)]
          | if length != 1 then "not launched by itself: \($launch.function | base)"
            else .[0] | samples("instructions") | unique
                | if . == [] then "not measured by itself: \($launch.function | base)"
                  else {value: (median * $launch.times), repeats: (length == 1)} end
            end] as $parts
       | ($parts | map(objects | .value) | add) as $sum
       # Of a kernel that counts otherwise each time, as those of cuBLAS that wait for each other, the sum is near.
       | (if all($parts[] | objects; .repeats) then 0 else 0.001 * $sum end) as $margin
       | "graph launch \($id): \([$row.launches[].times] | add) kernels, \($counted | length) launches measured,"
         + " median \($row | samples("time") | median | digits(0)) ns",
         verdict("graph: \($id): its instructions are the sum of its kernels'";
                 ($parts | map(strings))
                 + if $counted == [] then ["not measured"]
                   elif any($counted[]; (. - $sum | fabs) > $margin)
                   then ["\($counted | unique), not \($sum) +- \($margin)"] else [] end),
         verdict("graph: \($id): instrumented counts are no numbers";
                 [$row.metrics | to_entries[] | select(.key | IN("branch_targets", "shared_wavefronts"))
                  | select(.value.sessions) | .key])),
      verdict("graph: a graph launch is a row of several kernels"; if $graphs == [] then ["there is none"] else [] end);

# ---- nvtx ------------------------------------------------------------------------------------------------------------
# {forward: a run of train.py by that range, optimizer: by that}

def functions: [.kernels[] | .launches[]?.function];
def lack($pattern): if any(.[]; test($pattern; "i")) then [] else ["\($pattern) is not among \(length) kernels"] end;
def nvtx: (.forward | functions) as $forward | (.optimizer | functions) as $optimizer
    | "kernels measured: forward \($forward | length), optimizer \($optimizer | length)",
      verdict("nvtx: in forward there is the layer norm and no kernel of the optimizer";
              ($forward | lack("layer_?norm")) + [$forward[] | select(test("multi_tensor|adam"; "i")) | base]),
      verdict("nvtx: in optimizer there is AdamW and no layer norm or softmax";
              ($optimizer | lack("adam")) + [$optimizer[] | select(test("layer_?norm|softmax"; "i")) | base]);

# ---- catalogue -------------------------------------------------------------------------------------------------------
# {harness: its run, exec: a run of a program that launches them, exact: names of metrics}

def shape: [.function, .grid, .block, .shared];
def is_same: .wanted == [.got];
def catalogue: .exact as $exact
    | [.exec.kernels[] | select((.launches // []) | length == 1) | {shape: (.launches[0] | shape), row: .}] as $seen
    | [.harness.kernels | to_entries[] | .key as $id | .value | select(.status == "ok" and (.launches // []) != [])
       | . as $kernel | $exact[] as $metric | ($kernel | samples($metric)) as $counted | select($counted != [])
       | [$kernel.launches[] | . as $launch
          | [$seen[] | select(.shape == ($launch | shape)) | .row | samples($metric) | unique]
          | if length != 1 or .[0] == [] then "nothing to compare"
            elif (.[0] | length) == 1 then .[0][0] * $launch.times
            else null end] as $parts
       | {id: $id, metric: $metric, wanted: ($counted | unique),
          got: (if any($parts[]; . == "nothing to compare") then "nothing to compare"
                elif any($parts[]; . == null) then null else $parts | add end)}] as $rows
    | "kernels \($rows | map(.id) | unique | length); exact rows \($rows | length), identical"
      + " \($rows | map(select(is_same)) | length): "
      + ($rows | group_by(.metric) | map("\(.[0].metric) \(map(select(is_same)) | length) of \(length)") | join(", ")),
      ([$rows[] | select(is_same | not)][:10][]
       | "  \(.id) \(.metric): harness \(.wanted | map(tostring) | join("/")), exec \(.got // "several, one shape with other arguments")"),
      verdict("catalogue: exec counts what the harness counts";
              # Launches of one shape with other arguments are one row of exec's, and no row of the harness's.
              [$rows[] | select(.got != null and (is_same | not)) | "\(.id) \(.metric)"]
              # One of each set.
              + (["instructions", "branch_targets", "global_load_sectors"] - ($rows | map(.metric)) | map("no \(.)")));
