/* Prints `cugate COMMAND --help`, from the rows of the command and its options. */
#include "command.h"

#define DOC_COLUMN 28 /* the column where the description of an option begins */
#define KEYS_MAX 40
#define BRIEF 22 /* the help of a command with more options than that leaves out what is seldom wanted, without -v */

/* Returns what has to be asked for as well, since the option does nothing otherwise; it is put behind the option's
 * description. NULL: nothing. */
static const char *needed_words(const struct option_row *row, const struct command *command)
{
    const char *asked = options_asked_by(row->ways, command);
    const bool is_itself = asked && strncmp(asked, "--", 2) == 0 && strcmp(asked + 2, row->name) == 0;
    return is_itself || strcmp(row->name, "replay") == 0 ? NULL : asked;
}

/* Prints the name of an option, "  -o, --output FILE". Returns the column behind it. */
static int print_name(const struct text *text, const struct option_row *row)
{
    const bool optional = row->kind == KIND_TEXT_OR_FLAG;
    int column = text_print(text, INK_PLAIN, "  ");
    if (row->letter)
        column += text_print(text, INK_PLAIN, "-%c%s ", row->letter, row->name[1] ? "," : "");
    else
        column += text_print(text, INK_PLAIN, "    ");
    if (row->name[1])
        column += text_print(text, INK_PLAIN, "--%s", row->name);
    if (row->argument)
        column += text_print(text, INK_PLAIN, "%s%s%s",
                             optional       ? "[="
                             : row->name[1] ? " "
                                            : "",
                             row->argument, optional ? "]" : "");
    return column;
}

static void print_row(const struct text *text, const struct option_row *row, const struct command *command)
{
    OWNED_TEXT formats = row->kind == KIND_FORMAT ? format_names(row->document) : NULL;
    const char *needed = needed_words(row, command);
    OWNED_TEXT words = x_sprintf("%s%s%s%s", formats ? formats : row->doc, formats ? " (default: text)" : "",
                                 needed ? ", with " : "", needed ? needed : "");
    int column = print_name(text, row);
    column += text_print(text, INK_PLAIN, "%*s", column + 2 > DOC_COLUMN ? 2 : DOC_COLUMN - column, "");
    text_wrap(text, INK_PLAIN, column, DOC_COLUMN, words);
}

/* Each line of the details is a paragraph. One that begins with two spaces is an entry of a list: its words are wrapped
 * where they begin. */
static void print_details(const struct text *text, const char *details)
{
    for (const char *next; *details; details = next) {
        const size_t length = strcspn(details, "\n");
        next = details + length + (details[length] ? 1 : 0);
        OWNED_TEXT line = x_sprintf("%.*s", (int)length, details);
        const char *gap = *line == ' ' ? strstr(line + 2, "  ") : NULL;
        const char *words = gap ? gap + strspn(gap, " ") : line;
        text_print(text, INK_PLAIN, "%.*s", (int)(words - line), line);
        text_wrap(text, INK_PLAIN, (int)(words - line), (int)(words - line), words);
    }
}

/* Prints which options cugate.ini may set for the command, and what it sets here. Its errors are printed, and the help
 * continues. */
static void print_config(const struct text *text, const struct command *command)
{
    const char *names[KEYS_MAX];
    const size_t count = config_names(names, ARRAY_SIZE(names));
    size_t printed = 0;
    for (size_t i = 0; i < count; i++)
        if (options_takes_key(command, names[i]))
            fprintf(text->stream, "%s%s",
                    printed++ ? ", " : "\n" CONFIG_FILE ", here or in a parent folder, sets defaults for\n  ",
                    names[i]);
    if (printed == 0)
        return;
    fputs("\n", text->stream);
    OWNED(config) config = {0};
    if (config_read(&config) == 0)
        for (size_t i = 0; i < config.count; i++)
            if (options_takes_key(command, config.keys[i].name))
                text_print(text, INK_PLAIN, "  here: %s = %s, set in %s:%d\n", config.keys[i].name,
                           config.keys[i].value, config.path, config.keys[i].line);
}

static void print_exits(const struct text *text, const struct command *command)
{
    text_print(text, INK_PLAIN, "\nexit codes\n");
    for (const struct exit_words *exit = command->exits; exit->code != EXITS_END; exit++) {
        const int column = text_print(text, INK_PLAIN, "  %3d  ", (int)exit->code);
        text_wrap(text, INK_PLAIN, column, column, exit->doc ? exit->doc : exit_code_doc(exit->code));
    }
}

/* Prints the options of the command: of many, without -v, those that say something by themselves. */
static void print_options(const struct text *text, const struct command *command, bool brief)
{
    if (*command->takes)
        text_print(text, INK_PLAIN, "\noptions\n");
    for (size_t i = 0; command->takes[i]; i++)
        if (!brief || !needed_words(command->takes[i], command))
            print_row(text, command->takes[i], command);
}

void options_help(const struct command *command, bool all, FILE *stream)
{
    const struct text text = {.stream = stream, .columns = terminal_columns(stream)};
    const struct option_row *row;
    size_t count = 0;
    while (command->takes[count])
        count++;
    const bool brief = !all && count > BRIEF;
    const size_t first = strcspn(command->details, "\n");
    OWNED_TEXT details = x_sprintf("%.*s", brief ? (int)first : INT_MAX, command->details);
    fprintf(stream, "usage: cugate %s [OPTION]...%s%s\n", command->name, *command->arguments ? " " : "",
            command->arguments);
    fprintf(stream, "example: %s\n\ncugate %s - %s\n\n", command->example, command->name, command->summary);
    print_details(&text, details);
    print_options(&text, command, brief);
    if (brief) {
        fprintf(stream, "\n`cugate %s --help -v` shows all options, details, " CONFIG_FILE " and exit codes.\n",
                command->name);
        return;
    }
    fputs("\noptions of every command\n", stream);
    for (size_t i = count; (row = options_row(command, i)); i++)
        print_row(&text, row, command);
    print_config(&text, command);
    print_exits(&text, command);
}
