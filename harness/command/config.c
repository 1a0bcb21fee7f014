#include "config.h"

#include "base/base.h"

#include <sys/stat.h>
#include <unistd.h>

#define CONFIG_LIMIT (1u << 16)

enum key_kind {
    KEY_WORD,
    KEY_PATH,
    KEY_METRICS, /* a path, optionally with a `+` before it */
    KEY_GPU      /* the GPU model for commands that need one when none is named */
};

/* To add a key: a row here with the name of an option. Options that change what a verdict means are excluded. Whether a
 * gate replays, computes or looks at some kernels only must be visible where it is called. */
static const struct key_name {
    const char *name;
    enum key_kind kind;
} key_names[] = {
    {"kernels", KEY_PATH}, {"metrics", KEY_METRICS}, {"baselines", KEY_PATH}, {"samples", KEY_WORD},
    {"timeout", KEY_WORD}, {"device", KEY_WORD},     {"sessions", KEY_WORD},  {"explain", KEY_WORD},
    {"first", KEY_WORD},   {"skip", KEY_WORD},       {"build", KEY_WORD},     {"gpu", KEY_GPU},
    {"trades", KEY_WORD},
};

/* Words that a link of the pages may contain, as {word}; each kind of link has some that it must. */
static const char *const link_words[] = {"commit", "path", "line"};
static const struct link {
    const char *name;
    bool must[ARRAY_SIZE(link_words)], may[ARRAY_SIZE(link_words)];
} links[] = {
    {"commit", {true, false, false}, {true, false, false}},
    {"line", {true, true, true}, {true, true, true}},
};

struct config_reader {
    struct config *config;
    struct ini_text text;
    char *folder; /* folder of the file with a slash at the end, or "" */
    bool in_links;
    int link_lines[ARRAY_SIZE(links)];
};

size_t config_names(const char **names, size_t size)
{
    for (size_t i = 0; i < ARRAY_SIZE(key_names) && i < size; i++)
        names[i] = key_names[i].name;
    return ARRAY_SIZE(key_names);
}

static int given_twice(struct config_reader *reader, const char *name, int line)
{
    return ini_text_wrong(&reader->text, reader->text.line, "\"%s\" is already set in line %d: remove one", name, line);
}

static char *resolve(const struct config_reader *reader, enum key_kind kind, const char *value)
{
    const bool plus = kind == KEY_METRICS && *value == '+';
    const char *path = value + plus;
    const bool is_path = kind == KEY_PATH || kind == KEY_METRICS || (kind == KEY_GPU && strchr(path, '/'));
    const bool is_relative = is_path && *path && *path != '/';
    char *resolved = x_sprintf("%s%s%s", plus ? "+" : "", is_relative ? reader->folder : "", path);
    if (!plus || strchr(path, '/') || access(resolved + 1, F_OK) == 0)
        return resolved;
    free(resolved);
    return x_strdup(value); /* +tensor: one of cugate's own sets */
}

static int take_option(struct config_reader *reader, const char *name, const char *value)
{
    struct config *config = reader->config;
    const char *names[ARRAY_SIZE(key_names)];
    const size_t count = config_names(names, ARRAY_SIZE(names)), which = name_index(name, names, count);
    if (which == count)
        return ini_text_unknown(&reader->text, "key", name, names, count);
    for (size_t i = 0; i < config->count; i++)
        if (strcmp(config->keys[i].name, name) == 0)
            return given_twice(reader, name, config->keys[i].line);
    if (!*value)
        return ini_text_wrong(&reader->text, reader->text.line, "\"%s\" has no value: write one, or remove the line",
                              name);
    *ARRAY_GROW(config->keys, config->count) = (struct config_key){
        .name = key_names[which].name,
        .value = resolve(reader, key_names[which].kind, value),
        .names_gpu = key_names[which].kind == KEY_GPU,
        .line = reader->text.line,
    };
    return 0;
}

/* Checks that a link contains the `{word}`s that it must, and no other. */
static int check_link(struct config_reader *reader, const struct link *link, const char *value)
{
    bool held[ARRAY_SIZE(link_words)] = {false};
    for (const char *at = strchr(value, '{'); at; at = strchr(at + 1, '{')) {
        size_t i = 0;
        for (; i < ARRAY_SIZE(link_words); i++) {
            const size_t length = strlen(link_words[i]);
            if (link->may[i] && strncmp(at + 1, link_words[i], length) == 0 && at[length + 1] == '}')
                break;
        }
        if (i == ARRAY_SIZE(link_words))
            return ini_text_wrong(&reader->text, reader->text.line, "\"%.*s\" is not a value of \"%s\": %s",
                                  (int)strcspn(at, "}") + 1, at, link->name,
                                  link->may[1] ? "write {commit}, {path} and {line}" : "write {commit}");
        held[i] = true;
    }
    for (size_t i = 0; i < ARRAY_SIZE(link_words); i++)
        if (link->must[i] && !held[i])
            return ini_text_wrong(&reader->text, reader->text.line,
                                  "\"%s\" lacks {%s}, so every link would be the same", link->name, link_words[i]);
    return 0;
}

static int take_link(struct config_reader *reader, const char *name, const char *value)
{
    const char *names[ARRAY_SIZE(links)];
    for (size_t i = 0; i < ARRAY_SIZE(links); i++)
        names[i] = links[i].name;
    const size_t which = name_index(name, names, ARRAY_SIZE(links));
    if (which == ARRAY_SIZE(links))
        return ini_text_unknown(&reader->text, "link", name, names, ARRAY_SIZE(links));
    if (reader->link_lines[which] > 0)
        return given_twice(reader, name, reader->link_lines[which]);
    if (strncmp(value, "https://", 8) != 0 && strncmp(value, "http://", 7) != 0)
        return ini_text_wrong(&reader->text, reader->text.line, "\"%s\" needs an address that begins with https://",
                              name);
    reader->link_lines[which] = reader->text.line;
    return check_link(reader, &links[which], value);
}

/* The handler for inih: returns 1 to continue, 0 for an error. */
static int take_key(void *user, const char *section, const char *name, const char *value)
{
    struct config_reader *reader = user;
    (void)section; /* next_line knows the section, even one without keys */
    if (reader->text.failed)
        return 0;
    return (reader->in_links ? take_link(reader, name, value) : take_option(reader, name, value)) == 0;
}

/* The line reader for inih. A value cannot continue on a second line or be followed by a comment, so that readers in
 * other languages get the same value. */
static char *next_line(char *buffer, int size, void *stream)
{
    struct config_reader *reader = stream;
    struct ini_text *text = &reader->text;
    size_t length;
    const char *line = ini_text_next(text, &length);
    if (!line || !ini_text_copy(text, line, length, buffer, size, ""))
        return NULL;
    while (length > 0 && strchr(" \t\r", buffer[length - 1]))
        buffer[--length] = '\0';
    const size_t indent = strspn(buffer, " \t");
    if (buffer[indent] == '#' || buffer[indent] == ';' || !buffer[indent]) {
        *buffer = '\0';
    } else if (indent > 0) {
        ini_text_wrong(text, text->line,
                       "the line is indented, but does not continue the line before: start it in the first column");
        return NULL;
    } else if (strstr(buffer, " ;") || strstr(buffer, "\t;")) {
        ini_text_wrong(text, text->line, "a comment needs a line of its own");
        return NULL;
    } else if (*buffer == '[') {
        reader->in_links = strcmp(buffer, "[links]") == 0;
        if (!reader->in_links) {
            ini_text_wrong(text, text->line,
                           "unknown section %s: the only section is [links], and options come before it", buffer);
            return NULL;
        }
    }
    return buffer;
}

int config_read_text(struct config *config, const char *path, const char *text)
{
    char *folder = folder_of(path);
    struct config_reader reader = {
        .config = config,
        .folder = strcmp(folder, ".") == 0 ? x_strdup("") : x_sprintf("%s/", folder),
    };
    free(folder);
    ini_text_init(&reader.text, path, text);
    ini_text_parse(&reader.text, next_line, take_key, &reader, "[links]");
    free(reader.folder);
    return reader.text.failed ? -1 : 0;
}

static bool is_own(const struct stat *facts)
{
    return facts->st_uid == geteuid() || facts->st_uid == 0;
}

/* Whether others may write there: everybody, or a group that is neither one's own nor the owner's alone. */
static bool others_may_write(const struct stat *facts)
{
    const bool is_of_strangers = facts->st_gid != facts->st_uid && !group_member(facts->st_gid);
    return (facts->st_mode & S_IWOTH) || ((facts->st_mode & S_IWGRP) && is_of_strangers);
}

/* Decides whether to read the cugate.ini in a folder: 1, or 0 when there is none; -1 after error(). What it names is
 * loaded and run. So the file must belong to the user or to the owner of its folder, whom make would trust too. Nobody
 * else may write there. In a folder such as /tmp, where anybody may add files, a stranger's file is ignored. So is a
 * link, because anybody may put the files that it names beside it. */
static int look(const char *path, const char *folder)
{
    struct stat file, around;
    if (lstat(path, &file) < 0 || stat(folder, &around) < 0)
        return 0;
    const bool is_link = S_ISLNK(file.st_mode);
    if (others_may_write(&around) && (around.st_mode & S_ISVTX)) {
        if (is_link || !is_own(&file))
            return 0;
    } else if (others_may_write(&around)) {
        return error("%s is not read, because others can replace it and it names commands to run: chmod go-w its "
                     "folder, or put a " CONFIG_FILE " nearer",
                     path);
    }
    if ((!is_link && others_may_write(&file)) || (!is_own(&file) && file.st_uid != around.st_uid))
        return error(
            "%s is not read, because others can write to it and it has commands: chown it to yourself, chmod go-w it",
            path);
    OWNED_TEXT target = is_link ? realpath(path, NULL) : NULL, *place = target ? folder_of(target) : NULL;
    return is_link ? (target ? look(target, place) : 0) : 1;
}

/* Finds the file. *found is its path from the current folder, or NULL; the caller frees it. -1 after error(). */
static int find(char **found)
{
    const char *home_name = getenv("HOME");
    OWNED_TEXT at = realpath(".", NULL), *home = home_name ? realpath(home_name, NULL) : NULL, *up = x_strdup("");
    int counts = 0;
    *found = NULL;
    while (at && counts == 0) {
        OWNED_TEXT path = x_sprintf("%s" CONFIG_FILE, up), *folder = x_sprintf("%s.", up);
        counts = look(path, folder);
        if (counts > 0)
            *found = x_strdup(path);
        if (strcmp(at, "/") == 0 || (home && strcmp(at, home) == 0))
            break;
        char *slash = strrchr(at, '/');
        slash[slash == at] = '\0';
        x_append(&up, "", "../");
    }
    return counts < 0 ? -1 : 0;
}

int config_read(struct config *config)
{
    OWNED_TEXT text = NULL;
    size_t length;
    *config = (struct config){0};
    TRY(find(&config->path));
    if (!config->path)
        return 0;
    TRY(file_read(config->path, CONFIG_LIMIT, &text, &length));
    return strlen(text) == length ? config_read_text(config, config->path, text)
                                  : error("%s contains a NUL byte: it is not a text file", config->path);
}

void config_word(struct config *config)
{
    size_t count = 0;
    free(config->words);
    config->words = NULL;
    for (size_t i = 0; i < config->count; i++) {
        if (!config->keys[i].in_force)
            continue;
        char *longer =
            x_sprintf("%s%s%s", count ? config->words : config->path, count ? ", " : ": ", config->keys[i].name);
        free(config->words);
        config->words = longer;
        count++;
    }
}

bool config_gives(const struct config *config, const char *name)
{
    const struct config_key *key = FIND(one, config->keys, config->count, strcmp(one->name, name) == 0);
    return key && key->in_force;
}

void config_release(struct config *config)
{
    for (size_t i = 0; i < config->count; i++)
        free(config->keys[i].value);
    free(config->keys);
    free(config->path);
    free(config->words);
    *config = (struct config){0};
}

const char *config_gpu(const struct config *config)
{
    const size_t key = FIRST(i, config->count, config->keys[i].names_gpu);
    return key < config->count ? config->keys[key].value : NULL;
}
