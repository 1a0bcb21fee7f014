#include "report/glossary.h"
#include "test.h"

/* Returns the glossary's explanation of a text. Caller frees. */
static char *explain(const char *said, size_t *count)
{
    PRINT(char *, lines, to, *count = glossary_print(&(struct text){.stream = to}, said));
    return lines;
}

Test(glossary, only_words_that_stand_there_are_explained)
{
    static const struct {
        const char *said;
        size_t words;
    } rows[] = {
        {"", 0},
        {"session", 1},
        {"3 sessions and a session", 1},
        {"Sessions", 1},
        {"obsession, sessional, session/name, a_session", 0},
        {"the limit of a session", 2},
        {"\033[31mlimit\033[0m", 1},
        {"mlimit", 0},
        {"bank conflicts", 1},
        {"a trade-off", 1},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        size_t count;
        OWNED_TEXT lines = explain(rows[i].said, &count);
        cr_expect_eq(count, rows[i].words, "\"%s\" explains %zu:\n%s", rows[i].said, count, lines);
    }
}

Test(glossary, words_stand_in_the_order_of_their_use)
{
    size_t count;
    OWNED_TEXT lines = explain("a limit, then a session", &count);
    const char *limit = strstr(lines, "limit: "), *session = strstr(lines, "\nsession: ");
    cr_expect(limit == lines && session, "%s", lines);
}

/* Each word of the glossary is found by itself, once. */
Test(glossary, every_word_has_its_row)
{
    const char *word;
    for (size_t i = 0; (word = glossary_word(i)); i++) {
        size_t count;
        OWNED_TEXT lines = explain(word, &count), *begin = x_sprintf("%s: ", word);
        cr_expect_geq(count, 1u, "%s", word);
        cr_expect(strstr(lines, begin), "%s", lines);
        for (size_t j = 0; j < i; j++)
            cr_expect_str_neq(glossary_word(j), word);
    }
}
