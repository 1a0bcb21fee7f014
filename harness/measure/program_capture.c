/* Keeps launches of a program as capsules. The program runs twice: first it is seen what it launches and how often, and
 * then, of each kernel in one shape, the launch in the middle is kept: that is neither a warm-up nor what comes at the
 * end. */
#include "program_parts.h"

struct capturing {
    const struct measurement *measurement;
    struct captured *captured;
    struct program_groups groups;
    struct program_setting setting;
    struct run about; /* the GPU, and the session of the first run */
    char **images;    /* names of the images that the first run loaded */
    size_t image_count;
    size_t known; /* how many of the groups the first run knew */
};

/* ---- The two runs ---- */

/* Returns an exit code, after error(), if the run is of no use. */
static int judge_run(const struct capturing *capturing, const struct program_run *part)
{
    const char *what = capturing->measurement->program->arguments[0];
    if (part->interrupted)
        return EXIT_INTERRUPTED;
    if (part->timed_out)
        error("%s did not finish within %g s; raise the limit with --timeout", what,
              capturing->measurement->program->timeout);
    else if (part->failure)
        error("a process of %s could not be captured: %s%s", what, part->failure,
              strstr(part->failure, part->setting->folder) ? "; set TMPDIR to another folder" : "");
    else if (part->status != 0)
        error("%s exited with code %d%s; a program that fails is not captured", what, part->status,
              part->keeps ? " when it ran again" : "");
    else if (part->processes == 0)
        error("%s did not use a GPU%s, so there is nothing to capture", what, part->keeps ? " when it ran again" : "");
    else if (part->part.session_count == 0)
        error("%s used a GPU but launched nothing on it, so there is nothing to capture", what);
    else
        return EXIT_SAME;
    return EXIT_NOT_MEASURED;
}

/* Says of which launches nothing is known. */
static void say_losses(const struct capturing *capturing, const struct program_run *part)
{
    const size_t unwatched = program_unwatched(part);
    if (unwatched > 0)
        warning("%zu launch%s not captured, because of too many shapes, modified graphs, or launches that wait",
                unwatched, plural_of(unwatched, " was", "es were"));
    capturing->captured->refused += unwatched > 0;
    if (part->broken_off > 0)
        warning("%zu of %zu process%s of the program exited without cleanup (_exit or a signal), so their launches "
                "could not be counted: for kernels that only they launched, the first launch is captured",
                part->broken_off, part->processes, plural_of(part->processes, "", "es"));
}

/* Processes that ended without a word did launch what they asked about. */
static void count_unknown(struct capturing *capturing)
{
    const size_t least = capturing->captured->launch > 0 ? capturing->captured->launch : 1;
    for (size_t g = 0; g < capturing->groups.count; g++)
        if (capturing->groups.list[g]->times == 0)
            capturing->groups.list[g]->most = least;
}

static int run_program(struct capturing *capturing, bool keeps)
{
    struct program_run part = {
        .measurement = capturing->measurement,
        .groups = &capturing->groups,
        .setting = &capturing->setting,
        .further = keeps,
        .keeps = keeps,
        .silent = keeps,
    };
    int code = program_run(&part) < 0 ? EXIT_USAGE : judge_run(capturing, &part);
    if (code == EXIT_SAME && !keeps) {
        say_losses(capturing, &part);
        if (part.broken_off > 0)
            count_unknown(capturing);
        capturing->known = capturing->groups.count;
        capturing->about = part.part;
        part.part = (struct run){0};
        capturing->images = part.images;
        capturing->image_count = part.image_count;
        part.images = NULL;
        part.image_count = 0;
    }
    program_groups_end_run(&capturing->groups, &part);
    program_run_release(&part);
    return code;
}

/* ---- The file ---- */

/* The files that processes wrote. */
struct parts {
    struct capsules *list;
    size_t count;
};

static void open_parts(struct parts *parts, const char *path)
{
    DIR *folder = opendir(path);
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        const char *ending = strstr(entry->d_name, ".capsule");
        if (!ending)
            continue;
        struct problem problem;
        struct capsules part;
        OWNED_TEXT file = x_sprintf("%s/%s", path, entry->d_name);
        if (capsules_open(&part, file, true, &problem) == 0)
            *ARRAY_GROW(parts->list, parts->count) = part;
        else
            warning("%s", problem.text);
    }
    if (folder)
        closedir(folder);
}

static const struct capsule *find_part(const struct parts *parts, const char *id, const struct capsules **from)
{
    for (size_t p = 0; p < parts->count; p++)
        for (size_t i = 0; i < parts->list[p].count; i++)
            if (strcmp(parts->list[p].list[i].id, id) == 0) {
                *from = &parts->list[p];
                return &parts->list[p].list[i];
            }
    return NULL;
}

/* Copies a capsule, with what only the parent knows of it. */
static int write_capsule(const struct capturing *capturing, struct capsule_writer *writer,
                         const struct program_group *group, const char *id, const struct capsules *from,
                         const struct capsule *capsule)
{
    const struct program_share *share = &group->shares[0];
    struct capsule whole = *capsule;
    size_t size;
    OWNED_MEMORY char *image = program_image_read(capturing->setting.folder, group->image, &size);
    if (!image)
        return problem_set(&writer->problem, "the machine code of %s is gone", id);
    whole.id = x_strdup(id);
    OWNED(blob) code = capsule_writer_blob(writer, image, size);
    whole.launches = group->most;
    whole.time_ns = share->counts[0] > 0 ? share->took[0] / share->counts[0] : NAN;
    whole.launched_by = group->launched_by;
    const int failed = capsule_writer_copy(writer, from, &whole, &code);
    free(whole.id);
    return failed;
}

/* Says why the group is not in the file, unless none of its launches counts. */
static void note_refused(struct capturing *capturing, size_t number)
{
    const struct program_group *group = capturing->groups.list[number];
    const bool is_new = number >= capturing->known;
    if (group->most == 0 && !is_new)
        return;
    capturing->captured->refused++;
    warning("%s is not captured: %s", group->id,
            group->refused && *group->refused ? group->refused
            : is_new                          ? "only the second run launched it"
                                              : "the second run did not launch it as often as the first");
}

static int write_all(struct capturing *capturing, char *const *before, const struct parts *parts)
{
    struct capsule_writer writer;
    struct captured *captured = capturing->captured;
    int failed = capsule_writer_open(&writer, captured->path, NULL);
    writer.file.is_brief = true;
    if (failed == 0)
        failed = capsule_writer_about(&writer, &capturing->about);
    for (size_t g = 0; g < capturing->groups.count && failed == 0; g++) {
        const struct program_group *group = capturing->groups.list[g];
        const struct capsules *from = NULL;
        const struct capsule *capsule = group->wanted ? find_part(parts, before[g], &from) : NULL;
        if (capsule)
            failed = write_capsule(capturing, &writer, group, group->id, from, capsule);
        else if (group->wanted)
            note_refused(capturing, g);
        captured->kept += capsule && failed == 0;
    }
    return capsule_writer_finish(&writer, failed);
}

/* Joins what the processes left. Kernels get their final names, by which capsules are called. */
static int join(struct capturing *capturing)
{
    struct parts parts = {0};
    struct run none = {0};
    const size_t count = capturing->groups.count;
    char **before = x_calloc(count + 1, sizeof *before);
    for (size_t g = 0; g < count; g++)
        before[g] = x_strdup(capturing->groups.list[g]->id);
    program_groups_name(&capturing->groups, capturing->measurement->program->name, &none);
    open_parts(&parts, capturing->setting.folder);
    const int failed = write_all(capturing, before, &parts);
    for (size_t p = 0; p < parts.count; p++)
        capsules_release(&parts.list[p]);
    free(parts.list);
    free_texts(before, count);
    return failed;
}

static void describe(struct capturing *capturing)
{
    struct session *session = &capturing->about.sessions[0];
    session->facts[SESSION_COLLECTOR] = x_strdup(program_backend.name);
    struct program as_typed = *capturing->measurement->program;
    as_typed.first = PROGRAM_FIRST; /* nobody asked for none */
    session->facts[SESSION_PROGRAM] = program_command_text(&as_typed);
    session->facts[SESSION_PART] = program_part_text(&as_typed.part);
    measure_complete_session(session);
}

static int capture_both(struct capturing *capturing)
{
    const struct measurement *measurement = capturing->measurement;
    TRY_CODE(run_program(capturing, false));
    TRY_AS(EXIT_USAGE, program_groups_expect(&capturing->groups, measurement->globs, measurement->glob_count));
    program_groups_find_images(&capturing->groups, capturing->setting.folder, capturing->images, capturing->image_count,
                               static_facts_capability(&capturing->about.device));
    const size_t picked = program_pick(&capturing->groups, capturing->captured->launch);
    if (picked > 0 && !measurement->program->quiet)
        remark("running the program again to capture %zu kernel%s", picked, plural(picked));
    if (picked > 0)
        TRY_CODE(run_program(capturing, true));
    describe(capturing);
    TRY_AS(EXIT_USAGE, join(capturing));
    if (capturing->captured->kept > 0)
        return EXIT_SAME;
    return FAIL(EXIT_NOT_MEASURED, "no launch of the program could be captured%s",
                capturing->captured->refused > 0 ? ""
                                                 : ": none is inside the part that --nvtx and --from-start select");
}

int program_capture(const struct measurement *measurement, struct captured *captured)
{
    struct capturing capturing = {.measurement = measurement, .captured = captured, .groups.keeps_shapes = true};
    int code = program_setting_open(&capturing.setting, measurement, true);
    if (code == EXIT_SAME)
        code = capture_both(&capturing);
    free_texts(capturing.images, capturing.image_count);
    run_release(&capturing.about);
    program_groups_release(&capturing.groups);
    program_setting_close(&capturing.setting);
    return code;
}
