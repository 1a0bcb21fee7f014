/* Where nvcc puts the images: into section .nv_fatbin of the host's ELF file, in containers of the following form. A
 * library that loads its images itself has them among its data, as cuFFT does. The form is documented nowhere, and was
 * seen with CUDA 11 to 13. All numbers are little-endian, and each container begins on a multiple of 8 bytes:
 *
 *   container   u32 0xba55ed50, u16 version, u16 size of this header, u64 size of the entries after it
 *   entry       u16 kind (1: PTX, 2: ELF), u16 version, u32 size of this header, u64 size of the data after it
 *
 * compressed.c tells of entries that are compressed. */
#include "cubin.h"

#include "names/names.h"

#include "compressed.h"

#define FILE_LIMIT ((size_t)1 << 30)
#define EM_GPU 190 /* EM_CUDA, which some versions of elf.h lack */

#define CONTAINER_MAGIC 0xba55ed50u
#define CONTAINER_VERSION 1
#define CONTAINER_HEADER 16
#define ENTRY_HEADER 16
#define ENTRY_PTX 1
#define ENTRY_ELF 2
#define ENTRY_STEP 8

struct code_file {
    const char *name;
    const unsigned char *bytes; /* the content of the whole file */
    size_t offset;              /* of the image that is taken, in the file */
    size_t unknown;             /* how many images were left out, in a form that is not known */
    bool with_ptx;              /* PTX is taken as well */
    /* is called for each image, expanded where it was compressed */
    int (*take)(void *data, const unsigned char *bytes, size_t size);
    void *data;
    struct cubin *cubin; /* the list that take_functions adds functions to */
};

static uint64_t number_at(const unsigned char *bytes, size_t length)
{
    uint64_t number = 0;
    for (size_t i = 0; i < length; i++)
        number |= (uint64_t)bytes[i] << (8 * i);
    return number;
}

static bool is_elf(const unsigned char *bytes, size_t size)
{
    return size >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0;
}

static void add_compiler(struct cubin *cubin, const struct image *image)
{
    char *compiler = image_compiler(image);
    if (!compiler)
        return;
    if (name_index(compiler, (const char *const *)cubin->compilers, cubin->compiler_count) < cubin->compiler_count)
        free(compiler);
    else
        *ARRAY_GROW(cubin->compilers, cubin->compiler_count) = compiler;
}

static void add_functions(struct cubin *cubin, struct image *image)
{
    if (image->kernel_count > 0)
        add_compiler(cubin, image);
    for (size_t k = 0; k < image->kernel_count; k++) {
        struct cubin_function *function = ARRAY_GROW(cubin->list, cubin->count);
        *function = image->kernels[k].facts;
        function->image = cubin->images;
        image->kernels[k].facts = (struct cubin_function){0};
    }
    cubin->images++;
}

/* Adds the functions of an image to the list. It works on a copy of the bytes, because libelf may write to them and
 * needs them aligned. */
static int take_functions(void *data, const unsigned char *bytes, size_t size)
{
    const struct code_file *file = data;
    OWNED_TEXT copy = x_calloc(size, 1);
    OWNED(image) image = {0};
    memcpy(copy, bytes, size);
    if (image_read(&image, file->name, file->offset, copy, size) < 0 || image_hash(&image) < 0)
        return -1;
    add_functions(file->cubin, &image);
    return 0;
}

static int take_expanded(struct code_file *file, const struct entry_bytes *entry)
{
    size_t size;
    OWNED_MEMORY unsigned char *bytes = entry_expand(entry, &size);
    if (!bytes)
        return error("cannot read %s: at byte %zu compressed GPU code is damaged; build the library again", file->name,
                     file->offset);
    const bool known = is_elf(bytes, size) || number_at(entry->header, 2) == ENTRY_PTX;
    const int result = known ? file->take(file->data, bytes, size) : 0;
    file->unknown += !known;
    return result;
}

static int take_entry(struct code_file *file, const struct entry_bytes *entry)
{
    file->offset = (size_t)(entry->data - file->bytes);
    if (entry_is_compressed(entry))
        return take_expanded(file, entry);
    if (is_elf(entry->data, entry->data_size) || number_at(entry->header, 2) == ENTRY_PTX)
        return file->take(file->data, entry->data, entry->data_size);
    file->unknown++;
    return 0;
}

static int read_entries(struct code_file *file, const unsigned char *at, const unsigned char *end)
{
    while (at < end) {
        const size_t left = (size_t)(end - at);
        const uint64_t header = left < ENTRY_HEADER ? 0 : number_at(at + 4, 4);
        const uint64_t size = left < ENTRY_HEADER ? 0 : number_at(at + 8, 8);
        if (header < ENTRY_HEADER || header > left || size > left - header)
            return error("cannot read %s: at byte %zu the GPU code leaves its container; build the library again",
                         file->name, (size_t)(at - file->bytes));
        const struct entry_bytes entry = {at, at + header, header, size};
        const uint64_t kind = number_at(at, 2);
        const int result = kind == ENTRY_ELF || (kind == ENTRY_PTX && file->with_ptx) ? take_entry(file, &entry) : 0;
        if (result != 0)
            return result;
        at = entry.data + size;
    }
    return 0;
}

/* Reads every container between two positions of the file. The bytes between containers are padding. */
static int read_containers(struct code_file *file, const unsigned char *at, const unsigned char *end)
{
    while (end - at >= CONTAINER_HEADER) {
        if (number_at(at, 4) != CONTAINER_MAGIC) {
            at += end - at > ENTRY_STEP ? ENTRY_STEP : end - at;
            continue;
        }
        const size_t left = (size_t)(end - at);
        const uint64_t header = number_at(at + 6, 2);
        const uint64_t size = number_at(at + 8, 8);
        if (header < CONTAINER_HEADER || header > left || size > left - header)
            return error(
                "cannot read %s: at byte %zu its GPU code has %llu bytes, more than the file has: build it again",
                file->name, (size_t)(at - file->bytes), (unsigned long long)size);
        const int result = read_entries(file, at + header, at + header + size);
        if (result != 0)
            return result;
        /* The linker aligns the sections of each object file, so padding may stand between containers. */
        const size_t whole = header + size + ENTRY_STEP - 1;
        at += whole / ENTRY_STEP * ENTRY_STEP < left ? whole / ENTRY_STEP * ENTRY_STEP : left;
    }
    return 0;
}

/* ---- Libraries and programs ---- */

/* A section of a host's file. */
struct host_section {
    const unsigned char *start, *end;
};

struct host_sections {
    struct host_section *code, *data; /* sections .nv_fatbin; others that hold data */
    size_t code_count, data_count;
};

/* Whether a container begins here, and not just a number that equals its first four bytes. */
static bool is_container(const struct host_section *section, const unsigned char *at)
{
    return number_at(at, 4) == CONTAINER_MAGIC && number_at(at + 4, 2) == CONTAINER_VERSION &&
           number_at(at + 6, 2) == CONTAINER_HEADER &&
           number_at(at + 8, 8) <= (uint64_t)(section->end - at) - CONTAINER_HEADER;
}

/* Reads the containers that are somewhere in the data. */
static int search_containers(struct code_file *file, const struct host_section *section)
{
    for (const unsigned char *at = section->start; section->end - at >= CONTAINER_HEADER; at += ENTRY_STEP) {
        if (!is_container(section, at))
            continue;
        const size_t size = CONTAINER_HEADER + number_at(at + 8, 8);
        const int result = read_containers(file, at, at + size);
        if (result != 0)
            return result;
        at += size / ENTRY_STEP * ENTRY_STEP - ENTRY_STEP;
    }
    return 0;
}

static void find_sections(struct host_sections *sections, const struct code_file *file, Elf *elf, size_t names)
{
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section; section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (!name || header.sh_type == SHT_NOBITS || header.sh_type == SHT_NULL)
            continue;
        const unsigned char *start = file->bytes + header.sh_offset;
        const struct host_section found = {start, start + header.sh_size};
        if (strcmp(name, ".nv_fatbin") == 0)
            *ARRAY_GROW(sections->code, sections->code_count) = found;
        else if (header.sh_type == SHT_PROGBITS && (header.sh_flags & SHF_ALLOC) && !(header.sh_flags & SHF_EXECINSTR))
            *ARRAY_GROW(sections->data, sections->data_count) = found;
    }
}

/* Reads the containers of a library or program. */
static int read_host(struct code_file *file, size_t size)
{
    int result = -1;
    size_t names;
    struct host_sections sections = {0};
    Elf *elf = elf_memory((char *)file->bytes, size);
    if (!elf || elf_getshdrstrndx(elf, &names) < 0) {
        error("cannot read %s: %s; build it again", file->name, elf_errmsg(-1));
        goto out;
    }
    find_sections(&sections, file, elf, names);
    result = 0;
    for (size_t i = 0; i < sections.code_count && result == 0; i++)
        result = read_containers(file, sections.code[i].start, sections.code[i].end);
    for (size_t i = 0; i < sections.data_count && sections.code_count == 0 && result == 0; i++)
        result = search_containers(file, &sections.data[i]);
out:
    free(sections.code);
    free(sections.data);
    elf_end(elf);
    return result;
}

static int read_images(struct code_file *file, size_t size)
{
    const unsigned char *bytes = file->bytes;
    if (size >= CONTAINER_HEADER && number_at(bytes, 4) == CONTAINER_MAGIC)
        return read_containers(file, bytes, bytes + size);
    if (size >= 8 && memcmp(bytes, "!<arch>\n", 8) == 0)
        return error("cannot read %s: it is a static library; pass the program that links it, or its .o files",
                     file->name);
    if (!is_elf(bytes, size))
        return error("cannot read %s: not an ELF library, executable, cubin or fatbin", file->name);
    if (!image_is_whole(bytes, size))
        return error(
            "cannot read %s: it is a damaged or truncated ELF file, or not a 64-bit little-endian one; build it again",
            file->name);
    if (number_at(bytes + offsetof(Elf64_Ehdr, e_machine), 2) == EM_GPU)
        return file->take(file->data, bytes, size);
    return read_host(file, size);
}

static void read_names(const struct cubin *cubin)
{
    OWNED_MEMORY char ***names = x_calloc(cubin->count, sizeof *names);
    for (size_t i = 0; i < cubin->count; i++)
        names[i] = &cubin->list[i].name;
    demangle(names, cubin->count);
}

static int by_name_and_capability(const void *left, const void *right)
{
    const struct cubin_function *a = left, *b = right;
    const int order = strcmp(a->name, b->name);
    if (order != 0)
        return order;
    return a->capability != b->capability ? a->capability - b->capability : strcmp(a->code, b->code);
}

/* Names and sorts the functions of all images. */
static void finish(struct cubin *cubin, const char *name)
{
    if (cubin->unknown > 0)
        warning("%s: %zu images of machine code are in an unknown format and were skipped with their functions; build "
                "it with nvcc --compress-mode=none",
                name, cubin->unknown);
    read_names(cubin);
    for (size_t i = 0; i < cubin->count; i++)
        function_forget_architectures(cubin->list[i].name);
    SORT(cubin->list, cubin->count, by_name_and_capability);
}

int cubin_parse(struct cubin *cubin, const char *name, const unsigned char *bytes, size_t size)
{
    *cubin = (struct cubin){0};
    struct code_file file = {.name = name, .bytes = bytes, .take = take_functions, .cubin = cubin};
    file.data = &file;
    elf_version(EV_CURRENT);
    if (read_images(&file, size) < 0) {
        cubin_release(cubin);
        return -1;
    }
    cubin->unknown = file.unknown;
    finish(cubin, name);
    return 0;
}

/* Reads the code of all capsules of a file. */
static int each_of_capsules(struct code_file *file)
{
    OWNED(capsules) capsules = {0};
    struct problem problem;
    int result = 0;
    if (capsules_open(&capsules, file->name, false, &problem) < 0)
        return error("%s", problem.text);
    for (size_t i = 0; i < capsules.count && result == 0; i++) {
        const struct blob *code = &capsules.list[i].code;
        if (capsules_same_code(&capsules, i) < i)
            continue;
        unsigned char *bytes = capsules_blob(&capsules, code, &problem);
        file->bytes = bytes;
        result = bytes ? read_images(file, (size_t)code->size) : error("%s", problem.text);
        free(bytes);
    }
    return result;
}

static int each_of_file(struct code_file *file)
{
    OWNED_TEXT text = NULL;
    size_t length;
    elf_version(EV_CURRENT);
    if (capsules_is_file(file->name))
        return each_of_capsules(file);
    TRY(file_read(file->name, FILE_LIMIT, &text, &length));
    file->bytes = (const unsigned char *)text;
    return read_images(file, length);
}

int cubin_read(struct cubin *cubin, const char *path)
{
    *cubin = (struct cubin){0};
    struct code_file file = {.name = path, .take = take_functions, .cubin = cubin};
    file.data = &file;
    if (each_of_file(&file) < 0) {
        cubin_release(cubin);
        return -1;
    }
    cubin->unknown = file.unknown;
    finish(cubin, path);
    return 0;
}

int cubin_each_image(const char *path, int (*take)(void *data, const unsigned char *bytes, size_t size), void *data)
{
    struct code_file file = {.name = path, .take = take, .data = data};
    return each_of_file(&file);
}

int cubin_each_image_of(const char *name, const unsigned char *container, size_t *unknown,
                        int (*take)(void *data, const unsigned char *bytes, size_t size), void *data)
{
    struct code_file file = {.name = name, .bytes = container, .take = take, .data = data, .with_ptx = true};
    *unknown = 0;
    if (number_at(container, 4) != CONTAINER_MAGIC)
        return error("cannot read the GPU code of %s: not a fatbin", name);
    elf_version(EV_CURRENT);
    const int result =
        read_containers(&file, container, container + number_at(container + 6, 2) + number_at(container + 8, 8));
    *unknown = file.unknown;
    return result;
}

char *cubin_code(const struct cubin *cubin)
{
    if (cubin->count == 0)
        return NULL;
    OWNED_MEMORY const char **codes = x_calloc(cubin->count, sizeof *codes);
    for (size_t i = 0; i < cubin->count; i++)
        codes[i] = cubin->list[i].code;
    return codes_hash(codes, cubin->count);
}

char *cubin_join_compilers(const char **names, size_t count)
{
    char *joined = NULL;
    SORT(names, count, by_text);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(names[i - 1], names[i]) != 0)
            x_append(&joined, ", ", "%s", names[i]);
    }
    return joined;
}

void cubin_release(struct cubin *cubin)
{
    for (size_t i = 0; i < cubin->count; i++) {
        free(cubin->list[i].name);
        free(cubin->list[i].code);
        free(cubin->list[i].mix);
    }
    for (size_t i = 0; i < cubin->compiler_count; i++)
        free(cubin->compilers[i]);
    free(cubin->compilers);
    free(cubin->list);
    *cubin = (struct cubin){0};
}

const struct cubin_function *cubin_find(const struct cubin *cubin, const char *name, int capability,
                                        enum cubin_status *status)
{
    const struct cubin_function *found = NULL;
    OWNED_TEXT plain = x_strdup(name);
    function_forget_architectures(plain);
    *status = CUBIN_ABSENT;
    size_t i = place_of_name(cubin->list, cubin->count, sizeof *cubin->list, plain);
    for (; i < cubin->count && strcmp(cubin->list[i].name, plain) == 0; i++) {
        const struct cubin_function *function = &cubin->list[i];
        if (function->capability / 10 != capability / 10 || function->capability > capability) {
            if (!found)
                *status = CUBIN_OTHER_GPUS;
            continue;
        }
        const bool again = found && found->capability == function->capability;
        if (again && strcmp(found->code, function->code) == 0)
            continue;
        *status = again ? CUBIN_SEVERAL : CUBIN_FOUND;
        found = function;
    }
    return *status == CUBIN_FOUND ? found : NULL;
}
