# lab-3-predicted-observed.gp - the class that was predicted for each pair, and the one seen   usage: gnuplot -c lab-3-predicted-observed.gp RUN-DIR OUT.{png,svg,pdf,txt} [RUN-DIR-2 ...]
if (ARGC < 2) { print "usage: gnuplot -c lab-3-predicted-observed.gp RUN-DIR OUT.{png,svg,pdf,txt} [RUN-DIR-2 ...]"; exit status 2 }
run = ARG1; out = ARG2; n_more = ARGC - 2
array more[7] = [ARG3, ARG4, ARG5, ARG6, ARG7, ARG8, ARG9]
load ARG0[1:strlen(ARG0) - strlen("lab-3-predicted-observed.gp")]."style.gp"
wanted = "parts a to c, class <mode> <dim> and predicted-class <mode> <dim>"
load series("class", "[abc]", "class *", "predicted-class")
load hidden("possible", "[abc]", "predicted-classes *", "class")
load series("total", "e", "total *", "predicted-total")
if (class_n == 0) { @NOTHING }

W = 1400; H = 620
title = sprintf("%s: predicted before measuring, and then observed", lab)
subtitle = "ring: predicted (thin: possible too).  Dot: observed.  Black square: observed, and not predicted."
subtitle = subtitle.(total_n > 0 ? "  At the right: medians, ".total_samples."; dashed: a quarter off." : "")
chip_point(i) = 7
modes = "default-stream one-stream two-streams one-stream-gated two-streams-gated"
mode(i) = word(class_key[i], 2)
@HEAD
@OPEN
set multiplot
set logscale x 2
eval ends("$class", 1, 2, "V")
set xtics ("16" 16, "" 64, "256" 256, "" 1024, "4096" 4096) font tick_font
used = ""
do for [m=1:words(modes)] {
    do for [i=1:class_n] { if (mode(i) eq word(modes, m) && strstrt(used, sprintf(" %d ", m)) == 0) { used = used.sprintf(" %d ", m) } }
}
right = total_n > 0 ? 0.70 : 1 - 22.0/W
step = (right - 133.0/W) / words(used)
nudge(r) = 0.16 * (r - 1)
set tmargin at screen top(110); set bmargin at screen 62.0/H
set xrange [V_min_x / 1.6:V_max_x * 1.6]; set yrange [3.6:-0.6]
set xlabel "dim" font pt(10) tc rgb "#444444"
unset key
do for [k=1:words(used)] {
    name = word(modes, int(word(used, k)))
    set lmargin at screen 133.0/W + step * (k - 1); set rmargin at screen 133.0/W + step * k - 17.0/W
    set ytics ("launch-bound" 0, "concurrent" 1, "tail-only" 2, "serial" 3) font tick_font
    if (k > 1) { set ytics ("" 0, "" 1, "" 2, "" 3) }
    set title name font pt(10.5) offset 0,-0.4
    which = ""
    do for [i=1:class_n] { if (mode(i) eq name) { which = which.sprintf(" %d", i) } }
    also = ""
    do for [i=1:possible_n] { if (word(possible_key[i], 2) eq name) { also = also.sprintf(" %d", i) } }
    nowhere = 99 # below the axis: not drawn
    plot for [i in which] $class using 1:($9 + nudge(class_run[i+0])) index int(i)-1 with points pt 6 ps dot*2 lw 1.6 lc rgb "black", \
        for [c=0:3] for [i in also] $possible using 1:((int($2) & (2 ** c)) ? c + nudge(possible_run[i+0]) : nowhere) index int(i)-1 with points pt 6 ps dot*2 lw 0.7 lc rgb "#999999", \
        for [i in which] $class using 1:($2 + nudge(class_run[i+0])) index int(i)-1 with points pt 7 ps dot*1.1 lc rgb run_rgb(class_run[i+0]), \
        for [i in also] $possible using 1:((int($2) & (2 ** int($9))) ? nowhere : $9 + nudge(possible_run[i+0])) index int(i)-1 with points pt 5 ps dot*1.3 lc rgb "black"
    @UNHEAD
}
if (total_n > 0) {
    set lmargin at screen 0.70 + 98.0/W; set rmargin at screen 1 - 42.0/W
    unset logscale; set autoscale
    eval ends("$total", 2, 9, "T")
    lo = floor10((T_min_x < T_min_y ? T_min_x : T_min_y)); hi = ceil10(T_max_x > T_max_y ? T_max_x : T_max_y)
    set logscale xy; set xrange [lo:hi]; set yrange [lo:hi]
    set title "32 products, by method" font pt(10.5) offset 0,-0.4
    set xlabel "predicted total" font pt(10) tc rgb "#444444"; set ylabel "observed total" font pt(10) tc rgb "#444444"
    @TIME_TICKS_X
    @TIME_TICKS_Y
    methods = "one-stream n-streams graph batched"
    set key top left Left reverse font tick_font samplen 1
    method(i) = word(total_key[i], 2) eq word(methods, 1) ? 1 : word(total_key[i], 2) eq word(methods, 2) ? 2 : word(total_key[i], 2) eq word(methods, 3) ? 3 : 4
    plot x with lines lc rgb "#bbbbbb" notitle, x * 1.25 with lines lc rgb "#dddddd" dt 2 notitle, x / 1.25 with lines lc rgb "#dddddd" dt 2 notitle, \
        for [i=1:total_n] $total using 9:2 index i-1 with points pt series_point(method(i), total_run[i]) ps dot*1.3 lc rgb series_rgb(method(i)) title word(total_key[i], 2).(runs > 1 ? ", run ".total_run[i] : "")
}
@FINISH
