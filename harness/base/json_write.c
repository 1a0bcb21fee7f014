/* It is written by hand, because Jansson lacks these layouts and the shortest text of a number. Jansson also keeps the
 * whole document in memory, and a report may have 10,000 rows. A stream belongs to one thread, so nothing here locks
 * it. */
#include "json_write.h"

#include "error.h"
#include "utf8.h"

static void put(const struct json_writer *json, const char *text, size_t length)
{
    (void)fwrite_unlocked(text, 1, length, json->stream);
}

static void put_character(const struct json_writer *json, char character)
{
    (void)putc_unlocked(character, json->stream);
}

static void new_line(const struct json_writer *json)
{
    if (!json->one_line)
        fprintf(json->stream, "\n%*s", json->indent * json->depth, "");
}

static bool is_plain(unsigned char byte)
{
    return byte >= 0x20 && byte != '"' && byte != '\\' && byte < 0x7f;
}

static void put_escaped(const struct json_writer *json, unsigned character)
{
    if (character == '"' || character == '\\')
        fprintf(json->stream, "\\%c", (char)character);
    else if (character < 0x10000)
        fprintf(json->stream, "\\u%04x", character);
    else {
        put_escaped(json, 0xd800 + ((character - 0x10000) >> 10));
        put_escaped(json, 0xdc00 + (character & 0x3ff));
    }
}

/* Writes a text. Bytes that are not UTF-8 must not make the file unreadable. A message may be cut within a character,
 * and a host's name or a source file may have another encoding. */
static void put_text(const struct json_writer *json, const char *text)
{
    put_character(json, '"');
    while (*text) {
        const char *begin = text;
        while (is_plain((unsigned char)*text))
            text++;
        put(json, begin, (size_t)(text - begin));
        if (!*text)
            break;
        begin = text;
        const unsigned character = text_next(&text);
        const bool is_text = character != TEXT_REPLACEMENT || text > begin + 1;
        if (character < 0x80 || json->ascii)
            put_escaped(json, character);
        else
            put(json, is_text ? begin : "?", is_text ? (size_t)(text - begin) : 1);
    }
    put_character(json, '"');
}

/* Writes what precedes a value: a comma if it is not the first, and its key. */
static void begin_value(struct json_writer *json, const char *key)
{
    if (json->depth > 0) {
        struct json_level *level = &json->levels[json->depth - 1];
        if (level->any)
            put(json, ", ", level->lines ? 1 : 2);
        if (level->lines)
            new_line(json);
        level->any = true;
    }
    if (key) {
        put_text(json, key);
        put(json, ": ", 2);
    }
}

void json_open(struct json_writer *json, const char *key, char bracket, enum json_layout layout)
{
    begin_value(json, key);
    if (json->depth == JSON_DEPTH)
        BUG("JSON with more than %d levels", JSON_DEPTH);
    json->levels[json->depth++] = (struct json_level){.bracket = bracket, .lines = layout == JSON_LINES};
    put_character(json, bracket);
}

void json_close(struct json_writer *json)
{
    const struct json_level *level = &json->levels[--json->depth];
    if (level->lines && level->any)
        new_line(json);
    put_character(json, level->bracket == '{' ? '}' : ']');
}

void json_put_text(struct json_writer *json, const char *key, const char *text)
{
    begin_value(json, key);
    if (text)
        put_text(json, text);
    else
        put(json, "null", 4);
}

static void put_whole(const struct json_writer *json, unsigned long long number, bool negative)
{
    char digits[24], *end = digits + sizeof digits, *begin = end;
    do
        *--begin = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    if (negative)
        *--begin = '-';
    put(json, begin, (size_t)(end - begin));
}

static void put_real(const struct json_writer *json, double number)
{
    char text[32];
    snprintf(text, sizeof text, "%.*g", json->digits ? json->digits : 9, number);
    for (int digits = 10; !json->digits && digits <= 17 && strtod(text, NULL) != number; digits++)
        snprintf(text, sizeof text, "%.*g", digits, number);
    put(json, text, strlen(text));
}

void json_put_number(struct json_writer *json, const char *key, double number)
{
    begin_value(json, key);
    if (fabs(number) < 0x1p53 && rint(number) == number)
        put_whole(json, (unsigned long long)fabs(number), number < 0);
    else if (isfinite(number))
        put_real(json, number);
    else
        put(json, "null", 4);
}

void json_put_count(struct json_writer *json, const char *key, unsigned long long count)
{
    begin_value(json, key);
    put_whole(json, count, false);
}

void json_put_flag(struct json_writer *json, const char *key, bool flag)
{
    begin_value(json, key);
    put(json, flag ? "true" : "false", flag ? 4 : 5);
}

void json_put_null(struct json_writer *json, const char *key)
{
    json_put_text(json, key, NULL);
}

void json_put_if(struct json_writer *json, const char *key, const char *text)
{
    if (text)
        json_put_text(json, key, text);
}

void json_put_members(struct json_writer *json, const struct json_member *members, size_t count)
{
    for (const struct json_member *member = members; member < members + count; member++)
        if (member->kind == 't')
            json_put_text(json, member->key, member->text);
        else if (member->kind == 'n')
            json_put_number(json, member->key, member->number);
        else if (member->kind == 'c')
            json_put_count(json, member->key, member->count);
        else
            json_put_flag(json, member->key, member->count);
}
