#!/usr/bin/env bats
# Texts of exercise.cu that are not run, for they could go round the judge: each is refused by name.

bats_require_minimum_version 1.5.0
load grading.bash

setup_file() { prepared lab-1 lab-4; }

lab1=labs/1-async-check

@test "calls that an exercise does not need: each refused by name" {
    hand_in
    cat >"$in/$lab1/exercise.cu" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include "exercise.h"
extern "C" {
void _exit(int);
int fork(void), unlink(const char *), pthread_create(int, int, int, int);
long syscall(long, ...);
void *dlsym(void *, const char *);
void check(const char *, bool, const char *, const char *, const char *);
int cudaLibraryLoadFromFile(const char *);
}
void exercise_setup(struct exercise *x) {
    switch (x->words) { // what follows a call that does not return would not be compiled
    case 1: exit(0);
    case 2: _exit(0);
    case 3: die(EXIT_PASS, "bye");
    }
}
void exercise_queue(struct exercise *x) {
    while (x->words)
        fork();
    system("rm -rf /");
    unlink("checks.csv");
    fopen("../checks.csv", "w");
    syscall(60, 0);
    dlsym(0, "check");
    pthread_create(0, 0, 0, 0);
    check("a-queueing-returns", true, "", "", "");
    cudaLibraryLoadFromFile("code");
}
void exercise_cleanup(struct exercise *) {}
END
    grade lab-1
    refused exercise "it calls "
    for name in exit _exit fork system unlink fopen syscall dlsym check die cudaLibraryLoadFromFile pthread_create; do
        grep -qE "it calls (.*, )?$name[,:]" "$report" || { echo "$name is not named"; return 1; }
    done
}

@test "functions in the place of the judge's or of the system's: refused by name" {
    not_run '' 'extern "C" int clock_gettime(int, void *) { return 0; } extern "C" void *malloc(unsigned long) { return 0; } int shared;' \
        'it defines clock_gettime, malloc, shared for the whole program'
    not_run '' 'extern "C" long wall_ns(void) { return 0; }' 'it defines wall_ns for the whole program'
}

@test "texts that hide something from that list: refused by name" {
    python3 - <<'END'
import sys
sys.path.insert(0, "tests")
from grading import source
cases = {
    'asm volatile("syscall");': "asm: names of the compiler",
    '__asm__ volatile("syscall");': "__asm__: names of the compiler",
    '#define a asm\n': "asm: names",
    '__attribute__((constructor)) static void early(void) {}': "__attribute__: names",
    '[[gnu::constructor]] static void early(void) {}': "[[attributes]] are not needed",
    '[ /* */ [gnu::constructor]] static void early(void) {}': "[[attributes]] are not needed",
    '#include "/etc/passwd"': "#include of /etc/passwd",
    '#include </etc/passwd>': "#include of /etc/passwd",
    '#include "../../tests/solutions/exercise-1.cu"': "#include of ../../tests/solutions",
    '/* */ # /* */ include "sim.h"': "#include of",
    '#include f': "#include of f",
    '#define f <sim.h>\n#include f': "a #define before an #include",
    '#include_next <stdio.h>': "#include_next is not needed",
    '#in\\\nclude "sim.h"': "#include of sim.h",
    '#define name a ## sm': "## pastes names together",
    '#define H #\nH 1 "stdio.h"': "# makes a string",
    'F(#)': "a # that begins no line",
    '/*\n#include "*/ char *a = "x", *b = ""; asm("nop"); // "': "asm: names",
    '#pragma weak wall_ns': "#pragma is not needed here",
    '_Pragma("weak wall_ns")': "_Pragma: names",
    '# 1 "exercise.h"': "#1 is not needed here",
    '#line 1 "exercise.h"': "#line is not needed here",
    '/* ??/ */': "trigraph",
    '%:include "sim.h"': "digraph",
    '<:<:gnu::constructor:>:>': "digraph",
    'const char *s = R"(" asm)";': "raw string",
    '"/*"; asm(""); "*/"': "asm: names",
    "'\"'; asm(\"\"); '\"'": "asm: names",
    # Where compilers see another line, string or comment than the text seems to have.
    "int a = 1'0; asm(\"\"); int b = 1'0;": "a ' in a number",
    "#if 0\n' /*\n#endif\nasm(\"\"); // */": "a quote that does not end",
    '#if 0\n" /*\n#endif\nasm(""); // */': "a quote that does not end",
    "#if 0\n#error it's /*\n#endif\nasm(\"\"); // */": "a quote that does not end",
    '// \\ \n/*\nasm(""); // */': "blanks between a backslash",
    '// \\\t\n/*\nasm(""); // */': "blanks between a backslash",
    '// \\\v\n/*\nasm(""); // */': "a carriage return, form feed",
    '// \rasm("");': "a carriage return",
    '\f#include </etc/passwd>': "a carriage return, form feed",
    '#if 0\n#include "/*"\n#endif\nasm(""); // */': "#include of",
    '\\u0061sm("");': "a backslash outside",
    'int \u00e9 = 1;': "letters and signs outside of ASCII",
}
for text, reason in cases.items():
    try:
        source.check_text('#include "exercise.h"\n' + text + "\n")
    except source.Refused as refused:
        assert reason in str(refused), (text, str(refused))
    else:
        raise SystemExit(f"not refused: {text}")
END
    not_run 'asm volatile("syscall");' '' 'asm: names of the compiler'
}

@test "what only the compiler sees: attributes out of macros, and headers, in its own preprocessed text" {
    not_run '' $'#define X(...) [__VA_ARGS__]\nX([gnu::section(".text"), gnu::used]) static const char code[] = {1};' \
        '[[attributes]] are not needed here, nor by way of macros'
    python3 - <<'END'
import sys
sys.path.insert(0, "tests")
from grading import source
main = '# 12 "labs/1-async-check/exercise.cu"'
for text, reason in ((main + '\n# 1 "/etc/passwd" 1\nroot', "#include of /etc/passwd"),
                     (main + '\n# 1 "stdio.h"\nasm("");', "#include of stdio.h"),
                     (main + '\n#pragma weak wall_ns', "#pragma weak wall_ns is not needed"),
                     (main + '\n__attribute__((constructor)) void f();', "the attribute constructor"),
                     (main + '\nint f() __asm("g");', "__asm: names")):
    try:
        source.check_preprocessed(text)
    except source.Refused as refused:
        assert reason in str(refused), (text, str(refused))
    else:
        raise SystemExit(f"not refused: {text}")
source.check_preprocessed('# 1 "stdio.h"\nasm("");\n' + main + '\n__attribute__((global)) void k();\n'
                          '# 1 "/usr/include/stdio.h" 1 3 4\n__asm("x");\n'
                          '# 13 "labs/1-async-check/exercise.cu" 2\n#pragma unroll 4\n"asm # ";')
END
}

@test "plain C in comments, strings and macros is not refused" {
    exercise_1 'printf("asm %s // fork()\\n", "##");' \
        $'#include <stdio.h>\n#define TWICE(x) \\\n    (2 * (x))\n/* asm, [[x]], # include "no.h" */ // __asm__\n// don\'t \xc3\xa9\nstatic const char chars[] = {\'a\', \'\\\'\', \'"\'};\nenum { NUMBER = 0x1fu + (int)1.5e+3, LETTERS = sizeof chars };'
    grade lab-1
    [ "$(sum exercise)" = 10/10 ]
}

@test "a program that does not compile" {
    not_run 'this is not C' '' 'it does not compile: labs/1-async-check/exercise.cu:'
}

@test "lists of attributes, macros before headers, work before main begins, text without end" {
    not_run '' '#define host host, section(".text"), used
static const unsigned char code[] __host__ = {0xc3};
static void (*const go)(void) = (void (*)(void))code;' 'the attribute section is not needed here'
    not_run '' 'static int first(void) { return 1; }
static int early = first() + (int)(long)&early;' 'it has a variable whose first value is computed before main begins'
    not_run 'atexit(exercise_done);' 'static void exercise_done(void) {}' 'atexit: free it all in exercise_cleanup'
    hand_in
    { echo '#define constant section(".text")'; cat tests/solutions/exercise-1.cu; } >"$in/$lab1/exercise.cu"
    grade lab-1
    refused exercise 'a #define before an #include could change what that has: #include first'
    tower='#define A0 +1'
    for i in 1 2 3 4 5 6 7; do
        below=" A$((i - 1))"
        tower+=$'\n'"#define A$i$below$below$below$below$below$below$below$below$below$below"
    done
    not_run 'static volatile int n; n = 0 A7;' "$tower" 'its macros make more than 8 MiB of text'
}
