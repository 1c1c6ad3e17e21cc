// A robot with two motors for boards that Arduino's tools know: ESP32, RP2040, and 8-bit ones. SPDX-License-Identifier: Apache-2.0
// Set what is marked, open this file in the Arduino IDE, and flash it: README.md beside it tells how to wire and try it.
#include "wheel_firmware.h"

// Pins, left and right. A and B: the encoder's channels, A on a pin with interrupts. MOTOR: the two inputs of the bridge, with PWM.
#if defined(ARDUINO_ARCH_ESP32)
const int A[2] = {18, 19}, B[2] = {21, 22}, MOTOR[2][2] = {{25, 26}, {27, 14}}, CURRENT[2] = {34, 35};
#elif defined(ARDUINO_ARCH_RP2040)
const int A[2] = {2, 3}, B[2] = {4, 5}, MOTOR[2][2] = {{6, 7}, {8, 9}}, CURRENT[2] = {26, 27};
#else
const int A[2] = {2, 3}, B[2] = {4, 7}, MOTOR[2][2] = {{5, 6}, {9, 10}}, CURRENT[2] = {14, 15};
#endif
const int FORWARD[2] = {1, -1};     // SET: -1 for a wheel that counts backwards when the robot is pushed ahead
const int MOTOR_FORWARD[2] = {1, -1};   // SET: -1 for a wheel that turns backwards at a positive duty
const long BAUD = 115200;           // as in the link, serial:///dev/ttyUSB0?baud=115200
const long MA_PER_1000_COUNTS = 0;  // SET: mA of a motor for 1000 counts of analogRead; 0: currents are not measured
const int BATTERY = -1, BATTERY_LOW = 0;    // SET: pin of the battery's divider, and the count below which it is low; -1: none

const wheel_settings SETTINGS = {   // SET, in the order and the units of wheel_firmware.h
    2048, 25000, 30000, 1200, 16000, MA_PER_1000_COUNTS ? 1500 : 0, 10, 20, 500, 0,
};

#ifndef IRAM_ATTR
#define IRAM_ATTR
#endif
volatile uint32_t counts[2];
wheel_firmware robot;

// Both edges of A are counted: a tick is half a period of the encoder.
void IRAM_ATTR count(int k) {
    counts[k] = counts[k] + ((digitalRead(A[k]) == digitalRead(B[k])) == (FORWARD[k] > 0) ? 1u : UINT32_MAX);
}
void IRAM_ATTR count_left() { count(0); }
void IRAM_ATTR count_right() { count(1); }

wheel_inputs look() {
    wheel_inputs seen;
    noInterrupts();
    seen.ticks[0] = counts[0];
    seen.ticks[1] = counts[1];
    interrupts();
    for (int k = 0; k < 2; k++)
        seen.current[k] = MA_PER_1000_COUNTS ? analogRead(CURRENT[k]) * MA_PER_1000_COUNTS / 1000 : 0;
    seen.battery_low = BATTERY >= 0 && analogRead(BATTERY) < BATTERY_LOW;
    return seen;
}

// Both inputs high brake the motor; the more one of them is low, the faster it turns.
void drive(int k, int32_t duty) {
    int32_t size = (duty < 0 ? -duty : duty) * 255 / WHEEL_FULL;
    bool ahead = (duty > 0) == (MOTOR_FORWARD[k] > 0);
    analogWrite(MOTOR[k][0], ahead ? 255 : (int)(255 - size));
    analogWrite(MOTOR[k][1], ahead ? (int)(255 - size) : 255);
}

void setup() {
    Serial.begin(BAUD);
    for (int k = 0; k < 2; k++) {
        pinMode(A[k], INPUT_PULLUP);
        pinMode(B[k], INPUT_PULLUP);
        for (int side = 0; side < 2; side++)
            pinMode(MOTOR[k][side], OUTPUT);
        drive(k, 0);
    }
    attachInterrupt(digitalPinToInterrupt(A[0]), count_left, CHANGE);
    attachInterrupt(digitalPinToInterrupt(A[1]), count_right, CHANGE);
    randomSeed((long)(analogRead(CURRENT[0]) + 1024L * analogRead(CURRENT[1]) + micros()));
    wheel_settings settings = SETTINGS;
    settings.boot = (uint16_t)random(65536);
    wheel_inputs seen = look();
    wheel_start(&robot, &settings, &seen, millis());
}

void loop() {
    char line[WHEEL_LINE];
    while (Serial.available() > 0) {
        uint8_t byte = (uint8_t)Serial.read();
        wheel_receive(&robot, &byte, 1, millis());
    }
    wheel_inputs seen = look();
    int length = wheel_update(&robot, &seen, millis(), line);
    for (int k = 0; k < 2; k++)
        drive(k, robot.duty[k]);
    if (Serial.availableForWrite() >= length)   // a line for which there is no room is lost: waiting would be worse
        Serial.write(line, length);
}
