/* Machines, errors, memory. */
#include "library.h"

const char *cugate_version(void)
{
    return CUGATE_VERSION;
}

const char *cugate_status_name(cugate_status status)
{
    static const char *const names[] = {
        [CUGATE_OK] = "done",
        [CUGATE_BAD_ARGUMENT] = "not allowed",
        [CUGATE_BAD_FILE] = "bad file",
        [CUGATE_NOT_FOUND] = "not found",
        [CUGATE_NO_MEMORY] = "out of memory",
        [CUGATE_NOT_SIMULATED] = "not simulated",
        [CUGATE_FAULT] = "fault",
        [CUGATE_LIMIT] = "beyond the limit",
        [CUGATE_STOPPED] = "stopped",
    };
    return (size_t)status < ARRAY_SIZE(names) ? names[status] : "unknown";
}

/* ---- Errors ---- */

static _Thread_local struct problem last_problem;

const char *cugate_error(void)
{
    return last_problem.text;
}

cugate_status call_refused(cugate_status status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(last_problem.text, sizeof last_problem.text, format, list);
    va_end(list);
    return status;
}

jmp_buf *call_begin(struct call *call, cugate_machine *machine)
{
    call->machine = machine;
    numeric_begin(&call->numeric_before);
    call->problem.text[0] = '\0';
    call->problem_before = error_into(&call->problem);
    call->memory_before = memory_into(&call->out);
    if (machine && machine->is_broken)
        longjmp(call->out, 1);
    return &call->out;
}

cugate_status call_end(struct call *call, cugate_status status)
{
    error_into(call->problem_before);
    memory_into(call->memory_before);
    numeric_end(&call->numeric_before);
    if (status)
        last_problem = call->problem;
    return status;
}

cugate_status call_without_memory(struct call *call)
{
    if (call->machine)
        call->machine->is_broken = true;
    problem_set(&call->problem, "the computer is out of memory: close the machine");
    return call_end(call, CUGATE_NO_MEMORY);
}

cugate_status problem_status(const struct problem *problem, cugate_status other)
{
    return strncmp(problem->text, "not simulated: ", strlen("not simulated: ")) == 0 ? CUGATE_NOT_SIMULATED : other;
}

/* ---- Machines ---- */

/* Returns the compute capability of a GPU; -1: there is none of that name. */
static int capability_of(const char *gpu)
{
    static const struct {
        const char *name;
        int capability;
    } gpus[] = {{"a100", 80}, {"rtx3090", 86}, {"rtx4090", 89}, {"h100", 90},
                {"h200", 90}, {"b200", 100},   {"rtx5090", 120}};
    const size_t place = FIRST(i, ARRAY_SIZE(gpus), strcmp(gpu, gpus[i].name) == 0);
    return place < ARRAY_SIZE(gpus) ? gpus[place].capability : -1;
}

static cugate_machine *open_machine(int capability, struct problem *problem)
{
    cugate_machine *machine = x_calloc(1, sizeof *machine);
    machine->capability = capability;
    machine->machine = machine_open(problem);
    if (machine->machine) {
        outside_allow(machine->machine);
        cugate_set_limits(machine, &(cugate_limits){0});
        return machine;
    }
    free(machine);
    return NULL;
}

cugate_status cugate_open(const char *gpu, cugate_machine **machine)
{
    struct call call;
    const int capability = gpu ? capability_of(gpu) : 0;
    if (!machine || capability < 0)
        return call_refused(CUGATE_BAD_ARGUMENT,
                            "unknown GPU %s: known are a100, rtx3090, rtx4090, h100, h200, b200, rtx5090",
                            machine ? gpu : "because machine is NULL");
    *machine = NULL;
    if (setjmp(*call_begin(&call, NULL)))
        return call_without_memory(&call);
    *machine = open_machine(capability, &call.problem);
    return call_end(&call, *machine ? CUGATE_OK : CUGATE_NO_MEMORY);
}

void cugate_close(cugate_machine *machine)
{
    if (!machine)
        return;
    for (cugate_module *module = machine->modules, *next; module; module = next) {
        next = module->next;
        for (size_t i = 0; i < module->kernel_count; i++) {
            free(module->kernels[i].signature);
            free(module->kernels[i].parameters);
            free(module->kernels[i].lines);
        }
        free(module->kernels);
        free(module);
    }
    for (size_t i = 0; i < machine->file_count; i++)
        free(machine->files[i]);
    free(machine->files);
    free(machine->allocated);
    machine_close(machine->machine);
    free(machine);
}

cugate_status cugate_set_limits(cugate_machine *machine, const cugate_limits *limits)
{
    if (!machine || !limits || !(limits->seconds >= 0))
        return call_refused(CUGATE_BAD_ARGUMENT, "limits: %s", machine && limits ? "seconds is negative" : "NULL");
    machine->limits = *limits;
    if (!limits->bytes)
        machine->limits.bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    machine->machine->memory.most = machine->limits.bytes;
    return CUGATE_OK;
}

void cugate_stop(cugate_machine *machine)
{
    if (machine)
        atomic_store(&machine->client.stop, true);
}

cugate_status cugate_hook(cugate_machine *machine, cugate_hook_kind kind, cugate_hook_function *function, void *user)
{
    if (!machine || (unsigned)kind >= CUGATE_HOOK_KINDS)
        return call_refused(CUGATE_BAD_ARGUMENT, "there is no %s", machine ? "hook of this kind" : "machine: NULL");
    machine->client.hooks[kind] = (struct client_hook){function, user};
    machine->client.calls = false;
    for (unsigned i = 0; i < CUGATE_HOOK_KINDS; i++)
        machine->client.calls |= machine->client.hooks[i].call != NULL;
    return CUGATE_OK;
}

static cugate_status found(bool is_there)
{
    return is_there ? CUGATE_OK : call_refused(CUGATE_BAD_ARGUMENT, "the warp has no such register or lane");
}

cugate_status cugate_register(const cugate_event *event, unsigned number, unsigned lane, uint32_t *value)
{
    return found(event && value && client_register(event, false, number, lane, value));
}

cugate_status cugate_uniform_register(const cugate_event *event, unsigned number, uint32_t *value)
{
    return found(event && value && client_register(event, true, number, 0, value));
}

cugate_status cugate_predicate(const cugate_event *event, unsigned number, uint32_t *lanes)
{
    return found(event && lanes && client_predicate(event, number, lanes));
}

/* ---- Memory ---- */

cugate_status cugate_alloc(cugate_machine *machine, size_t size, uint64_t *address)
{
    struct call call;
    if (!machine || !address || size == 0)
        return call_refused(CUGATE_BAD_ARGUMENT,
                            "cannot allocate %zu bytes: pass a machine, a size above 0 and a place for the address",
                            size);
    *address = 0;
    if (setjmp(*call_begin(&call, machine)))
        return call_without_memory(&call);
    *address = device_allocate(machine->machine, size);
    if (*address)
        *ARRAY_GROW(machine->allocated, machine->allocated_count) = *address;
    else
        problem_set(&call.problem, "cannot allocate %zu bytes: the limit is %llu, and %llu are already allocated", size,
                    (unsigned long long)machine->limits.bytes, (unsigned long long)machine->machine->memory.taken);
    return call_end(&call, *address ? CUGATE_OK : CUGATE_NO_MEMORY);
}

cugate_status cugate_free(cugate_machine *machine, uint64_t address)
{
    size_t i = 0;
    while (machine && i < machine->allocated_count && machine->allocated[i] != address)
        i++;
    if (!machine || i == machine->allocated_count || !device_free(machine->machine, address))
        return call_refused(CUGATE_BAD_ARGUMENT, "no allocation begins at 0x%llx", (unsigned long long)address);
    machine->allocated[i] = machine->allocated[--machine->allocated_count];
    return CUGATE_OK;
}

void *cugate_host_pointer(cugate_machine *machine, uint64_t address, size_t size)
{
    struct allocation place;
    if (machine && device_find(machine->machine, address, &place) && size <= place.end - address)
        return device_bytes(machine->machine, address);
    call_refused(CUGATE_BAD_ARGUMENT, "%zu bytes at 0x%llx are not within one allocation", size,
                 (unsigned long long)address);
    return NULL;
}

cugate_status cugate_write(cugate_machine *machine, uint64_t address, const void *bytes, size_t size)
{
    if (size == 0)
        return CUGATE_OK;
    void *to = cugate_host_pointer(machine, address, size);
    if (!to || !bytes)
        return to ? call_refused(CUGATE_BAD_ARGUMENT, "bytes is NULL") : CUGATE_BAD_ARGUMENT;
    memcpy(to, bytes, size);
    return CUGATE_OK;
}

cugate_status cugate_read(cugate_machine *machine, uint64_t address, void *bytes, size_t size)
{
    if (size == 0)
        return CUGATE_OK;
    const void *from = cugate_host_pointer(machine, address, size);
    if (!from || !bytes)
        return from ? call_refused(CUGATE_BAD_ARGUMENT, "bytes is NULL") : CUGATE_BAD_ARGUMENT;
    memcpy(bytes, from, size);
    return CUGATE_OK;
}
