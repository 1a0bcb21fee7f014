/* DWARF 2 to 4, section .debug_line, as nvcc 11 to 13 write it (version 2). Each unit has a table of files and a
 * program that makes rows; the rows of one function are a sequence, whose DW_LNE_set_address has a relocation that
 * names the function. NVIDIA's extended opcode 0x90 has two numbers: the row of the sequence, from 1, that called what
 * the following rows are from (0: nothing did), and the callee's name. */
#include "line_table.h"

#include "base/base.h"

#include "cubin_image.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    COPY = 1,
    ADVANCE_PC,
    ADVANCE_LINE,
    SET_FILE,
    SET_COLUMN,
    NEGATE_STATEMENT,
    BASIC_BLOCK,
    CONST_ADD_PC,
    FIXED_ADVANCE_PC,
    END_SEQUENCE = 1, /* these three follow a 0 */
    SET_ADDRESS = 2,
    INLINED_CALL = 0x90
};

struct line_row {
    uint64_t address; /* from the beginning of the function */
    size_t file;      /* place in files */
    unsigned number;
    size_t call; /* row of the sequence, from 1; 0: not inlined */
};

struct line_sequence {
    char *symbol;
    size_t first, count;
    uint64_t end; /* address behind the last instruction */
};

/* A part of the section that is read from its beginning; whole is false once something went beyond its end. */
struct reader {
    const unsigned char *at, *end;
    bool whole;
};

/* What the unit's header says. */
struct unit {
    uint64_t step;
    int line_base;
    uint64_t line_range;
    uint64_t opcode_base;
    const unsigned char *lengths; /* arguments of standard opcodes */
    size_t first_file, file_count;
};

struct reading {
    struct line_table *table;
    Elf_Data *lines, *relocations, *symbols;
    size_t symbol_names; /* section of the symbols' names */
    bool with_addends;
    Elf *elf;
};

static uint64_t read_number(struct reader *reader, size_t length)
{
    uint64_t number = 0;
    if ((size_t)(reader->end - reader->at) < length) {
        reader->whole = false;
        reader->at = reader->end;
        return 0;
    }
    for (size_t i = 0; i < length; i++)
        number |= (uint64_t)reader->at[i] << (8 * i);
    reader->at += length;
    return number;
}

/* LEB128, of which 63 bits count; *bits is how many there were. */
static uint64_t read_leb(struct reader *reader, unsigned *bits, bool *is_negative)
{
    uint64_t number = 0, byte;
    *bits = 0;
    do {
        byte = read_number(reader, 1);
        if (*bits < 63)
            number |= (byte & 0x7f) << *bits;
        *bits += 7;
    } while (byte & 0x80 && reader->whole);
    *is_negative = byte & 0x40; /* where it has a sign */
    return number;
}

static uint64_t read_uleb(struct reader *reader)
{
    unsigned bits;
    bool is_negative;
    return read_leb(reader, &bits, &is_negative);
}

static int64_t read_sleb(struct reader *reader)
{
    unsigned bits;
    bool is_negative;
    const int64_t number = (int64_t)read_leb(reader, &bits, &is_negative);
    return is_negative && bits < 63 ? number - ((int64_t)1 << bits) : number;
}

static const char *read_text(struct reader *reader)
{
    const char *text = (const char *)reader->at;
    const unsigned char *end = memchr(reader->at, 0, (size_t)(reader->end - reader->at));
    if (!end) {
        reader->whole = false;
        reader->at = reader->end;
        return "";
    }
    reader->at = end + 1;
    return text;
}

/* The tables of folders and files. */
static void read_files(struct reader *header, struct line_table *table, struct unit *unit)
{
    const char **folders = NULL;
    size_t folder_count = 0;
    for (const char *folder = read_text(header); *folder; folder = read_text(header))
        *ARRAY_ADD(folders, folder_count) = folder;
    unit->first_file = table->file_count;
    for (const char *name = read_text(header); *name; name = read_text(header)) {
        const uint64_t folder = read_uleb(header); /* from 1; 0 is the compiler's own */
        read_uleb(header);                         /* time */
        read_uleb(header);                         /* size */
        const bool has_folder = *name != '/' && folder > 0 && folder <= folder_count;
        *ARRAY_ADD(table->files, table->file_count) =
            has_folder ? x_sprintf("%s/%s", folders[folder - 1], name) : x_strdup(name);
        unit->file_count++;
    }
    free(folders);
}

/* Leaves the program behind the header in *program. */
static bool read_header(struct reader *program, struct line_table *table, struct unit *unit)
{
    const uint64_t version = read_number(program, 2);
    const uint64_t length = read_number(program, 4);
    if (version < 2 || version > 4 || length > (size_t)(program->end - program->at))
        return false;
    struct reader header = {program->at, program->at + length, true};
    program->at = header.end;
    unit->step = read_number(&header, 1);
    if (version == 4)
        read_number(&header, 1);                        /* operations an instruction: 1 */
    read_number(&header, 1);                            /* is_stmt */
    const uint64_t line_base = read_number(&header, 1); /* a signed byte */
    unit->line_base = line_base < 128 ? (int)line_base : (int)line_base - 256;
    unit->line_range = read_number(&header, 1);
    unit->opcode_base = read_number(&header, 1);
    unit->lengths = header.at;
    if (!header.whole || unit->line_range == 0 || unit->opcode_base == 0 ||
        (size_t)(header.end - header.at) < unit->opcode_base - 1)
        return false;
    header.at += unit->opcode_base - 1;
    read_files(&header, table, unit);
    return header.whole;
}

/* The function whose address stands at that place of the section; caller frees. */
static char *symbol_at(const struct reading *reading, size_t place)
{
    const size_t size = gelf_fsize(reading->elf, reading->with_addends ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT);
    const size_t count = reading->relocations && size ? reading->relocations->d_size / size : 0;
    for (size_t i = 0; i < count && i < INT_MAX; i++) {
        GElf_Rela with = {0};
        GElf_Rel without = {0};
        const bool read = reading->with_addends ? gelf_getrela(reading->relocations, (int)i, &with) != NULL
                                                : gelf_getrel(reading->relocations, (int)i, &without) != NULL;
        const uint64_t offset = reading->with_addends ? with.r_offset : without.r_offset;
        const uint64_t number = GELF_R_SYM(reading->with_addends ? with.r_info : without.r_info);
        GElf_Sym symbol;
        if (!read || offset != place || number > INT_MAX || !gelf_getsym(reading->symbols, (int)number, &symbol))
            continue;
        return x_strdup(elf_strptr(reading->elf, reading->symbol_names, symbol.st_name));
    }
    return NULL;
}

/* The registers of the machine that the program runs on. */
struct machine_state {
    uint64_t address, file, call;
    int64_t number;
};

static const struct machine_state fresh_state = {.file = 1, .number = 1};

static void add_row(struct line_table *table, const struct unit *unit, const struct machine_state *state)
{
    struct line_row *row = ARRAY_ADD(table->rows, table->row_count);
    row->address = state->address;
    row->number = state->number > 0 && state->number <= UINT_MAX ? (unsigned)state->number : 0;
    const bool has_file = state->file > 0 && state->file <= unit->file_count;
    row->file = has_file ? unit->first_file + state->file - 1 : SIZE_MAX;
    row->call = state->call;
    if (table->sequence_count > 0)
        table->sequences[table->sequence_count - 1].count++;
}

static void run_extended(struct reading *reading, struct reader *program, struct machine_state *state)
{
    struct line_table *table = reading->table;
    const uint64_t length = read_uleb(program);
    if (length == 0 || length > (size_t)(program->end - program->at)) {
        program->whole = false;
        return;
    }
    struct reader rest = {program->at, program->at + length, true};
    program->at = rest.end;
    switch (read_number(&rest, 1)) {
    case END_SEQUENCE:
        if (table->sequence_count > 0)
            table->sequences[table->sequence_count - 1].end = state->address;
        *state = fresh_state;
        break;
    case SET_ADDRESS: {
        const size_t place = (size_t)(rest.at - (const unsigned char *)reading->lines->d_buf);
        struct line_sequence *sequence = ARRAY_ADD(table->sequences, table->sequence_count);
        sequence->symbol = symbol_at(reading, place);
        sequence->first = table->row_count;
        state->address = 0;
        break;
    }
    case INLINED_CALL:
        state->call = read_uleb(&rest);
        break;
    default:
        break;
    }
}

static void run_standard(const struct unit *unit, struct reader *program, uint64_t opcode, struct line_table *table,
                         struct machine_state *state)
{
    switch (opcode) {
    case COPY:
        add_row(table, unit, state);
        break;
    case ADVANCE_PC:
        state->address += read_uleb(program) * unit->step;
        break;
    case ADVANCE_LINE:
        state->number = (int64_t)((uint64_t)state->number + (uint64_t)read_sleb(program));
        break;
    case SET_FILE:
        state->file = read_uleb(program);
        break;
    case CONST_ADD_PC:
        state->address += (255 - unit->opcode_base) / unit->line_range * unit->step;
        break;
    case FIXED_ADVANCE_PC:
        state->address += read_number(program, 2);
        break;
    default: /* SET_COLUMN, what takes nothing, and what is unknown: its arguments are passed over */
        for (unsigned i = 0; i < unit->lengths[opcode - 1]; i++)
            read_uleb(program);
        break;
    }
}

static void run_program(struct reading *reading, const struct unit *unit, struct reader *program)
{
    struct machine_state state = fresh_state;
    while (program->at < program->end && program->whole) {
        const uint64_t opcode = read_number(program, 1);
        if (opcode == 0) {
            run_extended(reading, program, &state);
        } else if (opcode < unit->opcode_base) {
            run_standard(unit, program, opcode, reading->table, &state);
        } else {
            const uint64_t special = opcode - unit->opcode_base;
            state.address += special / unit->line_range * unit->step;
            state.number = (int64_t)((uint64_t)state.number + (uint64_t)unit->line_base + special % unit->line_range);
            add_row(reading->table, unit, &state);
        }
    }
}

static void read_units(struct reading *reading)
{
    const unsigned char *bytes = reading->lines->d_buf;
    if (!bytes) /* an empty section */
        return;
    struct reader section = {bytes, bytes + reading->lines->d_size, true};
    while (section.whole && section.at < section.end) {
        const uint64_t length = read_number(&section, 4);
        if (length > (size_t)(section.end - section.at))
            return;
        struct reader program = {section.at, section.at + length, true};
        struct unit unit = {0};
        section.at = program.end;
        if (read_header(&program, reading->table, &unit))
            run_program(reading, &unit, &program);
    }
}

/* Finds the sections; false when one that is needed is not there. */
static bool find_sections(struct reading *reading)
{
    size_t names;
    if (!reading->elf || elf_getshdrstrndx(reading->elf, &names) < 0)
        return false;
    for (Elf_Scn *section = elf_nextscn(reading->elf, NULL); section; section = elf_nextscn(reading->elf, section)) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(reading->elf, names, header.sh_name) : NULL;
        if (!name)
            continue;
        if (strcmp(name, ".debug_line") == 0) {
            reading->lines = elf_rawdata(section, NULL);
        } else if (strcmp(name, ".rela.debug_line") == 0 || strcmp(name, ".rel.debug_line") == 0) {
            reading->relocations = elf_getdata(section, NULL);
            reading->with_addends = header.sh_type == SHT_RELA;
        } else if (header.sh_type == SHT_SYMTAB) {
            reading->symbols = elf_getdata(section, NULL);
            reading->symbol_names = header.sh_link;
        }
    }
    return reading->lines && reading->symbols;
}

void line_table_open(struct line_table *table, char *bytes, size_t size)
{
    *table = (struct line_table){0};
    if (!image_is_whole((const unsigned char *)bytes, size))
        return;
    elf_version(EV_CURRENT);
    struct reading reading = {.table = table, .elf = elf_memory(bytes, size)};
    if (find_sections(&reading))
        read_units(&reading);
    elf_end(reading.elf);
}

void line_table_release(struct line_table *table)
{
    for (size_t i = 0; i < table->file_count; i++)
        free(table->files[i]);
    for (size_t i = 0; i < table->sequence_count; i++)
        free(table->sequences[i].symbol);
    free(table->files);
    free(table->sequences);
    free(table->rows);
    *table = (struct line_table){0};
}

/* The last row at or before an offset: of several at one address, the innermost. From 1; 0 when there is none. */
static size_t row_at(const struct line_table *table, const struct line_sequence *sequence, uint64_t offset)
{
    size_t found = 0;
    for (size_t i = 0; i < sequence->count; i++)
        if (table->rows[sequence->first + i].address <= offset)
            found = i + 1;
    return found;
}

size_t line_table_find(const struct line_table *table, const char *symbol, uint64_t offset, struct line_place *places,
                       size_t room)
{
    const struct line_sequence *sequence = NULL;
    for (size_t i = 0; i < table->sequence_count && !sequence; i++)
        if (table->sequences[i].symbol && strcmp(table->sequences[i].symbol, symbol) == 0)
            sequence = &table->sequences[i];
    if (!sequence || offset >= sequence->end)
        return 0;
    size_t count = 0;
    for (size_t row = row_at(table, sequence, offset); row > 0 && row <= sequence->count && count < room;) {
        const struct line_row *found = &table->rows[sequence->first + row - 1];
        if (found->file == SIZE_MAX || found->number == 0)
            break;
        places[count++] = (struct line_place){table->files[found->file], found->number};
        row = found->call < row ? found->call : 0; /* a call stands before what it brought in */
    }
    return count;
}
