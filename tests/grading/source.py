"""What exercise.cu may contain, and what its object may refer to.

The exercise runs in one process with the judge that grades it.  So its program must not be able to
open files, leave early, start processes, run before main, or put its own functions in the place of
the judge's.  Two plain rules do that: the text holds no construct that hides from the second rule,
and the object refers to a short list of functions and defines none that others could call.  The
first rule is held twice: against the text, and against what the compiler's preprocessor made of it.

What stays possible is a wild pointer: into the judge's memory, or into code that then does whatever
confine.py allows.  And on a simulated GPU the host takes no time: what it computes itself, beside
device work of the right size, is not seen.  No rule on text or symbols stops these; a person who reads
the file sees them.
"""
import os
import re
import subprocess

HEADERS = {
    "exercise.h", "cuda_runtime.h", "cuda_runtime_api.h", "driver_types.h", "vector_types.h",
    "cublas_v2.h", "assert.h", "float.h", "limits.h", "math.h", "stdbool.h", "stddef.h",
    "stdint.h", "stdio.h", "stdlib.h", "string.h", "cassert", "cfloat", "climits", "cmath",
    "cstddef", "cstdint", "cstdio", "cstdlib", "cstring"}
DIRECTIVES = {"include", "define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif",
              "error", ""}
RESERVED = {  # identifiers of compilers that a CUDA program needs
    "__global__", "__device__", "__host__", "__shared__", "__constant__", "__managed__",
    "__restrict__", "__restrict", "__launch_bounds__", "__forceinline__", "__noinline__",
    "__syncthreads", "__syncwarp", "__threadfence", "__ldg", "__clock64", "__CUDACC__",
    "__CUDA_ARCH__", "__FILE__", "__LINE__", "__func__", "__cplusplus", "__VA_ARGS__"}

OF_THE_COMPILER = "names of the compiler's own are not needed here"
NOT_NEEDED = {"asm": OF_THE_COMPILER,
              "atexit": "free it all in exercise_cleanup"}  # what nvcc makes of a text calls it too

LIBC = set("""
    malloc calloc realloc free aligned_alloc memcpy memmove memset memcmp strlen strcmp strncmp
    printf fprintf puts putchar fputs fputc putc fwrite fflush snprintf stdout stderr
    abs labs llabs rand srand rand_r qsort __assert_fail __stack_chk_fail
    sqrt sqrtf pow powf exp expf exp2 log logf log2 log10 sin sinf cos cosf tan atan atan2 floor
    floorf ceil ceilf fabs fabsf fmin fmax fminf fmaxf fmod round roundf lround llround trunc rint
    lrint ldexp frexp hypot isnan isinf
    __printf_chk __fprintf_chk __snprintf_chk __memcpy_chk __memmove_chk __memset_chk
    _GLOBAL_OFFSET_TABLE_ __dso_handle atexit __gxx_personality_v0 _Unwind_Resume
    __cxa_guard_acquire __cxa_guard_release __cxa_guard_abort""".split())
# These of CUDA open files, or give a way round this list.
CUDA_REFUSED = re.compile(r"DebugDotPrint|LoadFromFile|LoadData|GetDriverEntryPoint|GetEntryPoint|"
                          r"Logger|Ipc|ExportTable|GetExport|DeviceReset|Profiler|ImportExternal")
CUDA = re.compile(r"(cuda|cublas)[A-Z]\w*$|__cuda(PushCallConfiguration|PopCallConfiguration|"
                  r"Register\w+|Unregister\w+|InitModule|GetKernel|LaunchKernel\w*)$")


class Refused(Exception):
    """exercise.cu is not run, for this reason."""


# What a compiler takes for one piece, first match first; what begins as one of them and is none is
# refused, for there compilers go on in ways of their own. Numbers and names are whole pieces, so
# that a quote behind a digit is where the compiler sees it.
PIECES = re.compile(r"""
    (?P<blank> //[^\n]* | /\*.*?\*/ )
    | (?P<string> "(?:\\[^\n]|[^"\\\n])*" )
    | (?P<char> '(?:\\[^\n]|[^'\\\n])*' )
    | (?P<separated> \.?\d(?:[eEpP][+-]|[\w.])*'\w )
    | (?P<number> \.?\d(?:[eEpP][+-]|[\w.])* )
    | (?P<name> [^\W\d]\w* )
    | (?P<quote> ["'] )
    | (?P<backslash> \\ )
    """, re.S | re.X)
REFUSED_PIECES = {
    "separated": "a ' in a number: write it without",
    "quote": "a quote that does not end on its line",
    "backslash": "a backslash outside of strings and the ends of lines"}


def code_of(text):
    """The text without comments, and with strings emptied."""
    for trick, name in (("??", "trigraph"), ("%:", "digraph %:"), ("<:", "digraph <:")):
        if trick in text:
            raise Refused(f"{name}: write the character itself")
    if re.search(r"[\r\v\f]", text):
        raise Refused("a carriage return, form feed or vertical tab: to some compilers a line ends"
                      " there")
    if re.search(r"\\[ \t]+\n", text):
        raise Refused("blanks between a backslash and the line's end: remove them")
    text = text.replace("\\\n", "")
    if re.search(r'\b(u8|u|U|L)?R"', text):
        raise Refused("raw string literals are not needed here")

    code, end = "", 0
    for match in PIECES.finditer(text):
        code += text[end:match.start()]
        end = match.end()
        kind, piece = match.lastgroup, match.group(0)
        if kind in REFUSED_PIECES:
            raise Refused(REFUSED_PIECES[kind])
        if kind == "string" and re.search(r"(?:^|\n)[ \t]*#[ \t]*include[ \t]*$", code[-200:]):
            code += f"<{piece[1:-1]}>"  # a name there, not a string
        else:
            code += {"blank": " ", "string": '""', "char": "0"}.get(kind, piece)
    code += text[end:]
    if not code.isascii():
        raise Refused("letters and signs outside of ASCII, except in comments and strings")
    return code


def check_directives(code, headers):
    defined = re.search(r"(?m)^[ \t]*#[ \t]*(define|undef)\b", code)
    if defined and re.search(r"(?m)^[ \t]*#[ \t]*include\b", code[defined.start():]):
        raise Refused("a #define before an #include could change what that has: #include first")
    for directive, rest in re.findall(r"(?m)^[ \t]*#[ \t]*(\w*)([^\n]*)", code):
        if directive == "pragma" and re.match(r"\s*unroll\b", rest):
            continue
        if directive not in DIRECTIVES:
            raise Refused(f"#{directive} is not needed here")
        if "##" in rest:
            raise Refused("## pastes names together: write them out")
        if "#" in rest:
            raise Refused("# makes a string of a macro's argument: write it out")
        if directive == "include":
            name = re.match(r"\s*<([^>]*)>\s*$", rest)
            if not name or name.group(1) not in headers:
                shown = name.group(1) if name else rest.strip()
                raise Refused(f"#include of {shown[:80]}: exercise.h, CUDA's and C's own headers "
                              "are enough")


def check_text(text, known_headers=()):
    """Raises Refused if the text of exercise.cu has something that could go round check_object."""
    code = code_of(text)
    check_directives(code, HEADERS | set(known_headers))
    if re.search(r"(?m)^[ \t]*[^#\s][^\n#]*#", code):
        raise Refused("a # that begins no line is not needed here")
    if re.search(r"\[\s*\[", code):
        raise Refused("[[attributes]] are not needed here")
    for word in re.findall(r"[A-Za-z_]\w*", code):
        if word in NOT_NEEDED or (re.match(r"__|_[A-Z]", word) and word not in RESERVED):
            raise Refused(f"{word}: {NOT_NEEDED.get(word, OF_THE_COMPILER)}")


# The compiler's own names that macros of CUDA's and C's headers bring into a program.
FROM_MACROS = RESERVED | {
    "__null", "__extension__", "__PRETTY_FUNCTION__", "__assert_fail", "__ASSERT_FUNCTION",
    "__builtin_offsetof", "__builtin_inff", "__builtin_inf", "__builtin_nanf", "__builtin_nan",
    "__builtin_huge_val", "__builtin_huge_valf", "__inline__", "__attribute__"}
ATTRIBUTES = {"global", "device", "host", "shared", "constant", "managed", "launch_bounds",
              "always_inline", "noinline"}
MARKER = re.compile(r'# \d+ "([^"\n]*)"((?: \d)*)$')
PRAGMA = re.compile(r"\s*#\s*pragma\s+(?:nv_\w+\s+)?unroll\b")


def own_lines(preprocessed, headers):
    """The lines of exercise.cu itself in what the compiler's preprocessor made of it."""
    here = ""
    for line in preprocessed.split("\n"):
        marker = MARKER.match(line)
        if marker:
            path, flags = marker.group(1), marker.group(2).split()
            main = path.endswith("/exercise.cu")
            if here.endswith("/exercise.cu") and not main:
                name = os.path.basename(path)
                if not path.endswith("//") and name[:1] != "<" and (
                        "1" not in flags or name not in headers):
                    raise Refused(f"#include of {path[:80]}: exercise.h, CUDA's and C's own "
                                  "headers are enough")
            here = path
        elif here.endswith("/exercise.cu") and not PRAGMA.match(line):
            yield line


def check_preprocessed(preprocessed, known_headers=()):
    """As check_text, of what the compiler sees: comments, lines and macros are as it takes them,
    whatever the text looks like."""
    code = "\n".join(own_lines(preprocessed, HEADERS | set(known_headers)))
    code = PIECES.sub(lambda m: {"string": '""', "char": "0"}.get(m.lastgroup, m.group(0)), code)
    if re.search(r"(?m)^\s*#", code):
        raise Refused(f"{re.search(r'(?m)^ *#.*', code).group(0).strip()[:60]} is not needed here")
    if re.search(r"\[\s*\[", code):
        raise Refused("[[attributes]] are not needed here, nor by way of macros")
    for word in re.findall(r"[A-Za-z_]\w*", code):
        if word in NOT_NEEDED or (re.match(r"__|_[A-Z]", word) and word not in FROM_MACROS):
            raise Refused(f"{word}: {NOT_NEEDED.get(word, OF_THE_COMPILER)}")
    for attributes in re.split(r"__attribute__\s*", code)[1:]:
        for name in attribute_names(attributes):
            if name.strip("_") not in ATTRIBUTES:
                raise Refused(f"the attribute {name[:80]} is not needed here")


def attribute_names(text):
    """The names in a list of attributes that this text begins with: ((host, aligned(8))."""
    depth, names = 0, ""
    for c in text:
        depth += (c == "(") - (c == ")")
        if depth <= 0:
            break
        names += c if depth == 2 and c not in "()" else ""
    return [name.strip() for name in names.split(",")]


def declared_functions(headers):
    """Names of the functions that these files of the suite declare."""
    names = set()
    for path in headers:
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
        text = re.sub(r"(?m)^\s*#.*(\\\n.*)*$", "", text)
        names.update(re.findall(r"\b([a-z]\w+)\s*\(", text))
    return names - {"die", "warn", "error_program", "at_die", "run_at_die", "error_catch_signals"}


def symbols(path):
    listing = subprocess.run(["nm", path], capture_output=True, text=True, check=False, timeout=30)
    if listing.returncode != 0:
        raise Refused("its object cannot be read")
    for line in listing.stdout.splitlines():
        kind, name = line[17:18], line[19:].split("@")[0]
        yield kind, name


def check_object(path, declared):
    """Raises Refused if the compiled exercise refers to what it must not, or defines it."""
    calls, defines = set(), set()
    declared = declared | {"__device_stub__" + name for name in declared}
    declared |= {"cuda_failed", "cublas_failed"}
    for kind, name in symbols(path):
        if kind == "U":
            allowed = name in LIBC or name in declared or (
                CUDA.match(name) and not CUDA_REFUSED.search(name))
            if not allowed and not own_mangled(name, declared):
                calls.add(name)
        elif name.startswith(("_GLOBAL__sub_I", "__cxx_global_var_init")):
            raise Refused("it has a variable whose first value is computed before main begins: give it "
                          "that in exercise_setup")
        elif kind.isupper() or kind in "iuvw":
            own = name.startswith("_Z") and not re.match(r"_Z(n|d|S|NS|TH|GV)", name)
            if not own and name != "DW.ref.__gxx_personality_v0":
                defines.add(name)
    if calls:
        raise Refused(f"it calls {', '.join(sorted(calls))}: not for an exercise")
    if defines:
        raise Refused(f"it defines {', '.join(sorted(defines))} for the whole program: make it "
                      "static")


def own_mangled(name, declared):
    """True if this is one of the declared functions, as C++ names it."""
    match = re.match(r"_Z(\d+)(\w+)", name)
    return bool(match) and match.group(2)[:int(match.group(1))] in declared
