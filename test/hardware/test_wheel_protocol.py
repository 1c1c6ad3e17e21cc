"""The wheel protocol: lines there and back, and everything that is none."""

import re
from dataclasses import astuple
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm_control.hardware.protocol import BOUNDS, LONGEST, Bad, Encoders, WheelSpeeds, checksum, decode, encode, newer, wrap_ticks

PAGE = Path(__file__).parents[2] / "docs" / "wheel_protocol.md"

messages = st.one_of(
    *(st.builds(kind, **{name: st.integers(*span) for name, span in bounds.items()}) for kind, bounds in BOUNDS.items())
)


@given(messages)
def test_a_message_survives_the_line(message):
    line = encode(message)
    assert line.endswith(b"\n") and line.isascii() and len(line) <= LONGEST and line.count(b"\n") == 1
    assert decode(line[:-1]) == message == decode(line[:-1] + b"\r")


@given(messages, st.data())
def test_a_changed_byte_is_always_found_out(message, data):
    line = encode(message)[:-1]
    at = data.draw(st.integers(0, len(line) - 1))
    other = data.draw(st.integers(0, 255).filter(lambda value: value != line[at]))
    assert isinstance(decode(line[:at] + bytes([other]) + line[at + 1 :]), Bad)


@given(st.one_of(st.binary(max_size=200), st.from_regex(rb"[VE]( -?[0-9]{1,12}){0,9}\*[0-9A-F]{4}", fullmatch=True)))
def test_no_bytes_raise(line):
    found = decode(line)
    if isinstance(found, Bad):
        assert found.reason
    else:
        assert encode(found)[:-1] == line.removesuffix(b"\r")


@given(st.sampled_from(["V", "E"]), st.lists(st.integers(-(10**11), 10**11), min_size=1, max_size=9))
def test_a_line_with_the_right_checksum_holds_its_bounds(letter, numbers):
    body = " ".join([letter, *map(str, numbers)]).encode()
    found = decode(body + b"*" + checksum(body))
    kind = {"V": WheelSpeeds, "E": Encoders}[letter]
    spans = list(BOUNDS[kind].values())
    fits = len(numbers) == len(spans) and all(low <= value <= high for value, (low, high) in zip(numbers, spans))
    assert (astuple(found) == tuple(numbers)) if fits else isinstance(found, Bad)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"X 1", "expected V or E"), (b"V 1 2 3", "3 numbers found, expected 4: number, left, right, deadman"),
        (b"V 70000 0 0 200", "number 70000 found, expected 0 to 65535"), (b"V 1 0 0 0", "deadman 0 found, expected 1 to 10000"),
        (b"V 01 0 0 200", "expected a letter"), (b"V 1 +1 0 200", "expected a letter"), (b"V 1 -0 0 200", "expected a letter"),
        (b"V 1 0  0 200", "expected a letter"), (b"V 1 nan 0 200", "expected a letter"), (b"V " + b"1" * 95, "expected at most 95"),
    ],
)  # fmt: skip
def test_the_reason_is_told(body, reason):
    assert reason in decode(body + b"*" + checksum(body)).reason


def test_a_number_out_of_bounds_is_not_sent():
    with pytest.raises(ValueError, match="left 1000001 found, expected -1000000 to 1000000"):
        encode(WheelSpeeds(1, 1_000_001, 0, 200))


def test_the_page_and_the_code_agree():
    """The worked example, the check value, and the fields with their letters."""
    page = PAGE.read_text(encoding="utf-8")
    lines = re.findall(r"^    ([VE] -?\d.*)$", page, re.MULTILINE)
    assert [decode(line.encode()) for line in lines] == [
        WheelSpeeds(number=17, left=1250, right=-1250, deadman=200),
        Encoders(number=18, boot=4711, time=60000, left=2048, right=-2048, status=0, heard=17),
    ]
    assert checksum(b"123456789") == b"29B1" and "`123456789` has 29B1" in page
    for kind, letter in ((WheelSpeeds, "V"), (Encoders, "E")):
        assert " ".join([letter, *(f"<{name}>" for name in BOUNDS[kind])]) + "*<checksum>" in page


@given(st.integers(0, 65535), st.integers(1, 32767))
def test_numbers_are_counted_around(number, step):
    later = (number + step) % 65536
    assert newer(later, number) and not newer(number, later) and not newer(number, number)


@given(st.integers(-(2**31), 2**31 - 1), st.integers(-(2**31), 2**31 - 1))
def test_ticks_wrap(count, step):
    assert -(2**31) <= wrap_ticks(count + step) < 2**31
    assert wrap_ticks(wrap_ticks(count + step) - count) == step
