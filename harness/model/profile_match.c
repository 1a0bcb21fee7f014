/* Finds for each source line of a build the corresponding line of the base build. */
#include "profile.h"

#include "base/base.h"

/* The two profiles, and the matches found so far. */
struct match {
    const struct profile *profile, *base;
    const char **files;              /* for each line: the path that its file has in the base, or its own */
    const struct profile_line **was; /* for each line: its match in the base, or NULL */
    bool *taken;                     /* for each line of the base: whether it is a match already */
};

/* Orders paths by their characters from the end. */
static int by_end(const void *left, const void *right)
{
    const char *a = *(const char *const *)left, *b = *(const char *const *)right;
    size_t at_a = strlen(a), at_b = strlen(b);
    while (at_a > 0 && at_b > 0 && a[at_a - 1] == b[at_b - 1]) {
        at_a--;
        at_b--;
    }
    const unsigned char left_byte = at_a > 0 ? (unsigned char)a[at_a - 1] : 0;
    const unsigned char right_byte = at_b > 0 ? (unsigned char)b[at_b - 1] : 0;
    return at_a == 0 || at_b == 0 ? (at_a > 0) - (at_b > 0) : left_byte < right_byte ? -1 : 1;
}

/* Returns the length of the common end of two paths; 0 when their files have different names. */
static size_t common_end(const char *a, const char *b)
{
    const size_t length_a = strlen(a), length_b = strlen(b);
    const char *name = strrchr(a, '/');
    size_t common = 0;
    while (common < length_a && common < length_b && a[length_a - 1 - common] == b[length_b - 1 - common])
        common++;
    const size_t of_name = name ? strlen(name + 1) : length_a;
    const bool whole =
        common >= of_name && (common > of_name || length_b == of_name || b[length_b - 1 - of_name] == '/');
    return whole ? common : 0;
}

/* Returns the path of the base that is most like `path`, or `path` itself. paths are sorted by their ends, so the
 * longest common end is next to where `path` would be. */
static const char *path_in_base(const char *path, const char *const *paths, size_t count)
{
    size_t low = 0;
    for (size_t high = count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (by_end(&paths[middle], &path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const size_t after = low < count ? common_end(path, paths[low]) : 0;
    const size_t before = low > 0 ? common_end(path, paths[low - 1]) : 0;
    return after == 0 && before == 0 ? path : after >= before ? paths[low] : paths[low - 1];
}

static bool is_other_file(const struct profile_line *line, const struct profile_line *before)
{
    return !before->file || strcmp(line->file, before->file) != 0;
}

/* Returns for each line of the profile the path of its file in the base. Caller frees. */
static const char **files_in_base(const struct profile *profile, const struct profile *base)
{
    const char **paths = NULL, **files = x_calloc(profile->count, sizeof *files);
    size_t count = 0;
    for (size_t i = 0; i < base->count; i++)
        if (base->list[i].file && (i == 0 || is_other_file(&base->list[i], &base->list[i - 1])))
            *ARRAY_GROW(paths, count) = base->list[i].file;
    SORT(paths, count, by_end);
    for (size_t i = 0; i < profile->count; i++) {
        const struct profile_line *line = &profile->list[i];
        if (line->file)
            files[i] = i > 0 && !is_other_file(line, line - 1) ? files[i - 1] : path_in_base(line->file, paths, count);
    }
    free(paths);
    return files;
}

static void pair(struct match *match, size_t line, size_t base)
{
    match->was[line] = &match->base->list[base];
    match->taken[base] = true;
}

/* What a line is looked up by. Members that do not matter for a lookup are "" or 0. */
struct key {
    const char *function, *file, *text;
    unsigned number;
    size_t place; /* index of the line in its profile */
};

static int compare_keys(const struct key *a, const struct key *b)
{
    int order = strcmp(a->file, b->file);
    if (order == 0)
        order = a->number < b->number ? -1 : a->number > b->number;
    if (order == 0)
        order = strcmp(a->text, b->text);
    return order ? order : strcmp(a->function, b->function);
}

static int by_key(const void *left, const void *right)
{
    const struct key *a = left, *b = right;
    const int order = compare_keys(a, b);
    return order ? order : a->place < b->place ? -1 : 1;
}

enum lookup {
    BY_ONLY_TEXT, /* by text, if no other line of the function has it */
    BY_TEXT,
    BY_NUMBER, /* by line number, if one of the two lines has no text */
    BY_TEXT_ANYWHERE,
    BY_NUMBER_ANYWHERE
};

static bool is_by_number(enum lookup lookup)
{
    return lookup == BY_NUMBER || lookup == BY_NUMBER_ANYWHERE;
}

/* Returns the keys of all lines of one side that have no match yet, sorted. Caller frees. */
static struct key *make_keys(const struct match *match, bool of_base, enum lookup lookup, size_t *count)
{
    const struct profile *profile = of_base ? match->base : match->profile;
    const bool by_number = is_by_number(lookup);
    const bool anywhere = lookup == BY_TEXT_ANYWHERE || lookup == BY_NUMBER_ANYWHERE;
    struct key *keys = x_calloc(profile->count, sizeof *keys);
    *count = 0;
    for (size_t i = 0; i < profile->count; i++) {
        const struct profile_line *line = &profile->list[i];
        if (!line->file || (of_base ? match->taken[i] : match->was[i] != NULL) || (!by_number && !line->text))
            continue;
        keys[(*count)++] = (struct key){
            .function = anywhere ? "" : line->function,
            .file = of_base ? line->file : match->files[i],
            .text = by_number ? "" : line->text,
            .number = by_number ? line->number : 0,
            .place = i,
        };
    }
    SORT(keys, *count, by_key);
    return keys;
}

/* Returns how many keys are equal to the first one. */
static size_t count_equal(const struct key *keys, size_t count)
{
    size_t equal = 1;
    while (equal < count && compare_keys(&keys[0], &keys[equal]) == 0)
        equal++;
    return equal;
}

/* Matches lines with equal keys: the first with the first, the second with the second. */
static void look_up(struct match *match, enum lookup lookup)
{
    size_t here_count, there_count;
    OWNED_MEMORY struct key *here = make_keys(match, false, lookup, &here_count);
    OWNED_MEMORY struct key *there = make_keys(match, true, lookup, &there_count);
    for (size_t h = 0, t = 0; h < here_count && t < there_count;) {
        const int order = compare_keys(&here[h], &there[t]);
        if (order != 0) {
            h += order < 0;
            t += order > 0;
            continue;
        }
        const size_t ours = count_equal(here + h, here_count - h), theirs = count_equal(there + t, there_count - t);
        for (size_t i = 0; i < ours && i < theirs && (lookup != BY_ONLY_TEXT || (ours == 1 && theirs == 1)); i++) {
            const size_t line = here[h + i].place, base = there[t + i].place;
            if (!is_by_number(lookup) || !match->profile->list[line].text || !match->base->list[base].text)
                pair(match, line, base);
        }
        h += ours;
        t += theirs;
    }
}

/* Whether two texts are similar: their common beginning and end are at least half of the shorter one. */
static bool is_alike(const char *a, const char *b)
{
    const size_t length_a = strlen(a), length_b = strlen(b), shorter = length_a < length_b ? length_a : length_b;
    size_t before = 0, behind = 0;
    while (before < shorter && a[before] == b[before])
        before++;
    while (behind < shorter - before && a[length_a - 1 - behind] == b[length_b - 1 - behind])
        behind++;
    return 2 * (before + behind) >= shorter;
}

static bool may_pair(const struct match *match, size_t line, size_t base, bool only_equal)
{
    const char *text = match->profile->list[line].text, *other = match->base->list[base].text;
    return text && other && (only_equal ? strcmp(text, other) == 0 : is_alike(text, other));
}

/* Whether line i is in the same function and file as the line before it. */
static bool is_beside(const struct profile *profile, size_t i)
{
    const struct profile_line *line = &profile->list[i];
    return i > 0 && line->file && !is_other_file(line, line - 1) && strcmp(line->function, line[-1].function) == 0;
}

/* Tries to match the unmatched lines from first to end. Candidates are the unmatched lines of the base next to the
 * match of the line before the gap, or of the line behind it. */
static void fill_gap(struct match *match, size_t first, size_t end, bool only_equal)
{
    const struct profile *profile = match->profile, *base = match->base;
    size_t from, to;
    if (is_beside(profile, first) && match->was[first - 1]) {
        to = from = (size_t)(match->was[first - 1] - base->list) + 1;
        while (to < base->count && is_beside(base, to) && !match->taken[to])
            to++;
    } else if (end < profile->count && is_beside(profile, end) && match->was[end]) {
        from = to = (size_t)(match->was[end] - base->list);
        while (is_beside(base, from) && !match->taken[from - 1])
            from--;
    } else {
        return;
    }
    while (first < end && from < to && may_pair(match, first, from, only_equal))
        pair(match, first++, from++);
    while (first < end && from < to && may_pair(match, end - 1, to - 1, only_equal))
        pair(match, --end, --to);
    if (!only_equal && end - first == to - from)
        while (first < end)
            pair(match, first++, from++);
}

static void fill_gaps(struct match *match, bool only_equal)
{
    const struct profile *profile = match->profile;
    for (size_t i = 0, end; i < profile->count; i = end) {
        end = i + 1;
        if (match->was[i] || !profile->list[i].file)
            continue;
        while (end < profile->count && is_beside(profile, end) && !match->was[end])
            end++;
        fill_gap(match, i, end, only_equal);
    }
}

/* Returns the end of the instructions without line information that begin at `first` and are of one function. */
static size_t instructions_end(const struct profile *profile, size_t first, const char *function)
{
    while (first < profile->count && !profile->list[first].file && strcmp(profile->list[first].function, function) == 0)
        first++;
    return first;
}

/* Matches instructions without line information by their offsets. One more instruction would shift all that follow, so
 * both functions must have the same length. */
static void match_instructions(struct match *match)
{
    const struct profile *profile = match->profile, *base = match->base;
    for (size_t i = 0, end; i < profile->count; i = end) {
        end = i + 1;
        if (profile->list[i].file)
            continue;
        const char *function = profile->list[i].function;
        end = instructions_end(profile, i, function);
        size_t b = profile_place(base, function, NULL, 0, 0);
        const size_t base_end = instructions_end(base, b, function);
        if (b == base_end || profile->list[end - 1].offset != base->list[base_end - 1].offset)
            continue;
        for (size_t k = i; k < end && b < base_end;) {
            const unsigned here = profile->list[k].offset, there = base->list[b].offset;
            if (here == there)
                pair(match, k, b);
            k += here <= there;
            b += there <= here;
        }
    }
}

const struct profile_line **profile_match(const struct profile *profile, const struct profile *base)
{
    struct match match = {
        .profile = profile,
        .base = base,
        .files = files_in_base(profile, base),
        .was = x_calloc(profile->count, sizeof *match.was),
        .taken = x_calloc(base->count, sizeof *match.taken),
    };
    look_up(&match, BY_ONLY_TEXT);
    fill_gaps(&match, true);
    look_up(&match, BY_TEXT);
    look_up(&match, BY_NUMBER);
    look_up(&match, BY_TEXT_ANYWHERE);
    look_up(&match, BY_NUMBER_ANYWHERE);
    fill_gaps(&match, false);
    match_instructions(&match);
    free(match.files);
    free(match.taken);
    return match.was;
}
