#include "columns.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

int terminal_columns(FILE *stream)
{
    struct winsize size = {0};
    const int file = fileno(stream);
    if (file < 0 || !isatty(file))
        return 0;
    /* A terminal that does not report its width was mostly started by a shell that was told. */
    const char *told = getenv("COLUMNS");
    long columns = ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col
                   : told                                                 ? strtol(told, NULL, 10)
                                                                          : 0;
    columns = columns > 0 && columns < 10000 ? columns : 80;
    return columns < COLUMNS_LEAST ? COLUMNS_LEAST : (int)columns;
}
