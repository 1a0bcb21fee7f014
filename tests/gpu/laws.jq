# What must hold between the numbers of one run of the catalogue. What holds for any kernel is a law of its metric, in
# metrics/*.ini, and cugate itself asks for it in every run; here is what is only known of these kernels: jq -r -f laws.jq --arg part laws ... RUN.json
#
#   --arg part calibration|laws|lines   which table to judge
#   --argjson exact '["instructions"]'   names of the metrics of class exact
#   --argjson self_test true             prove too that every law can fail: each of its kernels is doctored so that the
#                                        law is broken, and the law must notice
#
# Prints a line a law, "ok - ..." or "not ok - ...: why". A law that found no kernel to hold for is not ok, and neither
# is one whose metric was not measured.

def product: reduce .[] as $factor (1; . * $factor);
def middle: sort | (.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2;

# ---- What a kernel says. A kernel is its entry in the run file with .id, its name, and .peak, see below. -------------

def state($metric): .metrics[$metric] | if . == null then "absent" else .state // "measured" end;
def v($metric):
  if .status != "ok" then error("\(.id // $metric) was not measured: \(.status)")
  elif state($metric) != "measured" then error("\($metric) is \(state($metric))")
  else .metrics[$metric].sessions[0] | middle end;

def transfer: .status == "ok" and .launches == [];
def kernel: .status == "ok" and .launches != [];
def only($ids): .id as $id | $ids | index($id) != null;
def listed($table): .id as $id | $table | has($id);

def warps: [.launches[] | .times * (.grid | product) * (.block | product / 32 | ceil)] | add;
def sectors_per_request($which): v("global_\($which)_sectors") / v("global_\($which)_requests");
def dram_bytes: v("dram_bytes_read") + v("dram_bytes_write");

def is_foreign: .id | test("/cublas($|\\[)");

# Asynchronous copies to shared memory are no load instructions to global_load_requests, but their sectors are counted.
def copies_asynchronously: is_foreign or (.id | . == "dgemm/tiled" or test("^sgemm/warp_tile"));

# Bytes per second at 100 % of DRAM throughput, from what the kernels of this run moved in their time.
def peak: [.kernels[] | try (select(v("dram_throughput") >= 20) | dram_bytes / v("time") / v("dram_throughput") * 100e9)
           catch empty] | if length > 0 then middle else null end;

# ---- Known kernels: what follows from their source -------------------------------------------------------------------

# Sectors of 32 bytes that a warp's request touches: [load, store].
def known_sectors: {
  "access/coalesced": [4, 4],            # 32 lanes x 4 bytes
  "access/half_warp_idle": [2, 2],       # 16 lanes
  "access/permuted": [4, 4],
  "access/misaligned": [5, 4],
  "access/stride2": [8, 4],
  "access/stride8": [32, 4],             # a sector a lane
  "access/stride32": [32, 4],
  "access/float3": [12, 12],             # each third of 12 bytes x 32 lanes lies in the same 12 sectors
  "access/float3_staged": [4, 4],
  "access/float4": [16, 16],
  "elementwise/column_blocks": [32, 32],
  "elementwise/row_blocks": [4, 4],
  "elementwise/split_branches": [8, 8],
  "elementwise/vector2": [8, 8],
  "transpose/naive": [4, 32],
  "transpose/tiled": [4, 4],
  "transpose/padded": [4, 4]
};

# DRAM bytes read, in copies of the 1 GiB input. Strided sectors are fetched anew for each of their elements.
def known_reads: {
  "access/coalesced": 1, "access/half_warp_idle": 1, "access/permuted": 1, "access/misaligned": 1,
  "access/float3": 1, "access/float3_staged": 1, "access/float4": 1, "access/stride2": 2, "access/stride8": 8
};

# Wavefronts that a warp's shared-memory accesses take. A conflict-free access of 4 bytes a lane takes 1; one of 16
# bytes is served a half-warp at a time, 128 bytes of different words a wavefront.
def known_wavefronts: {
  "shared_bank/stride1": (4 + 1024),     # 4 stores, 1024 loads
  "shared_bank/permuted": (4 + 1024),
  "shared_bank/broadcast": (4 + 1024),
  "shared_bank/padded": (4 + 1024),
  "shared_bank/stride2": (4 + 1024 * 2),
  "shared_bank/stride8": (4 + 1024 * 8),
  "shared_bank/stride32": (4 + 1024 * 32),
  "transpose/tiled": (4 + 4 * 32),       # 4 stores of rows, 4 loads of columns
  "transpose/padded": (4 + 4),
  # 256 tiles of 8 steps. Stores: A 4 words or one float4, B one float4. Loads a step: B two float4, 4 wavefronts each;
  # A 8 words with two-way conflicts, or two float4 of one address a half-warp, 2 wavefronts each.
  "sgemm/register_tile": (256 * (4 + 4 + 8 * (2 * 4 + 8 * 2))),
  "sgemm/register_tile_transposed": (256 * (4 + 4 + 8 * (2 * 4 + 2 * 2))),
  "sgemm/double_buffered": (256 * (4 + 4 + 8 * (2 * 4 + 2 * 2))),
  # Half the threads store twice as much each. Loads a step: A two float4, B four, 2 wavefronts each.
  "sgemm/snake_order": (256 * (2 * (4 + 4) + 8 * (2 * 2 + 4 * 2)))
};

def excess_wavefronts: (known_wavefronts[.id] - known_wavefronts["shared_bank/stride1"]) * warps;

# The same, of kernels that skip some of their accesses or whose values a compiler may keep in registers: at most.
# A block of 8 warps: each of them stores; a halving among n warps is 3 n; 1 warp folds the last 64 by 1 + 6 x 2.
def most_wavefronts: {
  "access/float3_staged": 12,            # 3 stores, 3 loads at distance 3, 3 stores, 3 loads
  "reduce/sequential": ((8 + 3 * (4 + 2 + 6 * 1) + 1) / 8),
  "reduce/first_add": ((8 + 3 * (4 + 2 + 6 * 1) + 1) / 8),
  "reduce/unroll_last_warp": ((8 + 3 * (4 + 2) + 1 + 6 * 2) / 8),
  "reduce/unroll_full": ((8 + 3 * (4 + 2) + 1 + 6 * 2) / 8),
  "reduce/grid_stride": ((8 + 3 * (4 + 2) + 1 + 6 * 2) / 8),
  "reduce/grid_stride_ilp4": ((8 + 3 * (4 + 2) + 1 + 6 * 2) / 8)
};

# ---- How a law is judged ---------------------------------------------------------------------------------------------

# For each kernel that `holds_for`: least <= value <= most. The last argument doctors the kernel so that this is broken.
def law($name; holds_for; value; least; most; doctored):
  def judged:
    try ({value: value, least: least, most: most} | .holds = (.least <= .value and .value <= .most))
    catch {holds: false, error: .};
  # A kernel that cannot even be asked is judged too, so that the law says what is missing.
  if (try holds_for catch true) then
    {law: $name, id: (.id // "the run")} + judged
    + (if $self_test then {noticed: (doctored | judged | .holds | not)} else {} end)
  else
    {law: $name}
  end;

def is($name; holds_for; value; expected; doctored): law($name; holds_for; value; expected; expected; doctored);
def near($name; holds_for; value; expected; $tolerance; doctored):
  law($name; holds_for; value; expected * (1 - $tolerance); expected * (1 + $tolerance); doctored);

# Doctoring: a metric becomes samples, one sample or a state, or is multiplied.
def set($metric; $to):
  .metrics[$metric] = if ($to | type) == "string" then {state: $to} else {sessions: [[$to] | flatten]} end;
def times($metric; $factor): set($metric; v($metric) * $factor);

# ---- The tables. To add a law: a row -------------------------------------------------------------------------------

def calibration:
  near("access/coalesced reads its own bytes"; only(["access/coalesced"]);
       v("dram_bytes_read"); .bytes / 2; 0.03; times("dram_bytes_read"; 1.04)),
  near("access/coalesced writes its own bytes"; only(["access/coalesced"]);
       v("dram_bytes_write"); .bytes / 2; 0.03; times("dram_bytes_write"; 0.95));

def laws:
  # Every number is there
  is("every kernel was verified and measured"; .status != "not built"; .status; "ok"; .status = "hung"),
  # The machine code of cuBLAS is not in the library.
  is("no counter of a kernel is missing"; kernel;
     is_foreign as $foreign
     | [.metrics | to_entries[] | select(.value.state // "measured" | IN("measured", "not applicable") | not)
        | select(($foreign and .value.state == "not supported") | not) | .key];
     []; set("time"; "not counted")),
  is("counters are not applicable to a transfer"; transfer;
     [.metrics | del(.wall_time, .bandwidth)[] | .state // "measured"] | unique; ["not applicable"]; set("time"; 1)),
  law("a transfer has a wall time"; transfer; v("wall_time"); 1; infinite; set("wall_time"; "not applicable")),
  is("samples of exact metrics are equal, cuBLAS aside"; kernel and (is_foreign | not);
     [.metrics | to_entries[] | select(.key | IN($exact[])) | select(.value.sessions[0] // [] | unique | length > 1)
      | .key]; []; set($exact[0]; [1, 1, 2])),

  # Time and clocks
  near("time x SM clock is SM cycles"; kernel; v("time") * v("sm_clock") / 1e9; v("sm_cycles"); 0.03;
       times("sm_clock"; 1.05)),
  near("bandwidth x time is the bytes of the problem"; kernel; v("bandwidth") * v("time") / 1e9; .bytes; 0.001;
       times("bandwidth"; 2)),
  is("FLOP rate is not applicable exactly where no FLOPs are stated"; .status == "ok";
     state("flop_rate") == "not applicable"; .flops == 0; .flops = 1 - ([.flops, 1] | min)),
  near("FLOP rate x time is the FLOPs of the problem"; kernel and .flops > 0; v("flop_rate") * v("time") / 1e9; .flops;
       0.001; times("flop_rate"; 2)),

  # Branches
  is("branch efficiency is not applicable exactly where there is no branch"; kernel;
     state("branch_efficiency") == "not applicable"; v("branch_targets") == 0;
     if v("branch_targets") == 0 then set("branch_efficiency"; 0) else set("branch_targets"; 0) end),

  # DRAM and caches
  law("DRAM bytes over time are DRAM throughput, within 3 points"; kernel;
      dram_bytes / v("time") * 100e9 / .peak - v("dram_throughput"); -3; 3;
      set("dram_throughput"; v("dram_throughput") + 4)),
  law("a load request touches 1 to 32 sectors";
      kernel and v("global_load_requests") > 0 and (copies_asynchronously | not); sectors_per_request("load"); 1;
      32; set("global_load_sectors"; v("global_load_requests") * 33)),
  law("a store request touches 1 to 32 sectors"; kernel and v("global_store_requests") > 0;
      sectors_per_request("store"); 1; 32; set("global_store_sectors"; v("global_store_requests") / 2)),
  law("no requests, no sectors"; kernel and v("global_load_requests") == 0; v("global_load_sectors"); 0; 0;
      set("global_load_sectors"; 1)),

  # Known kernels
  near("sectors a load request follow from the source"; listed(known_sectors); sectors_per_request("load");
       known_sectors[.id][0]; 0.0001; times("global_load_sectors"; 1.01)),
  near("sectors a store request follow from the source"; listed(known_sectors); sectors_per_request("store");
       known_sectors[.id][1]; 0.0001; times("global_store_sectors"; 1.01)),
  near("DRAM bytes read follow from the source"; listed(known_reads); v("dram_bytes_read");
       known_reads[.id] * .bytes / 2; 0.03; times("dram_bytes_read"; 1.04)),
  is("shared wavefronts follow from the source"; listed(known_wavefronts); v("shared_wavefronts");
     known_wavefronts[.id] * warps; times("shared_wavefronts"; 2)),
  law("kernels without bank conflicts take no more shared wavefronts than accesses"; listed(most_wavefronts);
      v("shared_wavefronts") / warps; most_wavefronts[.id] / 2; most_wavefronts[.id]; times("shared_wavefronts"; 2)),
  # The hardware's own counter may see arbitration too, but here that is nothing beside the reads.
  law("bank conflicts of shared_bank are its excess wavefronts"; .id | startswith("shared_bank/");
      v("shared_bank_conflicts"); 0.99 * excess_wavefronts; 1.01 * excess_wavefronts + 0.01 * v("shared_wavefronts");
      set("shared_bank_conflicts"; v("shared_wavefronts") * 1.1));

# Counts by source line, from instrumented code, beside the counters of the hardware.
def counted: kernel and ((.lines.counted // []) | index("instructions") != null);
def sum($counter): [.lines.list[].counts[$counter] // 0] | add;
def more($counter): (first(.lines.list[] | select(.counts[$counter])) | .counts[$counter]) += 1;

def lines:
  is("instructions by line add up to the counter"; counted; sum("instructions"); v("instructions");
     more("instructions")),
  is("divergent branches by line add up to the counter"; counted and v("branch_targets_divergent") > 0;
     sum("divergent_branches"); v("branch_targets_divergent"); more("divergent_branches")),
  # cuBLAS' own wavefronts differ by a few from launch to launch.
  is("shared wavefronts by line add up to the counter"; counted and v("shared_wavefronts") > 0 and
     (is_foreign | not); sum("shared_wavefronts"); v("shared_wavefronts"); more("shared_wavefronts")),
  is("store sectors by line add up to the counter"; counted and v("global_store_sectors") > 0; sum("store_sectors");
     v("global_store_sectors"); more("store_sectors")),
  # By line, sectors of atomics are those of loads.
  law("load sectors by line add up to the counter, and atomics"; counted and v("global_load_sectors") > 0 and
      (copies_asynchronously | not); sum("load_sectors") - v("global_load_sectors"); 0; warps / 8 + 1;
      times("global_load_sectors"; 0.5)),
  is("excess wavefronts are those beyond the ideal"; counted; v("excess_wavefronts");
     sum("shared_wavefronts") - sum("shared_ideal"); set("excess_wavefronts"; v("excess_wavefronts") + 1)),
  law("every sampled kernel has samples of stalls"; kernel and ((.lines.period // 0) > 0);
      [.lines.list[].stalls[]] | add // 0; 100; infinite; .lines.list[].stalls = {}),
  law("most samples lie on lines that were executed"; counted and ((.lines.period // 0) > 0);
      ([.lines.list[] | select(.counts.instructions) | .stalls[]] | add) / ([.lines.list[].stalls[]] | add); 0.9; 1;
      .lines.list[].counts = {});

# ---- Judging ---------------------------------------------------------------------------------------------------------

def kernels: peak as $peak | .kernels | to_entries[] | .value + {id: .key, peak: $peak};

def shown: if type == "number" then (if . > 1000 then round else . * 1e6 | round / 1e6 end) else tojson end;
def complaint:
  "\(.id): " +
  if .noticed == false then "the law does not notice that it is broken"
  elif .error then .error
  elif .least == .most then "\(.value | shown), not \(.least | shown)"
  else "\(.value | shown) is not in \(.least | shown) .. \(.most | shown)" end;

def line:
  .[0].law as $law | map(select(.id)) | map(select((.holds | not) or .noticed == false)) as $broken |
  if length == 0 then "not ok - \($part): \($law): no kernel to hold for"
  elif $broken == [] then "ok - \($part): \($law) (\(length))"
  else "not ok - \($part): \($law): " + ([$broken[:5][] | complaint] | join("; "))
       + (if ($broken | length) > 5 then "; and \(($broken | length) - 5) more" else "" end) end;

[ if $part == "calibration" then kernels | calibration
  elif $part == "laws" then kernels | laws
  elif $part == "lines" then kernels | lines
  else error("no part \($part)") end ]
| reduce .[] as $one ({names: [], of: {}};
    (if .of[$one.law] then . else .names += [$one.law] end) | .of[$one.law] += [$one])
| .of as $of | .names[] | $of[.] | line
