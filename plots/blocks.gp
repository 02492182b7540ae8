# blocks.gp - SMs down, time across, a bar a block.   usage: gnuplot -c blocks.gp RUN-DIR PART OUT.{png,svg,pdf,txt} ["title"]
if (ARGC < 3) { print "usage: gnuplot -c blocks.gp RUN-DIR PART OUT.{png,svg,pdf,txt} [\"title\"]"; exit status 2 }
run = ARG1; part = ARG2; out = ARG3; title_ = ARG4
load ARG0[1:strlen(ARG0) - strlen("blocks.gp")]."style.gp"
ready = 0
load data("blocks ".quote(title_)." ".quote(part)." ".quote(run))
if (!ready) { exit status 1 }
array kernel_colours[8] = [0xe69f00, 0x0072b2, 0x9ad1f2, 0x00664d, 0xd98cb3, 0xf0e442, 0x6b6b6b, 0xb8a9c9]

if (format eq "txt") { # the letters of a terminal are too few for every SM
    @OPEN
    set title title."\n".label."\n".summary
    unset key; set xrange [0:width]; set yrange [0:places * 1.15]; eval axis; set ylabel "blocks at work"
    plot $use using 1:2 with lines
    @FINISH
}
@OPEN
set multiplot
unset key
px(x) = x / real(W)
down(y) = 1 - y / real(H)
set label 1 title at screen px(left), screen down(20) font pt(14) left
set label 2 label at screen px(W - 22), screen down(20) font pt(10) right tc rgb (simulated ? accent : grey)
set label 3 summary at screen px(left), screen down(44 + summary_px) font pt(10) left tc rgb "#333333"
set label 4 note at screen px(left), screen down(H - 12) font pt(9) left tc rgb grey
do for [k=1:kernels] {
    x0 = px(left + kernel_x[k])
    set object k rect from screen x0, screen down(73 + head_px) to screen x0 + px(16), screen down(61 + head_px) fc rgb kernel_colours[k] fs solid 1 noborder
    set label 10+k kernel_word[k] at screen x0 + px(22), screen down(67 + head_px) font pt(10) left
}

set lmargin at screen px(left); set rmargin at screen px(W - 22)
set tmargin at screen down(use_top); set bmargin at screen down(use_top + use_px)
set xrange [0:width]; set yrange [0:places * 1.15]
unset xtics; unset xlabel
eval sprintf("set ytics ('0' 0, '%d' %d) font tick_font", places, places)
set ylabel "blocks at\nwork" font pt(10) tc rgb "#444444" offset 1.5,0
set arrow 1 from graph 0, first places to graph 1, first places nohead lc rgb grey dt 3
plot $use using 1:2 with filledcurves y1=0 fc rgb "#6b6b6b" fs solid 0.45 noborder

unset arrow 1; do for [i=1:20] { unset label i; unset object i }
set tmargin at screen down(use_top + use_px + 12); set bmargin at screen down(use_top + use_px + 12 + rows_px)
set yrange [rows_px:0]
eval axis; set xtics font tick_font out nomirror scale 0.6 offset 0,(below - 0.4) * 0.6; set xlabel font pt(10) tc rgb "#444444" offset 0,below
eval sm_ticks; set ytics font tick_font; set ylabel "SM" offset 1.5,0
unset grid
gap = row_px >= 5 ? 1 : row_px >= 2.4 ? 0.5 : 0
plot $blocks using (($1+$2)/2):(($3+$4)/2):1:($2 - 0.8):($3 + gap/2):($4 - gap/2):(kernel_colours[int($5)]) with boxxyerror fs solid 1 noborder lc rgb var
@FINISH
