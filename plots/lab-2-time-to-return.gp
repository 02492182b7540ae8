# lab-2-time-to-return.gp - when a copy gives the host back, against its size   usage: gnuplot -c lab-2-time-to-return.gp RUN-DIR OUT.{png,svg,pdf,txt} [RUN-DIR-2 ...]
if (ARGC < 2) { print "usage: gnuplot -c lab-2-time-to-return.gp RUN-DIR OUT.{png,svg,pdf,txt} [RUN-DIR-2 ...]"; exit status 2 }
run = ARG1; out = ARG2; n_more = ARGC - 2
array more[7] = [ARG3, ARG4, ARG5, ARG6, ARG7, ARG8, ARG9]
load ARG0[1:strlen(ARG0) - strlen("lab-2-time-to-return.gp")]."style.gp"
wanted = "part c, return <h2d|d2h> <memory> busy <bytes>"
load series("in", "c", "return h2d * busy *", "")
load series("back", "c", "return d2h * busy *", "")
load series("limit", "c", "blocks from pageable h2d", "")
if (in_n + back_n == 0) { @NOTHING }

W = 1400; H = 640
title = sprintf("%s: when does cudaMemcpyAsync give the host back?", lab)
subtitle = "into a stream that is busy with a kernel; a call that lasts as long as the kernel waited for it.  Median, ".(in_n > 0 ? in_samples : back_samples)."; thin line: fastest to slowest."
chip_rgb(i) = 0x333333; chip_point(i) = series_point(2, i)
eval ends("$in", 1, 2, "I")
eval ends("$back", 1, 2, "O")
set logscale xy
low(a, b) = a < b ? a : b
set xrange [low(I_min_x, O_min_x) * 0.7:(I_max_x > O_max_x ? I_max_x : O_max_x) * 1.4]
set yrange [floor10(low(I_min_y, O_min_y)):ceil10(I_max_y > O_max_y ? I_max_y : O_max_y)]
memory(key) = word(key, 3)
memories = "pageable pinned registered"
colour_of(key) = memory(key) eq "pageable" ? 2 : memory(key) eq "pinned" ? 1 : memory(key) eq "registered" ? 3 : 4
@TIME_TICKS_Y
@SIZE_TICKS_X
@GRID_XY
set xlabel "bytes copied" font pt(10) tc rgb "#444444"
set key font tick_font top left Left reverse samplen 3 spacing 1.1
key_of(side, i) = side == 1 ? in_key[i] : back_key[i]
run_of(side, i) = side == 1 ? in_run[i] : back_run[i]
sizes(b) = b >= 2**30 ? sprintf("%.3g GiB", b/2.0**30) : b >= 2**20 ? sprintf("%.3g MiB", b/2.0**20) : b >= 1024 ? sprintf("%.3g KiB", b/1024.0) : sprintf("%d B", b)
legend(key, r) = memory(key).(runs > 1 ? ", run ".r : "")
@HEAD
@OPEN
set multiplot
set tmargin at screen top(110); set bmargin at screen 62.0/H
half = (1 - 30.0/W) / 2
do for [side=1:2] {
    n = side == 1 ? in_n : back_n
    if (n > 0) {
        set lmargin at screen 105.0/W + (side - 1) * half; set rmargin at screen side * half + 6.0/W
        set title (side == 1 ? "host to device" : "device to host") font pt(12) offset 0,-0.4
        set ylabel side == 1 ? "time until the call returned" : "" font pt(10) tc rgb "#444444"
        if (side == 1) {
            do for [i=1:limit_n] {
                set arrow i from limit_y[i], graph 0 to limit_y[i], graph 1 nohead lc rgb accent dt run_dash(limit_run[i])
                far = limit_y[i] > I_max_x / 50 # no room at its right
                eval sprintf("set label %d '%s from %s' at %g, graph %g %s offset %g,0 font pt(10) tc rgb accent", i, runs > 1 ? 'run '.limit_run[i].':' : 'waits', sizes(limit_y[i]), limit_y[i], 0.32 - 0.05 * i, far ? "right" : "left", far ? -0.8 : 0.8)
            }
        } else { unset arrow; do for [i=1:limit_n] { unset label i } ; @UNHEAD }
        eval "plot for [i=1:n] $".(side == 1 ? "in" : "back")." using 1:3:(0):($4-$3) index i-1 with vectors nohead lc rgb '#999999' lw 0.7 notitle, for [i=1:n] $".(side == 1 ? "in" : "back")." using 1:2 index i-1 with linespoints pt series_point(colour_of(key_of(side, i)), run_of(side, i)) ps dot*0.9 lw 1.6 dt run_dash(run_of(side, i)) lc rgb series_rgb(colour_of(key_of(side, i))) title legend(key_of(side, i), run_of(side, i))"
    }
}
@FINISH
