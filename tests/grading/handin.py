"""What is taken from a hand-in: exercise.cu, answers.txt and the CSV files of own runs.

Nothing is followed out of its folder, nothing but plain files of a bounded size is read, and no
file of it ever takes the place of one of the grader's.
"""
import gzip
import os
import re
import stat
import tarfile
import zipfile

EXERCISE_BYTES = 256 << 10
ANSWERS_BYTES = 64 << 10
CSV_BYTES = 16 << 20  # parsed, it takes some 25 times as much memory
ARCHIVE_BYTES = 64 << 20
UNPACKED_BYTES = 256 << 20
UNPACKED_FILES = 200
FOLDERS_DEEP = 4    # that hold nothing but one folder
NAMES_DEEP = 12
ARCHIVES = (".zip", ".tar.gz", ".tgz")  # what make hand-in makes


class Unusable(Exception):
    """A file is there and cannot be taken, for this reason."""


def open_beneath(root, path):
    """Opens root/path one name at a time, following no link.  None if it is not there."""
    handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        *folders, name = path.split("/")
        for folder in folders:
            inner = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=handle)
            os.close(handle)
            handle = inner
        return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=handle)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unusable(f"{path} is no plain file ({error.strerror})") from None
    finally:
        os.close(handle)


def read_text(root, path, max_bytes):
    """The text of a file of the hand-in, None if it is not there."""
    handle = open_beneath(root, path)
    if handle is None:
        return None
    info = os.fstat(handle)
    if not stat.S_ISREG(info.st_mode):
        os.close(handle)
        raise Unusable(f"{path} is no plain file")
    with os.fdopen(handle, "rb") as file:
        if info.st_size > max_bytes:
            raise Unusable(f"{path} has {info.st_size} bytes; at most {max_bytes} are read")
        data = file.read(max_bytes)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[:error.start].count(b"\n") + 1
        raise Unusable(f"{path} is not text in UTF-8 (line {line}); save it as UTF-8") from None
    if re.search("[\0-\b\x0e-\x1f]", text):
        raise Unusable(f"{path} is not text: it has control characters; save it as UTF-8")
    return text.replace("\r\n", "\n")


def visible(folder):
    return [e for e in os.scandir(folder) if not e.name.startswith((".", "__MACOSX"))]


class Handin:
    """A folder laid out like the suite, or flat (exercise-1.cu, answers-1.txt); also inside of
    folders that hold nothing else."""

    def __init__(self, root):
        self.root = os.path.abspath(root)
        if not os.path.isdir(self.root):
            raise Unusable(f"{root} is no folder, .zip or .tar.gz")
        for _ in range(FOLDERS_DEEP):
            entries = visible(self.root)
            if len(entries) == 1 and entries[0].is_dir(follow_symlinks=False) \
                    and not re.match(r"(labs|out|lab-\d+)$", entries[0].name):
                self.root = entries[0].path

    def first(self, paths, max_bytes):
        for path in paths:
            text = read_text(self.root, path, max_bytes)
            if text is not None:
                return text
        return None

    def exercise(self, rubric):
        return self.first([f"{rubric.folder}/exercise.cu", f"exercise-{rubric.lab[4:]}.cu"],
                          EXERCISE_BYTES)

    def answers(self, rubric):
        return self.first([f"{rubric.folder}/answers.txt", f"answers-{rubric.lab[4:]}.txt"],
                          ANSWERS_BYTES)

    def run_file(self, rubric, name):
        return self.first([f"out/{rubric.lab}/{name}", f"{rubric.lab}/{name}"], CSV_BYTES)

    def has(self, rubric):
        """Whether there is anything of this lab."""
        try:
            return any(text is not None for text in (
                self.exercise(rubric), self.answers(rubric), self.run_file(rubric, "run.csv")))
        except Unusable:
            return True

    def why_nothing(self, rubrics):
        """If nothing in it can be graded, why."""
        if any(self.has(rubric) for rubric in rubrics):
            return ""
        names = sorted(entry.name for entry in visible(self.root))
        if not names:
            return "nothing is handed in"
        shown = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
        return f"nothing of these labs is where make hand-in puts it; there is {shown}"


WANTED = re.compile(r"(exercise(-\d+)?\.cu|answers(-\d+)?\.txt|"
                    r"(run|results|timeline|checks)\.csv)$")


def archive_stem(name):
    """The name of an archive without its ending, None if it is none."""
    for ending in ARCHIVES:
        if name.lower().endswith(ending):
            return name[:-len(ending)]
    return None


def zip_members(path):
    """(name, size, how to read it) of each file."""
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            # Of other ways of packing a few bytes can become any number.
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise Unusable(f"{info.filename!r} is packed in an unusual way")
            # Some programs on Windows write backslashes.
            yield info.filename.replace("\\", "/"), info.file_size, \
                lambda info=info: archive.open(info)


class Bounded:
    """A file to read, of which no more than UNPACKED_BYTES are read: what is not wanted counts too,
    and names in headers, which can have any length."""

    def __init__(self, file):
        self.file = file
        self.left = UNPACKED_BYTES

    def read(self, size):
        data = self.file.read(min(size, self.left + 1))
        self.left -= len(data)
        if self.left < 0:
            raise Unusable(f"it unpacks to more than {UNPACKED_BYTES >> 20} MiB")
        return data


def tar_members(path):
    """As zip_members."""
    with gzip.open(path) as packed, tarfile.open(fileobj=Bounded(packed), mode="r|") as archive:
        for info in archive:
            if info.isreg():
                yield info.name, info.size, lambda info=info: archive.extractfile(info)


def unpack_members(members, folder):
    total = count = 0
    for path, size, open_member in members:
        names = [name for name in path.split("/") if name not in ("", ".")]
        if not names or len(names) > NAMES_DEEP or not WANTED.match(names[-1]) or ".." in names or names[0] == "__MACOSX":
            continue
        total, count = total + size, count + 1
        if total > UNPACKED_BYTES:
            raise Unusable(f"it unpacks to more than {UNPACKED_BYTES >> 20} MiB")
        if count > UNPACKED_FILES:
            raise Unusable(f"it has more than {UNPACKED_FILES} files")
        target = os.path.join(folder, *names)
        if os.path.lexists(target):
            raise Unusable(f"{'/'.join(names)!r} is in it twice")
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open_member() as packed, open(target, "xb") as file:
            file.write(packed.read(size))


def unpack(path, folder):
    """What is taken from an archive, into folder: bounded, and nothing outside it."""
    members = zip_members if path.lower().endswith(".zip") else tar_members
    try:
        if os.path.getsize(path) > ARCHIVE_BYTES:
            raise Unusable(f"it has more than {ARCHIVE_BYTES >> 20} MiB")
        unpack_members(members(path), folder)
    # Whatever is wrong with an archive: each way of packing has errors of its own.
    except Exception as error:  # pylint: disable=broad-exception-caught
        raise Unusable(f"{os.path.basename(path)} cannot be unpacked: {error}") from None


def folder_of(path, new_folder):
    """The folder of a hand-in.  An archive, also one that is alone in a folder, as learning
    platforms give it out, is unpacked into what new_folder() makes."""
    if os.path.isdir(path):
        inside = visible(Handin(path).root)
        if len(inside) != 1 or not archive_stem(inside[0].name):
            return path
        path = inside[0].path
    elif not archive_stem(path):
        return path  # Handin says what is wrong
    if os.path.islink(path) or not os.path.isfile(path):
        raise Unusable(f"{os.path.basename(path)} is no plain file")
    folder = new_folder()
    unpack(path, folder)
    return folder
