/* The firmware on a computer, with motors and encoders that are equations, for tests. SPDX-License-Identifier: Apache-2.0
 *
 * A motor with its wheel (left, right): u duty from -1 to 1, w rate in rad/s, i current in mA, t in s
 *
 *   dw/dt = (free * u' - w) / TAU      u' = u less the drag, which friction takes
 *   i = STALL * (u - w / free)
 *
 * solved exactly over each ms, in which u does not change. Encoders count whole ticks of the angle, rounded down.
 *
 * One request a line comes on stdin, and each has one answer on stdout; time passes only as it is asked to:
 *
 *   n <boot> <ms> <left> <right>    start the board at this time with these encoder counts, wheels at rest
 *   m <free left> <free right> <drag> <limit>   rates in rad/s, drag in duty, current limit in mA (0: none), from now on
 *   w <left> <right>                wheels: 1 free, 0 held
 *   c <left> <right>                encoders count by 1, 0 (broken) or -1 (reversed)
 *   b <low>                         battery
 *   t <ms> <bytes>                  run for so long, then receive these bytes, in hexadecimal, "-" for none
 *
 * Answer: angles (rad) and rates (rad/s), left and right; duties; largest currents (mA) since the last answer; stopped, fault, limited
 * left and right; bad, old, heard; the commanded rates (mrad/s); the bytes that were sent, in hexadecimal, "-" for none. */
#include "wheel_firmware.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TAU 0.1
#define STALL 2000.0
#define STEP 0.001
#define LONGEST 8192    /* bytes of a request, and of what is sent between two */
#define PI 3.14159265358979323846

static const wheel_settings SETTINGS = {
    .ticks_per_turn = 2048, .free_rate = 25000, .acceleration = 30000, .gain_rate = 1200, .gain_way = 16000, .current_limit = 1500,
    .control_ms = 10, .report_ms = 20, .stall_ms = 500, .boot = 0,
};

static wheel_settings settings;
static wheel_firmware board;
static wheel_inputs inputs;
static uint32_t now, first[2];
static double angle[2], rate[2], most[2], drag, free_rate[2] = {25.0, 25.0};
static int turns[2] = {1, 1}, counts[2] = {1, 1};
static char sent[2 * LONGEST + 1];

/* The motor's duty less what friction takes; a wheel at rest stays so until the duty is more than that. */
static double left_by_friction(double duty, double w)
{
    double against = w != 0.0 ? copysign(drag, w) : fmax(-drag, fmin(drag, duty));
    return duty - against;
}

static void turn_wheel(int k)
{
    double duty = (double)board.duty[k] / WHEEL_FULL, before = rate[k], fade = exp(-STEP / TAU);
    double end = free_rate[k] * left_by_friction(duty, before);
    rate[k] = end + (before - end) * fade;
    if (!turns[k] || (before * rate[k] < 0.0 && fabs(duty) <= drag))
        rate[k] = 0.0;
    if (turns[k])
        angle[k] += end * STEP + (before - end) * TAU * (1.0 - fade);
    double current = STALL * (duty - rate[k] / free_rate[k]);
    inputs.current[k] = (int32_t)lround(current);
    most[k] = fmax(most[k], fabs(current));
    inputs.ticks[k] = first[k] + (uint32_t)(int64_t)(counts[k] * floor(angle[k] * settings.ticks_per_turn / (2.0 * PI)));
}

static void run(unsigned long ms)
{
    char line[WHEEL_LINE];
    size_t length = strlen(sent);
    for (unsigned long passed = 0; passed <= ms; passed++) {
        if (passed > 0) {
            turn_wheel(0);
            turn_wheel(1);
            now++;
        }
        int count = wheel_update(&board, &inputs, now, line);
        for (int k = 0; k < count && length + 2 < sizeof sent; k++, length += 2)
            sprintf(sent + length, "%02x", (unsigned char)line[k]);
    }
}

static void receive(const char *hex)
{
    unsigned value;
    for (; sscanf(hex, "%2x", &value) == 1; hex += 2) {
        uint8_t byte = (uint8_t)value;
        wheel_receive(&board, &byte, 1, now);
    }
}

static void start(unsigned boot, unsigned long ms, unsigned long left, unsigned long right)
{
    settings.boot = (uint16_t)boot;
    now = (uint32_t)ms;
    first[0] = (uint32_t)left;
    first[1] = (uint32_t)right;
    for (int k = 0; k < 2; k++) {
        inputs.ticks[k] = first[k];
        inputs.current[k] = 0;
        angle[k] = rate[k] = 0.0;
    }
    wheel_start(&board, &settings, &inputs, now);
}

static void answer(void)
{
    printf("%.17g %.17g %.17g %.17g %ld %ld %.1f %.1f %d %d %d %d %lu %lu %ld %ld %ld %s\n", angle[0], angle[1], rate[0], rate[1],
           (long)board.duty[0], (long)board.duty[1], most[0], most[1], board.stopped, board.fault, board.limited[0], board.limited[1],
           (unsigned long)board.bad, (unsigned long)board.old, (long)board.heard, (long)board.command[0], (long)board.command[1],
           sent[0] ? sent : "-");
    fflush(stdout);
    sent[0] = '\0';
    most[0] = most[1] = 0.0;
}

int main(void)
{
    static char request[2 * LONGEST], hex[2 * LONGEST];
    unsigned boot;
    unsigned long ms, left, right;
    int low;
    double limit;
    settings = SETTINGS;
    start(0, 0, 0, 0);
    while (fgets(request, sizeof request, stdin)) {
        if (sscanf(request, "t %lu %16383s", &ms, hex) == 2) {
            run(ms);
            receive(hex);
        } else if (sscanf(request, "n %u %lu %lu %lu", &boot, &ms, &left, &right) == 4) {
            start(boot, ms, left, right);
        } else if (sscanf(request, "m %lf %lf %lf %lf", &free_rate[0], &free_rate[1], &drag, &limit) == 4) {
            board.settings.current_limit = settings.current_limit = (int32_t)limit;
        } else if (sscanf(request, "b %d", &low) == 1) {
            inputs.battery_low = low != 0;
        } else if (sscanf(request, "w %d %d", &turns[0], &turns[1]) != 2 && sscanf(request, "c %d %d", &counts[0], &counts[1]) != 2) {
            fprintf(stderr, "not understood: %s", request);
            return 2;
        }
        answer();
    }
    return 0;
}
