/* fuzz_driver - bytes as calls of the driver: each row of its table, with pointers that are missing or lead to zeros,
 * wild numbers, handles that are there and such that are no more. A call may fail, and none may crash. Behind a first
 * byte of 255 the bytes are an image of machine code. */
#include <cuda.h>

#include "cudart/cudart.h"
#include "driver/driver.h"

#include "fuzz.h"

enum { ARGUMENTS = 12, PLACES = 4, PLACE_WORDS = 1024, SEEN = 64, IMAGE = 255 };

typedef int call(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                 uintptr_t, uintptr_t, uintptr_t);

static uintptr_t places[PLACES][PLACE_WORDS], seen[SEEN];
static size_t seen_count;

/* What reads or calls the program's own memory as it is told crashes on a GPU as well. */
static bool is_skipped(const char *name)
{
    static const char *const own[] = {"cuMemcpy",           "cuLaunchHostFunc", "cuStreamAddCallback",
                                      "cuGraphAddHostNode", "cuProfiler",       "cuPointerGet",
                                      "cuLinkAdd",          "cuGetExportTable", "cuLaunchKernelEx"};
    return ANY(i, ARRAY_SIZE(own), strncmp(name, own[i], strlen(own[i])) == 0);
}

/* Remembers what calls have made. */
static void look_for_handles(void)
{
    for (size_t i = 0; i < PLACES; i++)
        for (enum handle kind = HANDLE_STREAM; kind <= HANDLE_MEMORY; kind++)
            if (handle_is(kind, runtime_pointer(places[i][0])))
                seen[seen_count++ % SEEN] = places[i][0];
}

static bool has_any(const char *name, const char *const *words)
{
    bool found = false;
    for (; *words && !found; words++)
        found = strstr(name, *words) != NULL;
    return found;
}

/* Whether an argument may be a handle: the first one, or the second where the first is what is set, or a handle too. */
static bool is_handle(const char *name, size_t place)
{
    static const char *const kinds[] = {"cuStream", "cuEvent",      "cuGraph", "cuArrayDestroy",
                                        "cuLink",   "cuMemRelease", NULL},
                             *const makes[] = {"Create", "Add", "Clone", "Instantiate", "Elapsed", NULL},
                             *const two[] = {"Exec", "Launch", "Record", "WaitEvent", NULL};
    const bool sets = has_any(name, makes) && !strstr(name, "Dependencies") && !strstr(name, "LinkCreate");
    return has_any(name, kinds) &&
           (place == 0 ? !sets : place == 1 && (sets || (has_any(name, two) && !strstr(name, "Get"))));
}

static uintptr_t argument(uint8_t byte, bool handle)
{
    if (byte < 96)
        return 0;
    return byte < 160 || !handle ? (uintptr_t)places[byte % PLACES] : seen[byte % SEEN];
}

static void call_rows(const uint8_t *data, size_t size)
{
    size_t rows = 0;
    while (driver_entries[rows].name)
        rows++;
    for (; rows > 0 && size >= 2 + ARGUMENTS; data += 2 + ARGUMENTS, size -= 2 + ARGUMENTS) {
        const struct driver_entry *row = &driver_entries[(data[0] * 256u + data[1]) % rows];
        uintptr_t a[ARGUMENTS];
        call *function;
        for (size_t i = 0; i < ARGUMENTS; i++)
            a[i] = argument(data[2 + i], is_handle(row->name, i));
        memset(places, 0, sizeof places);
        if (is_skipped(row->name))
            continue;
        memcpy(&function, &row->function, sizeof function); /* each takes integers and pointers */
        function(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11]);
        look_for_handles();
    }
}

static void open_image(const uint8_t *data, size_t size)
{
    struct problem problem;
    struct machine *machine = machine_open(&problem);
    if (!machine)
        BUG("%s", problem.text);
    struct module *module = module_open(machine, data, size, &problem);
    for (size_t i = 0; module && i < module->function_count; i++) {
        struct function *function = module_function(module, module->functions[i].text.name);
        require(function != NULL, "a function of a module is not found by its name");
        module_link(function);
        free(module_linked(function));
        module_stack(function);
    }
    machine_close(machine);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct problem problem;
    struct gpu gpu;
    if (!runtime_gpu()) {
        if (gpu_read(&gpu, "metrics/gpus/nvidia-h200.ini", &problem) < 0)
            BUG("%s", problem.text);
        runtime_set_gpu(&gpu);
        cuInit(0);
    }
    if (size > 0 && data[0] == IMAGE)
        open_image(data + 1, size - 1);
    else
        call_rows(data, size);
    return 0;
}
