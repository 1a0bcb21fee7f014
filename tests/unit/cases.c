#include "cases.h"

#include <ctype.h>

enum { MOST_WORDS = 32, MOST_LINES = 64, MOST_CELLS = 9, MOST_NAMES = 32 };

/* The case, and the line that is executed. */
static struct {
    const char *path, *name;
    const struct language *language;
    char *cells[MOST_CELLS + 1];
    char *names[MOST_NAMES], *values[MOST_NAMES];
    size_t name_count;
    size_t row, line; /* of the file */
    char *words[MOST_WORDS];
} at;
size_t word_count;

const char *where(void)
{
    static char text[256];
    snprintf(text, sizeof text, "%s:%zu (row %zu): %s", at.path, at.line, at.row, at.name);
    return text;
}

char *word(size_t i)
{
    NEED(i < word_count, "a word is missing behind %s", at.words[word_count - 1]);
    return at.words[i];
}

double number(const char *text)
{
    char *end;
    const double value = strtod(text, &end);
    NEED(end > text && *end == '\0', "%s is no number", text);
    return value;
}

size_t whole(const char *text)
{
    return (size_t)number(text);
}

const char *known(const char *text)
{
    return *text == '\0' || strcmp(text, "-") == 0 ? NULL : text;
}

/* Returns the text without blanks around it, of which it cuts off those behind. */
static char *trimmed(char *text)
{
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t", text[length - 1]))
        length--;
    text[length] = '\0';
    return text;
}

char *value_of(char *key)
{
    char *value = strchr(key, '=');
    NEED(value, "%s has no value", key);
    *value = '\0';
    return value + 1;
}

static enum value_state value_state_named(const char *text)
{
    enum value_state state = 0;
    PLACE_OF(state, value_state_name, VALUE_STATES);
}

void put_values(struct result *result, const char *metric, char *text)
{
    if (*text == '\0')
        return;
    struct row *row = result_add(result, metric);
    if (isalpha((unsigned char)*text)) {
        char *const colon = strchr(text, ':'), *const end = colon ? colon : strchr(text, '\0');
        const char *reason = colon ? colon + 1 + strspn(colon + 1, " ") : "";
        *end = '\0';
        row_clear(row);
        row->state = value_state_named(text);
        set_text(&row->reason, known(reason));
        return;
    }
    for (char *end = text - 1; end < text || *end == '/';) {
        double samples[16];
        size_t count = 0;
        do {
            char *const begin = end + 1;
            samples[count++] = strtod(begin, &end);
            NEED(end > begin && count < ARRAY_SIZE(samples), "%s is no list of sessions", text);
        } while (*end == ',');
        for (size_t times = *end == '*' ? strtoul(end + 1, &end, 10) : 1; times > 0; times--)
            row_add_session(row, samples, count);
        NEED(strchr("/", *end), "%s is no list of sessions", text);
    }
}

static char **kept;
static size_t kept_count;

const char *kept_text(const char *text)
{
    return *ARRAY_GROW(kept, kept_count) = x_strdup(known(text));
}

void put_members(const struct member *members, size_t count, size_t first)
{
    for (size_t i = first; i < word_count; i++) {
        const char *const value = value_of(word(i));
        size_t k = FIRST(n, count, strcmp(members[n].name, word(i)) == 0);
        NEED(k < count, "there is no %s", word(i));
        if (members[k].number)
            *members[k].number = number(value);
        else if (members[k].count)
            *members[k].count = whole(value);
        else if (members[k].flag)
            *members[k].flag = whole(value) != 0;
        else
            *members[k].text = kept_text(value);
    }
}

void expect_number(const struct named_number *numbers, size_t count, const char *key, double expected)
{
    size_t i = FIRST(k, count, strcmp(numbers[k].name, key) == 0);
    NEED(i < count, "%s is no number", key);
    const double is = numbers[i].value;
    CHECK(isnan(expected) ? isnan(is) : fabs(is - expected) <= 1e-9 * fabs(expected), "%s is %.17g, not %.17g", key, is,
          expected);
}

void expect_numbers(const struct named_number *numbers, size_t count, size_t first)
{
    for (size_t i = first; i < word_count; i++) {
        const double expected = number(value_of(word(i)));
        expect_number(numbers, count, word(i), expected);
    }
}

void expect_text_says(const char *text)
{
    for (size_t i = 1; i < word_count; i++)
        CHECK(strstr(text, word(i)), "it does not say \"%s\":\n%s", word(i), text);
}

void expect_text_lacks(const char *text)
{
    for (size_t i = 1; i < word_count; i++)
        CHECK(!strstr(text, word(i)), "it says \"%s\":\n%s", word(i), text);
}

enum session_fact fact_named(const char *text)
{
    enum session_fact fact = 0;
    PLACE_OF(fact, session_fact_name, SESSION_FACTS);
}

/* Returns where the value of a name is; a name ends at what is neither a letter nor a digit. NULL: there is none. */
static char **value_named(const char *name)
{
    size_t length = 0;
    while (isalnum((unsigned char)name[length]))
        length++;
    for (size_t i = 0; i < at.name_count; i++)
        if (strlen(at.names[i]) == length && strncmp(at.names[i], name, length) == 0)
            return &at.values[i];
    return NULL;
}

/* Returns the text of the cell or the name behind *mark, of which *mark is set to the last character. */
static const char *text_behind(const char **mark)
{
    const char *name = *mark + 1;
    char **const value = value_named(name);
    const size_t cell = (size_t)(*name - '1');
    NEED(value || (cell < MOST_CELLS && at.cells[cell]), "there is no cell or name of %s", name);
    *mark += value ? strlen(at.names[value - at.values]) : 1;
    return value ? *value : at.cells[cell];
}

/* Puts cells in the places of $1 to $9, and values in those of names. Caller frees. */
static char *filled(const char *line)
{
    PRINT(
        char *, text, stream, for (const char *p = line; *p; p++) {
            if (*p == '$' && isalnum((unsigned char)p[1])) {
                OWNED_TEXT inner = filled(text_behind(&p));
                fputs(inner, stream);
            } else {
                fputc(*p, stream);
            }
        });
    return text;
}

/* Cuts a line into words, in place. Quotes may be within a word. */
static void split(char *line)
{
    word_count = 0;
    for (const char *from = line; *(from += strspn(from, " ")) != '\0';) {
        char *to = line + (from - line);
        bool quoted = false;
        NEED(word_count < MOST_WORDS, "more than %d words", MOST_WORDS);
        at.words[word_count++] = to;
        for (; *from != '\0' && (quoted || *from != ' '); from++) {
            if (*from == '"')
                quoted = !quoted;
            else
                *to++ = *from == '\\' && from++ ? unescaped(&from) : *from;
        }
        NEED(!quoted, "%s has no end", at.words[word_count - 1]);
        from += *from != '\0';
        *to = '\0';
    }
}

/* Gives names values: those of `let`, or others where they have one. */
static void name_values(const char *text, bool is_new)
{
    OWNED_TEXT line = x_strdup(text);
    split(line);
    for (size_t i = is_new; i < word_count; i++) {
        char *const value = strchr(at.words[i], '='), **const named = value_named(at.words[i]);
        if (!value || (!is_new && !named))
            return;
        *value = '\0';
        NEED(is_new == !named && at.name_count < MOST_NAMES, "%s has a value, or is one too many", at.words[i]);
        if (is_new)
            at.names[at.name_count] = x_strdup(at.words[i]);
        set_text(is_new ? &at.values[at.name_count++] : named, value + 1);
    }
}

static void execute(const char *line)
{
    if (*line == '?' || *line == '!') {
        const bool wanted = *line == '?';
        if ((*text_behind(&line) != '\0') != wanted)
            return;
        line++;
    }
    OWNED_TEXT text = filled(line);
    split(text);
    size_t i = 0;
    while (i < at.language->count && (word_count == 0 || strcmp(at.language->commands[i].name, at.words[0]) != 0))
        i++;
    NEED(i < at.language->count, "what is %s?", line);
    if (!at.language->commands[i].looks && at.language->change)
        at.language->change();
    at.language->commands[i].run();
}

struct line {
    char *text;
    size_t number;
};

/* Tries the lines with the cells of a row; without a row as they are. */
static void try_row(const struct line *lines, size_t count, const struct line *row)
{
    OWNED_TEXT text = x_strdup(row ? row->text : "");
    memset(at.cells, 0, sizeof at.cells);
    at.row = row ? row->number : 0;
    char *rest = text;
    for (size_t i = 0; row && i < MOST_CELLS; i++) {
        char *cell = strsep(&rest, "|");
        at.cells[i] = cell ? trimmed(cell) : NULL;
    }
    for (size_t i = 0; i < count; i++)
        if (strncmp(lines[i].text, "let ", 4) == 0)
            name_values(lines[i].text, true);
    for (size_t i = 0; i < MOST_CELLS && at.cells[i] && at.name_count > 0; i++)
        name_values(at.cells[i], false);
    at.language->begin();
    for (size_t i = 0; i < count; i++) {
        at.line = lines[i].number;
        if (strncmp(lines[i].text, "let ", 4) != 0)
            execute(lines[i].text);
    }
    at.language->end();
    free_texts(kept, kept_count);
    kept = NULL;
    kept_count = 0;
    for (; at.name_count > 0; at.name_count--) {
        set_text(&at.names[at.name_count - 1], NULL);
        set_text(&at.values[at.name_count - 1], NULL);
    }
}

void try_cases(const char *path, const struct language *language)
{
    struct line lines[MOST_LINES];
    size_t count = 0, tried = 0, rows = 0, length;
    OWNED_TEXT text;
    cr_assert_eq(file_read(path, 1 << 20, &text, &length), 0);
    at.path = path;
    at.language = language;
    char *rest = text;
    for (size_t n = 1; rest; n++) {
        char *line = strsep(&rest, "\n"), *const remark = strstr(line, " # ");
        if (remark)
            *remark = '\0';
        line = trimmed(line);
        at.line = n;
        if (strncmp(line, "case ", 5) == 0 || !rest) {
            if (count > 0 && rows == 0)
                try_row(lines, count, NULL);
            tried += count > 0;
            count = rows = 0;
            at.name = line;
        } else if (*line == '|') {
            rows++;
            try_row(lines, count, &(struct line){line + 1, n});
        } else if (*line != '\0' && *line != '#') {
            NEED(count < MOST_LINES && rows == 0, "this line belongs to no case: %s", line);
            lines[count++] = (struct line){line, n};
        }
    }
    cr_assert_gt(tried, 0, "%s has no case", path);
}
