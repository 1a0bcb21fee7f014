#include "machine/sass/nvdisasm.h"

#include "support.h"

#include <criterion/criterion.h>
#include <sys/stat.h>

/* A program that says to be of that release. Caller frees its path. */
static char *put_program(const char *folder, const char *name, const char *release)
{
    OWNED_TEXT text = x_sprintf("#!/bin/sh\necho 'nvdisasm: a disassembler'\necho 'tools, %s'\n", release);
    char *path = scratch_file(folder, name, text);
    cr_assert_eq(chmod(path, 0755), 0);
    return path;
}

static void put_folder(const char *folder, const char *name)
{
    OWNED_TEXT path = x_sprintf("%s/%s", folder, name);
    cr_assert_eq(make_folders(path), 0);
}

static void expect_found(const char *folder, const char *wanted)
{
    struct problem problem = {0};
    OWNED_TEXT path = nvdisasm_look(folder, &problem);
    cr_assert_not_null(path, "%s: %s", folder, problem.text);
    cr_expect_str_eq(path, wanted);
}

static void expect_refused(const char *folder, const char *words)
{
    struct problem problem = {0};
    cr_expect_null(nvdisasm_look(folder, &problem));
    cr_expect(strstr(problem.text, words), "\"%s\" lacks \"%s\"", problem.text, words);
    cr_expect(strstr(problem.text, "pip install nvidia-cuda-nvdisasm==" NVDISASM_WANTED), "%s", problem.text);
}

Test(nvdisasm, what_the_environment_names_comes_first_and_is_not_passed_over)
{
    char *scratch = scratch_make();
    put_folder(scratch, "lib/cugate/disasm/nvidia/cu13/bin");
    put_folder(scratch, "bin");
    OWNED_TEXT beside = put_program(scratch, "lib/cugate/disasm/nvidia/cu13/bin/nvdisasm", "release 13.5");
    OWNED_TEXT named = put_program(scratch, "mine", "release 13.5"), *bin = x_sprintf("%s/bin", scratch);
    setenv("CUGATE_NVDISASM", named, 1);
    expect_found(bin, named);
    setenv("CUGATE_NVDISASM", "/no/such", 1);
    expect_refused(bin, "/no/such, which CUGATE_NVDISASM names");
    setenv("CUGATE_NVDISASM", "", 1);
    OWNED_TEXT wanted = x_sprintf("%s/../lib/cugate/disasm/nvidia/cu13/bin/nvdisasm", bin);
    expect_found(bin, wanted);
    scratch_remove(scratch);
}

Test(nvdisasm, beside_a_program_of_the_tree)
{
    static const char *const folders[] = {"disasm", "disasm/nvidia", "disasm/nvidia/cu13", "disasm/nvidia/cu13/bin",
                                          "san"};
    char *scratch = scratch_make();
    for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
        put_folder(scratch, folders[i]);
    OWNED_TEXT program = put_program(scratch, "disasm/nvidia/cu13/bin/nvdisasm", "release 13.5");
    unsetenv("CUGATE_NVDISASM");
    expect_found(scratch, program);
    OWNED_TEXT san = x_sprintf("%s/san", scratch), *wanted = x_sprintf("%s/../disasm/nvidia/cu13/bin/nvdisasm", san);
    expect_found(san, wanted);
    scratch_remove(scratch);
}

Test(nvdisasm, one_on_the_path_has_to_be_recent)
{
    static const struct {
        const char *release, *refused; /* NULL: it will do */
    } rows[] = {
        {"release 13.2, V13.2.51", NULL},
        {"release 14.0, V14.0.1", NULL},
        {"release 13.1, V13.1.9", "is release 13.1, but 13.2 or later is needed"},
        {"release 12.9, V12.9.1", "is release 12.9"},
        {"nothing", "did not print its release"},
    };
    unsetenv("CUGATE_NVDISASM");
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *scratch = scratch_make();
        OWNED_TEXT program = put_program(scratch, "nvdisasm", rows[i].release);
        OWNED_TEXT path = x_sprintf("/no/such:%s:/usr/bin:/bin", scratch);
        setenv("PATH", path, 1);
        if (rows[i].refused)
            expect_refused("/no/such", rows[i].refused);
        else
            expect_found("/no/such", program);
        scratch_remove(scratch);
    }
    setenv("PATH", "/no/such", 1);
    expect_refused("/no/such", "was not found");
}
