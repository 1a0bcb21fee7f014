#include "ini_lines.h"

#include "error.h"
#include "names.h"

void ini_text_init(struct ini_text *text, const char *path, const char *content)
{
    static const char mark[] = "\xef\xbb\xbf";
    const size_t skipped = strncmp(content, mark, strlen(mark)) == 0 ? strlen(mark) : 0;
    *text = (struct ini_text){.path = path, .rest = content + skipped};
}

int ini_text_wrong(struct ini_text *text, int line, const char *format, ...)
{
    char words[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(words, sizeof words, format, list);
    va_end(list);
    text->failed = true;
    return error("%s:%d: %s", text->path, line, words);
}

int ini_text_unknown(struct ini_text *text, const char *what, const char *word, const char *const *names, size_t count)
{
    char all[512] = "";
    for (size_t i = 0, used = 0; i < count && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", names[i]);
    const char *near = nearest_name(word, names, count);
    return ini_text_wrong(text, text->line, "unknown %s \"%s\": %s%s%s %s", what, word, near ? "did you mean " : "",
                          near ? near : "", near ? "? There are" : "there are", all);
}

const char *ini_text_next(struct ini_text *text, size_t *length)
{
    const char *line = text->rest;
    if (text->failed || !*line)
        return NULL;
    *length = strcspn(line, "\n");
    text->rest = line + *length + (line[*length] == '\n');
    text->line++;
    for (size_t i = 0; i < *length; i++)
        if ((unsigned char)line[i] < 0x20 && line[i] != '\t' && (line[i] != '\r' || i + 1 < *length)) {
            ini_text_wrong(text, text->line, "column %zu has the control character %d: remove it", i + 1, line[i]);
            return NULL;
        }
    return line;
}

char *ini_text_copy(struct ini_text *text, const char *line, size_t length, char *buffer, int size, const char *advice)
{
    if (length + 2 > (size_t)size) {
        ini_text_wrong(text, text->line, "the line has %zu characters, but at most %d are allowed%s", length, size - 2,
                       advice);
        return NULL;
    }
    memcpy(buffer, line, length);
    buffer[length] = '\0';
    return buffer;
}

void ini_text_parse(struct ini_text *text, ini_reader next_line, ini_handler take_key, void *data, const char *form)
{
    const int line = ini_parse_stream(next_line, data, take_key, data);
    if (!text->failed && line != 0)
        ini_text_wrong(text, line > 0 ? line : text->line, "expected %s or key = value", form);
}
