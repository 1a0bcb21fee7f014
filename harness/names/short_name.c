/* The parser is written by hand, because there is no grammar to follow: libiberty, LLVM and NVIDIA's tools print the
 * same symbol in three ways. [lambda(int) (instance 1)], 'lambda'(int) and {lambda(int)#1} are one lambda. What is not
 * understood is left out; then digits, a hash of the whole name, tell apart names that would look alike. */
#include "short_name.h"

#include "base/base.h"

#include <xxhash.h>

#define DEPTH 64 /* deepest nesting of brackets; what is deeper is left out */
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"
#define WORD LETTERS DIGITS "_"

struct reading {
    const char *at; /* position in the whole name */
    char *out;
    size_t length; /* number of characters in out */
    int depth;
};

/* ---- The whole name ---- */

/* Returns whether the word is a name that the build gives to a namespace: CUB_300001_SM_900, THRUST_200302_800_NS,
 * cuda::std::__4, or an anonymous one such as _GLOBAL__N__1b1e42a6_8_small_cu_5d1f. */
static bool is_of_a_build(const char *word, size_t length)
{
    static const char *const begin[] = {"CUB_", "THRUST_", "__"};
    if (strncmp(word, "_GLOBAL__N_", 11) == 0 || strncmp(word, "_INTERNAL_", 10) == 0)
        return true;
    for (size_t i = 0; i < ARRAY_SIZE(begin); i++) {
        const size_t head = strlen(begin[i]);
        if (strncmp(word, begin[i], head) == 0 && strspn(word + head, DIGITS) > 0)
            return strspn(word + head, *begin[i] == '_' ? DIGITS : DIGITS "_SMN") == length - head;
    }
    return false;
}

static size_t unnamed_length(const char *text)
{
    static const char *const words[] = {"(anonymous namespace)", "<unnamed>"};
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (strncmp(text, words[i], strlen(words[i])) == 0)
            return strlen(words[i]);
    return 0;
}

static uint64_t hash_whole(const char *whole)
{
    OWNED_TEXT text = x_calloc(strlen(whole) + 1, 1);
    size_t length = 0;
    while (*whole) {
        const size_t word = strspn(whole, WORD), unnamed = unnamed_length(whole);
        const size_t step = word > 0 ? word : unnamed > 0 ? unnamed : 1;
        if (unnamed == 0 && *whole != ' ' && !(word > 0 && is_of_a_build(whole, word))) {
            memcpy(text + length, whole, step);
            length += step;
        }
        whole += step;
    }
    return XXH3_64bits(text, length);
}

/* ---- Parsing ---- */

/* Returns the position behind the bracket that closes the one at text. */
static const char *skip_brackets(const char *text)
{
    const char open = *text, close = open == '(' ? ')' : open == '<' ? '>' : open == '[' ? ']' : '}';
    int depth = 0;
    do {
        const bool is_arrow = *text == '-' && text[1] == '>';
        depth += *text == open;
        depth -= *text == close;
        text += is_arrow ? 2 : 1;
    } while (depth > 0 && *text);
    return text;
}

static void put(struct reading *reading, const char *text, size_t length)
{
    memcpy(reading->out + reading->length, text, length);
    reading->length += length;
}

/* Returns the length of the word (or words) if text begins with it; 0 when the text continues as another word. */
static size_t word_is(const char *text, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(text, word, length) == 0 && strspn(text + length, WORD) == 0 ? length : 0;
}

/* Parses types of several words; in the table longer ones come first. */
static size_t read_type_words(const char *text, const char **short_word)
{
    static const char *const types[][2] = {
        {"unsigned long long", "ullong"}, {"unsigned long", "ulong"},   {"unsigned int", "uint"},
        {"unsigned char", "uchar"},       {"unsigned short", "ushort"}, {"signed char", "schar"},
        {"long long", "llong"},           {"long double", "ldouble"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
        *short_word = types[i][1];
        if (word_is(text, types[i][0]))
            return strlen(types[i][0]);
    }
    return 0;
}

/* Returns the length of a number without its suffix: 4096ul is printed as 4096. */
static size_t without_suffix(const char *word, size_t length)
{
    const size_t digits = strspn(word, DIGITS);
    return digits > 0 && digits + strspn(word + digits, "uUlL") == length ? digits : length;
}

/* The state of parsing one template argument: a type, a number or a function. (So is the whole name.) */
struct argument {
    size_t start;     /* where the argument begins in out */
    size_t component; /* where the component of its name (between "::") that is being parsed begins in out */
    bool is_scope; /* that component has parameters or arguments, or is a lambda, so it is kept, unlike a namespace */
    bool spaced;   /* the last character was a space */
    bool is_bool;  /* a cast to bool came just before */
};

static void forget_from(struct reading *reading, struct argument *argument, size_t length)
{
    reading->length = argument->component = length;
    argument->is_scope = false;
}

static bool ends_with_name(const struct reading *reading, const struct argument *argument)
{
    return reading->length > argument->component && strchr(WORD ">", reading->out[reading->length - 1]);
}

/* Parses an operator. operator() is left out, since that is how a lambda is called; other operators keep their word. */
static void read_operator(struct reading *reading, struct argument *argument)
{
    reading->at += strlen("operator");
    if (strncmp(reading->at, "()", 2) == 0) {
        reading->at += 2;
        while (*reading->at == '<' || *reading->at == '(')
            reading->at = skip_brackets(reading->at);
        return;
    }
    put(reading, "operator", strlen("operator"));
    reading->at += strspn(reading->at, strchr("<>", *reading->at) ? "<>=" : "+-*/%^&|!=~[]");
    argument->is_scope = false;
}

static void read_word(struct reading *reading, struct argument *argument)
{
    const char *word = reading->at, *short_word;
    const size_t type = read_type_words(word, &short_word);
    size_t length = type > 0 ? type : strspn(word, WORD);
    /* Dots are part of a name when XLA or a number has them. */
    while (type == 0 && word[length] == '.' && strspn(word + length + 1, WORD) > 0)
        length += 1 + strspn(word + length + 1, WORD);
    if (word_is(word, "const") || word_is(word, "volatile")) {
        reading->at += length;
        return;
    }
    if (argument->spaced && reading->length > argument->start)
        forget_from(reading, argument, argument->start); /* what came before the name was the return type */
    if (word_is(word, "operator")) {
        read_operator(reading, argument);
        return;
    }
    reading->at += length;
    if (type > 0)
        put(reading, short_word, strlen(short_word));
    else if (argument->is_bool && length == 1 && (*word == '0' || *word == '1'))
        put(reading, *word == '1' ? "true" : "false", *word == '1' ? 4 : 5);
    else
        put(reading, word, without_suffix(word, length));
}

/* Handles "::" after a component: a namespace is left out, and so is a class without arguments, which looks alike. */
static void end_component(struct reading *reading, struct argument *argument)
{
    reading->at += 2;
    if (argument->is_scope && reading->length > argument->component) {
        put(reading, ".", 1);
        argument->component = reading->length;
    } else {
        reading->length = argument->component;
    }
    argument->is_scope = false;
}

/* Parses {lambda(int)#2}, {unnamed type#1} and [lambda(int) (instance 2)]. [clone .part] and the like are left out. */
static void read_unnamed(struct reading *reading, struct argument *argument)
{
    const char *word = reading->at + 1, *end = skip_brackets(reading->at);
    const char *digits_end = end - 1;
    if (digits_end > word && digits_end[-1] == ')')
        digits_end--;
    const char *number = digits_end;
    while (number > word && strspn(number - 1, DIGITS) > 0)
        number--;
    if (*reading->at == '{' || word_is(word, "lambda")) {
        put(reading, word, strspn(word, LETTERS));
        put(reading, number, (size_t)(digits_end - number));
        argument->is_scope = true;
    }
    reading->at = end;
}

static void read_arguments(struct reading *reading, char close);

static void read_template(struct reading *reading, struct argument *argument)
{
    put(reading, "<", 1);
    read_arguments(reading, '>');
    put(reading, ">", 1);
    argument->is_scope = true;
}

/* Parses round brackets: parameters, the type that a number is cast to, (*) of a pointer to a function, a group. */
static void read_brackets(struct reading *reading, struct argument *argument)
{
    const char *inner = reading->at + 1, *end = skip_brackets(reading->at);
    if (ends_with_name(reading, argument)) {
        argument->is_scope |= *inner != '*' && *inner != '&';
        reading->at = end;
    } else if (strspn(end, WORD "-(") > 0) {
        argument->is_bool = strncmp(inner, "bool)", 5) == 0;
        reading->at = end;
    } else {
        read_arguments(reading, ')');
        argument->is_scope = true;
    }
}

static void read_other(struct reading *reading, const struct argument *argument)
{
    const bool is_sign = *reading->at == '-' && reading->length == argument->start;
    if (*reading->at == '*')
        put(reading, "_ptr", 4);
    else if (is_sign || (unsigned char)*reading->at >= 0x80 || *reading->at == '$')
        put(reading, is_sign ? "-" : "_", 1);
    reading->at++;
}

/* Parses one argument, up to a comma or to the bracket that closes its list. */
static void read_argument(struct reading *reading)
{
    struct argument argument = {.start = reading->length, .component = reading->length};
    while (*reading->at && !strchr(",>)]}", *reading->at)) {
        const char c = *reading->at;
        const size_t unnamed = unnamed_length(reading->at);
        const bool is_word = strspn(reading->at, WORD) > 0;
        if (unnamed > 0)
            reading->at += unnamed;
        else if (is_word)
            read_word(reading, &argument);
        else if (strncmp(reading->at, "::", 2) == 0)
            end_component(reading, &argument);
        else if (c == '<')
            read_template(reading, &argument);
        else if (c == '(')
            read_brackets(reading, &argument);
        else if (c == '{' || c == '[')
            read_unnamed(reading, &argument);
        else if (c == ' ')
            reading->at++;
        else
            read_other(reading, &argument);
        argument.spaced = c == ' ';
    }
    if (reading->length > argument.start && reading->out[reading->length - 1] == '.')
        reading->length--; /* takes back the dot that was to be followed by operator() */
}

/* Parses a list of arguments, from its opening bracket to behind its closing one. */
static void read_arguments(struct reading *reading, char close)
{
    if (reading->depth == DEPTH) {
        reading->at = skip_brackets(reading->at);
        return;
    }
    reading->depth++;
    reading->at++;
    while (*reading->at && *reading->at != close) {
        read_argument(reading);
        if (*reading->at == ',')
            put(reading, ",", 1);
        if (*reading->at && *reading->at != close)
            reading->at++; /* a comma, or a closing bracket of another kind without an opening one */
    }
    reading->at += *reading->at == close;
    reading->depth--;
}

/* Returns the short name before cutting: all that is kept where it fits. Caller frees. */
static char *read_name(const char *whole)
{
    /* A '*' becomes four characters; an empty name, or one that begins with a sign, gets one more. */
    struct reading reading = {.at = whole, .out = x_calloc(4 * strlen(whole) + 2, 1)};
    put(&reading, "_", 1);
    while (*reading.at) {
        const size_t before = reading.length;
        read_argument(&reading);
        if (*reading.at)
            reading.at++; /* skips a closing bracket or comma out of place */
        if (*reading.at && reading.length > before)
            put(&reading, "_", 1);
    }
    const bool begins_well = reading.length > 1 && strchr(LETTERS DIGITS "_", reading.out[1]);
    reading.out[reading.length] = '\0';
    memmove(reading.out, reading.out + begins_well, reading.length + 1 - begins_well);
    return reading.out;
}

/* ---- Cutting ---- */

struct short_name {
    size_t place; /* index of the name among those that were asked for */
    char *text;   /* the name before cutting */
    char *name;
    uint64_t hash;
    size_t digits; /* how many digits of the hash follow; 0: none unless the name is cut */
};

/* Returns how many characters of a text are kept. The name of an argument is not cut in its middle. */
static size_t cut_length(const char *text, size_t digits)
{
    const size_t length = strlen(text), name = strcspn(text, "<");
    const size_t kept = digits > 0 ? digits + 1 : 0, mark = kept > 0 ? kept : 5;
    const size_t limit = name < length ? SHORT_NAME_LENGTH : SHORT_NAME_LENGTH_MAX;
    if (length <= limit - kept)
        return length;
    if (name > SHORT_NAME_LENGTH_MAX - mark)
        return SHORT_NAME_LENGTH_MAX - mark;
    size_t cut = SHORT_NAME_LENGTH - mark;
    while (cut > name && !strchr("<,.>", text[cut]))
        cut--;
    return cut > name ? cut : name;
}

static void make_name(struct short_name *name)
{
    char hash[17];
    const size_t cut = cut_length(name->text, name->digits);
    const size_t digits = name->digits > 0 ? name->digits : name->text[cut] ? 4 : 0;
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)name->hash);
    free(name->name);
    name->name = x_sprintf("%.*s%s%.*s", (int)cut, name->text, digits > 0 ? "~" : "", (int)digits, hash);
}

static struct short_name shorten(const char *whole, size_t place)
{
    struct short_name name = {.place = place, .text = read_name(whole), .hash = hash_whole(whole)};
    make_name(&name);
    return name;
}

char *kernel_short_name(const char *demangled)
{
    struct short_name name = shorten(demangled, 0);
    free(name.text);
    return name.name;
}

static int by_name_and_hash(const void *left, const void *right)
{
    const struct short_name *a = left, *b = right;
    const int order = strcmp(a->name, b->name);
    return order ? order : (a->hash > b->hash) - (a->hash < b->hash);
}

/* Gives that many digits to each name that several different kernels have. */
static void tell_apart(struct short_name *names, size_t count, size_t digits)
{
    SORT(names, count, by_name_and_hash);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && strcmp(names[end].name, names[first].name) == 0;)
            end++;
        if (names[first].hash == names[end - 1].hash)
            continue;
        for (size_t i = first; i < end; i++)
            names[i].digits = digits;
    }
    for (size_t i = 0; i < count; i++)
        if (names[i].digits == digits)
            make_name(&names[i]);
}

void kernel_unique_names(const char *const *demangled, size_t count, char **names)
{
    OWNED_MEMORY struct short_name *list = x_calloc(count, sizeof *list);
    for (size_t i = 0; i < count; i++)
        list[i] = shorten(demangled[i], i);
    for (size_t digits = 4; digits <= 16 && count > 0; digits *= 2)
        tell_apart(list, count, digits);
    for (size_t i = 0; i < count; i++) {
        names[list[i].place] = list[i].name;
        free(list[i].text);
    }
}

/* ---- Files ---- */

char *file_short_name(const char *path)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    const char *end = strstr(name, ".so");
    if (!end || (end[3] != '\0' && end[3] != '.'))
        end = strrchr(name, '.');
    size_t length = end && end > name ? (size_t)(end - name) : strlen(name);
    length = length < SHORT_NAME_LENGTH ? length : SHORT_NAME_LENGTH;
    char *text = x_sprintf("%s%.*s", strspn(name, WORD) > 0 ? "" : "_", (int)length, name);
    for (size_t at; (at = strspn(text, WORD ID_MARKS)) < strlen(text);)
        text[at] = '_';
    return text;
}
