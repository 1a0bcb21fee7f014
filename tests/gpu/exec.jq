# What exec.sh makes of the files of its parts, a function each: lines "ok - NAME", "not ok - NAME: why", and lines of
# tables, which are all others. What the input of a function is, is said where it stands. What is absent never reads as
# good: where nothing could be compared, that is "not ok".

# ---- Numbers and words -----------------------------------------------------------------------------------------------

def median: sort | if length == 0 then null elif length % 2 == 1 then .[length / 2 | floor]
    else (.[length / 2 - 1] + .[length / 2]) / 2 end;
def quantile($share): sort | if length == 0 then null else .[((length - 1) * $share) | round] end;
# (largest - smallest) / median; 0 where all are 0.
def spread: if max == min then 0 elif median == 0 then infinite else (max - min) / median end;
def digits($n): if . == null then "-" elif isinfinite then "inf"
    else (if . < 0 then "-" else "" end) as $sign | . * pow(10; $n) | round | fabs | tostring
        | ("0" * ([0, $n + 1 - length] | max)) + .
        | $sign + .[:length - $n] + (if $n > 0 then "." + .[length - $n:] else "" end)
    end;
def percent: if . == null then "-" else "\(. * 100 | digits(2)) %" end;
def padded($width): tostring | . + (" " * ([1, $width - length] | max));
def left($width): tostring | (" " * ([1, $width - length] | max)) + .;
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

# ---- overhead --------------------------------------------------------------------------------------------------------
# {programs: [{program, alone: [s], total: s, sets: {hw: s, sass: s, l1: s}, every: {s, launches}, one: {s, launches},
#              ncu: [{s, launches}, {s, launches}]}]}

def overhead_figures:
    (.alone | median) as $alone | (.alone | max - min) as $noise
    | (.every.launches - .one.launches) as $more | (.ncu[1].launches - .ncu[0].launches) as $ncu_more
    # Seconds for each more launch: what a start costs is not in them.
    | (if $more > 0 then (.every.s - .one.s) / $more else null end) as $exec
    | (if $ncu_more > 0 then (.ncu[1].s - .ncu[0].s) / $ncu_more else null end) as $ncu
    | {
        program, alone: $alone, noise: $noise, sets: (.sets | map_values(. - $alone)), total: (.total - $alone),
        launches: .every.launches, exec: $exec, ncu: $ncu,
        exec_whole: ((.every.s - $alone) / .every.launches),
        ncu_whole: ((.ncu[1].s - $alone) / .ncu[1].launches),
        # Launches may cost less than the program varies by itself; then that is what can be said.
        ratio: (if $exec == null or $ncu == null then null else $ncu / ([$exec, $noise / $more, 1e-6] | max) end)
      };

def milliseconds($n): if . == null then null else . * 1000 end | digits($n) | left(8);
def overhead_line:
    (.program | padded(12)) + (.alone | digits(2) | left(7)) + (.noise | digits(2) | left(6))
    + ([.sets.hw, .sets.sass, .sets.l1, .total] | map(digits(2) | left(7)) | add) + (.launches | left(9))
    + (.exec | milliseconds(2)) + (.exec_whole | milliseconds(2))
    + (.ncu | milliseconds(1)) + (.ncu_whole | milliseconds(1))
    + (.ratio | digits(0) | left(7)) + (.ncu_whole / .exec_whole | digits(0) | left(7));

def overhead:
    "seconds: alone (median of 3, and their range); added by each set of metrics, by all three",
    "ms a launch, every launch measured: each more launch, and with the start in it; ncu by the same metrics",
    ("program     " + ("alone" | left(7)) + ("+-" | left(6)) + (["hw", "sass", "l1", "all 3"] | map(left(7)) | add)
     + ("launches" | left(9)) + (["exec", "whole", "ncu", "whole"] | map(left(8)) | add)
     + (["ratio", "whole"] | map(left(7)) | add)),
    (.programs[] | .program as $name
     | try (overhead_figures
            | overhead_line,
              verdict("overhead: \($name): at most 2 ms a launch";
                      if .exec == null then ["no two numbers of launches to compare"]
                      elif .exec > 0.002 then ["\(.exec * 1000 | digits(2)) ms"] else [] end),
              verdict("overhead: \($name): at least 20 times less than ncu";
                      if .ratio == null then ["no two numbers of launches to compare"]
                      elif .ratio < 20 then ["\(.ratio | digits(1)) times"] else [] end))
       catch "not ok - overhead: \($name): \(.)");

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

# ---- aa --------------------------------------------------------------------------------------------------------------
# {name, runs: sessions of one program, exact: names of metrics}

def aa: .name as $name | .runs as $runs | .exact as $exact
    | ($runs | map(.kernels | keys[]) | group_by(.) | map({id: .[0], n: length})) as $ids
    | ($ids | map(select(.n == ($runs | length)) | .id)) as $common
    | [$common[] as $id | $exact[] as $metric | [$runs[].kernels[$id] | samples($metric)] | select(all(. != []))
       | {id: $id, metric: $metric, repeats: (unique | length == 1), medians: (map(median) | unique | length == 1),
          spread: (map(median) | spread)}] as $rows
    | [$common[] as $id | [$runs[].kernels[$id] | samples("time")] | select(all(. != [])) | map(median)
       | {id: $id, time: median, spread: spread}] as $times
    | ($times | map(select(.time >= 10000).spread)) as $long | ($times | map(select(.time < 10000).spread)) as $short
    | "\($name): sessions \($runs | length), GPUs \($runs | map(.sessions[0].gpu_uuid) | unique | length);"
      + " kernels in all of them \($common | length), in any \($ids | length)",
      "  exact rows \($rows | length); the same in all sessions, launch by launch"
      + " \($rows | map(select(.repeats)) | length), their medians \($rows | map(select(.medians)) | length)",
      ($rows | map(select(.repeats | not)) | group_by(.id) | .[:15][]
       | "  does not repeat: \(.[0].id): \(map("\(.metric) \(.spread | percent)") | join(", "))"),
      "  time, largest - smallest session over the median: \($long | length) kernels from 10 us up: median"
      + " \($long | median | percent), 90 % \($long | quantile(0.9) | percent), worst \($long | max | percent);"
      + " \($short | length) shorter: median \($short | median | percent), worst \($short | max | percent)",
      verdict("aa: \($name): every session has the same kernels";
              [$ids[] | select(.n < ($runs | length)) | "\(.id) is in \(.n)"]
              + if $common == [] then ["no kernel is in all"] else [] end),
      verdict("aa: \($name): exact rows were compared"; if $rows == [] then ["there is none"] else [] end);

# ---- A check's report ------------------------------------------------------------------------------------------------

def not_same:
    (.judgements[]
     | select(.verdict | IN("regressed", "unsure", "missing", "unexpected-pass", "new", "improved"))
     | "\(.kernel) \(.metric // "") \(.verdict)"),
    (.failures[] | "\(.kernel) \(.status)");
def decided: "\(.verdict) (exit \(.exit_code)): "
    + ([.counts | to_entries[] | select(.key | IN("kernels", "info") | not) | select(.value > 0)
        | "\(.value) \(.key)"] | join(", "))
    + (if .failures != [] then ", \(.failures | length) failures" else "" end);

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
# {harness: its run, exec: a run of programs/catalogue.c, exact: names of metrics}

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
