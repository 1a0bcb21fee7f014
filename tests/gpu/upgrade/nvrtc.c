/* Compiles a file of CUDA C++ for sm_90 by one NVRTC of many, which it loads. Needs no GPU.
 *
 *   nvrtc LIBNVRTC.so FILE.cu OUT.cubin */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* The address of a function is written into *function, a pointer of its type. */
static void load(void *library, const char *name, void *function)
{
    *(void **)function = dlsym(library, name);
    if (!*(void **)function) {
        fprintf(stderr, "nvrtc: no %s\n", name);
        exit(2);
    }
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    static char text[1 << 20];
    const size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
    if (length == 0 || length == sizeof(text) - 1) {
        fprintf(stderr, "nvrtc: %s cannot be read\n", path);
        exit(2);
    }
    fclose(file);
    return text;
}

int main(int count, char **words)
{
    void *library = count == 4 ? dlopen(words[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
    if (!library) {
        fprintf(stderr, "%s\n", count == 4 ? dlerror() : "usage: nvrtc LIBNVRTC.so FILE.cu OUT.cubin");
        return 2;
    }
    int (*create)(void **, const char *, const char *, int, const char *const *, const char *const *);
    int (*compile)(void *, int, const char *const *);
    int (*size_of)(void *, size_t *), (*get)(void *, char *), (*log_size_of)(void *, size_t *),
        (*get_log)(void *, char *);
    load(library, "nvrtcCreateProgram", &create);
    load(library, "nvrtcCompileProgram", &compile);
    load(library, "nvrtcGetCUBINSize", &size_of);
    load(library, "nvrtcGetCUBIN", &get);
    load(library, "nvrtcGetProgramLogSize", &log_size_of);
    load(library, "nvrtcGetProgramLog", &get_log);

    void *program;
    size_t size = 0;
    static const char *const options[] = {"--gpu-architecture=sm_90", "--generate-line-info"};
    if (create(&program, read_text(words[2]), words[2], 0, NULL, NULL) != 0)
        return 2;
    if (compile(program, 2, options) != 0 || size_of(program, &size) != 0) {
        log_size_of(program, &size);
        char *log = calloc(size + 1, 1);
        get_log(program, log);
        fprintf(stderr, "%s\n", log);
        return 1;
    }
    char *cubin = malloc(size);
    FILE *file = fopen(words[3], "wb");
    const int status = get(program, cubin) != 0 || !file || fwrite(cubin, 1, size, file) != size || fclose(file) != 0;
    return status;
}
