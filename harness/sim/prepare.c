#include "prepare.h"

#include "cudart/cudart.h"

#include <dirent.h>
#include <fcntl.h>
#include <gelf.h>

/* What a library says about the CUDA runtime that it uses. */
struct needs {
    bool has_code;     /* it has code for GPUs */
    bool from_outside; /* it registers the code with a runtime outside of it */
    char runtime[64];  /* the name of that runtime's library; "": it names none */
};

static void read_dynamic(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct needs *needs)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Dyn entry;
    for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
        const char *name = entry.d_tag == DT_NEEDED ? elf_strptr(elf, header->sh_link, entry.d_un.d_val) : NULL;
        if (name && strncmp(name, "libcudart.so", strlen("libcudart.so")) == 0)
            snprintf(needs->runtime, sizeof needs->runtime, "%s", name);
    }
}

static void read_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct needs *needs)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Sym symbol;
    for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
        const char *name = symbol.st_shndx == SHN_UNDEF ? elf_strptr(elf, header->sh_link, symbol.st_name) : NULL;
        needs->from_outside |= name && strcmp(name, "__cudaRegisterFatBinary") == 0;
    }
}

/* Reads what a library needs. Of a file that cannot be read nothing is known: whoever loads it reports the error. */
static struct needs read_needs(const char *path)
{
    struct needs needs = {0};
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    elf_version(EV_CURRENT);
    Elf *elf = file >= 0 ? elf_begin(file, ELF_C_READ, NULL) : NULL;
    size_t names;
    if (elf && elf_getshdrstrndx(elf, &names) == 0) {
        for (Elf_Scn *section = elf_nextscn(elf, NULL); section; section = elf_nextscn(elf, section)) {
            GElf_Shdr header;
            const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
            if (!name)
                continue;
            needs.has_code |= strcmp(name, ".nv_fatbin") == 0 && header.sh_size > 0;
            if (header.sh_type == SHT_DYNAMIC)
                read_dynamic(elf, section, &header, &needs);
            else if (header.sh_type == SHT_DYNSYM)
                read_symbols(elf, section, &header, &needs);
        }
    }
    elf_end(elf);
    if (file >= 0)
        close(file);
    return needs;
}

/* A program is loaded with the runtime by the name that it asks for, and a kernel library behind it. */
static int check_library(const char *path, bool is_program, struct problem *problem)
{
    const struct needs needs = read_needs(path);
    if (*needs.runtime && strcmp(needs.runtime, "libcudart.so.13") != 0 &&
        !(is_program && strcmp(needs.runtime, "libcudart.so.12") == 0))
        return problem_set(problem, "cannot simulate %s: it needs %s; build it with nvcc 13 and -cudart shared", path,
                           needs.runtime);
    if (needs.has_code && !needs.from_outside && !*needs.runtime) /* nvcc also gives code to what launches nothing */
        return problem_set(problem,
                           "cannot simulate %s: it is linked with the static CUDA runtime: link it with nvcc -cudart "
                           "shared, in CMake with CUDA_RUNTIME_LIBRARY Shared",
                           path);
    return 0;
}

/* Checks the name of the vector unit. A wrong one would not be noticed, since all give the same results. */
static int check_vector(struct problem *problem)
{
    const char *name = getenv(VECTOR_VARIABLE);
    if (!name || vector_unit_wanted(name) >= 0)
        return 0;
    return problem_set(
        problem, VECTOR_VARIABLE " is '%s': it must be base, avx2 or avx512, and supported by this machine", name);
}

static int is_description(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && dot != entry->d_name && strcmp(dot, ".ini") == 0;
}

char *gpu_file(const struct job *job, struct problem *problem)
{
    if (job->gpu)
        return x_strdup(job->gpu);
    struct dirent **entries = NULL;
    OWNED_TEXT metrics = folder_of(job->metrics->count > 0 ? job->metrics->list[0].file : ".");
    char *folder = x_sprintf("%s/gpus", metrics), *path = NULL;
    const int count = scandir(folder, &entries, is_description, by_entry_name);
    if (count == 1)
        path = x_sprintf("%s/%s", folder, entries[0]->d_name);
    else
        problem_set(problem, "%s %s: choose the GPU to simulate, with --simulate=GPU or `gpu = GPU` in cugate.ini",
                    count <= 0 ? "there is no description of a GPU in" : "there are several descriptions of GPUs in",
                    folder);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    free(folder);
    return path;
}

int sim_prepare(const struct job *job, struct problem *problem)
{
    struct gpu gpu;
    OWNED_TEXT file = gpu_file(job, problem);
    const int failed = file ? gpu_read(&gpu, file, problem) : -1;
    const bool known = failed == 0 && architecture_find(gpu_capability(&gpu));
    if (failed == 0 && !known)
        problem_set(problem, "cannot simulate %s: code for compute capability %d.%d is not supported", file,
                    gpu_capability(&gpu) / 10, gpu_capability(&gpu) % 10);
    if (!known)
        return EXIT_USAGE;
    runtime_set_gpu(&gpu);
    TRY_AS(EXIT_USAGE, check_library(job->library, !job->backend, problem));
    return job->dry ? 0 : sim_ready(problem); /* a dry run reads no instruction */
}

int sim_ready(struct problem *problem)
{
    TRY_AS(EXIT_USAGE, check_vector(problem));
    /* Without nvdisasm each kernel would be reported as not simulated, but the kernels are not the reason. */
    char *disassembler = nvdisasm_find(problem);
    free(disassembler);
    return disassembler ? 0 : EXIT_NOT_MEASURED;
}
