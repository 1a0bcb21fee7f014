/* capsule_text.h - a capsule as JSON. Private to the capsule_*.c files.
 *
 *   { "arguments": [[0, 8], [8, 4]],         place and size of each among the bytes; a 1 behind
 *                                          them: what it points to has no tolerance
 *     "block": [256, 1, 1],
 *     "bytes": "0000d4a1c17f000000010000",
 *     "carve_out": 50,                       absent: the driver chooses
 *     "cluster": [2, 1, 1],                  absent: none is asked for
 *     "code": { "pages": [0, 1], "size": 80312 },
 *     "cooperative": false, "function": "_Z5scalePfi", "grid": [32, 4, 1], "id": "train/scale@256,32x4",
 *     "large_cluster": false, "launch": 3, "launched_by": "train.py:41", "launches": 7, "overlaps": false,
 *     "proof": "identical",
 *     "ranges": [ { "address": 140470025060352, "after": [-2, 3], "before": [2, -1], "kind": "device",
 *                   "size": 131072 } ],      a variable has its name in "variable"; "varies" has pages of bits
 *     "shared": 0, "shared_limit": 49152,
 *     "steps": [ { "arguments": [ { "of": 2, "offset": 0, "size": 8 } ], "block": [64, 1, 1],
 *                  "bytes": "0000000000000000", "function": "_Z4sumsPf", "grid": [1, 1, 1],
 *                  "shared": 0 } ],        absent: it is one launch
 *     "swapped": "other.cubin",              absent: the code is the program's
 *     "time_ns": 18700,                      absent: not known
 *     "tolerance": 1e-05, "type": "f32" }    absent: results are equal bit for bit
 *
 * Pages are numbers of the file's, or -1 for PAGE_ZERO, or -2 for PAGE_SAME. */
#pragma once

#include "capsule.h"

#define BYTES_LIMIT 65536    /* most bytes of all arguments; CUDA takes half as many */
#define BLOB_LIMIT (1 << 30) /* most bytes of an image */

#define MEMORY_KINDS (MEMORY_SCRATCH + 1)
#define PROOFS (PROOF_VARIES + 1)

/* The fields, in capsule_text.c, and those that functions of capsule_parse.c read. */
extern const struct json_table capsule_table;
enum { TAKE_ARGUMENTS, TAKE_PAGES };

/* Writes a capsule. Caller frees. In capsule_text.c. */
char *capsule_text(const struct capsule *capsule, size_t *length);

/* Reads a capsule of a file with so many pages; name is for messages. 0, or -1 after error(); *capsule has to be
 * released in either case. In capsule_parse.c. */
int capsule_parse(struct capsule *capsule, const char *name, const char *text, size_t length, size_t page_count);
