/* Begins the gate in a repository: writes cugate.ini and what CI runs, and says what comes next. What CI runs is made
 * of files in ci/, which cugate uses as well or, performance.yml, has for others; jobs that are not wanted are left
 * out. */

#include "command.h"

#include <glob.h>
#include <unistd.h>

struct own_options {
    const char *program, *runner, *action; /* as they are typed */
    bool nightly, slurm;                   /* what else is written */
    const char *skill;                     /* folder */
    bool force;
};

#define WORKFLOW ".github/workflows/performance.yml"
#define NIGHTLY ".github/workflows/nightly.yml"
#define SLURM "perf/slurm.sh"
#define TEMPLATE_LIMIT (1u << 16)
#define OTHER "OWNER/cugate/ci@COMMIT" /* what performance.yml uses; somebody has to say what it is */
#define OWN_ACTION "uses: ./ci"        /* what nightly.yml uses, as it is a workflow of cugate's, too */
#define RUNNER "self-hosted, linux, gpu"

struct beginning {
    const struct options *options;
    const char *kernels, *baselines;
    char *gpu, *skill;       /* owned */
    bool keeps;              /* cugate.ini is there, and gets what it lacks */
    bool computes, measures; /* which jobs the workflow has */
    bool judged;             /* there is a baseline, so none is to be begun */
};

/* A file that may be written. cugate.ini has no template, and what is there stays in its text. */
struct draft {
    bool wanted;
    const char *path, *template;
    char *text;
    int writes; /* 0: it is as it should be */
};

/* ---- The workflow ---- */

/* Whether the line begins a job, "  computed:", and which. */
static bool begins_job(const char *line, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(line, "  ", 2) == 0 && strncmp(line + 2, name, length) == 0 && line[2 + length] == ':';
}

static void put_replaced(FILE *stream, const char *line, const char *part, const char *by)
{
    const char *at = strstr(line, part);
    fprintf(stream, "%.*s%s%s\n", (int)(at - line), line, by, at + strlen(part));
}

/* Prints a text as a scalar of YAML: in quotes, and a quote in it twice. */
static void put_quoted(FILE *stream, const char *text)
{
    fputc('\'', stream);
    for (; *text; text++)
        fprintf(stream, *text == '\'' ? "''" : "%c", *text);
    fputs("'\n", stream);
}

static void put_line(const struct beginning *beginning, FILE *stream, const char *line)
{
    const struct options *options = beginning->options;
    const char *needs =
        beginning->computes ? beginning->measures ? "[computed, measured]" : "[computed]" : "[measured]";
    const char *action = OWN(options)->action ? OWN(options)->action : OTHER;
    if (strstr(line, OTHER))
        put_replaced(stream, line, OTHER, action);
    else if (strstr(line, OWN_ACTION))
        put_replaced(stream, line, OWN_ACTION + strlen("uses: "), action);
    else if (strstr(line, RUNNER) && OWN(options)->runner)
        put_replaced(stream, line, RUNNER, OWN(options)->runner);
    else if (strstr(line, "needs: [computed, measured]"))
        put_replaced(stream, line, "[computed, measured]", needs);
    else
        fprintf(stream, "%s\n", line);
    if ((strstr(line, "mode: simulate") || strstr(line, "mode: measure") || strstr(line, "mode: nightly")) &&
        OWN(options)->program) {
        OWNED_TEXT arguments = x_sprintf("-- %s", OWN(options)->program);
        fputs("          arguments: ", stream);
        put_quoted(stream, arguments);
    }
}

/* Returns where a file of ci/ is, such as "github/nightly.yml". Caller frees. */
static char *find_template(const char *name)
{
    char *places[] = {x_sprintf("../share/cugate/ci/%s", name), x_sprintf("../ci/%s", name),
                      x_sprintf("../../ci/%s", name)};
    char *path = program_beside((const char *const *)places, ARRAY_SIZE(places));
    for (size_t i = 0; i < ARRAY_SIZE(places); i++)
        free(places[i]);
    return path;
}

/* Returns the text that is made of a file of ci/, or NULL after error(). Caller frees. */
static char *fill_in(const struct beginning *beginning, const char *name)
{
    OWNED_TEXT template = NULL, *path = find_template(name);
    char *text = NULL, *rest, *line;
    size_t length;
    if (file_read(path, TEMPLATE_LIMIT, &template, &length) < 0)
        return NULL;
    FILE *stream = x_memstream(&text, NULL);
    bool wanted = true;
    template[strlen(template) - 1] = '\0'; /* the last line's end */
    for (rest = template; (line = strsep(&rest, "\n"));) {
        if (begins_job(line, "computed"))
            wanted = beginning->computes;
        else if (begins_job(line, "measured"))
            wanted = beginning->measures;
        else if (begins_job(line, "verdict"))
            wanted = true;
        if (wanted)
            put_line(beginning, stream, line);
    }
    fclose(stream);
    return text;
}

/* ---- cugate.ini ---- */

/* Returns what cugate.ini has for a key already, or NULL. */
static const char *value_there(const struct beginning *beginning, const char *key)
{
    const struct config *config = &beginning->options->config;
    for (size_t i = 0; i < config->count && beginning->keeps; i++)
        if (strcmp(config->keys[i].name, key) == 0)
            return config->keys[i].value;
    return NULL;
}

/* Returns what cugate.ini has already with the lines before its first section, or NULL after error(). Caller frees. */
static char *add_to_config(const char *lines)
{
    OWNED_TEXT text = NULL;
    size_t length;
    if (file_read(CONFIG_FILE, TEMPLATE_LIMIT, &text, &length) < 0)
        return NULL;
    const char *section = *text == '[' ? text : strstr(text, "\n[");
    const size_t head = !section ? length : section == text ? 0 : (size_t)(section - text) + 1;
    return x_sprintf("%.*s%s%s%s", (int)head, text, head == 0 || text[head - 1] == '\n' ? "" : "\n", lines,
                     text + head);
}

/* Returns the text of cugate.ini, or NULL after error(). Caller frees. */
static char *make_config(const struct beginning *beginning)
{
    const struct options *options = beginning->options;
    const struct {
        const char *key, *value;
    } lines[] = {{"kernels", beginning->kernels},
                 {"build", options->build},
                 {"baselines", beginning->baselines},
                 {"gpu", beginning->gpu}};
    OWNED_TEXT text = x_strdup("");
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        const char *there = value_there(beginning, lines[i].key);
        if (there && (!lines[i].value || strcmp(there, lines[i].value) != 0))
            return FAIL(NULL, CONFIG_FILE " already exists with %s = %s: edit it, or replace it with --force",
                        lines[i].key, there);
        if (!there && lines[i].value)
            x_append(&text, "", "%s = %s\n", lines[i].key, lines[i].value);
    }
    OWNED(config) config = {0};
    return config_read_text(&config, CONFIG_FILE, text) < 0 ? NULL
           : beginning->keeps                               ? add_to_config(text)
                                                            : x_strdup(text);
}

/* ---- Writing ---- */

/* Whether a file may be written: 1, 0 where it is as it should be, -1 after error(). */
static int may_write(const struct draft *draft, bool force)
{
    OWNED_TEXT text = NULL;
    size_t length;
    if (access(draft->path, F_OK) < 0 || force)
        return 1;
    TRY(file_read(draft->path, TEMPLATE_LIMIT, &text, &length));
    const bool same = strcmp(text, draft->text) == 0;
    return same ? 0
           : !draft->template
               ? 1
               : error("%s already exists and differs: edit it, or replace it with --force", draft->path);
}

static int write_draft(const struct draft *draft)
{
    struct atomic_file file;
    OWNED_TEXT folder = folder_of(draft->path);
    const int made = make_folders(folder);
    if (made < 0 || atomic_file_open(&file, draft->path) < 0)
        return -1;
    fputs(draft->text, file.stream);
    return atomic_file_commit(&file);
}

static int write_all(struct draft *drafts, size_t count, bool force)
{
    for (size_t i = 0; i < count; i++)
        if (drafts[i].wanted && (drafts[i].writes = may_write(&drafts[i], force)) < 0)
            return -1;
    for (size_t i = 0; i < count; i++) {
        if (drafts[i].writes && write_draft(&drafts[i]) < 0)
            return -1;
        if (drafts[i].wanted)
            print_harmless("%s %s\n", drafts[i].writes ? "wrote" : "kept ", drafts[i].path);
    }
    return 0;
}

/* ---- What comes next ---- */

/* The first baseline, of what was measured. */
static void say_sessions(const struct options *options)
{
    if (OWN(options)->program)
        print_harmless("  cugate aa --save sessions -- %s      # ten sessions, on a machine with a GPU\n",
                       OWN(options)->program);
    else
        print_harmless("  cugate aa --sessions 10 --save sessions\n");
    print_harmless("  cugate accept sessions/*.json --reason \"first baseline\"\n");
}

static void say_github(const struct beginning *beginning)
{
    const struct options *options = beginning->options;
    print_harmless("then, on GitHub:\n");
    if (!OWN(options)->action)
        print_harmless(
            "  in .github/workflows, set OWNER to the owner of your cugate copy and COMMIT to a commit of it\n");
    if (beginning->measures || OWN(options)->nightly)
        print_harmless("  a runner with a GPU and the labels %s: cugate doctor shows whether it can measure\n",
                       OWN(options)->runner ? OWN(options)->runner : RUNNER);
    if (OWN(options)->nightly)
        print_harmless("  the pages of all nights are in the artifact cugate-nightly; the variable CUGATE_PAGES = 1 "
                       "puts them on GitHub Pages\n");
    print_harmless("  require the check `verdict` before merging\n");
}

static void say_next(const struct beginning *beginning)
{
    const struct options *options = beginning->options;
    const bool measures = beginning->measures || OWN(options)->nightly || OWN(options)->slurm;
    print_harmless("\nnext, here:\n");
    print_harmless("  printf '%%s\\n' build/ sessions/%s%s >>.gitignore\n", beginning->computes ? " first.json" : "",
                   OWN(options)->slurm ? " 'slurm-*.out'" : "");
    if (!beginning->computes && !beginning->judged) {
        say_sessions(options);
    } else if (!beginning->judged) {
        if (options->build)
            print_harmless("  %s\n", options->build);
        if (OWN(options)->program)
            print_harmless("  cugate run --simulate --save first.json -- %s      # linked by nvcc -cudart shared\n",
                           OWN(options)->program);
        else
            print_harmless("  cugate check --simulate --save first.json      # ends with 4: no baseline yet\n");
        print_harmless("  cugate accept first.json --reason \"first baseline\"      # prints the expected.ini entries "
                       "of kernels that cannot be computed\n");
    }
    print_harmless("  git add .gitignore %s%s%s%s%s %s %s && git commit -m 'a gate for performance'\n", WORKFLOW,
                   OWN(options)->nightly ? " " NIGHTLY : "", OWN(options)->slurm ? " " SLURM : "",
                   beginning->skill ? " " : "", beginning->skill ? beginning->skill : "", CONFIG_FILE,
                   beginning->baselines);
    if (!OWN(options)->program && measures && !beginning->judged) {
        print_harmless("then, on a machine with that GPU:\n");
        say_sessions(options);
    }
    if (OWN(options)->slurm)
        print_harmless("then, every night, on the cluster:\n  sbatch --wait %s nightly%s%s\n", SLURM,
                       OWN(options)->program ? " -- " : "", OWN(options)->program ? OWN(options)->program : "");
    say_github(beginning);
}

/* ---- The command ---- */

/* Returns the name of the GPU that is meant, "nvidia-h200" by --gpu H200; NULL after error(). Caller frees. */
static char *find_gpu(const struct options *options)
{
    const char *meant = options->gpu ? options->gpu : config_gpu(&options->config);
    OWNED_TEXT path = options_find_gpu(options);
    const char *name = path ? strrchr(path, '/') + 1 : NULL;
    if (name && meant && (!options->gpu || strchr(meant, '/'))) /* as it is there, or a description of one's own */
        return x_strdup(meant);
    return name ? x_sprintf("%.*s", (int)(strrchr(name, '.') - name), name) : NULL;
}

/* Whether some GPU has a baseline of a program; else of any kernel. */
static bool has_baseline(const char *baselines, bool of_program)
{
    glob_t found;
    OWNED_TEXT files = x_sprintf("%s/*/*/%s.json", baselines, of_program ? "program" : "*");
    const bool has = glob(files, 0, NULL, &found) == 0;
    if (has)
        globfree(&found);
    return has;
}

static int look(struct beginning *beginning)
{
    const struct options *options = beginning->options;
    const char *const texts[] = {OWN(options)->program, options->build,   options->gpu,       OWN(options)->runner,
                                 OWN(options)->action,  options->kernels, options->baselines, OWN(options)->skill};
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        if (texts[i] && strpbrk(texts[i], "\n\r"))
            return error("'%s' has more than one line", texts[i]);
    const bool named = !options_library_is_own(options),
               has_library = named && !(OWN(options)->program && config_gives(&options->config, "kernels"));
    if (has_library == (OWN(options)->program != NULL))
        return error("say what to judge: --kernels LIB.so (a kernel library) or --program COMMAND");
    if (has_library && !options->build)
        return error("say how to build %s: --build COMMAND", options->kernels);
    if ((has_library || options->gpu || config_gpu(&options->config)) && !(beginning->gpu = find_gpu(options)))
        return -1;
    if (access(".git", F_OK) < 0)
        return error("this is not the root of a git repository, where " CONFIG_FILE " and the workflow belong");
    beginning->keeps = !OWN(options)->force && access(CONFIG_FILE, F_OK) == 0;
    beginning->kernels = has_library ? options->kernels : NULL;
    beginning->baselines = strcmp(options->baselines, OPTIONS_BASELINES) != 0 || access("baselines", F_OK) == 0
                               ? options->baselines /* where `cugate accept` writes without cugate.ini */
                               : "perf/baselines";
    beginning->judged = has_baseline(beginning->baselines, OWN(options)->program != NULL);
    beginning->computes = has_library || (beginning->gpu && !OWN(options)->runner);
    beginning->measures = !beginning->computes || OWN(options)->runner;
    return 0;
}

static int cmd_init(const struct options *options)
{
    struct beginning beginning = {.options = options};
    bool made = look(&beginning) == 0;
    beginning.skill = OWN(options)->skill ? x_sprintf("%s/SKILL.md", OWN(options)->skill) : NULL;
    /* Who asks for the skill later may have changed the workflow. */
    const bool flows = !OWN(options)->skill || OWN(options)->force || access(WORKFLOW, F_OK) < 0;
    struct draft drafts[] = {{.wanted = true, CONFIG_FILE, NULL},
                             {.wanted = flows, WORKFLOW, "github/performance.yml"},
                             {.wanted = OWN(options)->nightly, NIGHTLY, "github/nightly.yml"},
                             {.wanted = OWN(options)->slurm, SLURM, "slurm.sh"},
                             {.wanted = OWN(options)->skill, beginning.skill, "SKILL.md"}};
    for (size_t i = 0; i < ARRAY_SIZE(drafts) && made; i++)
        if (drafts[i].wanted)
            made = (drafts[i].text =
                        drafts[i].template ? fill_in(&beginning, drafts[i].template) : make_config(&beginning));
    const int result = made ? write_all(drafts, ARRAY_SIZE(drafts), OWN(options)->force) : -1;
    for (size_t i = 0; i < ARRAY_SIZE(drafts); i++)
        free(drafts[i].text);
    if (result == 0)
        say_next(&beginning);
    free(beginning.gpu);
    free(beginning.skill);
    return result < 0 ? EXIT_USAGE : EXIT_SAME;
}

/* clang-format off */
static const struct option_row *const takes[] = {
    OPTION(.name = "kernels", .argument = "LIB.so", .kind = KIND_TEXT, .place = PLACE(kernels),
           .doc = "kernel library: the path where the build writes it"),
    OPTION(.name = "program", .argument = "COMMAND", .kind = KIND_TEXT, .place = OWN_PLACE(program),
           .doc = "program to measure instead of a library, in quotes: 'python3 bench.py'"),
    OPTION(.name = "build", .argument = "COMMAND", .kind = KIND_TEXT, .place = PLACE(build),
           .doc = "shell command that builds the library or program, run at the top of the repository"),
    OPTION(.name = "gpu", .argument = "NAME", .kind = KIND_TEXT, .place = PLACE(gpu),
           .doc = "GPU to simulate, such as nvidia-h200; without it, a program is measured on a GPU"),
    OPTION(.name = "runner", .argument = "LABELS", .kind = KIND_TEXT, .place = OWN_PLACE(runner),
           .doc = "measure on a runner with a GPU and these labels (default for a program: " RUNNER "); for a library, counts are computed too"),
    OPTION(.name = "action", .argument = "USES", .kind = KIND_TEXT, .place = OWN_PLACE(action),
           .doc = "the action, with owner and commit (default: " OTHER ", to be filled in)"),
    OPTION(.name = "nightly", .kind = KIND_FLAG, .place = OWN_PLACE(nightly),
           .doc = "also write " NIGHTLY ", which measures every night, keeps the runs and draws their pages"),
    OPTION(.name = "slurm", .kind = KIND_FLAG, .place = OWN_PLACE(slurm),
           .doc = "also write " SLURM ", the same, or a check, as a Slurm job"),
    OPTION(.name = "skill", .argument = "DIR", .kind = KIND_TEXT, .place = OWN_PLACE(skill),
           .doc = "also write DIR/SKILL.md, instructions for an agent to check, fix and check again"),
    OPTION(.name = "baselines", .argument = "DIR", .kind = KIND_TEXT, .place = PLACE(baselines),
           .doc = "folder of the baselines (default: baselines if it exists, else perf/baselines)"),
    OPTION(.name = "force", .kind = KIND_FLAG, .place = OWN_PLACE(force), .doc = "replace existing files"),
    NULL,
};

const struct command command_init = {
    OWN_DEFAULTS(0),
    .name = "init",
    .arguments = "",
    .summary = "set up a gate: cugate.ini and a workflow for GitHub",
    .details = "Writes " CONFIG_FILE " and " WORKFLOW " at the root of a repository, and prints what to type and commit next; --nightly, --slurm and --skill add a file each. Counts are computed on a GitHub-hosted runner; with --runner, and for a program without --gpu, a runner with a GPU measures. " CONFIG_FILE " that exists gets the missing lines. Any other file that exists and differs is left unchanged and ends the command.",
    .exits = EXITS({EXIT_SAME, "the files were written"},
                   {EXIT_USAGE, NULL}),
    .example = "cugate init --kernels build/libmine.so --build 'cmake -B build && cmake --build build' --gpu nvidia-h200",
    .takes = takes,
    .minimum = 0, .maximum = 0, .run = cmd_init,
};
/* clang-format on */
