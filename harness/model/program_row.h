/* program_row.h - what a result is of, by its id. A program as a whole is one beside its kernels: all its launches. */
#pragma once

#include "computed_counters.h"
#include "run.h"

/* Returns the id of the program's row, "FAMILY/program". No kernel of a program has that name: theirs contain an @, or
 * begin with PROGRAM_GRAPH. Caller frees. */
char *program_row_id(const char *family);
/* Returns the id of the row of those launches that were within an NVTX range, "FAMILY/program:RANGE". Characters that
 * an id may not have are _ in it. Caller frees. */
char *program_range_id(const char *family, const char *range);

/* What a result is of, and each judgement of it. The id alone decides. */
enum row_kind {
    ROW_KERNEL,
    ROW_PROGRAM, /* all launches of a program */
    ROW_RANGE    /* those within an NVTX range */
};
enum row_kind row_kind(const char *id);

/* Whether the kernel is a graph, which the program launches as one. */
#define PROGRAM_GRAPH "graph:"
bool row_is_graph(const char *id);

bool is_of_family(const char *id, const char *other);   /* both are of one program, or of one family of a library */
bool is_kernel_of(const char *id, const char *program); /* a kernel of the program that this id is of */

/* Returns the row of the program as a whole that the kernel is of, or NULL. */
const struct result *program_of(const struct run *run, const char *kernel);

/* What the id of a kernel has in place of its grid where it is all shapes of a function with one block. Its launches
 * are that with the smallest grid and that with the largest. */
#define PROGRAM_ANY_GRID "any"
bool program_is_of_shapes(const char *id);

/* Whether the metric is of what a program launches, which the machine code of a kernel does not determine. */
bool is_metric_of_program(const struct metric *metric);
bool is_metric_of_host(const struct metric *metric); /* or of where memory lies, which does not depend on it either */

/* Returns what was counted of that, COMPUTED_NONE: the time of a launch by the GPU's timer. NAN where it was not. */
double program_value(const struct metrics *metrics, const struct result *result, enum computed_counter counter);

/* Returns how often one run of the program launched the kernel, or anything where it is the program's row. NAN where
 * that was not counted. */
double program_launches(const struct metrics *metrics, const struct result *result);

/* A kernel of less than 1 % of the program's GPU time is counted in all sets of metrics only if it happens to be. To
 * run the program again for it would cost more than it tells: its time and instructions are known. This is asked of
 * both parts; false where one is NAN. */
bool program_is_seldom(double part, double all);

/* Whether the program launched the kernel in its first part only: a warm-up, or what an autotuner tries. */
bool program_is_of_first_part(const struct metrics *metrics, const struct result *result);

/* Whether all launches spin until somebody comes, by their names: collectives of NCCL, NVSHMEM and the like, which move
 * data between processes, or what waits for the host. */
bool program_communicates(const struct result *kernel);

/* Returns how many launches, from one of this kernel on, no profiler may be open for: that which waits, as does a graph
 * with a kernel that does, and those that the program times itself. 0: nothing waits. */
size_t program_holds(const struct result *kernel);

/* Whether it is known from CUPTI's records how long all these launches took. */
bool program_is_timed(const struct metrics *metrics, const struct result *result);

/* Returns how long the GPU worked for these launches together, in ns: by CUPTI's records, else launches times the time
 * of one. NAN where that is not known. *time is that metric, NULL where there is none; time may be NULL. */
double program_time(const struct metrics *metrics, const struct result *result, const struct metric **time);

/* Sets the time of a launch of each kernel of a program to what CUPTI's records say of all its launches: GPU time by
 * launches. Before, it is what the profiler says of a few. Of a program's row it is the GPU time. Kernels without both
 * numbers keep theirs, and a file has those of both ways. Whatever judges a run or shows one that was read does that
 * first. */
void program_time_by_records(struct run *run, const struct metrics *metrics);
