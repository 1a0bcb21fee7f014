/* Tells which shared objects in the program's memory have or choose kernels, so that a report can name one that
 * changed. */
#include "callers.h"

#include "base/base.h"

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <sys/stat.h>

enum { ID_BYTES = 4 /* of the build's identity that are told */ };

/* How the names of such objects begin. The driver and CUPTI are facts of their own.
 *
 * To add one: a row here. */
static const char *const prefixes[] = {
    "libcublas",   "libcudart",   "libcudnn",  "libcudss",     "libcufft",   "libcurand", "libcusolver",
    "libcusparse", "libcutensor", "libnpp",    "libnvJitLink", "libnvinfer", "libnvrtc",  "libnccl",
    "libtorch",    "libc10",      "libtriton", "libjax",       "libxla",     "xla_cuda",  "_triton",
};

static bool is_told(const char *name)
{
    return ANY(i, ARRAY_SIZE(prefixes), strncmp(name, prefixes[i], strlen(prefixes[i])) == 0);
}

/* Whether the bytes are part of what was loaded. */
static bool is_loaded(const struct dl_phdr_info *object, const ElfW(Phdr) * part)
{
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *load = &object->dlpi_phdr[i];
        if (load->p_type == PT_LOAD && (load->p_flags & PF_R) && part->p_vaddr >= load->p_vaddr &&
            part->p_memsz <= load->p_memsz && part->p_vaddr - load->p_vaddr <= load->p_memsz - part->p_memsz)
            return true;
    }
    return false;
}

/* Finds the build-id in a segment of notes. NULL: it has none. */
static const unsigned char *find_build_id(const unsigned char *notes, size_t size)
{
    for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
        ElfW(Nhdr) note;
        memcpy(&note, notes + at, sizeof note);
        at += sizeof note;
        const size_t name = ((size_t)note.n_namesz + 3) & ~(size_t)3, text = ((size_t)note.n_descsz + 3) & ~(size_t)3;
        if (name > size - at || text > size - at - name)
            return NULL;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(notes + at, "GNU", 4) == 0 &&
            note.n_descsz >= ID_BYTES)
            return notes + at + name;
        at += name + text;
    }
    return NULL;
}

static int tell(struct dl_phdr_info *object, size_t size, void *stream)
{
    char path[PATH_MAX];
    struct stat file;
    (void)size;
    if (!realpath(object->dlpi_name, path) || stat(path, &file) < 0)
        return 0;
    const char *name = strrchr(path, '/') + 1;
    if (!is_told(name))
        return 0;
    const unsigned char *id = NULL;
    for (size_t i = 0; i < object->dlpi_phnum && !id; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type == PT_NOTE && is_loaded(object, part))
            id = find_build_id(/* NOLINTNEXTLINE(performance-no-int-to-ptr): so the linker tells it */
                               (const unsigned char *)(object->dlpi_addr + part->p_vaddr), part->p_memsz);
    }
    if (id)
        fprintf(stream, "%s %02x%02x%02x%02x\n", name, id[0], id[1], id[2], id[3]);
    else
        fprintf(stream, "%s %lld\n", name, (long long)file.st_size);
    return 0;
}

char *libraries_tell(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = x_memstream(&text, &size);
    dl_iterate_phdr(tell, stream);
    OWNED_TEXT packages = python_packages();
    fputs(packages, stream);
    fclose(stream);
    return text;
}
