import numpy as np
import pytest
from rosbags.rosbag2 import Reader, StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from swarm_control.analysis.bags.reader import Bag
from swarm_control.analysis.bags.writer import CHUNK, BagWriter
from swarm_control.errors import InputError

STORE = get_typestore(Stores.LATEST)
TWIST, VECTOR = STORE.types["geometry_msgs/msg/Twist"], STORE.types["geometry_msgs/msg/Vector3"]


def twist(x):
    message = TWIST(linear=VECTOR(x=x, y=0.0, z=0.0), angular=VECTOR(x=0.0, y=0.0, z=0.5))
    return bytes(STORE.serialize_cdr(message, "geometry_msgs/msg/Twist"))


def write(path, count=100, about=None):
    writer = BagWriter(path, about or {"scenario": "seed: 1"}, print)
    for k in range(count):
        writer.write(f"/robot_{k % 2}/cmd_vel", "geometry_msgs/msg/Twist", 0.05 * k, twist(0.1 * k))
    writer.close()
    return path


def test_what_was_written_is_read_again(tmp_path):
    bag = Bag(write(tmp_path / "run.mcap"))
    assert bag.about == {"scenario": "seed: 1"} and bag.notices == []
    assert bag.kinds == {"/robot_0/cmd_vel": "geometry_msgs/msg/Twist", "/robot_1/cmd_vel": "geometry_msgs/msg/Twist"}
    messages = list(bag.messages())
    assert np.allclose([message.time for message in messages], 0.05 * np.arange(100))
    assert np.allclose([bag.decode(message).linear.x for message in messages], 0.1 * np.arange(100))
    assert len(list(bag.messages(["/robot_1/cmd_vel"]))) == 50


def test_an_independent_reader_reads_it(tmp_path):
    """The ``rosbags`` library, which follows rosbag2's own format."""
    with Reader(write(tmp_path / "run.mcap")) as reader:
        found = [(c.topic, c.msgtype, time, STORE.deserialize_cdr(data, c.msgtype).linear.x) for c, time, data in reader.messages()]
        qos = reader.connections[0].ext.offered_qos_profiles
    assert len(found) == 100 and found[3] == ("/robot_1/cmd_vel", "geometry_msgs/msg/Twist", 150_000_000, pytest.approx(0.3))
    assert qos[0].depth == 1


@pytest.mark.parametrize("plugin", list(StoragePlugin))
def test_bags_of_ros2_bag_record_are_read(tmp_path, plugin):
    with Writer(tmp_path / "bag", version=9, storage_plugin=plugin) as writer:
        connection = writer.add_connection("/other/odd_name", "geometry_msgs/msg/Twist", typestore=STORE)
        for k in range(10):
            writer.write(connection, k * 1_000_000_000, twist(float(k)))
    bag = Bag(tmp_path / "bag")
    assert bag.kinds == {"/other/odd_name": "geometry_msgs/msg/Twist"} and bag.about == {}
    assert [bag.decode(message).linear.x for message in bag.messages()] == list(map(float, range(10)))


def test_messages_of_a_type_that_only_the_file_knows_are_read_by_its_definition(tmp_path):
    store, name = get_typestore(Stores.LATEST), "lab_msgs/msg/Charge"
    store.register(get_types_from_msg("float64 volts\nint32 cell", name))
    with Writer(tmp_path / "bag", version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        connection = writer.add_connection("/charge", name, typestore=store)
        writer.write(connection, 0, store.serialize_cdr(store.types[name](volts=3.7, cell=2), name))
    bag = Bag(tmp_path / "bag" / "bag.mcap")
    found = [bag.decode(message) for message in bag.messages()]
    assert [(one.volts, one.cell) for one in found] == [(3.7, 2)] and bag.notices == []


@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
def test_a_file_that_was_cut_short_is_read_as_far_as_it_goes(tmp_path, share):
    rng = np.random.default_rng(0)
    path = tmp_path / "run.mcap"
    writer = BagWriter(path, {}, print)
    for k in range(100):  # what does not compress fills several chunks
        image = STORE.types["std_msgs/msg/UInt8MultiArray"]
        layout = STORE.types["std_msgs/msg/MultiArrayLayout"](dim=[], data_offset=0)
        data = STORE.serialize_cdr(image(layout=layout, data=rng.integers(0, 256, 100_000, np.uint8)), "std_msgs/msg/UInt8MultiArray")
        writer.write("/bytes", "std_msgs/msg/UInt8MultiArray", float(k), bytes(data))
    writer.close()
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    bag = Bag(path)
    times = [message.time for message in bag.messages()]
    assert share * 100 - 15 < len(times) <= share * 100 and times == list(map(float, range(len(times))))
    assert len(bag.notices) == 1 and str(path) in bag.notices[0]


def test_what_is_no_bag_is_one_line(tmp_path):
    (tmp_path / "text.mcap").write_text("nothing of the kind")
    (tmp_path / "empty").mkdir()
    for name, message in (("none.mcap", "not found"), ("text.mcap", "no MCAP file"), ("empty", "no recording")):
        with pytest.raises(InputError, match=message):
            Bag(tmp_path / name)
    BagWriter(tmp_path / "void.mcap", {}, print).close()
    with pytest.raises(InputError, match="no ROS 2 messages"):
        Bag(tmp_path / "void.mcap")


def test_nothing_that_is_there_is_overwritten(tmp_path):
    path = write(tmp_path / "run.mcap")
    before = path.read_bytes()
    with pytest.raises(InputError, match="there already"):
        BagWriter(path, {}, print)
    assert path.read_bytes() == before


def test_other_encodings_are_left_out_with_a_notice(tmp_path):
    from mcap.writer import Writer as Raw

    with (tmp_path / "mixed.mcap").open("wb") as file:
        raw = Raw(file)
        raw.start()
        twists = raw.register_schema("geometry_msgs/msg/Twist", "ros2msg", b"Vector3 linear\nVector3 angular\n")
        things = raw.register_schema("thing", "jsonschema", b"{}")
        channels = [raw.register_channel("/json", "json", things), raw.register_channel("/twist", "cdr", twists)]
        for channel, data in zip(channels, (b"{}", twist(1.0))):
            raw.add_message(channel, 0, data, 0)
        raw.finish()
    bag = Bag(tmp_path / "mixed.mcap")
    assert list(bag.kinds) == ["/twist"] and "json" in bag.notices[0]


def test_what_was_written_some_time_ago_is_read_from_a_file_that_was_never_closed(tmp_path, monkeypatch):
    path, said = tmp_path / "run.mcap", []
    writer = BagWriter(path, {"scenario": "seed: 1"}, said.append)
    writer.write("/cmd_vel", "geometry_msgs/msg/Twist", 0.0, twist(0.0))
    monkeypatch.setattr(writer, "_flushed", writer._flushed - CHUNK)  # that much later
    writer.write("/cmd_vel", "geometry_msgs/msg/Twist", 1.0, twist(1.0))
    writer.write("/cmd_vel", "geometry_msgs/msg/Twist", 2.0, twist(2.0))
    bag = Bag(path)
    assert [message.time for message in bag.messages()] == [0.0, 1.0] and bag.about == {"scenario": "seed: 1"}
    assert bag.notices == [f"{path}: cut short; what is there is used"]
    writer.close()
    assert [message.time for message in Bag(path).messages()] == [0.0, 1.0, 2.0] and said == []


def test_a_full_disk_ends_a_recording_with_one_line(tmp_path, monkeypatch):
    path, said = tmp_path / "run.mcap", []
    writer = BagWriter(path, {}, said.append)
    writer.write("/cmd_vel", "geometry_msgs/msg/Twist", 0.0, twist(0.0))
    writer._writer.flush()

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writer._writer, "add_message", full)
    for _ in range(3):
        writer.write("/cmd_vel", "geometry_msgs/msg/Twist", 1.0, twist(1.0))
    writer.close()
    assert said == [f"{path}: cannot be written (No space left on device); the recording ends here"]
    assert [message.time for message in Bag(path).messages()] == [0.0]


def test_memory_stays_as_it_is_however_long_the_recording(tmp_path):
    """Two minutes of a hundred topics, in chunks of half a second."""
    import tracemalloc

    writer = BagWriter(tmp_path / "run.mcap", {}, print)
    tracemalloc.start()
    try:
        sizes = []
        for chunk in range(240):
            for k in range(100):
                writer.write(f"/robot_{k}/cmd_vel", "geometry_msgs/msg/Twist", 0.5 * chunk, twist(0.0))
            writer._writer.flush()
            sizes.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert sizes[-1] - sizes[119] < 100_000  # kept in memory, the indexes of 120 chunks are 1,000,000 bytes
    writer.close()
    with Reader(tmp_path / "run.mcap") as reader:
        assert reader.message_count == 24_000 and sum(1 for _ in reader.messages(reader.connections[:3])) == 720
