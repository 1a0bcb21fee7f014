#include "kernel_find.h"

#include "cubin.h"
#include "names/names.h"

struct kernels {
    const char *path;
    char **names, **read; /* as the machine code has them, and as the source does */
    size_t count, read_count;
};

static int list_kernels(void *data, const unsigned char *bytes, size_t size)
{
    struct kernels *kernels = data;
    OWNED_TEXT copy = x_calloc(size, 1); /* libelf may write to it */
    OWNED(image) image = {0};
    memcpy(copy, bytes, size);
    const int result = image_read(&image, kernels->path, 0, copy, size);
    for (size_t i = 0; result == 0 && i < image.kernel_count; i++) {
        *ARRAY_GROW(kernels->names, kernels->count) = x_strdup(image.kernels[i].facts.name);
        *ARRAY_GROW(kernels->read, kernels->read_count) = x_strdup(image.kernels[i].facts.name);
    }
    return result;
}

/* Whether a part of a name is meant, wherever blanks are. */
static bool is_part(struct name_part part, const char *text)
{
    const char *end = part.text + part.length;
    for (const char *at = part.text; at < end; at++)
        if (*at != ' ' && *(text += strspn(text, " ")) == *at)
            text++;
        else if (*at != ' ')
            return false;
    return *text == '\0';
}

/* Says that there is no such kernel, and which there are. */
static void say_absent(const struct kernels *kernels, char *const *names, const char *meant)
{
    enum { SHOWN = 6 };
    const char *near = nearest_name(meant, (const char *const *)names, kernels->count);
    OWNED_TEXT list = x_strdup("");
    for (size_t i = 0; i < kernels->count && i < SHOWN; i++)
        x_append(&list, ", ", "%s", names[i]);
    if (near)
        error("%s has no kernel %s; did you mean %s?", kernels->path, meant, near);
    else
        error("%s has no kernel %s; it has %s%s", kernels->path, meant, *list ? list : "none",
              kernels->count > SHOWN ? ", ..." : "");
}

/* Returns the kernel that is meant; kernels->count after error(). */
static size_t find(const struct kernels *kernels, const char *meant)
{
    size_t found = kernels->count, other = kernels->count;
    OWNED_MEMORY char **names = x_calloc(kernels->count + 1, sizeof *names);
    for (size_t i = 0; i < kernels->count; i++) {
        const char *read = kernels->read[i];
        names[i] = kernel_short_name(read);
        const struct name_part parts[] = {{names[i], strlen(names[i])},
                                          {names[i], strcspn(names[i], "<")},
                                          {read, strlen(read)},
                                          function_name(read),
                                          function_template(read)};
        const bool is_it = ANY(k, ARRAY_SIZE(parts), is_part(parts[k], meant));
        if (strcmp(kernels->names[i], meant) == 0) { /* the machine code's own name has no other meaning */
            found = i;
            other = kernels->count;
            break;
        }
        if (is_it && found < kernels->count && strcmp(kernels->names[i], kernels->names[found]) != 0)
            other = i;
        else if (is_it)
            found = i;
    }
    if (other < kernels->count)
        error("%s has several kernels %s, such as %s and %s: add template arguments, or use the mangled name, %s",
              kernels->path, meant, names[found], names[other], kernels->names[found]);
    else if (found == kernels->count)
        say_absent(kernels, names, meant);
    for (size_t i = 0; i < kernels->count; i++)
        free(names[i]);
    return other < kernels->count ? kernels->count : found;
}

int kernel_find(const char *path, const char *meant, char **name, char **read)
{
    struct kernels kernels = {.path = path};
    *name = *read = NULL;
    int failed = cubin_each_image(path, list_kernels, &kernels);
    char ***names = x_calloc(kernels.count + 1, sizeof *names);
    for (size_t i = 0; i < kernels.count; i++)
        names[i] = &kernels.read[i];
    demangle(names, kernels.count);
    free(names);
    const size_t found = failed < 0 ? kernels.count : find(&kernels, meant);
    for (size_t i = 0; i < kernels.count; i++) {
        char **const kept[] = {name, read}, *const has[] = {kernels.names[i], kernels.read[i]};
        for (size_t k = 0; k < ARRAY_SIZE(kept); k++)
            if (i == found)
                *kept[k] = has[k];
            else
                free(has[k]);
    }
    failed = found == kernels.count ? -1 : failed;
    free(kernels.names);
    free(kernels.read);
    return failed;
}
