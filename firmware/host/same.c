/* Prints what the firmware does on a computer and on an 8-bit board, which has to be the same. SPDX-License-Identifier: Apache-2.0
 *
 * On an AVR the last line begins with # and tells the most and the mean of the processor's cycles for a control step with its E line, and
 * the bytes of the struct. With gcc-avr, avr-libc and simavr, from the folder above:
 *
 *   avr-gcc -mmcu=atmega328p -std=gnu99 -Os -I. host/same.c wheel_firmware.c -o same.elf
 *   simavr -m atmega328p -f 16000000 same.elf */
#include "wheel_firmware.h"

#include <string.h>

#ifdef __AVR__
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

static void begin(void)
{
    UCSR0B = 1 << TXEN0;
    TCCR1B = 2;     /* a timer that counts every eighth cycle */
}

static uint16_t eighths(void)
{
    return TCNT1;
}

static void put(char character)
{
    while (!(UCSR0A & (1 << UDRE0)))
        ;
    UDR0 = (uint8_t)character;
}

static void end(void)
{
    cli();
    sleep_mode();
}
#else
#include <stdio.h>

static void begin(void) {}
static uint16_t eighths(void) { return 0; }
static void put(char character) { putchar(character); }
static void end(void) {}
#endif

static const wheel_settings SETTINGS = {2048, 25000, 30000, 1200, 16000, 1500, 10, 20, 500, 4711};
static const char COMMAND[] = "V 17 1250 -1250 200*FF3B\n", AND_RUBBISH[] = "rubbish*\nV 18 1250 -1250 200*FF3B\n";

static wheel_firmware robot;
static wheel_inputs inputs;
static int32_t speed[2], left_over[2];

static void put_number(int32_t value)
{
    char digits[10];
    int count = 0;
    put(' ');
    if (value < 0)
        put('-');
    for (uint32_t size = value < 0 ? 0u - (uint32_t)value : (uint32_t)value; count == 0 || size > 0; size /= 10)
        digits[count++] = (char)('0' + size % 10);
    while (count > 0)
        put(digits[--count]);
}

/* A motor that follows its duty in some 64 ms, and then turns by a tick for each 1500 of duty and ms. */
static void turn(int k)
{
    speed[k] += (robot.duty[k] - speed[k]) / 64;
    int32_t way = left_over[k] + speed[k], ticks = way / 1500;
    left_over[k] = way - 1500 * ticks;
    inputs.ticks[k] += (uint32_t)ticks;
    inputs.current[k] = (robot.duty[k] - speed[k]) / 4;
}

int main(void)
{
    char line[WHEEL_LINE];
    uint16_t most = 0, steps = 0;
    uint32_t sum = 0, now = 4294967000u;    /* ms; it wraps around, and so do the counters */
    begin();
    inputs.ticks[0] = 2147483640u;
    inputs.ticks[1] = 2147483655u;
    wheel_start(&robot, &SETTINGS, &inputs, now);
    for (int ms = 0; ms < 600; ms++, now++) {
        if (ms == 30 || ms == 330)
            wheel_receive(&robot, (const uint8_t *)COMMAND, sizeof COMMAND - 1, now);
        if (ms == 100)
            wheel_receive(&robot, (const uint8_t *)AND_RUBBISH, sizeof AND_RUBBISH - 1, now);
        turn(0);
        turn(1);
        uint16_t began = eighths();
        uint8_t count = wheel_update(&robot, &inputs, now, line);
        uint16_t took = (uint16_t)(eighths() - began);
        for (uint8_t k = 0; k < count; k++)
            put(line[k]);
        if (robot.controlled_at != now)
            continue;
        steps++;
        sum += took;
        most = took > most ? took : most;
        put_number(robot.duty[0]);
        put_number(robot.duty[1]);
        put_number(robot.fault);
        put_number((int32_t)robot.bad);
        put('\n');
    }
    if (sum > 0) {
        put('#');
        put_number(8 * (int32_t)most);
        put_number((int32_t)(8 * sum / steps));
        put_number((int32_t)sizeof robot);
        put('\n');
    }
    end();
    return 0;
}
