/* run_file.h - the file of a run, and the parts of reading it. Private to the run_*.c files.
 *
 * File (JSON, schema 1), one metric a line, keys sorted:
 *
 *   { "schema": 1,
 *     "device": { "name": "NVIDIA H200", "sm_count": 132, "compute_capability": "9.0", "ecc": true, ... },
 *     "sessions": [ { "date": "...", "driver": "...", ... } ],
 *     "metrics": { "time": { "better": "lower", "class": "time", "clock": "sm_clock", "counter": "...", "floor": 250,
 *                            "floor_share": 0.02, "unit": "ns" }, ... }, a ratio with "weight" and "few",
 *     "kernels": { "access/coalesced": { "status": "ok", "bytes": 4294967296, "flops": 0, "seconds": 0.0437,
 *         "inputs": "03c1...",
 *         "launches": [ { "function": "...", "code": "9f86...", "grid": [8,1,1], "block": [256,1,1], "shared": 0,
 *                         "times": 1, "machine": { "registers": 32, "local": 0, "shared": 4096, ... } } ],
 *         "lines": { "counted": ["instructions", ...], "list": [ { "function": "...", "file": "kernels/access.cu",
 *                         "line": 41, "text": "...", "counts": { "instructions": 4096 }, "stalls": {} } ], ... },
 *         "metrics": { "branch_efficiency": { "state": "not applicable" },
 *                      "time": { "sessions": [[18700, 18710, 18690]] } } } } }
 *
 * A part of a run that was divided also has "shard": { "number": 2, "of": 8, "measures": 250,
 * "kernels": ["access/coalesced", ...], "code": "9f86..." }: see struct shard.
 *
 * Of the device only the two numbers have to be there; they are 0 where they are not known. A session may have "roofs".
 *
 * A launch with a preferred carve-out of shared memory has its percent in "carve_out".
 *
 * A launch of which only the machine code is known lacks "grid". It also lacks "block" if nothing says what it is.
 *
 * A metric has a "state", which may have a "reason" beside it, or "sessions". That is a list of samples for each
 * session, in the order in which they were measured. A run that was judged against a base library also has "pairs":
 * [[base, head], ...] and "base_profile"; or else "unpaired", the reason why it has none.
 *
 * A kernel of a program may say who launches it, in "launched_by".
 *
 * A computed kernel says in "varies" which of its results depend on which block or warp comes first, in "blocks" of how
 * many "blocks_executed" were, by which it is proved what the others count, in "not_proved" of which launches that is
 * not, in "doubt" what it does that would be a fault if anything depended on it, and in "outside" what no count of it
 * has. A kernel of a capsule with a
 * tolerance says in "near" how far its results are off. Its "estimated_time" has either "refused" alone, or "ns" with
 * its band, and in "moved" the part of the time that it takes with one constant of the model being wrong. "busy" has
 * the part of it for which each bound is busy. Where there are "ns" its "lines" are "estimated": true, and each has its
 * part of them in "stalls", by reason.
 *
 * In a run on several GPUs each GPU has a session. A metric's "from" says in which session each of its lists was
 * measured. It is absent where they are the first sessions of the run, in order. A kernel that failed on one GPU and
 * not on another says how in "elsewhere".
 *
 * A baseline keeps only the median of each session, and has "readings", "anchor" and "previous": see struct row. */
#pragma once

#include "run.h"

#define RUN_SCHEMA 1
#define RUN_FILE_LIMIT (128u << 20) /* in bytes; a larger file is refused unread */

/* Checks the name of a metric, a member of the object at `list`: at most NAME_LENGTH of a-z, 0-9 and _. 0, or -1 after
 * error(). In result_fields.c. */
int expect_metric_name(const struct json_at *list, const char *name);

/* Writes a kernel at the key that is its name, and of one that failed only what holds. In result_fields.c. */
void put_result(struct json_writer *json, const struct result *result);

/* The fields, in session.c, result_fields.c and run_fields.c, and those that functions of run_read.c read. */
extern const struct json_table session_table, device_table, result_table, run_table;
enum { TAKE_COUNTED, TAKE_KERNELS, TAKE_PAIRS, TAKE_PLACES, TAKE_SCHEMA, TAKE_SESSIONS, TAKE_STALLS };

#define STALL_REASONS 256 /* most stall reasons of a kernel; an H200 has 18 */
