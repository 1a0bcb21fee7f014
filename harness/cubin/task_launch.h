/* task_launch.h - launches as people write them, in CUDA's own form, and the values that a task begins with. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum task_kind { TASK_SCALAR, TASK_INPUT, TASK_OUTPUT, TASK_SCRATCH, TASK_FILE, TASK_NUMBER };

struct task_argument {
    enum task_kind kind;
    const struct task_type *type;     /* of all but files */
    const struct task_values *values; /* of an input */
    uint64_t count;                   /* elements of an input, output or scratch; which argument of the task, from 1 */
    double a, b;                      /* what `values` takes: a range, or a mean and a standard deviation */
    unsigned char scalar[8];
    char *path; /* of a file, whose bytes are the input */
};

struct task_launch {
    char *function; /* as it is typed */
    unsigned grid[3], block[3], shared;
    struct task_argument *arguments;
    size_t count;
    struct task_launch *steps; /* launches of which it consists; its own shape is then that of the first */
    size_t step_count;
};

/* Reads "GRID, BLOCK, SHARED", and cuts the text. What is left out stays as it is. GRID and BLOCK are X, XxY, XxYxZ or
 * dim3(X, Y, Z). -1 after error(). */
int launch_shape_read(char *text, unsigned grid[3], unsigned block[3], unsigned *shared, bool *has_shared);

/* Reads "NAME<<<GRID, BLOCK[, SHARED]>>>(ARGUMENT, ...)". An argument is
 *
 *   TYPE=VALUE                   a scalar
 *   TYPE:COUNT[:VALUES[:A[:B]]]  a pointer to so many elements, the kernel's input
 *   out:TYPE:COUNT               a pointer to what it writes
 *   scratch:TYPE:COUNT           a pointer to memory without inputs or results
 *   file:PATH                    a pointer to the bytes of a file
 *
 * or "NAME(ARGUMENT, ...) { LAUNCH; LAUNCH; ... }", where an argument of a LAUNCH is TYPE=VALUE or the number, from 1,
 * of an argument of NAME. task_step_parse() reads such a LAUNCH alone.
 *
 * -1 after error(), which says what is wrong. Release *launch in any case. */
int task_launch_parse(struct task_launch *launch, const char *text);
int task_step_parse(struct task_launch *step, const char *text);
/* Adds the null pointers that Triton's compiler puts behind the arguments of the source. */
enum { TRITON_POINTERS = 2 };
void task_launch_add_pointers(struct task_launch *launch);
void task_launch_release(struct task_launch *launch);

/* Bytes of the argument itself, 8 of a pointer; and of the array that it points to, 0 of a scalar or file. */
unsigned task_argument_size(const struct task_argument *argument);
uint64_t task_array_size(const struct task_argument *argument);

/* Whether it points to integers. */
bool task_is_exact(const struct task_argument *argument);

/* Writes the elements of an input. The same seed gives the same ones. */
void task_fill(const struct task_argument *argument, unsigned char *bytes, uint64_t seed);
