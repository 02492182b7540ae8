# lab-2-both-clocks.gp - what the wall clock and the CPU clock say of the same calls   usage: gnuplot -c lab-2-both-clocks.gp RUN-DIR OUT.{png,svg,pdf,txt} [RUN-DIR-2 ...]
if (ARGC < 2) { print "usage: gnuplot -c lab-2-both-clocks.gp RUN-DIR OUT.{png,svg,pdf,txt} [RUN-DIR-2 ...]"; exit status 2 }
run = ARG1; out = ARG2; n_more = ARGC - 2
array more[7] = [ARG3, ARG4, ARG5, ARG6, ARG7, ARG8, ARG9]
load ARG0[1:strlen(ARG0) - strlen("lab-2-both-clocks.gp")]."style.gp"
wanted = "part a, <h2d|d2h> call <wall|cpu> <memory> <spin|block>"
load series("calls", "a", "[hd]2[dh] call * * *", "")
if (calls_n == 0) { @NOTHING }

W = 1400; H = 620
title = sprintf("%s: the same call on two clocks", lab)
subtitle = "wall clock: how long the host waited. CPU clock: how long a core worked; it stands still while the thread sleeps.  Median, ".calls_samples.(runs > 1 ? "; lighter: a later run." : "; thin line: fastest to slowest.")
chip_rgb(i) = wall_rgb[i < 3 ? i : 3]; chip_point(i) = 5
array wall_rgb[3] = [0x0072b2, 0x6aaedb, 0xb5d5ee]; array cpu_rgb[3] = [0xe69f00, 0xf3c766, 0xfae4b3]
memories = "pageable-untouched pageable-touched pinned registered"
place_of(key) = (word(key, 4) eq word(memories, 1) ? 0 : word(key, 4) eq word(memories, 2) ? 1 : word(key, 4) eq word(memories, 3) ? 2 : 3) * 2.3 + (word(key, 1) eq "d2h")
stats $calls using 2 name "C" nooutput
base = C_min < 1000 ? floor10(C_min > 0 ? C_min : 1) : 1000.0
set logscale y; set yrange [base:ceil10(C_max) * 3]
@TIME_TICKS_Y
@GRID_Y
@HEAD
@OPEN
set multiplot
bar = 0.36 / runs
rgb_of(key, r) = word(key, 3) eq "wall" ? wall_rgb[r < 3 ? r : 3] : cpu_rgb[r < 3 ? r : 3]
set tmargin at screen top(116); set bmargin at screen 78.0/H
set xrange [-0.7:8.6]
set xtics scale 0 font tick_font
set xtics ("H→D" 0, "D→H" 1, "H→D" 2.3, "D→H" 3.3, "H→D" 4.6, "D→H" 5.6, "H→D" 6.9, "D→H" 7.9)
array memory_words[4] = ["pageable,\nuntouched", "pageable,\ntouched", "pinned", "registered"]
do for [i=1:4] { set label 20+i memory_words[i] at first (i-1)*2.3 + 0.5, graph -0.115 center font pt(10.5) tc rgb "#333333" }
unset key
half = (1 - 30.0/W) / 2
do for [side=1:2] {
    mode = side == 1 ? "spin" : "block"
    undefine $bars
    set print $bars
    measured = ""
    do for [i=1:calls_n] {
        if (word(calls_key[i], 5) eq mode) {
            measured = measured." ".word(calls_key[i], 4)." "
            x = place_of(calls_key[i]) + (word(calls_key[i], 3) eq "cpu" ? 0.02 : -0.38) + bar * (calls_run[i] - 1) + bar / 2
            print sprintf("%.4f\t%.6g\t%d\t%s\t%.6g\t%.6g", x, calls_y[i] < base ? base * 1.02 : calls_y[i], rgb_of(calls_key[i], calls_run[i]), runs > 2 ? "" : show(calls_y[i]), calls_least[i] > base ? calls_least[i] : base, calls_most[i] > base ? calls_most[i] : base)
        }
    }
    unset print
    if (measured ne "") {
        set lmargin at screen 91.0/W + (side - 1) * half; set rmargin at screen side * half + 6.0/W
        set title (side == 1 ? "the driver spins while it waits" : "the driver sleeps (cudaDeviceScheduleBlockingSync)") font pt(12) offset 0,-0.4
        do for [i=1:4] {
            if (strstrt(measured, " ".word(memories, i)." ")) { unset label 40+i } \
            else { set label 40+i "not measured" at first (i-1)*2.3 + 0.5, graph 0.03 center font pt(9) tc rgb "#888888" }
        }
        if (side == 1) {
            set object 50 rect from screen 91.0/W, screen top(76) to screen 91.0/W + 16.0/W, screen top(64) fc rgb 0x0072b2 fs solid 1 noborder
            set object 51 rect from screen 91.0/W + 150.0/W, screen top(76) to screen 91.0/W + 166.0/W, screen top(64) fc rgb 0xe69f00 fs solid 1 noborder
            set label 50 "wall clock" at screen 91.0/W + 22.0/W, screen top(70) font pt(10)
            set label 51 "CPU clock" at screen 91.0/W + 172.0/W, screen top(70) font pt(10)
        } else { @UNHEAD; unset object; unset label 50; unset label 51 }
        plot $bars using 1:2:(bar * 0.94):3 with boxes lc rgb var, $bars using 1:5:(0):($6-$5) with vectors nohead lc rgb "black" lw 0.7, $bars using 1:6:4 with labels rotate left offset 0,0.4 font pt(8.5) tc rgb "#333333"
    }
}
@FINISH
