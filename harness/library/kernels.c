/* Modules, kernels, their instructions and lines. */
#include "library.h"

#include "names/names.h"

/* ---- Modules ---- */

static void add_kernels(cugate_module *module)
{
    const struct module *image = module->module;
    module->kernels = x_calloc(image->function_count, sizeof *module->kernels);
    module->kernel_count = image->function_count;
    OWNED_MEMORY char ***names = x_calloc(image->function_count, sizeof *names);
    for (size_t i = 0; i < image->function_count; i++) {
        cugate_kernel *kernel = &module->kernels[i];
        struct function *function = &image->functions[i];
        const struct entry *entry = &function->entry;
        kernel->module = module;
        kernel->function = function;
        kernel->signature = x_strdup(function->text.name);
        names[i] = &kernel->signature;
        kernel->parameters = x_calloc(entry->parameter_count, sizeof *kernel->parameters);
        for (size_t k = 0; k < entry->parameter_count; k++)
            kernel->parameters[k] = (cugate_parameter){entry->parameters[k].offset, entry->parameters[k].size};
    }
    demangle(names, image->function_count);
}

static cugate_status load(cugate_machine *machine, const void *bytes, size_t size, cugate_module **result,
                          struct problem *problem)
{
    struct module *image = module_open(machine->machine, bytes, size, problem);
    if (!image)
        return problem_status(problem, strstr(problem->text, "cannot allocate") ? CUGATE_NO_MEMORY : CUGATE_BAD_FILE);
    const int capability = image->architecture->capability;
    if (machine->capability && (capability / 10 != machine->capability / 10 || capability > machine->capability)) {
        problem_set(problem, "the code is for compute capability %d.%d, but the GPU is %d.%d", capability / 10,
                    capability % 10, machine->capability / 10, machine->capability % 10);
        return CUGATE_BAD_FILE;
    }
    cugate_module *module = x_calloc(1, sizeof *module);
    module->machine = machine;
    module->module = image;
    add_kernels(module);
    module->next = machine->modules;
    machine->modules = *result = module;
    return CUGATE_OK;
}

cugate_status cugate_load(cugate_machine *machine, const void *bytes, size_t size, cugate_module **module)
{
    struct call call;
    if (!machine || !bytes || !module)
        return call_refused(CUGATE_BAD_ARGUMENT, "machine, bytes or module is NULL");
    *module = NULL;
    if (setjmp(*call_begin(&call, machine)))
        return call_without_memory(&call);
    return call_end(&call, load(machine, bytes, size, module, &call.problem));
}

cugate_status cugate_load_file(cugate_machine *machine, const char *path, cugate_module **module)
{
    enum { LARGEST = 1 << 30 };
    struct call call;
    OWNED_TEXT bytes = NULL;
    size_t size;
    if (!machine || !path || !module)
        return call_refused(CUGATE_BAD_ARGUMENT, "machine, path or module is NULL");
    if (setjmp(*call_begin(&call, machine)))
        return call_without_memory(&call);
    const int unread = file_read(path, LARGEST, &bytes, &size);
    if (call_end(&call, unread ? CUGATE_BAD_FILE : CUGATE_OK))
        return CUGATE_BAD_FILE;
    return cugate_load(machine, bytes, size, module);
}

/* ---- Kernels ---- */

cugate_kernel *cugate_kernel_at(cugate_module *module, size_t index)
{
    return module && index < module->kernel_count ? &module->kernels[index] : NULL;
}

static bool is_called(const cugate_kernel *kernel, const char *name)
{
    const struct name_part wanted = {name, strlen(name)};
    return strcmp(kernel->signature, name) == 0 || name_part_is_same(function_name(kernel->signature), wanted) ||
           name_part_is_same(function_template(kernel->signature), wanted);
}

cugate_status cugate_find_kernel(cugate_module *module, const char *name, cugate_kernel **kernel)
{
    if (!module || !name || !kernel)
        return call_refused(CUGATE_BAD_ARGUMENT, "module, name or kernel is NULL");
    size_t found = 0;
    *kernel = NULL;
    for (size_t i = 0; i < module->kernel_count; i++) {
        if (strcmp(module->kernels[i].function->text.name, name) == 0) {
            *kernel = &module->kernels[i];
            return CUGATE_OK;
        }
        if (!is_called(&module->kernels[i], name))
            continue;
        *kernel = &module->kernels[i];
        found++;
    }
    if (found == 1)
        return CUGATE_OK;
    *kernel = NULL;
    return call_refused(CUGATE_NOT_FOUND, "%s of %zu kernels is called %s%s%s", found ? "more than one" : "none",
                        module->kernel_count, name, found || !module->kernel_count ? "" : "; the first is ",
                        found || !module->kernel_count ? "" : module->kernels[0].signature);
}

cugate_status cugate_find_variable(cugate_module *module, const char *name, uint64_t *address, size_t *size)
{
    if (!module || !name)
        return call_refused(CUGATE_BAD_ARGUMENT, "module or name is NULL");
    const struct variable *variable = module_variable(module->module, name);
    if (!variable)
        return call_refused(CUGATE_NOT_FOUND, "the module has no variable %s", name);
    if (address)
        *address = variable->address;
    if (size)
        *size = variable->size;
    return CUGATE_OK;
}

cugate_status cugate_describe_kernel(const cugate_kernel *kernel, cugate_kernel_info *info)
{
    if (!kernel || !info)
        return call_refused(CUGATE_BAD_ARGUMENT, "kernel or info is NULL");
    const struct function *function = kernel->function;
    *info = (cugate_kernel_info){
        .name = function->text.name,
        .signature = kernel->signature,
        .parameters = kernel->parameters,
        .parameter_count = function->entry.parameter_count,
        .registers = function->registers,
        .shared_bytes = function->shared_bytes,
        .local_bytes = function->stack_bytes,
        .max_threads = function->max_threads,
        .instruction_count = function->text.size / INSTRUCTION_BYTES,
    };
    return CUGATE_OK;
}

/* ---- Instructions ---- */

cugate_status kernel_decode(cugate_kernel *kernel, struct problem *problem)
{
    return code_of(kernel->function, problem) < 0 ? CUGATE_NOT_SIMULATED : CUGATE_OK;
}

/* Returns the name of a file, which the machine owns, so that the same file is the same pointer. */
static const char *keep_file(cugate_machine *machine, char *name)
{
    for (size_t i = machine->file_count; i-- > 0;)
        if (strcmp(machine->files[i], name) == 0) {
            free(name);
            return machine->files[i];
        }
    return *ARRAY_GROW(machine->files, machine->file_count) = name;
}

static void read_lines(cugate_kernel *kernel, size_t count)
{
    struct source_line *lines = x_calloc(count, sizeof *lines);
    for (size_t i = 0; i < count; i++) {
        OWNED_TEXT path = module_line(kernel->function, i, &lines[i].number);
        lines[i].file = path ? keep_file(kernel->module->machine, source_name(path, NULL)) : NULL;
        lines[i].number = path ? lines[i].number : 0;
    }
    kernel->lines = lines;
}

static cugate_status prepare(cugate_kernel *kernel, struct problem *problem)
{
    const cugate_status status = kernel_decode(kernel, problem);
    if (!status && !kernel->lines)
        read_lines(kernel, kernel->function->text.size / INSTRUCTION_BYTES);
    return status;
}

cugate_status cugate_describe_instruction(cugate_kernel *kernel, size_t index, cugate_instruction *instruction)
{
    struct call call;
    if (!kernel || !instruction || index >= kernel->function->text.size / INSTRUCTION_BYTES)
        return call_refused(CUGATE_BAD_ARGUMENT, "there is no instruction %zu", index);
    if (setjmp(*call_begin(&call, kernel->module->machine)))
        return call_without_memory(&call);
    const cugate_status status = prepare(kernel, &call.problem);
    if (!status) {
        const unsigned traits = code_traits(kernel->function, index);
        *instruction = (cugate_instruction){
            .opcode = code_opcode(kernel->function, index),
            .file = kernel->lines[index].file,
            .line = kernel->lines[index].number,
            .access = (traits & (TRAIT_LOAD | TRAIT_ATOMIC) ? CUGATE_READS : 0) |
                      (traits & (TRAIT_STORE | TRAIT_ATOMIC | TRAIT_ASYNC_COPY) ? CUGATE_WRITES : 0),
            .spaces = (traits & (TRAIT_GLOBAL | TRAIT_GENERIC) ? CUGATE_GLOBAL : 0) |
                      (traits & (TRAIT_SHARED | TRAIT_GENERIC | TRAIT_ASYNC_COPY) ? CUGATE_SHARED : 0) |
                      (traits & (TRAIT_LOCAL | TRAIT_GENERIC) ? CUGATE_LOCAL : 0)};
    }
    return call_end(&call, status);
}

cugate_status cugate_tally_lines(cugate_kernel *kernel, const cugate_tally *tallies, cugate_line *lines, size_t most,
                                 size_t *count)
{
    struct call call;
    if (!kernel || !tallies || !count || (most && !lines))
        return call_refused(CUGATE_BAD_ARGUMENT, "kernel, tallies, lines or count is NULL");
    if (setjmp(*call_begin(&call, kernel->module->machine)))
        return call_without_memory(&call);
    const cugate_status status = prepare(kernel, &call.problem);
    *count = 0;
    for (size_t i = 0; !status && i < kernel->function->text.size / INSTRUCTION_BYTES; i++) {
        const struct source_line *own = &kernel->lines[i];
        const size_t at = FIRST(k, *count, lines[k].file == own->file && lines[k].line == own->number);
        if (at == most)
            continue;
        if (at == *count)
            lines[(*count)++] = (cugate_line){.file = own->file, .line = own->number};
        tally_add(&lines[at].tally, &tallies[i]);
    }
    return call_end(&call, status);
}
