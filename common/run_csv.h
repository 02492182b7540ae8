/* run_csv.h - run.csv: what was run, where, and what makes its figures comparable or not. */
#ifndef RUN_CSV_H
#define RUN_CSV_H

struct run_info {
    const char *lab, *title;
    int argc; /* the command, as given */
    char **argv;
};

void run_csv_write(const char *dir, const struct run_info *info);

/* Why times of this run cannot be compared with others' (launches batched by WDDM), or NULL. */
const char *run_comparable_note(void);

#endif
