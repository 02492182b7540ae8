# lab-5-naive-benchmark.gp - what a naive benchmark times, beside a right one   usage: gnuplot -c lab-5-naive-benchmark.gp RUN-DIR OUT.{png,svg,pdf,txt} [RUN-DIR-2 ...]
if (ARGC < 2) { print "usage: gnuplot -c lab-5-naive-benchmark.gp RUN-DIR OUT.{png,svg,pdf,txt} [RUN-DIR-2 ...]"; exit status 2 }
run = ARG1; out = ARG2; n_more = ARGC - 2
array more[7] = [ARG3, ARG4, ARG5, ARG6, ARG7, ARG8, ARG9]
load ARG0[1:strlen(ARG0) - strlen("lab-5-naive-benchmark.gp")]."style.gp"
wanted = "part e, naive <thing> and right <thing>"
load rows("piece", "e", "naive *", "")
load rows("right", "e", "right *", "")
if (piece_n == 0 || right_n == 0) { @NOTHING }

W = 1400; H = 560
title = sprintf("%s: one product, timed naively and rightly", lab)
subtitle = "naive: one shot with everything inside the timer.  Right: warmed up, the product alone.  Medians, ".right_samples."; thin line: fastest to slowest.".(runs > 1 ? "  Lighter: a later run." : "")
chip_rgb(i) = i == 1 ? 0xe69f00 : 0xf3c766; chip_point(i) = 5
@HEAD
@OPEN
# The ratio is not a time; all else is a row of the chart.
rows = 0
array name[piece_n + right_n]; array place_piece[piece_n]; array place_right[right_n]
do for [i=1:piece_n] {
    place_piece[i] = 0
    if (piece_key[i] ne "naive ratio") {
        do for [k=1:rows] { if (name[k] eq piece_key[i]) { place_piece[i] = k } }
        if (place_piece[i] == 0) { rows = rows + 1; name[rows] = piece_key[i]; place_piece[i] = rows }
    }
}
do for [i=1:right_n] {
    place_right[i] = 0
    do for [k=1:rows] { if (name[k] eq right_key[i]) { place_right[i] = k } }
    if (place_right[i] == 0) { rows = rows + 1; name[rows] = right_key[i]; place_right[i] = rows }
}
stats $right using 2 name "R" nooutput
stats $piece using 2 name "P" nooutput
low = floor10(R_min) / 10.0
array naive[runs]
do for [i=1:piece_n] { if (piece_key[i] eq "naive total") { naive[piece_run[i]] = piece_y[i] } }
set logscale x; set xrange [low:ceil10(P_max) * 3]; set yrange [rows + 0.6:0.4]
@TIME_TICKS_X
@GRID_X
set ytics scale 0 font tick_font
set ytics ()
do for [k=1:rows] { set ytics add (name[k] k) }
set tmargin at screen top(76); set bmargin at screen 50.0/H; set lmargin at screen 170.0/W; set rmargin at screen 1 - 22.0/W
unset key
bar = 0.7 / runs
y(place, r) = place > 0 ? place - 0.35 + bar * (r - 1) + bar / 2 : 99
colour(key, r) = key[1:5] eq "right" ? 0x00664d : key eq "naive product" || key eq "naive total" ? 0xe69f00 : 0x9ad1f2
plot for [i=1:piece_n] $piece using ((low + $2)/2):(y(place_piece[i], piece_run[i])):(low):2:(y(place_piece[i], piece_run[i]) - bar*0.46):(y(place_piece[i], piece_run[i]) + bar*0.46):(colour(piece_key[i], piece_run[i])) index i-1 with boxxyerror fs solid piece_run[i] == 1 ? 1.0 : 0.5 lc rgb variable, \
    for [i=1:right_n] $right using ((low + $2)/2):(y(place_right[i], right_run[i])):(low):2:(y(place_right[i], right_run[i]) - bar*0.46):(y(place_right[i], right_run[i]) + bar*0.46):(colour(right_key[i], right_run[i])) index i-1 with boxxyerror fs solid right_run[i] == 1 ? 1.0 : 0.5 lc rgb variable, \
    for [i=1:piece_n] $piece using 3:(y(place_piece[i], piece_run[i])):($4-$3):(0) index i-1 with vectors nohead lc rgb "black" lw 0.7, \
    for [i=1:right_n] $right using 3:(y(place_right[i], right_run[i])):($4-$3):(0) index i-1 with vectors nohead lc rgb "black" lw 0.7, \
    for [i=1:piece_n] $piece using 4:(y(place_piece[i], piece_run[i])):(show($2)) index i-1 with labels left offset 0.6,0 font pt(10), \
    for [i=1:right_n] $right using 4:(y(place_right[i], right_run[i])):(show($2)."   the naive total is ".times(naive[right_run[i]] / $2)." times this") index i-1 with labels left offset 0.6,0 font pt(10)
@FINISH
