# Made-up figures for the functions of exec.jq, `exec.sh --self-test`: "ok - NAME" or "not ok - NAME: why". Each
# judgement is tried with figures that are good, and with each thing wrong that it is there for.
include "exec";

# `lines` is what a function makes of its input; one of them begins with each of `says`.
def case($name; lines; $says): (try [lines] catch ["error: \(.)"]) as $lines
    | [$says[] | select(. as $words | $lines | any(startswith($words)) | not) | "nothing begins with: \(.)"]
    | . as $missed | verdict($name; if $missed == [] then [] else $missed + $lines end);

def values: map_values(if type == "array" then {sessions: [.]} else {state: .} end);
def launch_of($function; $grid; $times):
    {function: $function, grid: [$grid, 1, 1], block: [256, 1, 1], shared: 0, times: $times};
def kernel($function; $grid; $metrics):
    {status: "ok", launches: [launch_of($function; $grid; 1)], metrics: ($metrics | values)};
def run($kernels): {sessions: [{gpu_uuid: "GPU-1"}], kernels: $kernels};

# ---- overhead --------------------------------------------------------------------------------------------------------

def program: {
    program: "p", alone: [1.0, 1.1, 0.9], total: 4.0, sets: {hw: 1.5, sass: 1.6, l1: 1.4},
    every: {s: 2.5, launches: 1000}, one: {s: 1.5, launches: 10}, ncu: [{s: 4, launches: 10}, {s: 9, launches: 50}]};
def of_program(change): {programs: [program | change]} | overhead;
def overhead_cases:
    case("overhead: 1 ms a launch where ncu takes 125"; of_program(.);
         ["ok - overhead: p: at most 2 ms", "ok - overhead: p: at least 20 times",
          "p              1.00  0.20   0.50   0.60   0.40   3.00     1000    1.01    1.50   125.0   160.0    124    107"]),
    case("overhead: 3 ms a launch"; of_program(.every.s = 4.5);
         ["not ok - overhead: p: at most 2 ms a launch: 3.03 ms", "ok - overhead: p: at least 20"]),
    case("overhead: ncu takes 10 ms"; of_program(.ncu[1].s = 4.4);
         ["not ok - overhead: p: at least 20 times less than ncu: 9.9 times"]),
    # 0.2 s of noise over 990 launches are 0.2 ms: no more than 125 / 0.2 can be said.
    case("overhead: less than the noise"; of_program(.every.s = 1.45);
         ["p              1.00  0.20   0.50   0.60   0.40   3.00     1000   -0.05    0.45   125.0   160.0    619    356"]),
    case("overhead: one number of launches alone"; of_program(.one.launches = 1000);
         ["not ok - overhead: p: at most 2 ms", "not ok - overhead: p: at least 20"]),
    case("overhead: nothing measured"; of_program(.every = null); ["not ok - overhead: p: "]);

# ---- truth: a has 3 launches by exec, the first of 4 left out; ncu writes other template arguments in b's name -------

def heads: ["ID", "Kernel Name", "Block Size", "Grid Size", "smsp__inst_executed.sum", "gpu__time_duration.sum"];
def row($function; $grid; $instructions; $time):
    ["0", $function, "(256, 1, 1)", "(\($grid), 1, 1)", ($instructions | tostring), ($time | tostring)];
def a: "void a<int>(int*)";
def truth_input: {
    name: "p", left_out: 1,
    run: run({"p/a": kernel(a; 8; {instructions: [5, 6, 7], time: [20000, 20200, 20100]}),
              "p/b": kernel("n::b<3>(float)"; 4; {instructions: [9], time: [2000]})}),
    again: run({"p/a": kernel(a; 8; {instructions: [5, 6], time: [1, 1]}),
                "p/b": kernel("n::b<3>(float)"; 4; {instructions: [9], time: [1]})}),
    ncu: [heads, ["", "", "", "", "inst", "ns"],
          row(a; 8; 4; 30000), row("n::b<(int)3>(float)"; 4; 9; 2900), row(a; 8; 5; 20000), row(a; 8; 6; 20000),
          row(a; 8; 7; 20000), row("n::b<(int)3>(float)"; 4; 9; 2900)]};
def of_truth(change): truth_input | change | truth;
def truth_cases:
    case("truth: all identical"; of_truth(.);
         ["p: ncu: 6 launches in 2 groups, of which 0 are not told apart; compared: 4 launches in 2 groups",
          "  instructions identical: 4 launches, 2 groups",
          "  time, 1 groups of 10 us and more: exec / ncu: median 1.0050, sums 1.0050",
          "ok - truth: p: every launch", "ok - truth: p: instructions", "ok - truth: p: time"]),
    case("truth: one instruction more"; of_truth(.run.kernels["p/a"].metrics.instructions.sessions[0][2] = 8);
         ["not ok - truth: p: instructions are ncu's, launch by launch, where the program repeats: p/a",
          "  differs: p/a: 1 of 3"]),
    case("truth: one more where the program itself does not repeat";
         of_truth(.run.kernels["p/a"].metrics.instructions.sessions[0][1] = 8);
         ["ok - truth: p: instructions", "  differs: p/a: 1 of 3, by 33.33 % at most; two runs of exec differ"]),
    case("truth: nothing repeats"; of_truth(.again.kernels = {});
         ["not ok - truth: p: instructions are ncu's, launch by launch, where the program repeats: no group repeats"]),
    case("truth: 5 % slower"; of_truth(.run.kernels["p/a"].metrics.time.sessions[0] = [21000, 21000, 21000]);
         ["not ok - truth: p: time within 3 % of ncu's from 10 us up: p/a", "  time: p/a: 21000 ns, ncu 20000 ns"]),
    case("truth: no time"; of_truth(.run.kernels["p/a"].metrics.time = {state: "not counted"});
         ["not ok - truth: p: time within 3 % of ncu's from 10 us up: p/a"]),
    case("truth: a kernel is absent"; of_truth(del(.run.kernels["p/b"]));
         ["not ok - truth: p: every launch that ncu saw was measured, but the first of each group: b [4,1,1]"]),
    case("truth: a launch is absent"; of_truth(del(.run.kernels["p/a"].metrics[].sessions[0][2]));
         ["not ok - truth: p: every launch that ncu saw was measured, but the first of each group: p/a: 1"]),
    case("truth: two kernels of one name and shape are not guessed";
         of_truth(.run.kernels["p/c"] = kernel("n::b<4>(float)"; 4; {instructions: [9], time: [2000]}));
         ["p: ncu: 6 launches in 2 groups, of which 1 are not told apart; compared: 3 launches in 1 groups",
          "ok - truth: p: every launch"]),
    case("truth: nothing to compare"; of_truth(.run.kernels = {});
         ["not ok - truth: p: every launch", "not ok - truth: p: instructions", "not ok - truth: p: time"]),
    case("truth: ncu's table is another"; of_truth(.ncu[0][1] = "Name"); ["error: ncu's heads lack"]);

# ---- aa --------------------------------------------------------------------------------------------------------------

def session($instructions; $time): run({
    "p/a": kernel("a"; 8; {instructions: $instructions, branch_targets: [1, 1], time: [$time]}),
    "p/b": kernel("b"; 8; {instructions: [3], branch_targets: "not counted", time: [2000]})});
def of_aa(change):
    {name: "p", exact: ["instructions", "branch_targets"], runs: [session([5, 6]; 20000), session([5, 6]; 20400)]}
    | change | aa;
def aa_cases:
    case("aa: all repeats"; of_aa(.);
         ["p: sessions 2, GPUs 1; kernels in all of them 2, in any 2",
          "  exact rows 3; the same in all sessions, launch by launch 3, their medians 3",
          "  time, largest - smallest session over the median: 1 kernels from 10 us up: median 1.98 %",
          "ok - aa: p: every session", "ok - aa: p: exact rows"]),
    case("aa: one count more"; of_aa(.runs[1] = session([5, 7]; 20000));
         ["  exact rows 3; the same in all sessions, launch by launch 2, their medians 2",
          "  does not repeat: p/a: instructions 8.70 %"]),
    case("aa: in another order"; of_aa(.runs[1] = session([6, 5]; 20000));
         ["  exact rows 3; the same in all sessions, launch by launch 2, their medians 3"]),
    case("aa: another GPU"; of_aa(.runs[1].sessions[0].gpu_uuid = "GPU-2"); ["p: sessions 2, GPUs 2"]),
    case("aa: a kernel less"; of_aa(del(.runs[1].kernels["p/b"]));
         ["not ok - aa: p: every session has the same kernels: p/b is in 1"]),
    case("aa: no kernels"; of_aa(.runs[].kernels = {});
         ["not ok - aa: p: every session", "not ok - aa: p: exact rows were compared: there is none"]);

# ---- A check's report ------------------------------------------------------------------------------------------------

def report: {verdict: "regressed", exit_code: 1, counts: {kernels: 2, regressed: 1, same: 3, info: 4, new: 0},
             failures: [{kernel: "p/c", status: "missing"}],
             judgements: [{kernel: "p/a", metric: "instructions", verdict: "regressed"},
                          {kernel: "p/b", metric: "time", verdict: "same"}]};
def report_cases:
    case("report: what it decided"; report | decided; ["regressed (exit 1): 1 regressed, 3 same, 1 failures"]),
    case("report: what is not the same"; report | not_same; ["p/a instructions regressed", "p/c missing"]),
    case("report: and nothing else"; report | "\([not_same] | length)"; ["2"]);

# ---- graph: launches a, and b twice ----------------------------------------------------------------------------------

def of_graph(change): run({
    "p/a": kernel("a"; 8; {instructions: [5, 5]}), "p/b": kernel("b"; 8; {instructions: [7, 7]}),
    "p/graph": (kernel("a"; 8; {instructions: [19, 19], time: [41000, 43000], branch_targets: "not counted"})
                | .launches += [launch_of("b"; 8; 2)])}) | change | graph;
def graph_cases:
    case("graph: the sum of its kernels"; of_graph(.);
         ["graph launch p/graph: 3 kernels, 2 launches measured, median 42000 ns",
          "ok - graph: p/graph: its instructions", "ok - graph: p/graph: instrumented", "ok - graph: a graph launch"]),
    case("graph: one instruction less"; of_graph(.kernels["p/graph"].metrics.instructions.sessions[0][1] = 18);
         ["not ok - graph: p/graph: its instructions are the sum of its kernels': [18,19], not 19"]),
    case("graph: not measured"; of_graph(.kernels["p/graph"].metrics.instructions = {state: "not counted"});
         ["not ok - graph: p/graph: its instructions are the sum of its kernels': not measured"]),
    case("graph: a kernel unknown by itself"; of_graph(del(.kernels["p/b"]));
         ["not ok - graph: p/graph: its instructions are the sum of its kernels': [19], not 5 +- 0, not launched"]),
    case("graph: a kernel that does not repeat"; of_graph(.kernels["p/b"].metrics.instructions.sessions[0] = [7, 9]);
         ["not ok - graph: p/graph: its instructions are the sum of its kernels': [19], not 21 +- 0.021"]),
    case("graph: instrumented zeros"; of_graph(.kernels["p/graph"].metrics.branch_targets = {sessions: [[0, 0]]});
         ["not ok - graph: p/graph: instrumented counts are no numbers: branch_targets"]),
    case("graph: no graph"; of_graph(del(.kernels["p/graph"]));
         ["not ok - graph: a graph launch is a row of several kernels: there is none"]);

# ---- nvtx ------------------------------------------------------------------------------------------------------------

def of_nvtx(change):
    {forward: run({"p/a": kernel("vectorized_layer_norm_kernel"; 8; {time: [1]})}),
     optimizer: run({"p/b": kernel("multi_tensor_apply_kernel<FusedAdam>"; 8; {time: [1]})})} | change | nvtx;
def nvtx_cases:
    case("nvtx: each its own"; of_nvtx(.); ["ok - nvtx: in forward", "ok - nvtx: in optimizer"]),
    case("nvtx: everything in both"; of_nvtx((.forward.kernels + .optimizer.kernels) as $all | .[].kernels = $all);
         ["not ok - nvtx: in forward there is the layer norm and no kernel of the optimizer: multi_tensor_apply_kernel",
          "not ok - nvtx: in optimizer there is AdamW and no layer norm or softmax: vectorized_layer_norm_kernel"]),
    case("nvtx: nothing in both"; of_nvtx(.[].kernels = {});
         ["not ok - nvtx: in forward", "not ok - nvtx: in optimizer"]);

# ---- catalogue: x/two launches two, and one twice --------------------------------------------------------------------

def of_catalogue(change):
    {instructions: [5, 5], branch_targets: [2, 2], global_load_sectors: [4, 4]} as $one
    | {exact: ["instructions", "branch_targets", "global_load_sectors"],
       harness: run({"x/one": kernel("one"; 8; $one),
                     "x/two": (kernel("two"; 8; {instructions: [17, 17]}) | .launches += [launch_of("one"; 8; 2)])}),
       exec: run({"catalogue/one": kernel("one"; 8; $one),
                  "catalogue/two": kernel("two"; 8; {instructions: [7, 7]})})} | change | catalogue;
def catalogue_cases:
    case("catalogue: identical"; of_catalogue(.);
         ["kernels 2; exact rows 4, identical 4: branch_targets 1 of 1, ", "ok - catalogue: "]),
    case("catalogue: one more"; of_catalogue(.exec.kernels["catalogue/two"].metrics.instructions.sessions[0] = [8, 8]);
         ["not ok - catalogue: exec counts what the harness counts: x/two instructions",
          "  x/two instructions: harness 17, exec 18"]),
    case("catalogue: launches that differ";
         of_catalogue(.exec.kernels["catalogue/one"].metrics.instructions.sessions[0] = [5, 6]);
         ["  x/one instructions: harness 5, exec several, one shape with other arguments"]),
    case("catalogue: not seen"; of_catalogue(del(.exec.kernels["catalogue/two"]));
         ["  x/two instructions: harness 17, exec nothing to compare", "not ok - catalogue: "]),
    case("catalogue: a set is absent"; of_catalogue(del(.harness.kernels["x/one"].metrics.global_load_sectors));
         ["not ok - catalogue: exec counts what the harness counts: no global_load_sectors"]);

overhead_cases, truth_cases, aa_cases, report_cases, graph_cases, nvtx_cases, catalogue_cases
