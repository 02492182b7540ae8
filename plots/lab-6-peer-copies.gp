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
nudge(r) = (r - 1) * 0.26 - (runs - 1) * 0.13
stats $give using 2 name "G" nooutput
R_min = R_max = 1
if (rate_n > 0) { stats $rate using 2 name "R" nooutput }
# What no copy can beat: a rate above it says so, in place of a dot that looks like any other.
limit_of(part_, run_) = sum [j=1:limit_n] (limit_part[j] eq part_ && limit_run[j] == run_ ? limit_value[j] : 0)
array limit_value[limit_n + 1]
do for [j=1:limit_n] { stats $limit index j-1 using 2 name "L" nooutput; limit_value[j] = L_max }
said(i, rate_) = sprintf(rate_ < 1000 ? "%.3g" : "%.0f", rate_).(limit_of(rate_part[i], rate_run[i]) > 0 && rate_ > limit_of(rate_part[i], rate_run[i]) ? " cannot be" : "")
W = 1400; H = 140 + 22 * rows + 50
@OPEN
if (format ne "txt") { set multiplot }
title = sprintf("%s: does a copy run beside other work?", lab)
subtitle = "each row is one way to ask for the copy; kernels fill the GPUs meanwhile"
@HEAD
set yrange [rows + 0.6:0.4]
set tmargin at screen 1 - 96.0/H; set bmargin at screen 56.0/H
unset key
@GRID_XY
set ytics scale 0 font tick_font
set ytics ()
do for [k=1:rows] { set ytics add (label_of[k] k) }
set lmargin at screen 0.30; set rmargin at screen 0.53
set title "time until the call returned" font pt(10.5) offset 0,-0.4
set logscale x; set xrange [floor10(G_min):ceil10(G_max)]
@TIME_TICKS_X
plot for [i=1:give_n] $give using 2:(row(give_part[i].". ".give_key[i][8:*]) + nudge(give_run[i])):3:4 index i-1 with xerrorbars pt series_point(1, give_run[i]) ps 1.1 lc rgb series_rgb(give_run[i])
@UNHEAD
unset logscale; set ytics ()
do for [k=1:rows] { set ytics add ("" k) }
if (rate_n > 0) {
    set lmargin at screen 0.56; set rmargin at screen 0.74
    set title "rate, GB/s" font pt(10.5)
    aside(i) = runs > 1 && rate_run[i] == 1 ? 0.22 : 1 # two runs: the first one's number at its left
    set logscale x; set xrange [floor10(R_min * 0.5):ceil10(R_max) * 2]; set xtics ("1" 1, "10" 10, "100" 100, "1000" 1000, "10 000" 10000) font tick_font
    plot for [i=1:rate_n] $rate using 2:(row(rate_part[i].". ".rate_key[i][6:*]) + nudge(rate_run[i])) index i-1 with points pt series_point(1, rate_run[i]) ps 1.1 lc rgb series_rgb(rate_run[i]), \
        for [i=1:rate_n] $rate using ($2 * aside(i)):(row(rate_part[i].". ".rate_key[i][6:*]) + nudge(rate_run[i])):(said(i, $2)) index i-1 with labels left offset 0.9,0 font pt(8.5)
    unset logscale
}
if (from_n > 0) {
    set lmargin at screen 0.77; set rmargin at screen 0.975
    unset title
    set xrange [-4:104]; set xtics 0,25,100 format "%g %%" font tick_font
    set key at graph 0.5, graph 1.0 center bottom vertical font tick_font samplen 1 maxrows 2
    has_to = to_n > 0
    eval "plot for [i=1:from_n] $from using ($2*100):(row(from_part[i].'. '.from_key[i][21:*]) + nudge(from_run[i])) index i-1 with points pt 7 ps 1.1 lc rgb series_rgb(from_run[i]) title (i == 1 ? 'overlap with the kernel of the source GPU' : '')".(has_to ? ", for [i=1:to_n] $to using ($2*100):(row(to_part[i].'. '.to_key[i][19:*]) + nudge(to_run[i])) index i-1 with points pt 4 ps 1.6 lw 1.4 lc rgb series_rgb(to_run[i]) title (i == 1 ? 'with the kernel of the target GPU' : '')" : "")
}
@FINISH
