#include "cudart/ptx.h"

#include <criterion/criterion.h>
#include <glob.h>

static const char text[] = "//\n.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry f() { ret; }\n";

Test(ptx, is_told_from_other_bytes)
{
    cr_expect(ptx_is(text));
    cr_expect(ptx_is("\n  .version 7.0\n.target sm_90a\n"));
    cr_expect_not(ptx_is("\177ELF"));
    cr_expect_not(ptx_is(""));
    cr_expect_not(ptx_is("// a comment"));
    cr_expect_eq(ptx_capability(text), 80);
    cr_expect_eq(ptx_capability(".version 7.0\n.target\tsm_90a\n"), 90);
    cr_expect_eq(ptx_capability(".version 7.0\n.target texmode_independent\n"), 0);
}

Test(ptx, is_compiled_for_a_newer_gpu_and_kept)
{
    struct problem problem;
    size_t size = 0;
    glob_t files = {0};
    char *folder = make_temporary_folder(), *pattern = x_sprintf("%s/cugate/*-sm_90.cubin", folder);
    setenv("XDG_CACHE_HOME", folder, 1);
    unsigned char *image = ptx_compile(text, 90, false, &size, &problem);
    cr_assert_not_null(image, "%s", problem.text);
    cr_expect_eq(memcmp(image, "\177ELF", 4), 0);
    free(image);
    cr_assert_eq(glob(pattern, 0, NULL, &files), 0);
    cr_expect_eq(files.gl_pathc, 1);
    FILE *stream = fopen(files.gl_pathv[0], "w");
    fputs("kept", stream);
    fclose(stream);
    image = ptx_compile(text, 90, false, &size, &problem);
    cr_expect_eq(size, 4);
    cr_expect_eq(memcmp(image, "kept", 4), 0);
    free(image);
    unlink(files.gl_pathv[0]);
    globfree(&files);
    OWNED_TEXT inner = x_sprintf("%s/cugate", folder);
    rmdir(inner);
    free(pattern);
    remove_temporary_folder(folder);
}

Test(ptx, no_compiler_is_said)
{
    struct problem problem;
    size_t size;
    setenv("CUGATE_PTXAS", "/absent/ptxas", 1);
    cr_expect_null(ptx_compile(text, 90, false, &size, &problem));
    cr_expect(strstr(problem.text, "/absent/ptxas, which CUGATE_PTXAS names"), "%s", problem.text);
}
