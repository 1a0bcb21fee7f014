/* Finds out which way of making a run a command line asks for (model/origin.h). Refuses options that do nothing for it.
 */
#include "options.h"

/* Stands for a run that is read. It is no row of origin.h, since such a run was made before, in any of the ways. */
static const struct origin recorded = {.asked = "--replay", .doing = "a recorded run is read"},
                           files_of_runs = {.doing = "run files are read"};

/* Behind "--" they are as well, if the first is named like one: scripts write `-- *.json`. */
bool options_read_runs(const struct options *options, const struct command *command)
{
    return command->reads_runs && options->argument_count > 0 &&
           !(options->behind_dashes && !options_is_run_file(options->arguments[0]));
}

enum subject options_subject(const struct options *options, const struct command *command)
{
    const bool has_argument = options->argument_count > 0;
    if (has_argument && command->replays_argument && capsules_is_file(options->arguments[0]))
        return SUBJECT_CAPSULES;
    if (has_argument && command->ways & (WAY(PROGRAM) | WAY(FILES)) && !options_read_runs(options, command))
        return options->is_static ? SUBJECT_FILES : SUBJECT_PROGRAM;
    return options->kernels && capsules_is_file(options->kernels) ? SUBJECT_CAPSULES : SUBJECT_LIBRARY;
}

enum origin_name options_way(const struct options *options, const struct command *command)
{
    const bool names_code = options->subject == SUBJECT_PROGRAM || options->subject == SUBJECT_FILES;
    if (options->is_static)
        return names_code ? ORIGIN_FILES : ORIGIN_CODE;
    if (options->simulate)
        return names_code && command->ways & WAY(COMPUTED_PROGRAM) ? ORIGIN_COMPUTED_PROGRAM : ORIGIN_COMPUTED;
    if (names_code)
        return ORIGIN_PROGRAM;
    for (enum origin_name name = 0; name < ORIGINS; name++)
        if (WAYS_OF_LIBRARY & 1u << name && origin_find(options->collector) == origin_of(name))
            return name;
    return ORIGIN_MEASURED;
}

const char *options_asked_by(unsigned ways, const struct command *command)
{
    if (!(command->ways & ~ways)) /* the command takes no other way, so that nothing has to be asked for */
        return NULL;
    for (enum origin_name name = 0; name < ORIGINS; name++)
        if (ways & command->ways & 1u << name)
            return origin_of(name)->asked;
    return ways & WAY_RECORDED ? recorded.asked : NULL;
}

static int refuse(const struct option_row *row, const struct origin *origin, const struct command *command)
{
    const char *dashes = row->name[1] ? "--" : "-", *add = options_asked_by(row->ways, command);
    if (strcmp(row->name, "against") == 0 && origin == origin_of(ORIGIN_COMPUTED_PROGRAM))
        return error("--against cannot compare simulated programs: save a run of each (cugate run --simulate --save "
                     "RUN.json -- PROGRAM), then cugate compare");
    if (origin->asked)
        return error("%s%s has no effect when %s: remove it or %s", dashes, row->name, origin->doing, origin->asked);
    return error("%s%s has no effect when %s: remove it%s%s", dashes, row->name, origin->doing, add ? ", or add " : "",
                 add ? add : "");
}

int options_refuse_idle(const struct options *options, const struct command *command, const bool *typed)
{
    const bool reads = options_read_runs(options, command);
    const struct origin *origin = options->replay ? &recorded : reads ? &files_of_runs : origin_of(options->way);
    const unsigned way = options->replay || reads ? WAY_RECORDED : 1u << options->way;
    const struct option_row *row;
    if (!command->ways)
        return 0;
    for (size_t i = 0; (row = options_row(command, i)); i++)
        if (typed[i] && row->ways && !(row->ways & way))
            return refuse(row, origin, command);
    if (options->argument_count > 0 && command->ways & WAY(PROGRAM) && !reads && !command->replays_argument &&
        !(way & (WAYS_OF_PROGRAM | WAY(FILES))))
        return error("a program is measured, but %s: remove %s or %s", origin->doing, options->arguments[0],
                     origin->asked);
    return 0;
}
