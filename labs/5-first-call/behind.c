/* behind.c - part f: a first launch while another kernel spins. */
#include <math.h>

#include "ask.h"
#include "first.h"
#include "lab.h"
#include "parts.h"
#include "text.h"

const char *const loading_modes[2] = {"lazy", "eager"};
const char *const loading_settings[2] = {"CUDA_MODULE_LOADING=LAZY", "CUDA_MODULE_LOADING=EAGER"};

void behind_a_spin(void) {
    double limit = HOLD_LIMIT_MS * 1e6, first[2] = {NAN, NAN}, loaded = 0, spun = 0;
    table_begin(4, "loading", "launch, loaded before", "launch, first", "the spin lasted");
    for (int mode = 0; mode < 2; mode++) {
        if (!ask("f", "behind", loading_modes[mode], loading_settings[mode], 3))
            break;
        result("f", text("loaded launch %s", loading_modes[mode]), "ns", &answers[0]);
        result("f", text("first launch %s", loading_modes[mode]), "ns", &answers[1]);
        result("f", text("spin %s", loading_modes[mode]), "ns", &answers[2]);
        table_cell("%s", loading_modes[mode]);
        table_cell("%s", show_time(median(0)));
        table_cell("%s", show_times(&answers[1]));
        table_cell("%s", show_time(median(2)));
        first[mode] = median(1);
        loaded = fmax(loaded, median(0));
        spun = fmax(spun, stats_of(&answers[2]).max);
    }
    table_end();
    if (isnan(first[1]))
        return;
    result_value("f", "limit", "ns", limit);
    say("One kernel spins in a stream until the host says stop, or for %s. The host launches two "
        "others in another stream, and says stop after that. CUDA may have to wait for the device "
        "to load a kernel (CUDA C++ Programming Guide, \"Lazy Loading\"): then the launch waits "
        "for a kernel that waits for the launching thread, and only the limit ends it. Load "
        "kernels "
        "before you need them: launch each once, or ask for its attributes, or load eagerly.",
        show_time(limit));
    check("f-bounded", spun < 1.2 * limit, show_time(spun),
          text("under %s", show_time(1.2 * limit)),
          "The spin ended, by the host or by its own limit: nothing hung.");
    check("f-loaded-does-not-wait", loaded < limit / 2, show_time(loaded),
          text("under %s", show_time(limit / 2)), "A kernel loaded before is launched beside it.");
    check("f-eager-does-not-wait", first[1] < limit / 2, show_time(first[1]),
          text("under %s", show_time(limit / 2)), "With everything loaded, no first launch waits.");
    if (first[0] < limit / 2)
        check_cannot_show("f-lazy-waits", text("Here the driver loaded the kernel beside the "
                                               "spinning one (%s); it may wait, not must.",
                                               show_time(first[0])));
    else
        check("f-lazy-waits", true, show_time(first[0]), text("over %s", show_time(limit / 2)),
              "Loaded lazily, a first launch waited for the device to be idle.");
}
