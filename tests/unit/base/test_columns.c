#include "test.h"

#include <sys/ioctl.h>

/* A file has no columns, whatever COLUMNS says: what is written into it must be the same everywhere. */
Test(columns, a_file_has_none)
{
    setenv("COLUMNS", "50", 1);
    FILE *file = tmpfile();
    cr_assert_not_null(file);
    cr_expect_eq(terminal_columns(file), 0);
    fclose(file);
    PRINT(OWNED_TEXT, memory, stream, cr_expect_eq(terminal_columns(stream), 0));
}

Test(columns, a_terminal_says_how_wide_it_is)
{
    static const struct {
        unsigned short columns;
        const char *told;
        int wanted;
    } rows[] = {{80, NULL, 80}, {133, "50", 133}, {20, NULL, COLUMNS_LEAST}, {0, "90", 90},           {0, "many", 80},
                {0, NULL, 80},  {0, "-5", 80},    {0, "99999999999", 80},    {0, "10", COLUMNS_LEAST}};
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    cr_assert(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    /* O_NOCTTY: as our terminal, closing it would send SIGHUP */
    FILE *terminal = fdopen(open(ptsname(master), O_RDWR | O_NOCTTY), "r+");
    cr_assert_not_null(terminal);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct winsize size = {.ws_col = rows[i].columns, .ws_row = 24};
        cr_assert_eq(ioctl(fileno(terminal), TIOCSWINSZ, &size), 0);
        if (rows[i].told)
            setenv("COLUMNS", rows[i].told, 1);
        else
            unsetenv("COLUMNS");
        cr_expect_eq(terminal_columns(terminal), rows[i].wanted, "row %zu: %d", i, terminal_columns(terminal));
    }
    fclose(terminal);
    close(master);
}
