/* Prints a completion script for bash. It is made from the tables of commands and options, so it knows all. */

#include "command.h"

/* How an option's argument is completed, by the name that its row gives the argument. Other names are files. */
static const struct {
    const char *argument, *completed;
} arguments[] = {
    {"DIR", "folder"}, {"METRIC", "metric"}, {"GLOB", "nothing"},    {"GPU", "nothing"},  {"KERNEL", "nothing"},
    {"N", "nothing"},  {"NAME", "nothing"},  {"SECONDS", "nothing"}, {"TEXT", "nothing"},
};

/* The script around the cases, which are made from the tables. */
static const char head[] =
    "# What bash completes of cugate " CUGATE_VERSION "; printed by `cugate help completion`.\n"
    "_cugate() {\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}\n"
    "    local completed='file' takes='' argument='' i\n"
    "    COMPREPLY=()\n"
    "    [ \"$COMP_CWORD\" -gt 1 ] || command=help\n"
    "    # Bash takes --option=value for three words.\n"
    "    if [ \"$word\" = '=' ]; then\n"
    "        word='' before+='='\n"
    "    elif [ \"$before\" = '=' ]; then\n"
    "        before=${COMP_WORDS[COMP_CWORD - 2]}=\n"
    "    fi\n"
    "    case $command in\n";

static const char tail[] = "    esac\n"
                           "    [[ $argument || $word != -* ]] || completed=\"words $takes\"\n"
                           "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
                           "        if [ \"${COMP_WORDS[i]}\" = -- ]; then # a program and its arguments\n"
                           "            [ $((i + 1)) = \"$COMP_CWORD\" ] && completed='program' || completed='file'\n"
                           "            break\n"
                           "        fi\n"
                           "    done\n"
                           "    case $completed in\n"
                           "    words*) mapfile -t COMPREPLY < <(compgen -W \"${completed#words }\" -- \"$word\") ;;\n"
                           "    metric)\n"
                           "        completed=$(\"${COMP_WORDS[0]}\" list metrics 2>/dev/null | sed '1d; s/ .*//')\n"
                           "        mapfile -t COMPREPLY < <(compgen -W \"$completed\" -- \"$word\")\n"
                           "        ;;\n"
                           "    program) mapfile -t COMPREPLY < <(compgen -c -- \"$word\") ;;\n"
                           "    folder) compopt -o filenames && mapfile -t COMPREPLY < <(compgen -d -- \"$word\") ;;\n"
                           "    file) compopt -o filenames && mapfile -t COMPREPLY < <(compgen -f -- \"$word\") ;;\n"
                           "    esac\n"
                           "    [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace\n"
                           "}\n"
                           "complete -F _cugate cugate\n";

/* Prints the formats in "text, json or github" as words, each followed by `behind`. */
static void print_formats(enum document document, const char *behind)
{
    char *names = format_names(document), *rest = NULL;
    for (char *name = strtok_r(names, ", ", &rest); name; name = strtok_r(NULL, ", ", &rest))
        if (strcmp(name, "or") != 0)
            printf(" %s%s", name, behind);
    free(names);
}

static void print_completed(const struct option_row *row)
{
    if (row->kind == KIND_COLOR) {
        printf("words auto always never");
    } else if (row->kind == KIND_FORMAT || strcmp(row->argument, "FORMAT=FILE") == 0) {
        printf("words");
        print_formats(row->document, row->kind == KIND_FORMAT ? "" : "=");
    } else {
        const char *completed = "file";
        for (size_t i = 0; i < ARRAY_SIZE(arguments); i++)
            if (strcmp(row->argument, arguments[i].argument) == 0)
                completed = arguments[i].completed;
        printf("%s", completed);
    }
}

/* Prints the case for an option before the word: how its argument is completed. */
static void print_option(const struct option_row *row)
{
    if (!row->argument)
        return;
    printf("        ");
    if (row->kind == KIND_TEXT_OR_FLAG)
        printf("--%s=", row->name);
    else if (!row->name[1])
        printf("-%c", row->letter);
    else if (row->letter)
        printf("-%c | --%s | --%s=", row->letter, row->name, row->name);
    else
        printf("--%s | --%s=", row->name, row->name);
    printf(") argument=1 completed='");
    print_completed(row);
    printf("' ;;\n");
}

static void print_command(const struct command *command)
{
    const struct option_row *row;
    printf("    %s)\n        takes='", command->name);
    for (size_t i = 0; (row = options_row(command, i)); i++)
        printf("%s%s%s", i > 0 ? " " : "", row->name[1] ? "--" : "-", row->name);
    printf("'\n        case $before in\n");
    for (size_t i = 0; (row = options_row(command, i)); i++)
        print_option(row);
    printf("        esac\n        ;;\n");
}

void print_completion(void)
{
    size_t count;
    const struct command *const *list = commands(&count);
    fputs(head, stdout);
    printf("    help) completed='words words completion");
    for (size_t i = 0; i < count; i++)
        printf(" %s", list[i]->name);
    printf("' takes='--help --version' ;;\n");
    for (size_t i = 0; i < count; i++)
        print_command(list[i]);
    fputs(tail, stdout);
}
