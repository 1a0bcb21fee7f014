/* session.h - on what and by whom something was measured: the GPU, and one session on it. */
#ifndef SESSION_H
#define SESSION_H

#include <stdbool.h>
#include <stddef.h>

/* What identifies the GPU: a run is compared only with a baseline whose every field is equal. Runs of other programs
 * (import/) know few of them; what is not known differs from all that is. */
struct device {
    char *name;               /* product name; NULL: not known */
    char *compute_capability; /* "9.0"; likewise */
    long long sm_count;       /* 0: not known */
    long long memory_bytes;   /* likewise */
    bool ecc;
    bool mig;
    bool ecc_unknown, mig_unknown;
};

/* Writes into text what differs between two devices ("SM count 132, not 108; ..."), empty when nothing does. */
void device_difference(const struct device *have, const struct device *want, char *text, size_t size);

/* Facts about one session that are recorded, said aloud when they change, and never part of the key. */
enum session_fact {
    SESSION_DATE, /* UTC, 2026-11-21T08:00:00.000Z */
    SESSION_COLLECTOR,
    SESSION_DRIVER,
    SESSION_CUDA,
    SESSION_CUPTI,
    SESSION_COMPILER,
    SESSION_FLAGS,
    SESSION_GPU_UUID,
    SESSION_GPU_PROCESSES, /* other processes that computed on the GPU when the session began: "0" */
    SESSION_HOST,
    SESSION_COMMIT,
    SESSION_PROGRAM, /* an unmodified program that was measured: its command, and which launches of it */
    SESSION_CACHES,  /* of the GPU when a launch begins, where they are not emptied: as the program leaves them */
    SESSION_CUGATE,  /* version of this program */
    SESSION_REASON,  /* why it was accepted; baselines only. The last: by_session */
    SESSION_FACTS
};

const char *session_fact_name(enum session_fact fact); /* the key in the file: "date", "gpu_uuid", ... */

/* The most that the GPU did in the session, each measured by a kernel that does nothing else. */
enum roof {
    ROOF_DRAM,   /* bytes a second from and to device memory */
    ROOF_SHARED, /* wavefronts a second through shared memory, all SMs together */
    ROOF_FP64,   /* floating-point operations a second, without tensor cores; a fused multiply-add is two */
    ROOF_FP32,
    ROOF_FP16,
    ROOFS
};

const char *roof_name(enum roof roof); /* the key in the file: "dram" */

struct session {
    char *facts[SESSION_FACTS]; /* NULL where unknown */
    double roofs[ROOFS];        /* 0 where it was not measured */
    int ordinal;                /* of its GPU, by --device: as long as the process lives that measured; in no file */
};

void sessions_release(struct session *sessions, size_t count); /* the list as well */
bool session_is_equal(const struct session *a, const struct session *b);
void session_copy(struct session *to, const struct session *from); /* to is empty */

/* For qsort: by date first, so that the newest is the last, then by all other facts; whatever a session was accepted
 * for is the same session. With the reason only equal sessions are equal. */
int by_session(const void *left, const void *right);
int by_session_and_reason(const void *left, const void *right);

#endif
