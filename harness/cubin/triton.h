/* triton.h - the description of a function that lies beside its cubin as NAME.json: Triton's, or one written by hand:
 *
 *   {"function": "softmax<float>", "grid": [64, 2], "block": 128, "shared": 4096}       all of them may be left out
 *   {"launches": ["sums<<<64, 128>>>(3, 2)", "scale<<<64, 128>>>(1, 3, i32=64)"]}       as task_launch.h has them */
#pragma once

#include "task_launch.h"

struct triton_launch {
    bool found;       /* there is a description of Triton's; if not, all else of it is 0 */
    unsigned threads; /* of a block; 0, as all else: the description cannot be right */
    unsigned shared;  /* dynamic shared memory of a block, in bytes */
    unsigned ctas;    /* blocks of a cluster; 1 where the description does not say */
    char version[32]; /* of Triton, "3.7.1"; "" where the description does not say */
    /* Of one that is written by hand; "", 0 and -1 where it does not say. */
    char function[1024];
    unsigned grid[3], block[3];
    long bytes; /* dynamic shared memory of a block */
    struct task_launch *launches;
    size_t launch_count;
};

/* Reads the description beside a file, whose name ends with .cubin. Other JSON files are passed over. -1 after
 * error(). Release *launch in any case. */
int triton_read(struct triton_launch *launch, const char *path);
void triton_release(struct triton_launch *launch);
