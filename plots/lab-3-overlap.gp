# lab-3-overlap.gp - how much two products overlap, against their size   usage: gnuplot -c lab-3-overlap.gp RUN-DIR OUT.{png,svg,pdf,txt} [RUN-DIR-2 ...]
if (ARGC < 2) { print "usage: gnuplot -c lab-3-overlap.gp RUN-DIR OUT.{png,svg,pdf,txt} [RUN-DIR-2 ...]"; exit status 2 }
run = ARG1; out = ARG2; n_more = ARGC - 2
array more[7] = [ARG3, ARG4, ARG5, ARG6, ARG7, ARG8, ARG9]
load ARG0[1:strlen(ARG0) - strlen("lab-3-overlap.gp")]."style.gp"
wanted = "parts a to c, overlap <mode> <dim>"
load series("overlap", "[abc]", "overlap *", "class")
load hidden("near", "[abc]", "overlap *", "predicted-classes") # the same rows
if (overlap_n == 0) { @NOTHING }

W = 1400; H = 640
title = sprintf("%s: how much of one product runs beside the other", lab)
subtitle = "overlap: the time both run, over the shorter one's time.  Launch-bound: the first is over before the second is there.  Median, ".overlap_samples."; thin line: least to most."
chip_point(i) = -1 # its line is in the key
@HEAD
@OPEN
set tmargin at screen top(84); set bmargin at screen 62.0/H; set lmargin at screen 91.0/W; set rmargin at screen 1 - 330.0/W
eval ends("$overlap", 1, 2, "V")
set logscale x 2; set xrange [V_min_x / 1.3:V_max_x * 1.3]; set yrange [-10:112]
set ytics 0,20,100 format "%g %%" font tick_font
set xtics ("16" 16, "32" 32, "64" 64, "128" 128, "256" 256, "512" 512, "768" 768, "1024" 1024, "" 1536, "2048" 2048, "4096" 4096, "8192" 8192, "16384" 16384) font tick_font
@GRID_XY
set xlabel "dim of the square matrices   (lines at 0 % are drawn below each other".(runs > 1 ? ", and run 2 a little lower" : "").")" font pt(10) tc rgb "#444444"
set key at screen 1 - 312.0/W, screen top(84) top left Left reverse font tick_font samplen 2.5 spacing 1.15
# Where the three classes were first seen: on a K40 (handouts/instructor.md).
do for [i=1:3] {
    d = word("64 256 8192", i)
    set arrow i from d + 0, graph 0 to d + 0, graph 1 nohead back lc rgb "#bbbbbb" lw 2
    set label i "K40, ".d.": ".word("launch-bound concurrent tail-only", i) at d + 0, graph 1 center offset 0,0.6 font pt(8.5) tc rgb grey
}
mode(i) = word(overlap_key[i], 2)
modes = "default-stream one-stream one-stream-gated two-streams two-streams-gated"
number(m) = m eq word(modes, 1) ? 4 : m eq word(modes, 2) ? 8 : m eq word(modes, 3) ? 3 : m eq word(modes, 4) ? 6 : m eq word(modes, 5) ? 1 : 5
# Lines in one stream all have 0 %: they stand below it, where no value can be. Those in two streams
# stand at their values, one narrow on one wide.
place(m) = m eq word(modes, 1) ? -3 : m eq word(modes, 2) ? -2 : m eq word(modes, 3) ? -1 : 0
width(m) = m eq word(modes, 4) ? 4.5 : 2.2
shift(i) = 1.8 * place(mode(i)) - 0.7 * (overlap_run[i] - 1)
# Bits of the classes that fit: near a boundary there is more than one.
near(bits) = bits == bits && bits > 0 && (int(bits) & (int(bits) - 1)) != 0
array class_name[4] = ["launch-bound", "concurrent", "tail-only", "serial"]
array class_point[4] = [6, 7, 9, 2]
point_of(c) = c >= 0 && c <= 3 ? class_point[int(c) + 1] : 1 # without a class: a plus
plot for [i=1:overlap_n] $overlap using 1:($2*100+shift(i)) index i-1 with lines lw width(mode(i)) dt run_dash(overlap_run[i]) lc rgb series_rgb(number(mode(i))) title (overlap_run[i] == 1 ? mode(i) : ""), \
    for [i=1:overlap_n] $overlap using 1:($3*100+shift(i)):(0):(($4-$3)*100) index i-1 with vectors nohead lw 0.7 lc rgb series_rgb(number(mode(i))) notitle, \
    for [i=1:overlap_n] $overlap using 1:($9 == 0 ? $2*100+shift(i) : NaN) index i-1 with points pt 7 ps dot*1.1 lc rgb "white" notitle, \
    for [i=1:overlap_n] $overlap using 1:($2*100+shift(i)):(point_of($9)):(series_rgb(number(mode(i)))) index i-1 with points pt variable ps dot*1.1 lw 1.5 lc rgb variable notitle, \
    for [i=1:near_n] $near using 1:(near($9) ? $2*100+shift(i) : NaN) index i-1 with points pt 4 ps dot*2.2 lw 1.2 lc rgb "black" notitle, \
    for [i=1:1] keyentry with points pt -1 lc rgb "white" title " ", \
    for [c=1:4] keyentry with points pt class_point[c] ps dot*1.4 lc rgb "black" title class_name[c], \
    keyentry with points pt 4 ps dot*2.2 lw 1.2 lc rgb "black" title "near a boundary: two fit", \
    for [i=1:runs * (runs > 1)] keyentry with lines lw 1.3 dt run_dash(i) lc rgb grey title "run ".i
@FINISH
