# lab-3-total-time.gp - 32 products by four methods   usage: gnuplot -c lab-3-total-time.gp RUN-DIR OUT.{png,svg,pdf,txt} [RUN-DIR-2 ...]
if (ARGC < 2) { print "usage: gnuplot -c lab-3-total-time.gp RUN-DIR OUT.{png,svg,pdf,txt} [RUN-DIR-2 ...]"; exit status 2 }
run = ARG1; out = ARG2; n_more = ARGC - 2
array more[7] = [ARG3, ARG4, ARG5, ARG6, ARG7, ARG8, ARG9]
load ARG0[1:strlen(ARG0) - strlen("lab-3-total-time.gp")]."style.gp"
wanted = "part e, total <method> <dim>"
load series("total", "e", "total *", "predicted-total")
if (total_n == 0) { @NOTHING }

W = 1400; H = 600
title = sprintf("%s: 32 products, four ways to queue them", lab)
subtitle = "bar: from the first call until all are done (median, ".total_samples."; thin line: fastest to slowest).  Orange line: predicted before measuring.".(runs > 1 ? "  Lighter: a later run." : "")
chip_rgb(i) = i == 1 ? 0x6b6b6b : i == 2 ? 0xaeaeae : 0xd3d3d3; chip_point(i) = 5
@HEAD
@OPEN
methods = "one-stream n-streams graph batched"
method(i) = word(total_key[i], 2) eq word(methods, 1) ? 1 : word(total_key[i], 2) eq word(methods, 2) ? 2 : word(total_key[i], 2) eq word(methods, 3) ? 3 : 4
array method_rgb[4] = [0x6b6b6b, 0x9ad1f2, 0xe69f00, 0x00664d]
array method_word[4] = ["one stream", "a stream each", "graph of parallel nodes", "strided-batched call"]
# The dims, in order, as they come.
dims = ""; n_dims = 0
array dim[64]
do for [i=1:total_n] {
    stats $total using 1 index i-1 name "D" nooutput
    do for [k=0:int(D_records) - 1] {
        stats $total using 1 index i-1 every ::k::k name "K" nooutput
        text = sprintf(" %d ", int(K_min))
        if (strstrt(dims, text) == 0) { dims = dims.text; n_dims = n_dims + 1; dim[n_dims] = int(K_min) }
    }
}
place(d) = sum [k=1:n_dims] (dim[k] == int(d) ? k : 0)
stats $total using 2 name "Y" nooutput
set logscale y; set yrange [floor10(Y_min) * 0.5:ceil10(Y_max)]
set xrange [0.4:n_dims + 0.6]
@TIME_TICKS_Y
set xtics scale 0 font tick_font
set xtics ()
do for [k=1:n_dims] { set xtics add (sprintf("dim %d", dim[k]) k) }
@GRID_Y
set tmargin at screen top(100); set bmargin at screen 50.0/H; set lmargin at screen 91.0/W; set rmargin at screen 1 - 22.0/W
set key at screen 91.0/W, screen top(72) left center horizontal Left reverse font tick_font samplen 1.2 width -2 maxrows 1
bar = 0.8 / 4 / runs
turned = runs > 1 ? "rotate left" : ""
x_of(d, i) = place(d) - 0.4 + 0.2 * (method(i) - 1) + bar * (total_run[i] - 1) + bar / 2
shade(i) = total_run[i] == 1 ? 1.0 : total_run[i] == 2 ? 0.55 : 0.3
plot for [i=1:total_n] $total using (x_of($1, i)):2:(bar * 0.92) index i-1 with boxes fs solid shade(i) lc rgb method_rgb[method(i)] title (total_run[i] == 1 ? method_word[method(i)] : ""), \
    for [i=1:total_n] $total using (x_of($1, i)):3:(0):($4-$3) index i-1 with vectors nohead lc rgb "black" lw 0.7 notitle, \
    for [i=1:total_n] $total using (x_of($1, i) - bar * 0.46):9:(bar * 0.92):(0) index i-1 with vectors nohead lc rgb accent lw 2 notitle, \
    for [i=1:total_n] $total using (x_of($1, i)):(($4 > $9 ? $4 : $9) * 1.06):(runs > 2 ? "" : show($2)) index i-1 with labels @turned offset 0,0.6 font pt(8.5) tc rgb "#333333" notitle, \
    keyentry with lines lc rgb accent lw 2 title "predicted"
@FINISH
