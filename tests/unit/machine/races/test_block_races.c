/* Races in more words than are looked at; tests/sim/races.cu has what a race is. */
#include "machine/made_program.h"
#include "machine/made_warp.h"
#include "test.h"

enum { MOST = 1 << 12, WORDS = 3 * MOST, EACH = 16, PART = LANES * EACH };

static struct instruction list[] = {{.opcode = "STG.E.128", .traits = TRAIT_STORE | TRAIT_GLOBAL}};
static struct code code = {.list = list, .count = 1};
static struct module module = {.has_lines = true};
static struct function function = {.text = {.name = "stores"}, .module = &module, .code = &code};

static void store(const struct access *access, int value)
{
    block_races_watcher.hear(access);
    memset(device_bytes(made_machine(), access->first), value, PART);
    block_races_watcher.done(access);
}

/* Two blocks store to all words, one after the other. */
static void launch(struct grid *grid, uint64_t memory, uint64_t flag)
{
    struct warp *warp = made_warp();
    block_races_launch(grid->races, grid);
    for (unsigned number = 0; number < 2; number++) {
        struct cluster cluster = {.number = number};
        struct block block = {.grid = grid, .machine = made_machine(), .cluster = &cluster};
        warp->block = &block;
        const struct access tells = {warp, list,         NULL,           ACCESS_CHANGES | ACCESS_ANSWERS, 1, flag,
                                     4,    .same = true, .changed = true};
        if (number == 1 && flag)
            block_races_watcher.done(&tells);
        for (uint64_t at = 0; at < WORDS * UINT64_C(4); at += PART)
            store(&(struct access){warp, list, NULL, ACCESS_STORES, UINT32_MAX, memory + at, EACH, .in_order = true},
                  (int)number + 1);
        if (number == 0 && flag) {
            block_races_watcher.hear(
                &(struct access){.warp = warp, .code = list, .kind = ACCESS_PUBLISHES, .lanes = 1});
            block_races_watcher.done(&tells);
        }
    }
}

/* told: the number + 1 of the word behind them by which one block tells the other; 0: none. */
static void expect_race(unsigned told)
{
    const uint64_t memory = device_allocate(made_machine(), WORDS * 4 + 64);
    struct grid grid = {.function = &function, .blocks = {2, 1, 1}, .threads = {32, 1, 1}};
    module.machine = made_machine();
    grid.races = block_races_open(MOST);
    for (grid.order = 1; grid.order < 3; grid.order++)
        launch(&grid, memory, told ? memory + UINT64_C(4) * (WORDS + told - 1) : 0);
    bool sure;
    OWNED_TEXT race = block_races_find(grid.races, &sure);
    OWNED_TEXT note = outside_noted(made_machine());
    cr_expect_eq(sure, !told);
    cr_expect(told ? !race : race && strstr(race, "nothing orders them"), "%s", race);
    cr_expect(note && strstr(note, "in a sample of the words"), "%s", note);
    block_races_close(grid.races);
    device_free(made_machine(), memory);
}

Test(block_races, are_found_in_a_sample)
{
    expect_race(0);
}

Test(block_races, what_orders_them_need_not_be_in_it)
{
    for (unsigned told = 1; told <= 4; told++)
        expect_race(told);
}
