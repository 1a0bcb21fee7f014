/* base.h - what every program needs: errors, memory, text, files, JSON. Knows no GPU. */
#ifndef BASE_H
#define BASE_H

#include "exit_code.h"
#include "ini_text.h"
#include "measure_interrupt.h"
#include "run_place.h"
#include "terminal.h"
#include "utf8.h"
#include "util.h"
#include "version.h"

#endif
