/* The robot's end of the wheel protocol (docs/wheel_protocol.md) for any microcontroller. SPDX-License-Identifier: Apache-2.0
 *
 * The board calls three functions from its main loop: wheel_start once, wheel_receive with the bytes that have come, and wheel_update as
 * often as it can, at least every settings.control_ms. Nothing here waits, allocates, or knows about pins. All arithmetic is on whole
 * numbers, so that every board computes the same. Side 0 is the left wheel, side 1 the right one; positive is ahead. */
#ifndef WHEEL_FIRMWARE_H
#define WHEEL_FIRMWARE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WHEEL_LINE 96       /* bytes that a line may have, its line feed included */
#define WHEEL_FULL 10000    /* a duty of 100 % */

#define WHEEL_STOPPED 1     /* bits of the status: stopped by the deadman; */
#define WHEEL_FAULT 2       /* a fault, motors off; */
#define WHEEL_BATTERY 4     /* battery low */

typedef struct {
    int32_t ticks_per_turn; /* encoder ticks of one turn of a wheel, as hardware.wheels.ticks_per_turn of the scenario */
    int32_t free_rate;      /* mrad/s: rate of a wheel at full duty with the wheels in the air */
    int32_t acceleration;   /* mrad/s^2: a wheel speeds up no faster; it slows down at once, as the protocol asks */
    int32_t gain_rate;      /* duty for each rad/s that a wheel is too slow */
    int32_t gain_way;       /* duty for each rad that a wheel has fallen behind */
    int32_t current_limit;  /* mA of a motor; 0: currents are not measured */
    uint16_t control_ms;    /* ms from one control step to the next */
    uint16_t report_ms;     /* ms from one E line to the next */
    uint16_t stall_ms;      /* ms that a motor may push and its encoder stand still until this is a fault */
    uint16_t boot;          /* another number at each start: drawn, or counted on in EEPROM */
} wheel_settings;

typedef struct {
    uint32_t ticks[2];      /* what the encoders have counted; wraps around */
    int32_t current[2];     /* mA through the motors, of either sign; 0 when they are not measured */
    bool battery_low;
} wheel_inputs;

typedef struct {
    int32_t reference;      /* urad/s: the rate that is to be held now */
    int64_t behind;         /* nrad: how far the wheel is behind the reference's way */
    int64_t remainder;      /* nrad * ticks_per_turn: what dividing left over of the measured way */
    uint32_t ticks;         /* at the last control step */
    int32_t ceiling;        /* no larger duty, on account of the current */
    uint32_t stalled_ms;    /* for how long the motor has pushed for nothing */
    uint32_t rearmost;      /* ticks: as far back as the wheel has been since it began to push */
} wheel_side;

typedef struct {
    wheel_settings settings;
    wheel_side side[2];
    int32_t duty[2];        /* what the motors are to get, -WHEEL_FULL to WHEEL_FULL; the board reads it after wheel_update */
    bool limited[2];        /* the current limit holds this motor back */
    bool stopped, fault;
    int32_t command[2];     /* mrad/s, of the V line that is obeyed */
    int32_t heard;          /* number of that line; -1: none since the start */
    uint32_t heard_at, deadman;             /* ms */
    uint32_t controlled_at, reported_at;    /* ms: when control and report were last due */
    uint32_t rested_ms;     /* for how long the wheels have been told to stand, since a fault if there is one */
    uint16_t number;        /* of the next E line */
    uint32_t bad, old;      /* lines that could not be read, or came too late */
    char line[WHEEL_LINE];  /* the line that is coming in */
    uint8_t length;         /* of it; more than WHEEL_LINE: too long, skipped up to the next line feed */
} wheel_firmware;

/* Begin. `now` is in ms since the board's start and may wrap around, here and below. */
void wheel_start(wheel_firmware *firmware, const wheel_settings *settings, const wheel_inputs *inputs, uint32_t now);

/* Take `count` bytes that have come over the link. */
void wheel_receive(wheel_firmware *firmware, const uint8_t *bytes, uint16_t count, uint32_t now);

/* Control the motors (firmware->duty) and write the E line into `out` when it is due; the bytes to send, 0 when there is none. */
uint8_t wheel_update(wheel_firmware *firmware, const wheel_inputs *inputs, uint32_t now, char out[WHEEL_LINE]);

#ifdef __cplusplus
}
#endif
#endif
