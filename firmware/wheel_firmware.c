/* See wheel_firmware.h. SPDX-License-Identifier: Apache-2.0
 *
 * How a wheel is controlled, every T = control_ms:
 *
 *   r   the reference (rad/s) goes to the commanded rate, faster by no more than acceleration * T; slower, and to zero, at once
 *   w   the measured rate (rad/s) is the way since the last step, 2 pi * ticks / ticks_per_turn, by T
 *   e   how far the wheel is behind (rad), e += (r - w) * T: as ticks are counted and not rates, no way is lost by rounding
 *   u   the duty, u = r / free_rate + gain_rate * (r - w) + gain_way * e, at most the ceiling that the current allows
 *
 * e does not grow while u is at its limit (anti-windup) and is zero while the wheel is to stand, which
 * gain_rate * (r - w) brings about. */
#include "wheel_firmware.h"

#include <string.h>

#define NRAD_PER_TURN 6283185307LL  /* 2 pi */
#define MOST_TICKS 10000000L        /* more in one step is taken for this: a counter that was reset */
#define MOST_STEP 100u              /* ms: a control step that comes later is taken for this */
#define REST_MS 1000u               /* wheels that have been told to stand for so long get no duty */
#define RECOVERY (WHEEL_FULL / 1000)    /* duty by which the ceiling rises again in a ms */
#define JITTER 2                    /* ticks */
#define PUSHING (WHEEL_FULL / 2)    /* from this duty on, or at the current limit, a wheel has to turn */

#define RATE_MOST 1000000L          /* mrad/s in a V line */
#define DEADMAN_MOST 10000L         /* ms in a V line */

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* The difference of two counters that wrap around, or a counter itself, as a number with a sign. */
static int32_t with_sign(uint32_t count)
{
    return count <= INT32_MAX ? (int32_t)count : -(int32_t)(UINT32_MAX - count) - 1;
}

/* ---- Lines ------------------------------------------------------------------------------------------------------------------------ */

/* CRC-16/CCITT-FALSE: polynomial 0x1021, start 0xFFFF, nothing reflected. */
static uint16_t checksum(const char *bytes, uint8_t count)
{
    uint16_t crc = 0xFFFF;
    for (uint8_t k = 0; k < count; k++) {
        crc = (uint16_t)(crc ^ (uint16_t)((uint16_t)(uint8_t)bytes[k] << 8));
        for (uint8_t bit = 0; bit < 8; bit++)
            crc = (uint16_t)(crc & 0x8000u ? (uint16_t)(crc << 1) ^ 0x1021u : (uint16_t)(crc << 1));
    }
    return crc;
}

static void write_checksum(char *out, uint16_t crc)
{
    for (uint8_t k = 0; k < 4; k++)
        out[k] = "0123456789ABCDEF"[(crc >> (12 - 4 * k)) & 15];
}

/* Read " <number>" at *at: no plus sign, no leading zeros, no -0. False when there is none in low ... high. */
static bool read_number(const char *line, uint8_t length, uint8_t *at, int32_t low, int32_t high, int32_t *value)
{
    uint8_t k = *at;
    if (k >= length || line[k++] != ' ')
        return false;
    bool negative = k < length && line[k] == '-';
    k = (uint8_t)(k + negative);
    uint8_t first = k;
    int32_t found = 0;
    while (k < length && line[k] >= '0' && line[k] <= '9') {
        found = 10 * found + (line[k++] - '0');
        if (found > RATE_MOST)
            return false;   /* no field holds more */
    }
    if (k == first || (line[first] == '0' && (negative || k > first + 1)))
        return false;
    *value = negative ? -found : found;
    *at = k;
    return *value >= low && *value <= high;
}

/* Read "V <number> <left> <right> <deadman>*<checksum>" without its line feed into `values`; false when it is something else. */
static bool read_command(const char *line, uint8_t length, int32_t values[4])
{
    static const int32_t low[4] = {0, -RATE_MOST, -RATE_MOST, 1}, high[4] = {UINT16_MAX, RATE_MOST, RATE_MOST, DEADMAN_MOST};
    char expected[4];
    uint8_t at = 1;
    if (length > 0 && line[length - 1] == '\r')
        length--;
    if (length == 0 || line[0] != 'V')
        return false;
    for (uint8_t k = 0; k < 4; k++)
        if (!read_number(line, length, &at, low[k], high[k], &values[k]))
            return false;
    write_checksum(expected, checksum(line, at));
    return length == at + 5 && line[at] == '*' && memcmp(line + at + 1, expected, 4) == 0;
}

static uint8_t write_number(char *out, uint32_t size, bool negative)
{
    char digits[10];
    uint8_t count = 0, length = 0;
    out[length++] = ' ';
    if (negative)
        out[length++] = '-';
    do {
        digits[count++] = (char)('0' + size % 10);
        size /= 10;
    } while (size > 0);
    while (count > 0)
        out[length++] = digits[--count];
    return length;
}

static uint8_t write_signed(char *out, int32_t value)
{
    return value < 0 ? write_number(out, 0u - (uint32_t)value, true) : write_number(out, (uint32_t)value, false);
}

/* Write "E <number> <boot> <time> <left> <right> <status> <heard>*<checksum>" and a line feed; the bytes written. */
static uint8_t write_report(wheel_firmware *f, const wheel_inputs *inputs, uint32_t now, char *out)
{
    uint8_t at = 0;
    uint8_t status = (uint8_t)((f->stopped ? WHEEL_STOPPED : 0) | (f->fault ? WHEEL_FAULT : 0) | (inputs->battery_low ? WHEEL_BATTERY : 0));
    out[at++] = 'E';
    at = (uint8_t)(at + write_number(out + at, f->number++, false));
    at = (uint8_t)(at + write_number(out + at, f->settings.boot, false));
    at = (uint8_t)(at + write_number(out + at, now, false));
    at = (uint8_t)(at + write_signed(out + at, with_sign(inputs->ticks[0])));
    at = (uint8_t)(at + write_signed(out + at, with_sign(inputs->ticks[1])));
    at = (uint8_t)(at + write_number(out + at, status, false));
    at = (uint8_t)(at + write_signed(out + at, f->heard));
    uint16_t crc = checksum(out, at);
    out[at++] = '*';
    write_checksum(out + at, crc);
    out[at + 4] = '\n';
    return (uint8_t)(at + 5);
}

/* ---- Commands --------------------------------------------------------------------------------------------------------------------- */

/* Stop when the deadman's time has passed since the last line that was obeyed. It stays so until the next one. */
static void watch_deadman(wheel_firmware *f, uint32_t now)
{
    if (now - f->heard_at >= f->deadman)
        f->stopped = true;
}

/* Obey a line when it is newer than the last one, modulo 65536. While the deadman holds the wheels, any: the host may have restarted. */
static void hear_line(wheel_firmware *f, uint32_t now)
{
    int32_t values[4];
    if (f->length > WHEEL_LINE || !read_command(f->line, f->length, values)) {
        f->bad++;
        return;
    }
    uint16_t ahead = (uint16_t)((uint32_t)values[0] - (uint32_t)f->heard);
    if (!f->stopped && (ahead == 0 || ahead >= 0x8000u)) {
        f->old++;
        return;
    }
    f->heard = values[0];
    f->command[0] = values[1];
    f->command[1] = values[2];
    f->deadman = (uint32_t)values[3];
    f->heard_at = now;
    f->stopped = false;
}

void wheel_receive(wheel_firmware *f, const uint8_t *bytes, uint16_t count, uint32_t now)
{
    watch_deadman(f, now);
    for (uint16_t k = 0; k < count; k++) {
        if (bytes[k] == '\n') {
            if (f->length > 0)
                hear_line(f, now);
            f->length = 0;
        } else if (f->length < WHEEL_LINE) {
            f->line[f->length++] = (char)bytes[k];
        } else {
            f->length = WHEEL_LINE + 1;
        }
    }
}

/* ---- Control ---------------------------------------------------------------------------------------------------------------------- */

/* Reference (urad/s) after dt (ms): between zero and the target at once, and from there towards it by acceleration * dt. */
static int32_t ramp(int32_t reference, int32_t target, int32_t acceleration, int32_t dt)
{
    int64_t step = (int64_t)acceleration * dt;      /* mrad/s^2 * ms = urad/s */
    int64_t from = clamp(reference, target < 0 ? target : 0, target > 0 ? target : 0);
    return (int32_t)(from + clamp(target - from, -step, step));
}

/* Lower the ceiling in proportion when the current is above its limit; let it rise again slowly when it is not. */
static void limit_current(wheel_firmware *f, uint8_t k, int32_t current, int32_t dt)
{
    wheel_side *side = &f->side[k];
    int64_t size = current < 0 ? -(int64_t)current : current, duty = f->duty[k] < 0 ? -f->duty[k] : f->duty[k];
    if (f->settings.current_limit > 0 && size > f->settings.current_limit)
        side->ceiling = (int32_t)(duty * f->settings.current_limit / size);
    else
        side->ceiling = (int32_t)clamp((int64_t)side->ceiling + RECOVERY * dt, 0, WHEEL_FULL);
}

/* The way (nrad) of so many ticks; what is left over in dividing goes into the next one. */
static int64_t way_of(wheel_side *side, int32_t ticks, int32_t ticks_per_turn)
{
    int64_t total = clamp(ticks, -MOST_TICKS, MOST_TICKS) * NRAD_PER_TURN + side->remainder;
    int64_t way = total / ticks_per_turn;
    side->remainder = total - way * ticks_per_turn;
    return way;
}

/* A fault when a motor pushes for stall_ms and its encoder gets no further in that direction than the jitter at the edge of a mark. */
static void watch_stall(wheel_firmware *f, uint8_t k, int32_t dt)
{
    wheel_side *side = &f->side[k];
    bool pushes = f->limited[k] || f->duty[k] >= PUSHING || f->duty[k] <= -PUSHING;
    int32_t further = with_sign(f->duty[k] > 0 ? side->ticks - side->rearmost : side->rearmost - side->ticks);
    if (!pushes || further > JITTER)
        side->stalled_ms = 0;
    else
        side->stalled_ms += (uint32_t)dt;
    if (side->stalled_ms == 0 || further < 0)
        side->rearmost = side->ticks;
    f->fault = f->fault || side->stalled_ms >= f->settings.stall_ms;
}

/* One control step of one wheel, dt (ms) after the last. */
static void control_side(wheel_firmware *f, uint8_t k, const wheel_inputs *inputs, int32_t dt)
{
    const wheel_settings *s = &f->settings;
    wheel_side *side = &f->side[k];
    int32_t ticks = with_sign(inputs->ticks[k] - side->ticks);
    int64_t way = way_of(side, ticks, s->ticks_per_turn);
    side->ticks = inputs->ticks[k];
    watch_stall(f, k, dt);
    limit_current(f, k, inputs->current[k], dt);
    side->reference = ramp(side->reference, f->stopped || f->fault ? 0 : 1000 * f->command[k], s->acceleration, dt);
    int64_t error = (int64_t)side->reference * dt - way;                    /* urad/s * ms = nrad */
    int64_t behind = side->reference == 0 ? 0 : side->behind + error;
    int64_t wanted = (int64_t)side->reference * WHEEL_FULL / s->free_rate / 1000
                     + s->gain_rate * (error / dt) / 1000000 + s->gain_way * (behind / 1000) / 1000000;
    if (side->reference == 0 && ticks >= -1 && ticks <= 1)
        wanted = 0;     /* it stands; a tick may come and go at the edge of a mark */
    int64_t duty = clamp(wanted, -side->ceiling, side->ceiling);
    if (side->reference == 0 || duty == wanted || (error < 0) != (wanted < 0))
        side->behind = behind;
    f->limited[k] = duty != wanted && side->ceiling < WHEEL_FULL;
    f->duty[k] = (int32_t)duty;
}

/* Both motors get no duty during a fault, and when the wheels have been told to stand for REST_MS, which also ends the fault. */
static void control(wheel_firmware *f, const wheel_inputs *inputs, uint32_t dt)
{
    bool rest = f->stopped || (f->command[0] == 0 && f->command[1] == 0), before = f->fault;
    f->rested_ms = rest ? (uint32_t)clamp((int64_t)f->rested_ms + dt, 0, REST_MS) : 0;
    for (uint8_t k = 0; k < 2; k++)
        control_side(f, k, inputs, (int32_t)dt);
    if (f->fault && !before)
        f->rested_ms = 0;
    f->fault = f->fault && f->rested_ms < REST_MS;
    if (f->fault || f->rested_ms == REST_MS) {
        memset(f->duty, 0, sizeof f->duty);
        memset(f->limited, 0, sizeof f->limited);
    }
}

void wheel_start(wheel_firmware *f, const wheel_settings *settings, const wheel_inputs *inputs, uint32_t now)
{
    memset(f, 0, sizeof *f);
    f->settings = *settings;
    f->stopped = true;
    f->heard = -1;
    f->controlled_at = now;
    f->reported_at = now - settings->report_ms;     /* the first report is due at once */
    for (uint8_t k = 0; k < 2; k++) {
        f->side[k].ticks = inputs->ticks[k];
        f->side[k].ceiling = WHEEL_FULL;
    }
}

uint8_t wheel_update(wheel_firmware *f, const wheel_inputs *inputs, uint32_t now, char out[WHEEL_LINE])
{
    watch_deadman(f, now);
    uint32_t passed = now - f->controlled_at;
    bool stops = f->stopped && (f->side[0].reference != 0 || f->side[1].reference != 0);
    if (passed >= f->settings.control_ms || (stops && passed > 0)) {    /* the deadman does not wait for the next step */
        control(f, inputs, passed < MOST_STEP ? passed : MOST_STEP);
        f->controlled_at = now;
    }
    if (now - f->reported_at < f->settings.report_ms)
        return 0;
    f->reported_at = now - f->reported_at < 2u * f->settings.report_ms ? f->reported_at + f->settings.report_ms : now;
    return write_report(f, inputs, now, out);
}
