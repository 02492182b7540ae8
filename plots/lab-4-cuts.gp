# lab-4-cuts.gp - the same work cut differently   usage: gnuplot -c lab-4-cuts.gp RUN-DIR OUT.{png,svg,pdf,txt} [RUN-DIR-2 ...]
if (ARGC < 2) { print "usage: gnuplot -c lab-4-cuts.gp RUN-DIR OUT.{png,svg,pdf,txt} [RUN-DIR-2 ...]"; exit status 2 }
run = ARG1; out = ARG2; n_more = ARGC - 2
array more[7] = [ARG3, ARG4, ARG5, ARG6, ARG7, ARG8, ARG9]
load ARG0[1:strlen(ARG0) - strlen("lab-4-cuts.gp")]."style.gp"
wanted = "part d, makespan <cut> and bound <cut>"
load series("cut", "d", "makespan *", "bound")
if (cut_n == 0) { @NOTHING }

W = 1400; H = 560
title = sprintf("%s: the same work, cut differently", lab)
subtitle = "bar: from the first block's start to the last one's end.  Line: what no scheduler can beat, every place busy all the time; %: how near it came.  Median, ".cut_samples."; thin line: fastest to slowest."
array cut_rgb[3] = [0x0072b2, 0x9ad1f2, 0xb8a9c9]
chip_rgb(i) = cut_rgb[(i - 1) % 3 + 1]; chip_point(i) = 5
@HEAD
@OPEN
name(i) = cut_key[i][strlen("makespan ") + 1:*]
array place[cut_n]
n_cuts = 0
do for [i=1:cut_n] {
    place[i] = 0
    do for [j=1:i-1] { if (cut_key[j] eq cut_key[i]) { place[i] = place[j] } }
    if (place[i] == 0) { n_cuts = n_cuts + 1; place[i] = n_cuts }
}
stats $cut using 2 name "Y" nooutput
unit = Y_max >= 1e6 ? 1e6 : 1e3
set yrange [0:Y_max / unit * 1.15]; set xrange [0.4:n_cuts + 0.6]
set ylabel unit == 1e6 ? "ms" : "µs" font pt(10) tc rgb "#444444"
set ytics font tick_font
set xtics scale 0 font tick_font
set xtics ()
do for [i=1:cut_n] { if (cut_run[i] == 1) { set xtics add (name(i) place[i]) } }
@GRID_Y
set tmargin at screen top(80); set bmargin at screen 50.0/H; set lmargin at screen 91.0/W; set rmargin at screen 1 - 22.0/W
unset key
bar = 0.7 / runs
x_of(i) = place[i] - 0.35 + bar * (cut_run[i] - 1) + bar / 2
plot for [i=1:cut_n] $cut using (x_of(i)):($2/unit):(bar * 0.94) index i-1 with boxes lc rgb cut_rgb[(cut_run[i] - 1) % 3 + 1], \
    for [i=1:cut_n] $cut using (x_of(i)):($3/unit):(0):(($4-$3)/unit) index i-1 with vectors nohead lc rgb "black" lw 0.7, \
    for [i=1:cut_n] $cut using (x_of(i) - bar * 0.47):($9/unit):(bar * 0.94):(0) index i-1 with vectors nohead lc rgb accent lw 2.5, \
    for [i=1:cut_n] $cut using (x_of(i)):($4/unit):(sprintf(runs == 1 ? "%s, %.0f %%" : "%s\n%.0f %%", show($2), 100 * $9 / $2)) index i-1 with labels offset 0,(runs == 1 ? 0.8 : 1.4) font pt(runs == 1 ? 9.5 : 8.5) tc rgb "#333333"
@FINISH
