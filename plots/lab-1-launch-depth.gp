# lab-1-launch-depth.gp - how long each launch took to return while none could run   usage: gnuplot -c lab-1-launch-depth.gp RUN-DIR OUT.{png,svg,pdf,txt} [RUN-DIR-2 ...]
if (ARGC < 2) { print "usage: gnuplot -c lab-1-launch-depth.gp RUN-DIR OUT.{png,svg,pdf,txt} [RUN-DIR-2 ...]"; exit status 2 }
run = ARG1; out = ARG2; n_more = ARGC - 2
array more[7] = [ARG3, ARG4, ARG5, ARG6, ARG7, ARG8, ARG9]
load ARG0[1:strlen(ARG0) - strlen("lab-1-launch-depth.gp")]."style.gp"
wanted = "part d, launch return <k>"
load series("returns", "d", "launch return *", "")
load series("depth", "d", "queue depth", "")
if (returns_n == 0) { @NOTHING }

W = 1400; H = 560
title = sprintf("%s: how many launches fit in the queue", lab)
subtitle = depth_n ? sprintf("behind a closed gate nothing runs, so launches pile up: launch %d had to wait for room", int(depth_y[1] + 1)) : "behind a closed gate nothing runs, so launches pile up; none of these had to wait"
subtitle = subtitle.".  Dot: median, ".returns_samples."; shade: fastest to slowest."
@HEAD
@OPEN
set tmargin at screen top(84); set bmargin at screen 62.0/H; set lmargin at screen 105.0/W; set rmargin at screen 1 - 22.0/W
eval ends("$returns", 1, 2, "R")
set xrange [0:R_max_x * 1.03]; set logscale y; set yrange [floor10(R_min_y * 0.999):ceil10(R_max_y * 1.001)]
@TIME_TICKS_Y
set xtics font tick_font
@GRID_XY
set xlabel "launch, counted from the first one behind the gate" font pt(10) tc rgb "#444444"
set ylabel "time until the launch returned" font pt(10) tc rgb "#444444" 
unset key
waited(r) = r <= returns_n ? last[r] : NaN
array last[returns_n]
do for [i=1:returns_n] {
    stats $returns using 2 index i-1 name "L" nooutput
    last[i] = L_max
}
do for [i=1:depth_n] {
    set arrow i from depth_y[i], graph 0 to depth_y[i], graph 1 nohead lc rgb accent dt run_dash(depth_run[i])
    set label i "".(runs > 1 ? "run ".depth_run[i].": " : "").sprintf("%d fit; the next one waited %s", int(depth_y[i]), show(waited(i))) at depth_y[i], graph (0.68 - 0.07 * i) right offset -0.8,0 font pt(11) tc rgb accent
}
# The launch that had to wait is the point of the chart, so it is drawn larger.
depth_of(i) = i <= depth_n ? depth_y[i] : 1e9
plot for [i=1:returns_n] $returns using 1:3:4 index i-1 with filledcurves fc rgb run_rgb(returns_run[i]) fs transparent solid 0.18 notitle, \
    for [i=1:returns_n] $returns using 1:2:($1 > depth_of(i) ? 1.6 * dot : 0.5 * dot) index i-1 with points pt series_point(1, returns_run[i]) ps variable lc rgb run_rgb(returns_run[i]) notitle
@FINISH
