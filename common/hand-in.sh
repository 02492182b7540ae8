#!/usr/bin/env bash
# Packs what a student hands in: hand-in.sh OUT PROGRAMS LAB-NUMBER...
# PROGRAMS is the folder that make builds exercise-N in.
# OUT/hand-in.zip, or .tar.gz where there is no python3: exercises, answers and the runs in OUT/lab-N.
# Says what is missing, or cannot count as it is; whether an answer is right it does not know.
set -eu -o pipefail
shopt -s nullglob

out=$1 programs=$2
shift 2

pack() {
    rm -rf "$out"/hand-in "$out"/hand-in.zip "$out"/hand-in.tar.gz
    mkdir -p "$out/hand-in/out"
    for file in labs/*/exercise.cu labs/*/answers.txt; do
        mkdir -p "$out/hand-in/${file%/*}"
        cp "$file" "$out/hand-in/$file"
    done
    for run in "$out"/lab-*/run.csv; do
        local from=${run%/run.csv}
        mkdir -p "$out/hand-in/out/${from##*/}"
        cp "$from"/{run,results,timeline,checks}.csv "$out/hand-in/out/${from##*/}"
    done
    if command -v python3 >/dev/null; then
        (cd "$out" && python3 -m zipfile -c hand-in.zip hand-in)
        echo "$out/hand-in.zip"
    else
        tar czf "$out/hand-in.tar.gz" -C "$out" hand-in
        echo "$out/hand-in.tar.gz"
    fi
}

# As the grader reads them (tests/grading/answers.py).
units="ns us µs μs ms s nanoseconds microseconds milliseconds seconds b bytes kb mb gb kib mib gib \
gb/s tb/s mb/s percent % share count times x ratio"

# Lines of an answers.txt that cannot count, whatever the right answer is. Words to choose from end
# the question: "...: a, b, c" or "...? a, b, c".
look_at_answers() { # FILE
    tr -d '\r' <"$1" | awk -v units=" $units " '
        function bare(text) { # without what people write round it, as the grader reads it
            sub(/[ \t]*\([^()]*\)$/, "", text)
            gsub(/^["'\''` ]+|["'\''`.! ]+$/, "", text)
            sub(/^(about|around|approx.?|circa|ca\.) +|^[~=] */, "", text)
            return text
        }
        { answer = $0; sub(/#.*/, "", answer) }
        answer !~ /[^ \t]/ { next }
        answer !~ /^[ \t]*[a-z][a-z0-9_]*[ \t]*=/ {
            sub(/[ \t]+$/, "", answer)
            print "\"" substr(answer, 1, 40) "\" is no answer; one is key = value"
            next
        }
        {
            key = value = answer
            gsub(/[ \t]|=.*/, "", key)
            sub(/^[^=]*=[ \t]*/, "", value)
            sub(/[ \t]+$/, "", value)
            question = $0
            sub(/^[^#]*#?/, "", question)
        }
        value == "" { blank++; next }
        match(question, /[?:] [a-zA-Z-]+(, [a-zA-Z-]+)+ *$/) {
            words = substr(question, RSTART + 2)
            gsub(/ *$/, "", words)
            word = tolower(bare(value))
            gsub(/[ _]+/, "-", word)
            if (index(", " tolower(words) ", ", ", " word ", ") == 0)
                print key " = " value ": not one of the words " words
            next
        }
        bare(value) !~ /^[-+]?[0-9.,]*[0-9]\.?([eE][-+]?[0-9]+)? *([^0-9 -]+)?$/ {
            print key " = " value ": not one number"
            next
        }
        {
            unit = tolower(bare(value))
            sub(/^[-+0-9.,]+(e[-+]?[0-9]+)? */, "", unit)
            if (unit != "" && index(units, " " unit " ") == 0)
                print key " = " value ": no unit is called " unit
        }
        END { if (blank) print blank (blank == 1 ? " answer is" : " answers are") " blank" }'
}

# The lab's sheet has all keys: one misspelt is the answer to no question.
look_at_keys() { # LAB-NUMBER FILE
    local sheet=handouts/lab-$1.md
    [ -e "$sheet" ] || return 0
    comm -3 <(sed -n 's/^- .\([a-z0-9_]*\).:.*/\1/p' "$sheet" | sort) \
        <(sed -n 's/^[ \t]*\([A-Za-z0-9_]*\)[ \t]*=.*/\1/p' "$2" | sort) |
        sed 's/^\t\(.*\)/\1: no question is called that/; t; s/$/: its line is missing/'
}

value_of() { # KEY FILE
    sed -n "s/^$1,//p" "$2" | tr -d '"'
}

look_at_run() { # LAB-NUMBER
    local run=$out/lab-$1/run.csv model
    model="SIMULATED $(sed -n 's/^name *= *//p' "common/sim/devices/${GPU:-h200}.txt" | sed 's/ *#.*//')"
    if [ ! -e "$run" ]; then
        echo "no run in it; make lab-$1"
        return
    fi
    if grep -qE "^command,.*--out .*lab-$1['\"]* [^ ]" "$run"; then
        echo "a run with options, which may not count: $(value_of command "$run")"
    fi
    if [ "$(value_of device_kind "$run")" = sim ] && [ "$(value_of device "$run")" != "$model" ]; then
        echo "a run on $(value_of device "$run"), which may not count; make lab-$1 runs on the $model"
    fi
}

look_at_exercise() { # LAB-NUMBER FILE
    local said
    if grep -F " $2" labs/handed-out.sha256 | sha256sum --status -c 2>/dev/null; then
        echo "exercise.cu is as it was handed out"
    elif ! said=$(make -s --no-print-directory "$programs/exercise-$1" 2>&1) && grep -q "error:" <<<"$said"; then
        echo "does not compile: $(grep -m 1 "error:" <<<"$said")"
    fi
}

look() { # LAB-NUMBER
    local lab=(labs/"$1"-*)
    look_at_run "$1"
    look_at_answers "${lab[0]}/answers.txt"
    look_at_keys "$1" "${lab[0]}/answers.txt"
    if [ -e "${lab[0]}/exercise.cu" ]; then
        look_at_exercise "$1" "${lab[0]}/exercise.cu"
    fi
}

pack
for number in "$@"; do
    look "$number" | sed "s/^/lab-$number: /" >&2
done
