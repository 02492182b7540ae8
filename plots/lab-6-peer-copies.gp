# lab-6-peer-copies.gp - copies between GPUs beside kernels: return, rate, overlap   usage: gnuplot -c lab-6-peer-copies.gp RUN-DIR OUT.{png,svg,pdf,txt} [RUN-DIR-2 ...]
if (ARGC < 2) { print "usage: gnuplot -c lab-6-peer-copies.gp RUN-DIR OUT.{png,svg,pdf,txt} [RUN-DIR-2 ...]"; exit status 2 }
run = ARG1; out = ARG2; n_more = ARGC - 2
array more[7] = [ARG3, ARG4, ARG5, ARG6, ARG7, ARG8, ARG9]
load ARG0[1:strlen(ARG0) - strlen("lab-6-peer-copies.gp")]."style.gp"
wanted = "return <words>, rate <words>, overlap from-kernel <words>"
load rows("give", "*", "return *", "")
load rows("rate", "*", "rate *", "")
load rows("limit", "*", "limit of rates", "")
load rows("from", "*", "overlap from-kernel *", "")
load rows("to", "*", "overlap to-kernel *", "")
if (give_n == 0) { @NOTHING }

# A row for each case: its part and its words, in the order of the lab.
rows = 0
array label_of[give_n]
do for [i=1:give_n] {
    known = 0
    do for [k=1:rows] { if (label_of[k] eq give_part[i].". ".give_key[i][8:*]) { known = 1 } }
    if (!known) { rows = rows + 1; label_of[rows] = give_part[i].". ".give_key[i][8:*] }
}
row(words_) = sum [k=1:rows] (label_of[k] eq words_ ? k : 0)
# Several runs stand below each other in a row, a mark's height apart.
row_px = runs == 1 ? 22 : 8 + 13 * runs
nudge(r) = (r - 1 - (runs - 1) / 2.0) * 13 / row_px
stats $give using 2 name "G" nooutput
R_min = R_max = 1
if (rate_n > 0) { stats $rate using 2 name "R" nooutput }
# What no copy can beat: a rate above it says so, in place of a dot that looks like any other.
limit_of(part_, run_) = sum [j=1:limit_n] (limit_part[j] eq part_ && limit_run[j] == run_ ? limit_value[j] : 0)
array limit_value[limit_n + 1]
do for [j=1:limit_n] { stats $limit index j-1 using 2 name "L" nooutput; limit_value[j] = L_max }
said(i, rate_) = sprintf(rate_ < 1000 ? "%.3g" : "%.0f", rate_).(limit_of(rate_part[i], rate_run[i]) > 0 && rate_ > limit_of(rate_part[i], rate_run[i]) ? " cannot be" : "")
W = 1400; H = 140 + row_px * rows + 50
title = sprintf("%s: does a copy run beside other work?", lab)
subtitle = "each row is one way to ask for the copy; kernels fill the GPUs meanwhile.  Time: median, ".give_samples."; thin line: fastest to slowest.".(rate_n > 0 ? "  Rate and share: ".rate_samples."." : "")
@HEAD
@OPEN
set multiplot
set yrange [rows + 0.6:0.4]
set tmargin at screen top(112); set bmargin at screen 56.0/H
unset key
@GRID_XY
set ytics scale 0 font tick_font
set ytics ()
longest = 0
do for [k=1:rows] {
    set ytics add (label_of[k] k)
    if (strlen(label_of[k]) > longest) { longest = strlen(label_of[k]) }
}
x0 = (30 + 7.3 * longest) / W # the three panels share what the words leave
third = (1 - 26.0/W - x0) / 3
set lmargin at screen x0; set rmargin at screen x0 + third - 54.0/W
set title "time until the call returned" font pt(10.5) offset 0,-0.4
# At least two ticks, and none lost at the edge.
top10(low, high) = ceil10(high) > floor10(low) ? ceil10(high) : 10 * ceil10(high)
set logscale x; set xrange [0.99 * floor10(G_min):top10(G_min, G_max)]
@TIME_TICKS_X
plot for [i=1:give_n] $give using 2:(row(give_part[i].". ".give_key[i][8:*]) + nudge(give_run[i])):3:4 index i-1 with xerrorbars pt series_point(1, give_run[i]) ps dot*1.1 lc rgb run_rgb(give_run[i])
@UNHEAD
unset logscale; set ytics ()
do for [k=1:rows] { set ytics add ("" k) }
if (rate_n > 0) {
    room = 46.0 * runs / W # for the numbers, a column a run
    set lmargin at screen x0 + third + 10.0/W; set rmargin at screen x0 + 2 * third - 36.0/W - room
    set title "rate, GB/s" font pt(10.5)
    set logscale x; set xrange [0.99 * floor10(R_min):top10(R_min, R_max)]; set xtics ("1" 1, "10" 10, "100" 100, "1000" 1000, "10 000" 10000, "100 000" 100000) font tick_font
    do for [r=1:runs * (runs > 1)] {
        set label 800 + r "run ".r at first top10(R_min, R_max), graph 1 left offset 1 + 5.6 * (r - 1),0.6 font pt(9) tc rgb grey
    }
    plot for [i=1:rate_n] $rate using 2:(row(rate_part[i].". ".rate_key[i][6:*]) + nudge(rate_run[i])) index i-1 with points pt series_point(1, rate_run[i]) ps dot*1.1 lc rgb run_rgb(rate_run[i]), \
        for [i=1:rate_n] $rate using (top10(R_min, R_max)):(row(rate_part[i].". ".rate_key[i][6:*])):(said(i, $2)) index i-1 with labels left offset 1 + 5.6 * (rate_run[i] - 1),0 font pt(9)
    unset logscale
    do for [r=1:runs] { unset label 800 + r }
}
if (from_n > 0) {
    set lmargin at screen x0 + 2 * third + 14.0/W; set rmargin at screen 1 - 30.0/W
    set title (to_n > 0 ? "share of the copy beside the kernel\nof its source GPU (dot), of its target (square)" : "share of the copy beside the kernel") font pt(10.5)
    set xrange [-4:104]; set xtics 0,25,100 format "%g %%" font tick_font
    eval "plot for [i=1:from_n] $from using ($2*100):(row(from_part[i].'. '.from_key[i][21:*]) + nudge(from_run[i])) index i-1 with points pt series_point(1, from_run[i]) ps dot*1.1 lc rgb run_rgb(from_run[i])". \
        layer(to_n, "for [i=1:to_n] $to using ($2*100):(row(to_part[i].'. '.to_key[i][19:*]) + nudge(to_run[i])) index i-1 with points pt 4 ps dot*1.6 lw 1.4 lc rgb run_rgb(to_run[i])")
}
@FINISH
