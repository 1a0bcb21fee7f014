/* session.h - the GPU that was measured, and the facts of one session on it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* What identifies a GPU model. A run is compared with a baseline only if every field is equal. Runs of other programs
 * (import/) know few of the fields, and an unknown field differs from any known one. */
struct device {
    char *name;               /* product name of the GPU; NULL: not known */
    char *compute_capability; /* such as "9.0"; NULL: not known */
    long long sm_count;       /* number of SMs; 0: not known */
    long long memory_bytes;   /* size of device memory; 0: not known */
    bool ecc;
    bool mig;
    bool ecc_unknown, mig_unknown;
};

/* Writes into text in what two devices differ ("SM count 132, not 108; ..."). The text is empty when they are equal. */
void device_difference(const struct device *have, const struct device *want, char *text, size_t size);

/* Facts of one session. They are recorded, and their changes are reported, but they never decide what is compared. */
enum session_fact {
    SESSION_DATE, /* when the session was measured: UTC, 2026-11-21T08:00:00.000Z */
    SESSION_COLLECTOR,
    SESSION_DRIVER,
    SESSION_CUDA,
    SESSION_CUPTI,
    SESSION_COMPILER,
    SESSION_FLAGS,
    SESSION_GPU_UUID,
    SESSION_GPU_PROCESSES, /* how many other processes computed on the GPU when the session began: "0" */
    SESSION_HOST,
    SESSION_COMMIT,
    SESSION_PROGRAM, /* for an unmodified program: its command, and which of its launches were measured */
    SESSION_CACHES,  /* state of the GPU's caches at a launch, where they are not flushed: as the program leaves them */
    SESSION_CUGATE,  /* version of cugate */
    SESSION_PART,    /* which part of the program counts, as options say it: "--nvtx forward"; NULL: all of it */
    SESSION_RANKS,   /* of a program with collectives, for each rank its number, ns computing and ns communicating: "0
                        3000 200; 1 2900 300" */
    SESSION_LIBRARIES, /* what the program had loaded, sorted: "libcublasLt.so.13.1.0.3 1a2b3c4d; ..." */
    SESSION_HOST_CODE, /* of a kernel library: hash of its host code, which launches kernels and verifies results */
    SESSION_SILICON,   /* of a computed session: "not verified" where such counts were never compared with a GPU's */
    SESSION_LEFT_OUT,  /* of a program: which kernels lack counters since these were not worth the time: "2 kernels,
                        43.1 % of the GPU time: a/f@1,32, a/g@1,32"; NULL: none */
    SESSION_CUT, /* of a program that was ended or failed: "a signal", "--timeout", "exit code 7"; its counts may not be
                  * whole. NULL: it was not */
    SESSION_REASON, /* why it was accepted, in baselines only. It must be the last: see by_session */
    SESSION_FACTS
};

const char *session_fact_name(enum session_fact fact); /* returns the key in files: "date", "gpu_uuid", ... */

/* Peaks of the GPU in a session, each measured by a kernel that does nothing else. */
enum roof {
    ROOF_DRAM,   /* device memory bandwidth, bytes a second */
    ROOF_SHARED, /* shared wavefronts a second, all SMs together */
    ROOF_FP64,   /* floating-point operations a second without tensor cores; a fused multiply-add counts as two */
    ROOF_FP32,
    ROOF_FP16,
    ROOFS
};

const char *roof_name(enum roof roof); /* returns the key in files: "dram" */

struct session {
    char *facts[SESSION_FACTS]; /* facts as text; NULL where unknown */
    double roofs[ROOFS];        /* in the unit of each roof; 0 where it was not measured */
    int ordinal;                /* number of its GPU as in --device, while the measuring process lives; not in files */
};

void sessions_release(struct session *sessions, size_t count); /* frees the sessions and the list */
bool session_is_equal(const struct session *a, const struct session *b);
void session_copy(struct session *to, const struct session *from); /* `to` must be empty */

/* Orders sessions by date, the newest last, then by all other facts, for qsort. The reason for accepting comes last:
 * sessions that differ in nothing else are the same session. */
int by_session(const void *left, const void *right);
int by_session_and_reason(const void *left, const void *right);
