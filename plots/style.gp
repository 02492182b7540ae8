# style.gp - what all charts share: terminals, colours, fonts, and how a picture's file is made.
# A script sets `out` (and captures its arguments) and loads this; it ends with @FINISH.
set encoding utf8
set datafile separator tab
plots = system(sprintf("dirname '%s'", ARG0))
font_name = system('printf %s "${PLOT_FONT:-DejaVu Sans}"')

# quote(s): s as one word of the shell, whatever is in it.
quote_(s, i) = i == 0 ? s : s[1:i-1]."'\\''".quote_(s[i+1:*], strstrt(s[i+1:*], "'"))
quote(s) = "'".quote_(s, strstrt(s, "'"))."'"
data(arguments) = "< ".quote(plots."/plot-data")." ".arguments

# The picture goes beside its place first: a failed drawing leaves no file.
format = ""
load data("begin ".quote(out)." ".quote(font_name))
if (format eq "") { exit status 1 }
FINISH = 'unset multiplot; unset output; out_ = system(quote(plots."/plot-data")." finish ".quote(temporary)." ".quote(out)." || echo failed"); if (out_ ne "") { exit status 1 }; exit status 0'

# open_picture: W by H px at 96 dpi, in any format alike (an em is 14.67 px).
terminal_of(f) = f eq "png" ? "pngcairo" : f eq "pdf" ? "pdfcairo" : f eq "svg" ? "svg" : "dumb"
if (strstrt(GPVAL_TERMINALS, " ".terminal_of(format)) == 0 && strstrt(GPVAL_TERMINALS, terminal_of(format)) != 1) {
    print sprintf("plots: this gnuplot has no terminal %s: install gnuplot-nox (make setup), or use FORMAT=svg or txt", terminal_of(format))
    exit status 1
}
OPEN = 'eval open_picture(format); if (temporary ne "-") { set output temporary }'
open_picture(format) = format eq "png" ? sprintf("set terminal pngcairo size %d,%d font '%s,11' noenhanced background '#ffffff'", W, H, font_name) : \
    format eq "pdf" ? sprintf("set terminal pdfcairo size %.4fin,%.4fin font '%s,11' fontscale 1 noenhanced background '#ffffff'", W/96.0, H/96.0, font_name) : \
    format eq "svg" ? sprintf("set terminal svg size %d,%d font '%s,14.67' noenhanced background '#ffffff'", W, H, font_name) : \
    "set terminal dumb noenhanced size 110,34"
# Font sizes in points; the svg terminal counts px.
pt(size) = sprintf(",%.4g", format eq "svg" ? size * 96 / 72 : size)
tick_font = pt(10) # set xtics takes a variable, not an expression

# ---- colours: Okabe and Ito's hues, safe for colour-blind readers, in steps of lightness that
# tell the same in grey. The order is that of enum span_class in data/plot_data.h.
array class_colours[10] = [0x6b6b6b, 0xd98cb3, 0xdcdcdc, 0x9ad1f2, 0xe69f00, 0xf5e3bd, 0x00664d, 0x0072b2, 0xf0e442, 0xb8a9c9]
class_rgb(c) = class_colours[int(c)]
class_text(c) = (c == 1 || c == 7 || c == 8) ? 0xffffff : 0x000000

grey = "#666666"; light = "#e4e4e4"; stripe = "#f5f5f5"; accent = "#D55E00"
# Series of line charts: colour by what is measured, line and point by which run.
array series_colours[8] = [0x0072b2, 0xd55e00, 0x009e73, 0x000000, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x6b6b6b]
series_rgb(i) = series_colours[(i - 1) % 8 + 1]
series_point(i, run) = int(word(run == 1 ? "7 5 9 13 11 15 3 2" : "6 4 8 12 10 14 1 2", (i - 1) % 8 + 1))
run_dash(run) = run == 1 ? 1 : run == 2 ? 2 : 4

# ---- furniture
set border 3 lc rgb grey
set tics textcolor rgb "#444444" nomirror out scale 0.6
set grid lc rgb light lt 1 lw 0.6
set style fill solid 1 noborder

# layer(rows, plot): one more thing to plot, or nothing.
layer(rows_, plot_) = rows_ > 0 ? ", ".plot_ : ""
