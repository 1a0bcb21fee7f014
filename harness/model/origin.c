#include "origin.h"

#include "base/base.h"

/* A kernel library that is measured, by the collector that the option names. */
#define LIBRARY(option)                                                                                                \
    .does = "measure", .made = "measured",                                                                             \
    .begin = "cugate aa" option " --sessions %{sessions} --save sessions%{said}", .begun = "sessions/*.json",          \
    .rerun = "cugate run" option " -k %{kernel}%{said}"

/* What needs no GPU, and of that what only reads machine code. */
#define COMPUTED                                                                                                       \
    .does = "simulate", .made = "computed", .computed = true, .repeats = true, .begun = "RUN.json",                    \
    .source = "built by %{compiler}, simulated as %{device}", .no_value = "cugate doctor%{said}"
#define STATIC                                                                                                         \
    .asked = "--static", .does = "static", .made = "read", .code_only = true, .repeats = true,                         \
    .source = "built by %{compiler} for %{device}; no GPU was used"

static const struct origin origins[ORIGINS] = {
    [ORIGIN_MEASURED] =
        {
            LIBRARY(""),
            .collector = "cupti",
            .doing = "a kernel library is measured",
            .explain = "cugate explain %{kernel}%{said}",
            .no_value = "cugate doctor%{said}",
        },
    [ORIGIN_WARM] =
        {
            LIBRARY(" --collector warm"),
            .collector = "warm",
            .asked = "--collector warm",
            .doing = "a kernel library is measured with warm caches",
            .explain = "cugate explain --collector warm %{kernel}%{said}",
            .no_value = "cugate doctor%{said}",
        },
    [ORIGIN_HOST] =
        {
            LIBRARY(" --collector host"),
            .collector = "host",
            .asked = "--collector host",
            .doing = "the times of a kernel library are measured with the host clock",
        },
    [ORIGIN_PROGRAM] =
        {
            .collector = "exec",
            .asked = "-- PROGRAM",
            .doing = "a program is measured",
            .does = "measure",
            .made = "measured",
            .own_caches = true,
            .begin = "cugate aa --sessions %{sessions} --save sessions%{said} %{program}",
            .begun = "sessions/*.json",
            .explain = "cugate run --lines -k %{kernel} --save lines.json%{said} %{program}",
            .no_value = "cugate doctor%{said}",
        },
    [ORIGIN_COMPUTED_PROGRAM] =
        {
            COMPUTED,
            .collector = "exec-sim",
            .asked = "--simulate",
            .doing = "a program is simulated",
            .own_caches = true,
            .loud = "COMPUTED: NO KERNEL RAN ON A GPU.",
            .words = "The program's launches were executed and counted on a CPU; times are estimated:",
            .begin = "cugate run --simulate%{gpu} --save RUN.json%{said} %{program}",
            .rerun = "cugate run --simulate%{gpu} -k %{kernel}%{said} %{program}",
        },
    [ORIGIN_COMPUTED] =
        {
            COMPUTED,
            .collector = "sim",
            .counts_of = "cupti",
            .asked = "--simulate",
            .doing = "counts are computed",
            .loud = "COMPUTED: NO KERNEL RAN ON A GPU.",
            .words = "The machine code was executed and counted on a CPU; times are estimated:",
            .begin = "cugate check --simulate%{gpu} --save RUN.json%{said}",
            .rerun = "cugate run --simulate%{gpu} -k %{kernel}%{said}",
            .explain = "cugate explain --simulate%{gpu} %{kernel}%{said}",
        },
    [ORIGIN_CODE] =
        {
            STATIC,
            .collector = "code",
            .doing = "the machine code of a kernel library is judged without running it",
            .loud = "STATIC: NO KERNEL WAS RUN.",
            .words = "Only the machine code was read, for the block sizes of the baseline, without times or counters:",
            .no_value = "cugate doctor%{said}",
        },
    [ORIGIN_FILES] =
        {
            STATIC,
            .collector = "static",
            .doing = "the machine code in files is judged without running it",
            .loud = "STATIC: NO KERNEL WAS RUN.",
            .words = "Only the machine code of functions was read, without launches, times or counters:",
            .begin = "cugate check --static=%{device} --save RUN.json FILE...",
            .begun = "RUN.json",
        },
    [ORIGIN_IMPORTED] =
        {
            .doing = "a file of another program is judged",
            .does = "replay",
            .made = "measured",
            .loud = "IMPORTED: NOT MEASURED BY CUGATE.",
            .words = "The numbers below are from another tool:",
            .source = "%{collector} on %{device}",
            .begin = "cugate import %{collector} FILE... --save RUN.json",
            .begun = "RUN.json",
        },
};

const struct origin *origin_of(enum origin_name name)
{
    return &origins[name];
}

const struct origin *origin_find(const char *collector)
{
    for (size_t i = 0; collector && i < ARRAY_SIZE(origins); i++)
        if (origins[i].collector && strcmp(origins[i].collector, collector) == 0)
            return &origins[i];
    return &origins[ORIGIN_IMPORTED];
}

/* Returns what stands for a name, as a new string; the caller frees it. */
static char *value_of(const struct origin_words *words, const char *name, size_t length)
{
    const struct {
        const char *name, *value;
    } known[] = {
        {"kernel", words->kernel},
        {"program", words->program},
        {"device", words->device},
        {"collector", words->collector},
        {"compiler", words->compiler},
        {"gpu", words->gpu ? words->gpu : ""},
        {"said", words->said ? words->said : ""},
    };
    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        if (strlen(known[i].name) == length && strncmp(known[i].name, name, length) == 0)
            return x_strdup(known[i].value ? known[i].value : "unknown");
    return x_sprintf("%zu", words->sessions);
}

char *origin_command(const char *command, const struct origin_words *words)
{
    char *made = command ? x_strdup("") : NULL;
    while (command && *command) {
        const char *name = strstr(command, "%{");
        const size_t plain = name ? (size_t)(name - command) : strlen(command),
                     length = name ? strcspn(name + 2, "}") : 0;
        OWNED_TEXT value = name ? value_of(words, name + 2, length) : x_strdup("");
        x_append(&made, "", "%.*s%s", (int)plain, command, value);
        command += plain + (name ? length + 3 : 0);
    }
    return made;
}
