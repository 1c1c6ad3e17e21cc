"""The reference firmware in C, compiled for this computer: what it reads and says, byte by byte, against the emulator's firmware."""

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm_control.errors import Failed
from swarm_control.hardware.link import Lines
from swarm_control.hardware.protocol import BATTERY, BOUNDS, STOPPED, Encoders, WheelSpeeds, checksum, decode, encode
from swarm_control.sim.hardware.base import SlippingBase
from swarm_control.sim.hardware.firmware import Firmware
from swarm_experiments.lab.compiled import FLAGS, FOLDER, HostedBoard, build, compiler

PAGE = Path(__file__).parents[2] / "docs" / "wheel_protocol.md"
FIRMWARE = FOLDER / "wheel_firmware.c", FOLDER / "wheel_firmware.h"


ARDUINO = """
#pragma once
#include <stdint.h>
enum { INPUT, INPUT_PULLUP, OUTPUT, LOW, HIGH, CHANGE };
void pinMode(int, int), digitalWrite(int, int), analogWrite(int, int), noInterrupts(), interrupts(), randomSeed(long);
void attachInterrupt(int, void (*)(), int);
int digitalRead(int), analogRead(int), digitalPinToInterrupt(int);
unsigned long millis(), micros();
long random(long);
struct Port { void begin(long), write(const char *, int); int available(), read(), availableForWrite(); };
extern Port Serial;
"""
"""As much of Arduino as the example uses, declared only."""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    try:
        return build(tmp_path_factory.mktemp("firmware"))
    except Failed as error:
        if shutil.which("cc"):
            raise
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def board(program):
    with HostedBoard(program) as board:
        yield board


def command(number, left=1000, right=1000, deadman=201):
    return encode(WheelSpeeds(number, left, right, deadman))


def told(answer):
    """What the board has said since the last answer; all of it is in the protocol's own form."""
    lines = answer.sent.splitlines(keepends=True)
    found = [decode(line[:-1]) for line in lines]
    assert [encode(message) for message in found] == lines
    return found


def test_it_is_short_allocates_nothing_and_needs_nothing(program, tmp_path):
    assert sum(len(path.read_text().splitlines()) for path in FIRMWARE) <= 400
    subprocess.run([compiler(), *FLAGS, "-c", str(FIRMWARE[0]), "-o", str(tmp_path / "object.o")], check=True)
    if shutil.which("nm") is None:
        pytest.skip("nm: not found, expected on the PATH")
    names = subprocess.run(["nm", "-u", str(tmp_path / "object.o")], capture_output=True, text=True, check=True).stdout.split()
    assert set(names) - {"U", "__stack_chk_fail"} <= {"memcmp", "memcpy", "memset"}, "no malloc, no stdio, no arithmetic in software"
    code = re.sub(r"/\*.*?\*/", "", "".join(path.read_text() for path in FIRMWARE), flags=re.DOTALL)
    assert not re.search(r"\b(float|double|malloc|free)\b|\d\.\d", code)
    assert set(re.findall(r"#include <(.*?)>", code)) == {"stdbool.h", "stdint.h", "string.h"}


def test_the_boards_example_compiles(tmp_path):
    cpp = shutil.which("c++")
    if cpp is None:
        pytest.skip("c++: no C++ compiler found, expected one on the PATH")
    (tmp_path / "Arduino.h").write_text(ARDUINO)
    sketch = FOLDER / "firmware.ino"
    words = [cpp, "-std=c++11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-include", "Arduino.h", f"-I{tmp_path}", f"-I{FOLDER}"]
    subprocess.run([*words, "-x", "c++", str(sketch)], check=True)


def test_an_8_bit_board_does_the_same_to_the_byte(program, tmp_path):
    """Whose ``int`` has 16 bits. Both print what they say and do; the AVR is simulated."""
    sources = [str(FOLDER / "host" / "same.c"), str(FIRMWARE[0])]
    subprocess.run([compiler(), *FLAGS, *sources, "-o", str(tmp_path / "same")], check=True)
    ours = subprocess.run([str(tmp_path / "same")], capture_output=True, text=True, check=True).stdout.split("\n")
    assert len(ours) > 60 and any(decode(line.encode()) == Encoders(15, 4711, 4, -2147483575, 2147483574, 1, 17) for line in ours)
    for name in ("avr-gcc", "simavr"):
        if shutil.which(name) is None:
            pytest.skip(f"{name}: not found, expected on the PATH")
    words = ["avr-gcc", "-mmcu=atmega328p", "-std=gnu99", "-Wall", "-Wextra", "-Werror", "-Os", f"-I{FOLDER}", *sources]
    subprocess.run([*words, "-o", str(tmp_path / "same.elf")], check=True)
    run = ["simavr", "-m", "atmega328p", "-f", "16000000", str(tmp_path / "same.elf")]
    shown = subprocess.run(run, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True, timeout=60).stdout
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in shown.split("\n")]  # colours
    theirs = [line.strip().removesuffix(".").strip() for line in lines if re.match(r"E| -?\d", line)]
    assert theirs == [line.strip() for line in ours if line]


spoilt = st.builds(
    lambda line, at, gone, put: line[: at % len(line)] + put + line[at % len(line) + gone :],
    st.builds(command, st.integers(0, 65535)), st.integers(0, 99), st.integers(0, 5), st.binary(max_size=3),
)  # fmt: skip
good = st.builds(
    command, st.one_of(st.integers(0, 5), st.integers(0, 65535)), st.integers(*BOUNDS[WheelSpeeds]["left"]),
    st.integers(*BOUNDS[WheelSpeeds]["right"]), st.integers(0, 200).map(lambda half: 2 * half + 1),
)  # fmt: skip
reports = st.builds(Encoders, **{name: st.integers(*span) for name, span in BOUNDS[Encoders].items()}).map(encode)
numbers = st.from_regex(rb"V( -?[0-9]{1,8}){3,5}", fullmatch=True).map(lambda body: body + b"*" + checksum(body) + b"\n")
returned = good.map(lambda line: line[:-1] + b"\r\n")
pieces = st.one_of(good, good, returned, spoilt, reports, numbers, st.binary(max_size=150), st.just(b"\n"))


@settings(max_examples=150)
@given(st.lists(st.tuples(st.integers(0, 150), st.lists(pieces, max_size=4)), max_size=15), st.integers(1, 40))
def test_it_obeys_what_the_emulators_firmware_obeys(board, stream, size):
    """However the bytes arrive, and whatever is between the lines. Deadmen are odd and times even: no comparison is of equals."""
    base = SlippingBase(0.05, 0.25, np.zeros(3), 0.0, np.random.default_rng(1))
    python, lines, now = Firmware(base, 2048, 9, 0.0), Lines(), 0
    board.start(boot=9)
    for wait, parts in stream:
        data, now = b"".join(parts), now + 2 * wait
        answer = board.run(2 * wait)
        sent = told(answer)
        python.step(1e-3 * now)
        for k in range(0, len(data), size):
            answer = board.run(0, data[k : k + size])
            for line in lines.feed(data[k : k + size]):
                python.hear(line, 1e-3 * now)
        assert (answer.bad, answer.old, answer.stopped) == (python.bad, python.old, python.stopped)
        obeyed = python._command
        assert (answer.heard, *answer.command) == ((obeyed.number, obeyed.left, obeyed.right) if obeyed else (-1, 0, 0))
        assert all(message.boot == 9 and message.time <= now for message in sent)


def test_what_it_says_is_the_pages_example_to_the_byte(board):
    heard, said = re.findall(r"^    ([VE] -?\d.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    board.start(4711, 60_000 - 18 * 20, 2048, -2048)
    board.run(18 * 20 - 1, command(17, 0, 0))
    assert board.run(1).sent == f"{said}\n".encode()
    board.start()
    answer = board.run(0, f"{heard}\r\n".encode())
    assert answer.heard == 17 and answer.command == (1250, -1250)


def test_it_speaks_every_20_ms_from_its_start_on_and_counts_around(board):
    began = 2**32 - 30_000
    board.start(1, began, 2**31 - 5, -(2**31) + 5)
    found = told(board.run(0, command(1, 1000, -1000, 10_000)))
    for k in range(1400):
        found += told(board.run(1000, command(k + 2, 1000, -1000, 10_000)))
    assert [message.number for message in found] == [k % 65536 for k in range(len(found))] and len(found) > 65536
    assert [message.time for message in found] == [(began + 20 * k) % 2**32 for k in range(len(found))]
    turned = (found[-1].left - (2**31 - 5)) % 2**32
    assert turned == pytest.approx(1400 * 2048 / (2 * np.pi), abs=150) and found[-1].left < 0 < found[-1].right
    assert (found[0].status, found[0].heard, found[-1].status) == (STOPPED, -1, 0)


def test_a_low_battery_is_told(board):
    board.start()
    board.battery(True)
    assert told(board.run(20))[-1].status == STOPPED | BATTERY
    board.battery(False)
    assert told(board.run(20))[-1].status == STOPPED
