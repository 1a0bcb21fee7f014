#include "machine/made_program.h"

#include "test.h"

#include "cudart/sim_support.h"

static const unsigned char *variable_bytes(const struct variable *variable)
{
    return device_bytes(made_machine(), variable->address);
}

static struct module *open_source(void)
{
    size_t size;
    struct problem problem = {0};
    OWNED_TEXT source = file_part("tests/unit/machine/sources.txt#module");
    unsigned char *bytes = sim_compile(source, "-cubin", &size);
    struct module *module = module_open(made_machine(), bytes, size, &problem);
    cr_assert_not_null(module, "%s", problem.text);
    free(bytes); /* the module has a copy */
    return module;
}

Test(module, arguments_are_where_the_kernel_reads_them)
{
    struct module *module = open_source();
    const struct function *function = module_function(module, "all");
    cr_assert_not_null(function);
    static const struct parameter wanted[] = {{0, 8}, {8, 4}, {16, 32}, {48, 1}};
    cr_assert_eq(function->entry.parameter_count, ARRAY_SIZE(wanted));
    for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
        cr_expect_eq(function->entry.parameters[i].offset, wanted[i].offset, "argument %zu", i);
        cr_expect_eq(function->entry.parameters[i].size, wanted[i].size, "argument %zu", i);
    }
    cr_expect_eq(function->entry.parameter_base, 0x210);
    cr_expect_eq(function->entry.parameter_bytes, 49);
    const struct function *nothing = module_function(module, "nothing");
    cr_expect_eq(nothing->entry.parameter_count, 0);
    cr_expect_eq(nothing->entry.parameter_bytes, 0);
}

/* Opens a module with a changed PARAM_CBANK: 4, 0xa, u16 8, u32 symbol, u16 where arguments begin, u16 how many bytes
 * they are. */
static struct module *open_with_arguments_at(unsigned base, unsigned bytes)
{
    size_t size, found = 0;
    struct problem problem = {0};
    OWNED_TEXT source = file_part("tests/unit/machine/sources.txt#module");
    OWNED_MEMORY unsigned char *image = sim_compile(source, "-cubin", &size);
    for (size_t i = 0; i + 12 <= size; i++)
        if (memcmp(image + i, "\4\12\10", 4) == 0 && memcmp(image + i + 8, "\20\2", 2) == 0 &&
            image[i + 10] + 256u * image[i + 11] == bytes) {
            image[i + 8] = (unsigned char)base;
            image[i + 9] = (unsigned char)(base >> 8);
            found++;
        }
    cr_assert_eq(found, 1);
    struct module *module = module_open(made_machine(), image, size, &problem);
    cr_expect_eq(module == NULL, strstr(problem.text, "the parameters of takes_much") != NULL, "%s", problem.text);
    return module;
}

Test(module, arguments_may_begin_anywhere_behind_what_the_system_says)
{
    static const unsigned char parameters[3000];
    cr_expect_null(open_with_arguments_at(0x20, sizeof parameters));
    struct module *module = open_with_arguments_at(0xfff0, sizeof parameters);
    cr_assert_not_null(module);
    const struct grid grid = {.function = module_function(module, "takes_much"),
                              .blocks = {1, 1, 1},
                              .threads = {1, 1, 1},
                              .parameters = parameters};
    struct problem problem = {0};
    enum fault fault;
    cr_expect_eq(grid_run(&grid, NULL, &fault, &problem), 0, "%s", problem.text);
}

Test(module, facts_of_a_function)
{
    struct module *module = open_source();
    const struct function *function = module_function(module, "all");
    cr_expect_eq(function->shared_bytes, 128, "%u", function->shared_bytes);
    cr_expect_eq(function->max_threads, 256);
    cr_expect_eq(function->text.size % 16, 0);
    cr_expect_eq(module_stack(function), 0);
    cr_expect_eq(module_facts(function)->registers, function->registers);
    cr_expect_eq(module_facts(function)->barriers, 1);
    cr_expect_null(module_function(module, "absent"));
}

Test(module, helpers_are_named_and_one_that_calls_itself_has_a_stack)
{
    struct module *module = open_source();
    const struct function *calls = module_function(module, "calls");
    const bool found = ANY(i, calls->text.symbol_count,
                           strstr(calls->text.symbols[i].name, "deep") && calls->text.symbols[i].offset > 0 &&
                               calls->text.symbols[i].offset < calls->text.size);
    cr_expect(found, "among %zu symbols", calls->text.symbol_count);
    cr_expect_geq(module_stack(calls), 1024);
}

Test(module, variables_have_their_first_values_and_addresses)
{
    struct module *module = open_source();
    const struct variable *table = module_variable(module, "table"), *counter = module_variable(module, "counter");
    const struct variable *zeros = module_variable(module, "zeros"), *link = module_variable(module, "link");
    cr_assert(table && counter && zeros && link);
    cr_expect_eq(table->size, 256);
    cr_expect_eq(variable_bytes(table), module->bank3);
    cr_expect_eq(((const float *)(const void *)variable_bytes(table))[2], 3);
    cr_expect_eq(*(const int *)(const void *)variable_bytes(counter), 5);
    cr_expect_eq(zeros->size, 4000);
    for (size_t i = 0; i < 1000; i++)
        cr_assert_eq(((const float *)(const void *)variable_bytes(zeros))[i], 0);
    cr_expect_eq(*(const uint64_t *)(const void *)variable_bytes(link), counter->address,
                 "an initial value that is an address");
    struct allocation allocation;
    cr_expect(device_find(made_machine(), zeros->address + 3999, &allocation), "kernels may reach it");
    cr_expect_null(module_variable(module, "absent"));
}

/* The compiler puts the address of each variable that a kernel names into constant bank 4. */
Test(module, bank_4_has_the_addresses_of_variables)
{
    struct module *module = open_source();
    static const char *const names[] = {"counter", "zeros", "link"};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        const struct variable *variable = module_variable(module, names[i]);
        bool found = false;
        for (size_t at = 0; at + 8 <= module->bank4_size; at += 8)
            found |= memcmp(module->bank4 + at, &variable->address, 8) == 0;
        cr_expect(found, "%s", names[i]);
    }
}

Test(module, lines_are_read_once)
{
    struct module *module = open_source();
    const struct line_table *lines = module_lines(module);
    unsigned number = 0;
    OWNED_TEXT file = line_table_line(lines, "all", module_function(module, "all")->text.size / 2, &number);
    cr_assert_not_null(file);
    cr_expect(number >= 6 && number <= 12, "%u", number);
    cr_expect_eq(module_lines(module), lines);
}

Test(module, what_is_no_image_is_refused)
{
    struct problem problem = {0};
    cr_expect_null(module_open(made_machine(), (const unsigned char *)"no image", 8, &problem));
    cr_expect_str_not_empty(problem.text);
}
