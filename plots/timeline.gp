# timeline.gp - what host and device did, and when.   usage: gnuplot -c timeline.gp RUN-DIR PART OUT.{png,svg,pdf,txt} ["title" [RUN-DIR-2 ...]]
if (ARGC < 3) { print "usage: gnuplot -c timeline.gp RUN-DIR PART OUT.{png,svg,pdf,txt} [\"title\" [RUN-DIR-2 ...]]"; exit status 2 }
run = ARG1; part = ARG2; out = ARG3; title_ = ARG4; n_args = ARGC
array more[9] = [ARG5, ARG6, ARG7, ARG8, ARG9, "", "", "", ""]
load ARG0[1:strlen(ARG0) - strlen("timeline.gp")]."style.gp"
arguments = quote(title_)." ".quote(part)." ".quote(run)
do for [i=1:n_args-4] { arguments = arguments." ".quote(more[i]) }

if (format eq "txt") {
    command = quote(plots."/plot-data")." timeline-text ".arguments.(out eq "-" ? "" : " > ".quote(temporary))
    system command
    if (GPVAL_SYSTEM_ERRNO) { system "rm -f ".quote(temporary); exit status 1 }
    @FINISH
}
ready = 0
load data((format eq "png" ? "timeline " : "timeline-small ").arguments)
if (!ready) { exit status 1 }

@OPEN
set multiplot
px(x) = x / real(W)                     # positions in the picture, from its top left, in px
down(y) = 1 - y / real(H)
unset key
set label 1 title at screen P_left[1], screen down(20) font pt(14) left
set label 2 label at screen P_right[1], screen down(20) font pt(10) right tc rgb (simulated ? accent : grey)
set label 3 summary at screen P_left[1], screen down(44 + summary_px) font pt(10) left tc rgb "#333333"
set label 4 note at screen P_left[1], screen down(H - 12 - note_px) font pt(9) left tc rgb grey

n = 10
do for [i=1:legend_n] { # only what the picture has
    c = legend_class[i]
    x0 = px(P_left[1] * W + legend_x[i]); x1 = x0 + px(16); y = 67 + head_px + legend_y[i]
    if (c > 0) {
        set object n rect from screen x0, screen down(y + 6) to screen x1, screen down(y - 6) fc rgb class_colours[c] fs solid 1 noborder
    } else {
        set label n + 1 "" at screen x0 + px(8), screen down(y) point pt 11 ps dot*0.6 lc rgb "black"
    }
    set label n legend_word[i] at screen x1 + px(6), screen down(y) font pt(10) left
    n = n + 2
}
do for [i=1:panels-1] { set label 60+i sprintf("%c", 64 + i) at first letter_x[i], first letter_y[i] center front font pt(9) tc rgb accent }

do for [p=1:panels] {
    set lmargin at screen P_left[p]; set rmargin at screen P_right[p]
    set tmargin at screen P_top[p]; set bmargin at screen P_bottom[p]
    set xrange [0:P_width[p]]; set yrange [P_height[p]:0]
    set border 1 lc rgb grey
    unset ytics; set grid xtics
    if (p > 1) { unset label; unset object }
    eval P_axis[p]; eval P_stripes[p]
    set xtics out nomirror font tick_font; set xlabel offset 0,below font pt(10) tc rgb "#444444"
    if (p > 1) { set label 5 P_title[p] at screen P_left[p], screen P_top[p] offset 0,0.8 font pt(10.5) left }
    in(v) = $1 == p ? v : NaN
    # gnuplot warns about drawing nothing, so a layer without rows is left out.
    eval 'plot $lanes using (in(0)):2:3 with labels right offset -0.8,0 font pt(11) tc rgb "#444444"'. \
        layer(n_headings[p], '$headings using (in(6)):2:4:($3 == 1 ? 0xd55e00 : 0x333333) with labels left font pt(10) tc rgb var'). \
        layer(n_bars[p], '$bars using (in(($2+$3)/2)):(($4+$5)/2):2:3:4:5:(class_rgb($6)) with boxxyerror fs solid 1 border rgb "#ffffff" lc rgb var'). \
        layer(n_widened[p], '$widened using (in(($2+$3)/2)):(($4+$5)/2):2:3:($4-2):($5+2):(class_rgb($6)) with boxxyerror fs solid 1 border rgb "#000000" lw 0.4 lc rgb var'). \
        layer(n_marks[p], '$marks using (in($2)):3 with points pt 11 ps dot*0.6 lc rgb "black"'). \
        layer(n_names[p], '$names using (in($2)):3:5:(class_text($4)) with labels font pt(9) tc rgb var'). \
        layer(n_frames[p], '$frames using (($2+$3)/2):(($4+$5)/2):2:3:4:5 with boxxyerror fs empty lw 1.2 lc rgb "#D55E00"')
}
@FINISH
