# style.gp - what all charts share: terminals, colours, fonts, and how a picture's file is made.
# A script sets `out` (and captures its arguments) and loads this; it ends with @FINISH.
set encoding utf8
set datafile separator tab
# This script's folder, and no other process for what needs none: a chart takes 60 ms as it is.
plots = strlen(ARG0) > strlen("/style.gp") ? ARG0[1:strlen(ARG0) - strlen("/style.gp")] : "."

# quote(s): s as one word of the shell, whatever is in it.
quote_(s, i) = i == 0 ? s : s[1:i-1]."'\\''".quote_(s[i+1:*], strstrt(s[i+1:*], "'"))
quote(s) = "'".quote_(s, strstrt(s, "'"))."'"
data(arguments) = "< ".quote(plots."/plot-data")." ".arguments

# The picture goes beside its place first: a failed drawing leaves no file. Defines out, temporary,
# format, and what PLOT_FONT and PLOT_TERMINAL say as font_name and terminal.
format = ""
load data("begin ".quote(out))
if (format eq "") { exit status 1 }
FINISH = 'unset multiplot; unset output; out_ = system(quote(plots."/plot-data")." finish ".quote(temporary)." ".quote(out)." || echo failed"); if (out_ ne "") { exit status 1 }; exit status 0'

# PLOT_TERMINAL names another terminal of gnuplot for the same format.
if (terminal eq "") { terminal = format eq "png" ? "pngcairo" : format eq "pdf" ? "pdfcairo" : format eq "svg" ? "svg" : "dumb" }
if (strstrt(" ".GPVAL_TERMINALS." ", " ".terminal." ") == 0) {
    print sprintf("plots: this gnuplot has no terminal %s: install gnuplot-nox (make setup), or choose FORMAT=svg or txt", terminal)
    exit status 1
}
# A picture of W by H px at 96 dpi, in any format alike (an em is 14.67 px).
# PLOT_WIDTH, if set, is W: a narrower picture has larger letters on paper.
asked_width = int(real(system("printf %s \"${PLOT_WIDTH:-0}\"")))
OPEN = 'if (asked_width >= 600) { W = asked_width }; eval open_picture(format); if (temporary ne "-") { set output temporary }'
open_picture(f) = f eq "png" ? sprintf("set terminal %s size %d,%d font '%s,11' noenhanced background '#ffffff'", terminal, W, H, font_name) : \
    f eq "pdf" ? sprintf("set terminal %s size %.4fin,%.4fin font '%s,11' fontscale 0.74 noenhanced background '#ffffff'", terminal, W/96.0, H/96.0, font_name) : \
    f eq "svg" ? sprintf("set terminal %s size %d,%d font '%s,14.67' noenhanced background '#ffffff'", terminal, W, H, font_name) : \
    sprintf("set terminal %s noenhanced size 80,30", terminal)
# Font sizes in points; the svg terminal counts px.
pt(size) = sprintf(",%.4g", format eq "svg" ? size * 96 / 72 : size)
tick_font = pt(10) # set xtics and set key take a variable, not an expression

# ---- colours: Okabe and Ito's hues, safe for colour-blind readers, in steps of lightness that
# tell the same in grey. The order is that of enum span_class in data/plot_data.h.
array class_colours[10] = [0x6b6b6b, 0xd98cb3, 0xdcdcdc, 0x9ad1f2, 0xe69f00, 0xf5e3bd, 0x00664d, 0x0072b2, 0xf0e442, 0xb8a9c9]
class_rgb(c) = class_colours[int(c)]
class_text(c) = (c == 1 || c == 7 || c == 8) ? 0xffffff : 0x000000

grey = "#666666"; light = "#e4e4e4"; accent = "#D55E00"
# Series of line charts: colour by what is measured, line and point by which run.
array series_colours[8] = [0x0072b2, 0xd55e00, 0x009e73, 0x000000, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x6b6b6b]
series_rgb(i) = series_colours[(i - 1) % 8 + 1]
series_point(i, run) = int(word(run == 1 ? "7 5 9 13 11 15 3 2" : "6 4 8 12 10 14 1 2", (i - 1) % 8 + 1))
run_dash(run) = run == 1 ? 1 : run == 2 ? 2 : 4
set dashtype 2 (8,4) # the usual one has gaps in which a line turns unseen

# ---- furniture
set border 3 lc rgb grey
set tics textcolor rgb "#444444" nomirror out scale 0.6
dot = format eq "svg" ? 0.6 : 1 # svg draws points larger
below = format eq "svg" ? 1.2 : 0.4 # svg puts what is below an axis lower
set xtics offset 0,(below - 0.4) * 0.6
set xlabel offset 0,below
aside = format eq "svg" ? 1.2 : -0.5 # and what is beside an axis farther
set ylabel offset aside,0
set grid lc rgb light lt 1 lw 0.6
if (format eq "txt") { unset grid } # letters leave no room for one
GRID_X = "unset grid; set grid xtics"
GRID_Y = "unset grid; set grid ytics"
GRID_XY = "unset grid; set grid xtics ytics"
set style fill solid 1 noborder

# layer(rows, plot): one more thing to plot, or nothing.
layer(rows_, plot_) = rows_ > 0 ? ", ".plot_ : ""

# ---- charts of results.csv: lab-N-*.gp RUN-DIR OUT [RUN-DIR-2 ...]
# A script sets run, n_more and more[] from its arguments before it loads this.
all_runs = ""
if (exists("n_more")) {
    all_runs = quote(run)
    do for [i=1:n_more] { all_runs = all_runs." ".quote(more[i]) }
}
# series(name, part, pattern, partner): what to load; data/series.c says what it defines. With
# FORMAT=txt the picture is these, row by row.
fit(part_, pattern_, partner_) = " ".quote(part_)." ".quote(pattern_)." ".quote(partner_)." "
hidden(name_, part_, pattern_, partner_) = data("series ".name_.fit(part_, pattern_, partner_).all_runs)
all_fits = ""
series(name_, part_, pattern_, partner_) = (all_fits = all_fits.fit(part_, pattern_, partner_), hidden(name_, part_, pattern_, partner_))
rows(name_, part_, pattern_, partner_) = (all_fits = all_fits.fit(part_, pattern_, partner_), data("rows ".name_.fit(part_, pattern_, partner_).all_runs))
if (all_runs ne "") { load data("about ".all_runs) }

# HEAD: title and subtitle at the left, each run at the right with the mark of its series; then H is
# as much larger as they take more lines. top(px): that far from where the picture begins below.
# It is also all of FORMAT=txt.
top(px_) = 1 - (px_ + head_px) / real(H)
array run_colours[4] = [0x0072b2, 0xcc79a7, 0x000000, 0x009e73]
run_rgb(i) = run_colours[(i - 1) % 4 + 1]
chip_rgb(i) = run_rgb(i) # or what a script says in its place
chip_point(i) = i == 1 ? 7 : 6
head_label(i) = sprintf("set label %d run_text[%d] at screen 1 - 22.0/W, screen 1 - run_y[%d]/H right font pt(10) tc rgb '%s'", 900+i, i, i, run_simulated[i] ? accent : grey). \
    (runs > 1 && chip_point(i) > 0 ? sprintf("; set label %d '' at screen 1 - (34.0 + run_px[%d])/W, screen 1 - run_y[%d]/H point pt chip_point(%d) ps dot*1.2 lc rgb %d", 920+i, i, i, i, chip_rgb(i)) : "")
WORDS = 'if (asked_width >= 600) { W = asked_width }; load data("head ".quote(title)." ".quote(subtitle)." ".all_runs); H = H + head_px; set label 890 title at screen 22.0/W, screen 1 - 20.0/H left font pt(14); set label 891 summary at screen 22.0/W, screen 1 - (46.0 + summary_px)/H left font pt(10) tc rgb "#333333"; do for [i_=1:runs] { eval head_label(i_) }'
HEAD = 'if (format eq "txt") { system quote(plots."/plot-data")." results-text ".quote(title)." ".quote(subtitle).all_fits." -- ".all_runs.(out eq "-" ? "" : " > ".quote(temporary)); if (GPVAL_SYSTEM_ERRNO) { system "rm -f ".quote(temporary); exit status 1 }; '.FINISH.' }; '.WORDS
UNHEAD = 'unset label 890; unset label 891; do for [i_=1:runs] { unset label 900+i_; unset label 920+i_ }'
# A run without what this chart draws (its parts were not run): status 77, and a line that says so
# unless the script that draws everything asked.
NOTHING = 'if (system("printf %s \"${PLOT_SKIP:-}\"") eq "") { print sprintf("plots: %s has no results for this chart (%s)", run, wanted) }; system "rm -f ".quote(temporary); exit status 77'

# Times on an axis in ns, sizes on an axis in bytes, each with round ticks.
time_ticks = "('1 ns' 1, '10 ns' 10, '100 ns' 100, '1 µs' 1e3, '10 µs' 1e4, '100 µs' 1e5, '1 ms' 1e6, '10 ms' 1e7, '100 ms' 1e8, '1 s' 1e9, '10 s' 1e10)"
TIME_TICKS_X = "set xtics ".time_ticks." font tick_font"
TIME_TICKS_Y = "set ytics ".time_ticks." font tick_font"
SIZE_TICKS_X = "set xtics ('4 B' 4, '64 B' 64, '1 KiB' 1024, '16 KiB' 16384, '256 KiB' 262144, '4 MiB' 4194304, '64 MiB' 67108864, '1 GiB' 1073741824) font tick_font"
show(ns) = ns >= 0.9995e9 ? sprintf("%.3g s", ns/1e9) : ns >= 0.9995e6 ? sprintf("%.3g ms", ns/1e6) : ns >= 0.9995e3 ? sprintf("%.3g µs", ns/1e3) : sprintf("%.3g ns", ns)
times(v) = v >= 1000 ? sprintf("%.0f", v) : sprintf("%.3g", v)
# ends(data, x, y, name): sets name_min_x, name_max_x, name_min_y and name_max_y. One stats of both
# columns would warn of one or two points that they make no line.
ends_(data_, column_, axis_, name_) = sprintf("stats %s using %d name 'ends' nooutput; %s_min_%s = ends_min; %s_max_%s = ends_max; ", data_, column_, name_, axis_, name_, axis_)
ends(data_, x_, y_, name_) = ends_(data_, x_, "x", name_).ends_(data_, y_, "y", name_)
floor10(v) = 10 ** floor(log10(v))
ceil10(v) = 10 ** ceil(log10(v))
