/* Tests definitions of metrics in runs: which differences let more pass, and how they are stored. */
#include "model/run.h"
#include "test.h"

/* clang-format off */
static const struct metric_note strict = {
    .name = (char[]){"hits"}, .counter = (char[]){"h.pct"}, .unit = (char[]){"%"}, .judged = true,
    .class = METRIC_STEADY, .better = METRIC_HIGHER, .floor_absolute = 1, .weight = (char[]){"reads"},
};
/* clang-format on */

Test(run_notes, notes_come_sorted_from_metrics)
{
    struct metric list[] = {
        {.name = (char[]){"time"}, .counter = (char[]){"t.sum"}, .unit = (char[]){"ns"}},
        {.name = (char[]){"bytes"}, .counter = (char[]){"b.sum"}, .unit = (char[]){"B"}},
    };
    struct metrics metrics = {.list = list, .count = ARRAY_SIZE(list)};
    OWNED(run) run = {0};
    run_set_note(&run,
                 &(struct metric_note){.name = (char[]){"hits"}, .counter = (char[]){"h.pct"}, .unit = (char[]){"%"}});
    run_note_metrics(&run, &metrics);
    cr_assert_eq(run.note_count, 2);
    cr_expect_str_eq(run.notes[0].name, "bytes");
    cr_expect_str_eq(run_find_note(&run, "time")->counter, "t.sum");
    cr_expect_null(run_find_note(&run, "hits"));
}

Test(run_notes, what_lets_more_pass_is_weakened)
{
    const struct {
        struct metric_note note; /* has the differences; keys that are not set are those of `strict` */
        const char *key;
        enum note_change change;
        const char *words;
    } rows[] = {
        {.change = NOTE_SAME},
        {{.class = METRIC_INFO}, "class", NOTE_WEAKENED, "class steady -> info"},
        {{.class = METRIC_TIME}, "class", NOTE_CHANGED, "class steady -> time"},
        {{.class = METRIC_EXACT}, "class", NOTE_CHANGED, "class steady -> exact"},
        {{.floor_absolute = 5}, "floor", NOTE_WEAKENED, "floor 1 point -> 5 point"},
        {{.floor_absolute = 0.5, .floor_relative = 0.02}, "floor", NOTE_WEAKENED, "floor 1 point -> 2 % and 0.5 point"},
        {{.floor_absolute = 0}, "floor", NOTE_CHANGED, "floor 1 point -> none"},
        {{.better = METRIC_LOWER}, "better", NOTE_WEAKENED, "better higher -> lower"},
        {{.counter = (char[]){"other"}}, "counter", NOTE_WEAKENED, "counter h.pct -> other"},
        {{.unit = (char[]){"B"}}, "unit", NOTE_WEAKENED, "unit % -> B"},
        {{.weight = NULL}, "weight", NOTE_WEAKENED, "weight reads -> none"},
        {{.few = 9}, "few", NOTE_WEAKENED, "few 0 -> 9"},
        {{.clock = (char[]){"hz"}}, "clock", NOTE_WEAKENED, "clock none -> hz"},
        {{.trade = (char[]){"time"}}, "trade", NOTE_WEAKENED, "trade none -> time"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct metric_note now = strict;
        const char *key = rows[i].key ? rows[i].key : "";
        const struct metric_note *note = &rows[i].note;
        now.class = strcmp(key, "class") == 0 ? note->class : now.class;
        now.better = strcmp(key, "better") == 0 ? note->better : now.better;
        now.floor_absolute = strcmp(key, "floor") == 0 ? note->floor_absolute : now.floor_absolute;
        now.floor_relative = note->floor_relative;
        now.counter = note->counter ? note->counter : now.counter;
        now.unit = note->unit ? note->unit : now.unit;
        now.weight = strcmp(key, "weight") == 0 ? note->weight : now.weight;
        now.few = note->few;
        now.clock = note->clock;
        now.trade = note->trade;
        OWNED_TEXT words;
        cr_expect_eq(note_compare(&strict, &now, &words), rows[i].change, "row %zu", i);
        cr_expect(rows[i].words ? words && strcmp(words, rows[i].words) == 0 : !words, "row %zu: %s", i, words);
    }
}

Test(run_notes, several_differences_are_one_and_the_worst_counts)
{
    struct metric_note now = strict;
    char *words;
    now.class = METRIC_INFO;
    now.floor_absolute = 0;
    cr_expect_eq(note_compare(&strict, &now, &words), NOTE_WEAKENED);
    cr_expect_str_eq(words, "class steady -> info, floor 1 point -> none");
    free(words);
    struct metric_note traded = strict;
    traded.trade = (char[]){"time"};
    cr_expect_eq(note_compare(&traded, &strict, &words), NOTE_CHANGED);
    cr_expect_str_eq(words, "trade time -> none");
    free(words);
}

Test(run_notes, a_note_of_an_older_version_knows_of_counter_and_unit_alone)
{
    const struct metric_note old = {.name = strict.name, .counter = strict.counter, .unit = strict.unit};
    char *words;
    cr_expect_eq(note_compare(&old, &strict, &words), NOTE_SAME);
    cr_expect_null(words);
    cr_expect_eq(note_compare(&strict, &old, &words), NOTE_SAME);
    cr_expect_null(words);
}

#define FILE_OF(note)                                                                                                  \
    "{\"schema\": 1, \"device\": {\"name\": \"x\", \"compute_capability\": \"9.0\", \"sm_count\": 1, "                 \
    "\"memory_bytes\": 1, \"ecc\": false, \"mig\": false}, \"sessions\": [{\"date\": \"x\"}], \"metrics\": "           \
    "{\"hits\": " note "}, \"kernels\": {}}"

Test(run_notes, a_definition_is_written_and_read_back)
{
    OWNED(run) run, back;
    const char *plain = FILE_OF("{\"counter\": \"h\", \"unit\": \"%\"}");
    cr_assert_eq(run_parse(&run, "x.json", plain, strlen(plain)), 0);
    cr_expect(!run.notes[0].judged);
    struct metric_note full = strict;
    full.floor_relative = 0.07;
    full.few = 100000;
    full.clock = (char[]){"hz"};
    full.trade = (char[]){"time"};
    run_set_note(&run, &full);
    char *words;
    OWNED_TEXT text = run_text(&run);
    const char *line =
        "\"hits\": {\"better\": \"higher\", \"class\": \"steady\", \"clock\": \"hz\", \"counter\": \"h.pct\", \"few\": "
        "100000, \"floor\": 1, \"floor_share\": 0.07, \"trade\": \"time\", \"unit\": \"%\", \"weight\": \"reads\"}";
    cr_expect_not_null(strstr(text, line), "%s", text);
    cr_assert_eq(run_parse(&back, "x.json", text, strlen(text)), 0);
    cr_expect(back.notes[0].judged);
    cr_expect_eq(note_compare(&full, &back.notes[0], &words), NOTE_SAME);
}

static int read_text(const char *text)
{
    OWNED(run) run;
    return run_parse(&run, "x.json", text, strlen(text));
}

REFUSED_TEXTS(run_notes, what_is_no_definition_is_an_error, "tests/unit/model/run_notes.txt", read_text)
