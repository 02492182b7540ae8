# lab-5-first-call.gp - what the first use of each thing costs, beside the second   usage: gnuplot -c lab-5-first-call.gp RUN-DIR OUT.{png,svg,pdf,txt} [RUN-DIR-2 ...]
if (ARGC < 2) { print "usage: gnuplot -c lab-5-first-call.gp RUN-DIR OUT.{png,svg,pdf,txt} [RUN-DIR-2 ...]"; exit status 2 }
run = ARG1; out = ARG2; n_more = ARGC - 2
array more[7] = [ARG3, ARG4, ARG5, ARG6, ARG7, ARG8, ARG9]
load ARG0[1:strlen(ARG0) - strlen("lab-5-first-call.gp")]."style.gp"
wanted = "first <thing> and second <thing>"
load rows("first", "*", "first *", "second")
if (first_n == 0) { @NOTHING }

rows = 0
array place[first_n]
do for [i=1:first_n] {
    place[i] = 0
    do for [j=1:i-1] { if (first_key[j] eq first_key[i] && first_part[j] eq first_part[i]) { place[i] = place[j] } }
    if (place[i] == 0) { rows = rows + 1; place[i] = rows }
}
W = 1400; H = 150 + 26 * rows + 40
title = sprintf("%s: the first time costs more", lab)
subtitle = "full: the first use in a process.  Hollow: the second.  At the right: how many times more.  Median, ".first_samples."; thin line: fastest to slowest first use."
chip_point(i) = 7
@HEAD
@OPEN
thing(i) = first_key[i][strlen("first ") + 1:*]
stats $first using 2 name "F" nooutput
stats $first using (strcol(9) eq "NaN" ? $2 : $9) name "S" nooutput # NaN: not measured twice
low = S_min > 0 && S_min < F_min ? S_min : F_min
set logscale x; set xrange [floor10(low):ceil10(F_max)]
set yrange [rows + 0.6:0.4]
@TIME_TICKS_X
@GRID_XY
set ytics scale 0 font tick_font
set ytics ()
do for [i=1:first_n] { if (first_run[i] == 1) { set ytics add (first_part[i].". ".thing(i) place[i]) } }
set tmargin at screen top(76); set bmargin at screen 50.0/H; set lmargin at screen 250.0/W; set rmargin at screen 1 - (60.0 + 72 * runs) / W
unset key
second(v, other) = v == v ? v : other
y_of(i) = place[i] + (first_run[i] - 1) * 0.26 - (runs - 1) * 0.13
plot for [i=1:first_n] $first using (second($9, $2)):(y_of(i)):($2 - second($9, $2)):(0) index i-1 with vectors nohead lc rgb "#bbbbbb" lw 3, \
    for [i=1:first_n] $first using 3:(y_of(i)):($4-$3):(0) index i-1 with vectors nohead lc rgb run_rgb(first_run[i]) lw 1, \
    for [i=1:first_n] $first using 2:(y_of(i)) index i-1 with points pt 7 ps dot*1.2 lc rgb run_rgb(first_run[i]), \
    for [i=1:first_n] $first using (second($9, 1e99)):(y_of(i)) index i-1 with points pt 6 ps dot*1.2 lw 1.5 lc rgb run_rgb(first_run[i]), \
    for [i=1:first_n] $first using (ceil10(F_max)):(place[i]):(strcol(9) eq "NaN" ? "" : "× ".times($2/$9)) index i-1 with labels left offset 1 + 8.5 * (first_run[i] - 1),0 font pt(9.5) tc rgb "#333333"
@FINISH
