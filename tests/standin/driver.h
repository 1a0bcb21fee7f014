/* driver.h - shared by the parts of the stand-in for libcuda.so.1: driver_init (start, devices, what the profiler
 * asks), driver_contexts, driver_memory, driver_modules, driver_kernels (what kernels do), driver_launch,
 * driver_capture (streams), driver_graphs. See standin.h. */
#pragma once

/* Under this macro cuda.h declares the functions of all versions by their own names. */
#define __CUDA_API_VERSION_INTERNAL
#include "standin.h"

#include <cupti_driver_cbid.h>
#include <generated_cuda_meta.h>

#include <pthread.h>
#include <string.h>

enum { MOST_DEVICES = 8, PARAMETERS = 3 };

/* cuda.h names these types, and leaves their content to the driver. */
/* An H200 has a carve-out of the L2 unless it is told otherwise. What a kernel pins stays there. */
enum { USUAL_CARVE_OUT = 1 << 20 };

struct CUctx_st {
    unsigned id;
    int device;
    unsigned uses; /* how often a primary context was retained */
    bool is_primary;
    bool has_failed;
    bool hangs;       /* a kernel runs that does not end */
    bool has_pinned;  /* a kernel left lines in the L2 that stay there */
    size_t carve_out; /* bytes of the L2 */
    double clock_ns;  /* that its kernels have taken: what events tell */
    struct CUctx_st *next;
};

/* Marks of the two kinds of handle. A launch takes either as a CUfunction. */
enum handle { FUNCTION = 0x66756e63, KERNEL = 0x6b65726e };

struct CUfunc_st {
    enum handle handle;
    char *name;
    struct CUmod_st *module;
    const struct kernel_work *work; /* NULL: the stand-in cannot compute it */
    int registers;
    int shared;
    int local;
};

struct CUmod_st {
    unsigned id;
    struct CUctx_st *context;
    unsigned char *image;
    size_t size;
    struct CUfunc_st *functions;
    size_t function_count;
    struct CUmod_st *next; /* the next module of its library */
};

struct CUkern_st {
    enum handle handle;
    char *name;
    struct CUlib_st *library;
};

/* A library. Its machine code is loaded into a context when one of its kernels is first used there. */
struct CUlib_st {
    unsigned char *image;
    size_t size;
    struct CUkern_st *kernels;
    size_t kernel_count;
    struct CUmod_st *modules;
};

/* A launch, as a program asks for it. All kernels of kernels.cu have the same parameters. */
struct launch {
    CUfunction function; /* it may be a CUkernel */
    unsigned grid[3];
    unsigned block[3];
    unsigned shared;
    CUstream stream;
    void **parameters;
};

struct CUgraph_st {
    struct CUgraphNode_st *nodes;
    size_t count;
};

struct arguments {
    int *data;
    int count;
    int value;
};

#define KERNEL_HANGS (-1.0)   /* it does not end */
#define KERNEL_ILLEGAL (-2.0) /* it used an address that is not in device memory */

struct kernel_work {
    const char *name; /* the name in the machine code */
    double time_ns;
    /* Returns the instructions that the data asked for, or how the kernel ends otherwise. */
    double (*run)(const struct arguments *arguments);
    /* Of a kernel that is cugate's own and has parameters of its own: the time of a launch. NULL: time_ns */
    double (*time)(const struct launch *launch);
};

/* Protects everything in the structs of this file, and the work of kernels, which run one after the other. */
extern pthread_mutex_t driver_lock;

/* driver_init.c */
CUresult driver_ready(void); /* CUDA_SUCCESS when functions may be called and the current context has not failed */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        const CUresult tried_ = (call);                                                                                \
        if (tried_ != CUDA_SUCCESS)                                                                                    \
            return tried_;                                                                                             \
    } while (0)
#define READY() TRY(driver_ready())
int driver_devices(void);
void driver_enter(struct standin_call *call);
CUresult driver_exit(struct standin_call *call, CUresult result);

#define CALL(name_, params_, symbol_)                                                                                  \
    {                                                                                                                  \
        .cbid = CUPTI_DRIVER_TRACE_CBID_##name_, .function = #name_, .params = (params_), .symbol = (symbol_)          \
    }

/* A function that nobody watches: its parameters, and what it answers. */
#define ANSWER(name, parameters, answer)                                                                               \
    CUresult CUDAAPI name parameters                                                                                   \
    {                                                                                                                  \
        return answer;                                                                                                 \
    }

/* A function that is watched: SEEN(cuModuleUnload, (CUmodule hmod), unload_module(hmod), hmod). Behind its parameters
 * stands what it answers, then the parameters as CUPTI has them. */
#define SEEN(name, parameters, answer, ...)                                                                            \
    CUresult CUDAAPI name parameters                                                                                   \
    {                                                                                                                  \
        const name##_params params = {__VA_ARGS__};                                                                    \
        struct standin_call call = CALL(name, &params, NULL);                                                          \
        driver_enter(&call);                                                                                           \
        return driver_exit(&call, answer);                                                                             \
    }

/* ... which has no parameters. */
#define SEEN_BARE(name, answer)                                                                                        \
    CUresult CUDAAPI name(void)                                                                                        \
    {                                                                                                                  \
        struct standin_call call = CALL(name, NULL, NULL);                                                             \
        driver_enter(&call);                                                                                           \
        return driver_exit(&call, answer);                                                                             \
    }

/* Tells each watcher: TELL(context, context, true) calls watcher->context(context, true). */
#define TELL(what, ...)                                                                                                \
    do {                                                                                                               \
        for (size_t w_ = 0; w_ < driver_watcher_count; w_++)                                                           \
            driver_watchers[w_]->what(__VA_ARGS__);                                                                    \
    } while (0)
extern const struct standin_watcher *driver_watchers[4];
extern size_t driver_watcher_count;

/* driver_contexts.c */
CUcontext context_current(void);
bool context_any(void);
unsigned context_id(CUcontext context);
int context_device(CUcontext context);
bool context_has_failed(CUcontext context);
void context_wait(CUcontext context);
CUresult context_synchronize(CUcontext context); /* as context_wait(), but forbidden during a capture */

/* driver_memory.c, driver_mapped.c */
struct memory_kind {
    int device;
    bool is_host, is_managed;
};
enum { RESERVED = 32 << 20 }; /* as the real one: reserving takes whole blocks of that size */
/* Makes a block of memory that is there. False: there is no memory for it. */
bool memory_add(char *bytes, size_t size, struct memory_kind kind);
/* Takes the block that begins there out of the list; returns its size, or 0: none does. */
size_t memory_remove(CUdeviceptr address);
bool memory_is_device(const void *data, size_t size); /* whether that many bytes there are in device memory */
/* Returns zeroed memory that the driver keeps for a program. All of it is in a list, so that leak checkers do not blame
 * the program: they do not see a real driver's memory either. Ends the process when there is none. */
void *memory_new(size_t size);
void memory_free(void *object);

/* Returns the function behind either kind of handle; NULL: it is neither. A kernel's machine code is loaded now. In
 * driver_modules.c. */
struct CUfunc_st *module_function(CUfunction handle);
const char *module_name_of(CUfunction handle);

/* driver_kernels.c */
const struct kernel_work *kernel_work(const char *name);
double kernel_time(const struct kernel_work *work, const struct launch *launch);
struct arguments kernel_arguments(void **parameters);
/* Executes a kernel. False: an address is not in device memory, or the kernel does not end; its context says which. */
bool kernel_run(const struct kernel_work *work, CUcontext context, const struct arguments *arguments, double *more);

/* driver_launch.c */
CUresult launch_check(const struct launch *launch, struct CUfunc_st **function);
CUresult launch_run(const struct launch *launch, struct standin_kernel *kernel);

/* These are in driver_capture.c. NULL stands for the default stream, which captures nothing. */
bool capture_is_active(CUstream stream);
CUresult capture_launch(const struct launch *launch);
bool capture_any(void);
void capture_spoil_all(void);

/* driver_graphs.c */
void graph_add_kernel(struct CUgraph_st *graph, const struct launch *launch);
