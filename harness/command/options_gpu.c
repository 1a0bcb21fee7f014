/* Finds the description of the GPU to simulate. */
#include "options.h"

#include <ctype.h>
#include <glob.h>
#include <unistd.h>

#define SUFFIX ".ini"

/* Returns the folder of descriptions: in the folder of --metrics if that has one, else cugate's own. Caller frees. */
static char *find_folder(const struct options *options)
{
    char *own = x_sprintf("%s/gpus", options->metrics);
    if (access(own, F_OK) == 0)
        return own;
    free(own);
    return x_sprintf("%s/gpus", options->found[1]);
}

/* Returns the name of a description file: "nvidia-h200". Caller frees. */
static char *name_of(const char *path)
{
    const char *file = strrchr(path, '/') + 1;
    return x_sprintf("%.*s", (int)(strlen(file) - strlen(SUFFIX)), file);
}

/* Returns "nvidia-h100, nvidia-h200". Caller frees. */
static char *list_names(const glob_t *paths)
{
    char *names = x_strdup("");
    for (size_t i = 0; i < paths->gl_pathc; i++) {
        OWNED_TEXT name = name_of(paths->gl_pathv[i]);
        x_append(&names, ", ", "%s", name);
    }
    return names;
}

static bool has_baseline(const struct options *options, const char *path)
{
    OWNED_TEXT name = name_of(path), *folder = x_sprintf("%s/%s", options->baselines, name);
    return access(folder, F_OK) == 0;
}

/* Returns the only description, or the only one with a baseline; NULL when there are none or several. */
static const char *find_only(const struct options *options, const glob_t *paths)
{
    const char *found = NULL;
    size_t count = 0;
    for (size_t i = 0; i < paths->gl_pathc && paths->gl_pathc > 1; i++)
        if (has_baseline(options, paths->gl_pathv[i]) && count++ == 0)
            found = paths->gl_pathv[i];
    return paths->gl_pathc == 1 ? paths->gl_pathv[0] : count == 1 ? found : NULL;
}

/* Leaves the letters and digits of a name, the former in lower case. */
static void squeeze(char *name)
{
    char *to = name;
    for (const char *from = name; *from; from++)
        if (isalnum((unsigned char)*from))
            *to++ = (char)tolower((unsigned char)*from);
    *to = '\0';
}

/* Returns the description of that name, or else the only one in whose name it stands: "H200" is nvidia-h200, and "RTX
 * 4090" is nvidia-geforce-rtx-4090. NULL: there is none, or there are several. */
static const char *find_named(const char *meant, const glob_t *paths)
{
    const char *exact = NULL, *like = NULL;
    size_t alike = 0;
    OWNED_TEXT part = x_strdup(meant);
    squeeze(part);
    for (size_t i = 0; i < paths->gl_pathc; i++) {
        OWNED_TEXT name = name_of(paths->gl_pathv[i]);
        if (strcmp(name, meant) == 0)
            exact = paths->gl_pathv[i];
        squeeze(name);
        if (*part && strstr(name, part) && alike++ == 0)
            like = paths->gl_pathv[i];
    }
    return exact ? exact : alike == 1 ? like : NULL;
}

/* Lists the descriptions in a folder; globfree() releases *paths. */
static void list_descriptions(glob_t *paths, const char *folder)
{
    OWNED_TEXT pattern = x_sprintf("%s/*" SUFFIX, folder);
    *paths = (glob_t){0};
    if (glob(pattern, 0, NULL, paths) != 0)
        paths->gl_pathc = 0;
}

char *options_gpu_names(const struct options *options)
{
    glob_t paths;
    OWNED_TEXT folder = find_folder(options);
    list_descriptions(&paths, folder);
    char *names = list_names(&paths);
    globfree(&paths);
    return names;
}

/* Returns the description of the GPU whose launches a file of capsules holds; NULL without one. */
static const char *find_of_capsules(const struct options *options, const glob_t *paths)
{
    OWNED(capsules) capsules = {0};
    struct problem ignored; /* whoever reads the kernels says it */
    const bool opened =
        (options->argument_count > 0 && capsules_open(&capsules, options->arguments[0], false, &ignored) == 0) ||
        (options->kernels && capsules_open(&capsules, options->kernels, false, &ignored) == 0);
    return opened && capsules.about.device.name ? find_named(capsules.about.device.name, paths) : NULL;
}

char *options_find_gpu(const struct options *options)
{
    const char *meant = options->gpu ? options->gpu : config_gpu(&options->config);
    OWNED_TEXT folder = find_folder(options);
    char *path = NULL;
    glob_t paths;
    list_descriptions(&paths, folder);
    const char *found = options->gpu ? NULL : find_of_capsules(options, &paths);
    if (!found)
        found = !meant ? find_only(options, &paths) : strchr(meant, '/') ? meant : find_named(meant, &paths);
    OWNED_TEXT names = list_names(&paths);
    const char *gone = strcmp(options->baselines, OPTIONS_BASELINES) != 0 ? options->baselines : NULL;
    if (!gone || access(gone, F_OK) == 0)
        gone = options->kernels && strstr(options->kernels, ".capsule") && access(options->kernels, F_OK) < 0
                   ? options->kernels
                   : NULL;
    if (found)
        path = x_strdup(found);
    else if (meant)
        error("unknown GPU '%s'%s; %s describes %s", meant, options->gpu ? "" : ", which " CONFIG_FILE " names", folder,
              *names ? names : "none");
    else if (*names)
        error("%s%s%sno GPU to simulate is set; known GPUs: %s. Choose one with --simulate=NAME (init and task: "
              "--gpu NAME), or with `gpu = NAME` in " CONFIG_FILE,
              gone ? "there is no " : "", gone ? gone : "", gone ? ": " : "", names);
    else
        error("%s has no description of a GPU (NAME.ini)", folder);
    globfree(&paths);
    return path;
}
