#!/usr/bin/env python3
"""Prints of a run file with counts by instruction what the simulator is compared by, as text:

k ID CODE...            a kernel and the hashes of the machine code that it launches; k ID - REASON: it has no counts
m COUNTER LEAST MOST    of its samples; m COUNTER - STATE[: REASON]
f FUNCTION              of the instructions that follow
i OFFSET COUNT...       in the order below; zeros at the end are left out
"""

import json
import sys

COUNTERS = """instructions active_threads working_threads divergent_branches uniform_branches shared_wavefronts shared_ideal
    load_sectors load_ideal store_sectors store_ideal local_sectors global_loads global_stores""".split()
ROWS = """branch_efficiency branch_targets branch_targets_divergent excess_wavefronts fp16_arithmetic fp16_fused fp32_arithmetic
    fp32_fused fp64_arithmetic fp64_fused global_load_requests global_load_sectors global_store_requests global_store_sectors
    instructions shared_wavefronts threads_per_instruction""".split()


def row(name, metric):
    if "sessions" not in metric:
        return f"m {name} - {metric['state']}" + (
            f": {metric['reason']}" if metric.get("reason") else ""
        )
    samples = [
        one
        for session in metric["sessions"]
        for one in (session["samples"] if isinstance(session, dict) else session)
    ]
    return f"m {name} {min(samples)} {max(samples)}"


def lines(listed):
    function = None
    counted = [one for one in listed if any(one["counts"].values())]
    for one in sorted(counted, key=lambda one: (one["function"], one["offset"])):
        if one["function"] != function:
            function = one["function"]
            yield f"f {function}"
        counts = [one["counts"].get(counter, 0) for counter in COUNTERS]
        while counts and counts[-1] == 0:
            counts.pop()
        yield " ".join(map(str, ["i", one["offset"], *counts]))


with open(sys.argv[1], encoding="utf-8") as file:
    kernels = json.load(file)["kernels"]
for name, kernel in sorted(kernels.items()):
    if kernel["status"] != "ok":
        print(f"k {name} - {kernel['reason']}")
        continue
    print("k", name, *(launch["code"] for launch in kernel["launches"]))
    for metric in ROWS:
        if metric in kernel["metrics"]:
            print(row(metric, kernel["metrics"][metric]))
    for line in lines(kernel.get("lines", {}).get("list", [])):
        print(line)
