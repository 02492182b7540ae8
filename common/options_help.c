/* The text of --help, made from the same tables that the command line is parsed with. */
#include "options.h"

#include <stdio.h>
#include <string.h>

#include "report.h"
#include "units.h"

enum { HELP_COLUMN = 26 };

static const char *placeholder(const struct option_spec *spec) {
    switch (spec->type) {
    case OPTION_FLAG:
        return "";
    case OPTION_INT:
        return " N";
    case OPTION_BYTES:
        return " BYTES";
    case OPTION_TIME:
        return " TIME";
    case OPTION_CHOICE:
        return " WORD";
    case OPTION_INT_LIST:
        return " N,N,...";
    default:
        return " TEXT";
    }
}

static void append(char *text, size_t size, const char *more) {
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s", more);
}

static void show_choice(char *text, size_t size, const struct option_spec *spec) {
    const char *choice = spec->choices;
    for (int64_t i = *(const int64_t *)spec->value; i > 0 && choice != NULL; i--) {
        choice = strchr(choice, '|');
        if (choice != NULL)
            choice++;
    }
    if (choice != NULL)
        snprintf(text, size, "%.*s", (int)strcspn(choice, "|"), choice);
}

static void show_list(char *text, size_t size, const struct int_list *list) {
    for (int i = 0; i < list->n; i++) {
        char number[32];
        append(text, size, i == 0 ? "" : ",");
        append(text, size, unit_show(number, sizeof number, OPTION_INT, list->value[i]));
    }
}

/* Empty where there is none: a flag, no text, or a number outside its own bounds ("automatic"). */
static void show_default(char *text, size_t size, const struct option_spec *spec) {
    text[0] = '\0';
    switch (spec->type) {
    case OPTION_FLAG:
        break;
    case OPTION_CHOICE:
        show_choice(text, size, spec);
        break;
    case OPTION_INT_LIST:
        show_list(text, size, (const struct int_list *)spec->value);
        break;
    case OPTION_STRING:
        if (*(const char *const *)spec->value != NULL)
            append(text, size, *(const char *const *)spec->value);
        break;
    default: {
        int64_t value = *(const int64_t *)spec->value;
        if (value >= spec->min && value <= spec->max)
            unit_show(text, size, spec->type, value);
    }
    }
}

static void help_table(const struct option_spec *table) {
    for (; table != NULL && table->name != NULL; table++) {
        char head[64], value[512];
        snprintf(head, sizeof head, "--%s%s", table->name, placeholder(table));
        show_default(value, sizeof value, table);
        printf("  %-*s %s", HELP_COLUMN, head, table->help);
        if (table->type == OPTION_CHOICE)
            printf(" (%s)", table->choices);
        if (value[0] != '\0')
            printf(" [%s]", value);
        putchar('\n');
    }
}

void options_help(const char *program, const char *summary, const char *const *parts,
                  const struct option_spec *own, const struct option_spec *shared) {
    printf("usage: %s [--option value ...]\n\n", program);
    say("%s", summary);
    printf("\nParts:\n");
    for (int i = 0; parts[i] != NULL; i++)
        printf("  %c  %s\n", 'a' + i, parts[i]);
    if (own != NULL && own->name != NULL) {
        printf("\nOptions of this lab:\n");
        help_table(own);
    }
    printf("\nOptions of every lab:\n");
    help_table(shared);
    printf("\nBYTES: a whole number, bare or with B, KB, MB, GB (1000s), KiB, MiB, GiB (1024s).\n"
           "TIME: a whole number with ns, us, ms or s. Defaults stand in [brackets].\n"
           "Exit status: 0 passed, 1 a check failed, 2 usage, 3 no usable GPU or folder,\n"
           "77 nothing could be shown here.\n");
}
