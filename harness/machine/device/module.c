/* Reads an image. machine/elf/cubin_image.h says what is where. */
#include "device.h"

/* Relocations by the address of a symbol, as it is and for any kind of memory. */
enum { R_CUDA_64 = 2, R_CUDA_G64 = 4 };

static const char *symbol_name(const struct image *image, size_t symbol)
{
    const char *name = elf_strptr(image->elf, image->symbol_names, image->symbols[symbol].st_name);
    return name ? name : "";
}

/* ---- Functions ---- */

static void take_symbols(struct function *function, size_t section)
{
    const struct image *image = &function->module->image;
    for (size_t i = 0; i < image->symbol_count; i++) {
        const GElf_Sym *symbol = &image->symbols[i];
        if (GELF_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx == section)
            *ARRAY_GROW(function->text.symbols, function->text.symbol_count) =
                (struct code_symbol){symbol_name(image, i), symbol->st_value};
    }
}

/* Takes the jump tables, which are constant bank 2 of the function. */
static void take_tables(struct function *function)
{
    const struct image *image = &function->module->image;
    OWNED_TEXT name = x_sprintf(".nv.constant2.%s", function->text.name);
    EACH(const struct image_section, section, image->sections, image->section_count)
        if (strcmp(section->name, name) == 0 && section->bytes) {
            function->text.tables = section->bytes;
            function->text.tables_size = section->header.sh_size;
        }
}

static bool parameters_fit(const struct entry *entry, const struct architecture *system)
{
    EACH(const struct parameter, parameter, entry->parameters, entry->parameter_count)
        if (parameter->size == 0 || parameter->offset + parameter->size > entry->parameter_bytes)
            return false;
    return entry->parameter_base >= system->parameters &&
           (entry->parameter_count == 0) == (entry->parameter_bytes == 0);
}

/* Reads where the arguments are. -1: it cannot be right. */
static int read_entry(struct entry *entry, const struct image *image, size_t number, const struct architecture *system)
{
    TRY(entry_read(entry, image, number));
    if (entry->parameter_base == 0)
        entry->parameter_base = system->parameters;
    return parameters_fit(entry, system) ? 0 : -1;
}

static int add_function(struct module *module, size_t number, struct problem *problem)
{
    const struct image *image = &module->image;
    const struct image_kernel *kernel = &image->kernels[number];
    const struct image_section *section = &image->sections[kernel->section];
    struct function *function = ARRAY_GROW(module->functions, module->function_count);
    *function = (struct function){
        .text = {.name = kernel->facts.name,
                 .symbol = kernel->symbol,
                 .bytes = section->bytes,
                 .size = section->header.sh_size},
        .module = module,
        .registers = kernel->facts.registers,
        .stack_bytes = kernel->facts.local_bytes,
        .shared_bytes = kernel->facts.shared_bytes,
        .max_threads = kernel->facts.max_threads,
    };
    take_symbols(function, kernel->section);
    take_tables(function);
    function->calls = function->text.symbol_count > 1;
    if (read_entry(&function->entry, image, number, module->architecture) < 0)
        return problem_set(problem,
                           "not simulated: the parameters of %s have an unknown format: build it with nvcc 13.0",
                           function->text.name);
    return 0;
}

/* ---- Variables ---- */

/* Returns where the content of a section was put; NULL for one that is not loaded. */
static unsigned char **place_of_section(struct module *module, const char *name, size_t **size)
{
    *size = &module->bank3_size;
    if (strcmp(name, ".nv.constant3") == 0)
        return &module->bank3;
    *size = &module->bank4_size;
    if (strcmp(name, ".nv.constant4") == 0)
        return &module->bank4;
    return NULL;
}

/* Finds memory for constants and variables. */
static int place_sections(struct module *module, struct problem *problem)
{
    uint64_t *places = module->places = x_calloc(module->image.section_count, sizeof *places);
    static const char *const names[] = {".nv.global.init", ".nv.global"};
    enum { STEP = 512 }; /* no variable is aligned to more bytes */
    const struct image *image = &module->image;
    size_t offsets[ARRAY_SIZE(names)] = {0}, found[ARRAY_SIZE(names)] = {0}, total = 0;
    for (size_t i = 0; i < image->section_count; i++) {
        const struct image_section *section = &image->sections[i];
        const size_t length = section->header.sh_size, which = name_index(section->name, names, ARRAY_SIZE(names));
        size_t *size;
        unsigned char **place = place_of_section(module, section->name, &size);
        if (which < ARRAY_SIZE(names)) {
            found[which] = i;
            offsets[which] = total;
            total += (length + STEP - 1) / STEP * STEP;
        }
        if (!place || length == 0 || !section->bytes)
            continue;
        /* Constants are in device memory, because a program can ask for their address. */
        places[i] = device_allocate(module->machine, length);
        if (!places[i])
            return problem_set(problem, "cannot allocate %zu bytes of constants", length);
        *size = length;
        *place = device_bytes(module->machine, places[i]);
    }
    if (total == 0)
        return 0;
    const uint64_t globals = device_allocate_for_host(module->machine, total); /* some may be __managed__ */
    if (!globals)
        return problem_set(problem, "cannot allocate %zu bytes of device variables", total);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        places[found[i]] = found[i] ? globals + offsets[i] : 0;
    return 0;
}

/* Puts there what the image has of them. */
static void fill_sections(struct module *module)
{
    for (size_t i = 0; i < module->image.section_count; i++) {
        const struct image_section *section = &module->image.sections[i];
        if (!module->places[i])
            continue;
        unsigned char *bytes = device_bytes(module->machine, module->places[i]);
        if (section->bytes)
            memcpy(bytes, section->bytes, section->header.sh_size);
        else
            memset(bytes, 0, section->header.sh_size);
    }
}

static bool is_variable(const struct image *image, const GElf_Sym *symbol, const uint64_t *places)
{
    return symbol->st_shndx < image->section_count && places[symbol->st_shndx] &&
           symbol->st_value <= image->sections[symbol->st_shndx].header.sh_size &&
           symbol->st_size <= image->sections[symbol->st_shndx].header.sh_size - symbol->st_value;
}

uint64_t module_address(const struct module *module, const GElf_Sym *symbol)
{
    return is_variable(&module->image, symbol, module->places) ? module->places[symbol->st_shndx] + symbol->st_value
                                                               : 0;
}

const char *module_symbol(const struct module *module, size_t number)
{
    return symbol_name(&module->image, number);
}

static void find_variables(struct module *module, const uint64_t *places)
{
    const struct image *image = &module->image;
    for (size_t i = 0; i < image->symbol_count; i++) {
        const GElf_Sym *symbol = &image->symbols[i];
        if (GELF_ST_TYPE(symbol->st_info) == STT_OBJECT && is_variable(image, symbol, places))
            *ARRAY_GROW(module->variables, module->variable_count) =
                (struct variable){symbol_name(image, i), places[symbol->st_shndx] + symbol->st_value, symbol->st_size};
    }
}

/* Code of 9.0 and later has addends in its relocations; that of 8.x has them in place. */
static void relocate(const struct image *image, const GElf_Rela *relocation, bool has_addend, unsigned char *place,
                     size_t size, const uint64_t *places)
{
    const size_t number = GELF_R_SYM(relocation->r_info);
    if (size < sizeof(uint64_t) || relocation->r_offset > size - sizeof(uint64_t) || number >= image->symbol_count)
        return;
    const GElf_Sym *symbol = &image->symbols[number];
    const unsigned type = (unsigned)GELF_R_TYPE(relocation->r_info);
    const bool known = (type == R_CUDA_64 || type == R_CUDA_G64) && is_variable(image, symbol, places);
    const uint64_t address = known ? places[symbol->st_shndx] + symbol->st_value : NOWHERE;
    uint64_t addend = 0;
    if (has_addend)
        addend = (uint64_t)relocation->r_addend;
    else
        memcpy(&addend, place + relocation->r_offset, sizeof addend);
    const uint64_t value = address + (known ? addend : address_of_symbol(number) - NOWHERE);
    memcpy(place + relocation->r_offset, &value, sizeof value);
}

/* Writes addresses to where constants and variables have them. */
static void relocate_sections(struct module *module, const uint64_t *places)
{
    const struct image *image = &module->image;
    for (size_t i = 0; i < image->section_count; i++) {
        const GElf_Shdr *header = &image->sections[i].header;
        const size_t to = header->sh_info;
        const bool has_addend = header->sh_type == SHT_RELA;
        if ((!has_addend && header->sh_type != SHT_REL) || to >= image->section_count || !places[to])
            continue;
        Elf_Data *data = elf_getdata(elf_getscn(image->elf, i), NULL);
        for (int k = 0; data; k++) {
            GElf_Rela relocation = {0};
            GElf_Rel shorter;
            if (has_addend ? !gelf_getrela(data, k, &relocation) : !gelf_getrel(data, k, &shorter))
                break;
            if (!has_addend)
                relocation = (GElf_Rela){.r_offset = shorter.r_offset, .r_info = shorter.r_info};
            relocate(image, &relocation, has_addend, device_bytes(module->machine, places[to]),
                     image->sections[to].header.sh_size, places);
        }
    }
}

const char *module_outside(const struct module *module, uint64_t address)
{
    const uint64_t number = symbol_at(address);
    return number < module->image.symbol_count ? symbol_name(&module->image, number) : NULL;
}

/* What CUDA's library of the device calls its functions by which kernels launch others. */
#define LAUNCHES "__cudaCDP"

char *module_linked(const struct function *function)
{
    const struct image *image = &function->module->image;
    const struct image_kernel *kernel = &image->kernels[function - function->module->functions];
    const char *found = NULL;
    for (size_t i = 0; i < image->section_count; i++) {
        const GElf_Shdr *header = &image->sections[i].header;
        if (strcmp(image->sections[i].name, ".debug_info") == 0)
            return x_strdup("compiled with -G, for a debugger: build without it");
        if (header->sh_type != SHT_RELA || header->sh_info != kernel->section)
            continue;
        Elf_Data *data = elf_getdata(elf_getscn(image->elf, i), NULL);
        GElf_Rela relocation;
        for (int k = 0; data && gelf_getrela(data, k, &relocation); k++) {
            const size_t number = GELF_R_SYM(relocation.r_info);
            const char *name = number < image->symbol_count ? symbol_name(image, number) : "";
            if (strncmp(name, LAUNCHES, strlen(LAUNCHES)) == 0)
                return x_sprintf("dynamic parallelism: %s launches kernels", function->text.name);
            if (!found || strcmp(found, function->text.name) == 0)
                found = name;
        }
    }
    return found ? x_sprintf("separately compiled device code, where %s refers to %s", function->text.name, found)
                 : NULL;
}

bool module_calls(const struct module *module, const char *name)
{
    return ANY(i, module->image.symbol_count,
               module->image.symbols[i].st_shndx == SHN_UNDEF && strcmp(symbol_name(&module->image, i), name) == 0);
}

/* ---- The module ---- */

/* Its device memory stays. */
void module_release(struct module *module)
{
    for (size_t i = 0; i < module->function_count; i++) {
        entry_release(&module->functions[i].entry);
        free(module->functions[i].text.symbols);
        free(module->functions[i].text.parts);
        free(module->functions[i].bytes);
        if (module->functions[i].code)
            code_free(module->functions[i].code);
    }
    free(module->functions);
    free(module->variables);
    free(module->places);
    if (module->has_lines)
        line_table_release(&module->lines);
    image_release(&module->image);
    free(module->bytes);
    free(module);
}

struct module *module_open(struct machine *machine, const unsigned char *bytes, size_t size, struct problem *problem)
{
    struct module *module = x_calloc(1, sizeof *module);
    module->machine = machine;
    module->bytes = x_calloc(size, 1);
    module->size = size;
    memcpy(module->bytes, bytes, size);
    elf_version(EV_CURRENT);
    struct problem *const before = error_into(problem);
    const int unread = image_read(&module->image, "the machine code", 0, (char *)module->bytes, size);
    error_into(before);
    if (unread < 0) {
        module_release(module);
        return NULL;
    }
    module->architecture = architecture_find(module->image.capability);
    if (!module->architecture) {
        problem_set(problem, "not simulated: it is machine code for compute capability %d.%d",
                    module->image.capability / 10, module->image.capability % 10);
        module_release(module);
        return NULL;
    }
    int failed = place_sections(module, problem);
    if (failed == 0) {
        find_variables(module, module->places);
        fill_sections(module);
        relocate_sections(module, module->places);
    }
    for (size_t k = 0; k < module->image.kernel_count && failed == 0; k++)
        failed = add_function(module, k, problem);
    if (failed == 0)
        return *ARRAY_GROW(machine->modules, machine->module_count) = module;
    module_release(module);
    return NULL;
}

void module_reset(struct module *module)
{
    module->machine->changes++;
    for (size_t i = 0; i < module->image.section_count; i++)
        if (module->places[i])
            outcomes_will_change(module->machine, module->places[i], module->image.sections[i].header.sh_size);
    fill_sections(module);
    relocate_sections(module, module->places);
}

struct module *module_loaded(const struct machine *machine, const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < machine->module_count; i++)
        if (machine->modules[i]->size == size && memcmp(machine->modules[i]->bytes, bytes, size) == 0)
            return machine->modules[i];
    return NULL;
}

unsigned module_stack(const struct function *function)
{
    return function->stack_bytes + (function->calls ? (unsigned)function->module->machine->call_stack : 0);
}

void module_set_call_stack(struct machine *machine, size_t bytes)
{
    machine->call_stack = bytes;
}

struct function *module_function(struct module *module, const char *name)
{
    return FIND(function, module->functions, module->function_count, strcmp(function->text.name, name) == 0);
}

bool module_cluster(const struct function *function, unsigned blocks[3])
{
    enum { CTA_PER_CLUSTER = 0x3d };
    const struct image *image = &function->module->image;
    const size_t owner = (size_t)(function - function->module->functions) + 1;
    for (size_t i = 0; i < image->attribute_count; i++)
        if (image->attributes[i].owner == owner && image->attributes[i].number == CTA_PER_CLUSTER &&
            image->attributes[i].size == 3 * sizeof *blocks) {
            memcpy(blocks, image->attributes[i].bytes, 3 * sizeof *blocks);
            return blocks[0] > 0;
        }
    return false;
}

struct variable *module_variable(struct module *module, const char *name)
{
    return FIND(variable, module->variables, module->variable_count, strcmp(variable->name, name) == 0);
}

const struct cubin_function *module_facts(const struct function *function)
{
    return &function->module->image.kernels[function - function->module->functions].facts;
}

const char *module_code(const struct function *function)
{
    const struct cubin_function *facts = module_facts(function);
    return facts->code || image_hash(&function->module->image) == 0 ? facts->code : NULL;
}

const struct line_table *module_lines(struct module *module)
{
    if (!module->has_lines)
        line_table_open(&module->lines, module->bytes, module->size);
    module->has_lines = true;
    return &module->lines;
}

char *module_line(const struct function *function, size_t index, unsigned *number)
{
    const struct function_text *text = &function->text;
    const char *name = text->name;
    uint64_t offset = (uint64_t)index * INSTRUCTION_BYTES, begin = 0;
    for (size_t i = 0; i < text->part_count; i++)
        if (offset >= text->parts[i].begin) {
            name = text->parts[i].name;
            begin = text->parts[i].begin;
        }
    return line_table_line(module_lines(function->module), name, offset - begin, number);
}

/* Returns the place as FILE:LINE, or without line information as "add(float*)+0x40". */
char *code_place(const struct function *function, size_t index)
{
    struct machine *machine = function->module->machine;
    pthread_mutex_lock(&machine->lock);
    const uint64_t offset = (uint64_t)index * INSTRUCTION_BYTES;
    unsigned number;
    OWNED_TEXT file = module_line(function, index, &number);
    char *name = file ? source_name(file, NULL) : x_strdup(function->text.name), *place;
    if (file) {
        place = x_sprintf("%s:%u", name, number);
    } else {
        demangle((char **[]){&name}, 1);
        place = x_sprintf("%s+0x%llx", name, (unsigned long long)offset);
    }
    free(name);
    pthread_mutex_unlock(&machine->lock);
    return place;
}
