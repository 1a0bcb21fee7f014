/* base.h - what every program needs: errors, memory, text, files, JSON, names of C++, and of the C library what most
 * files use. Knows no GPU. */
#pragma once

#include "columns.h"
#include "demangle.h"
#include "error.h"
#include "files.h"
#include "ini_lines.h"
#include "interrupt.h"
#include "json_fields.h"
#include "json_read.h"
#include "json_write.h"
#include "kept_files.h"
#include "lists.h"
#include "memory_limit.h"
#include "names.h"
#include "numbers.h"
#include "numeric.h"
#include "parallel.h"
#include "points.h"
#include "processes.h"
#include "supervised.h"
#include "terminal.h"
#include "utf8.h"
#include "version.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
