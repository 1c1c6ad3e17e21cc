"""Plugins are found by their entry points, without asking every package that is installed."""

import sys

import pytest

from swarm_control.core import registry
from swarm_control.errors import InputError


def install(folder, name, text):
    """The metadata of a package, as pip writes them."""
    made = folder / f"{name}.dist-info"
    made.mkdir(parents=True)
    (made / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name.split('-')[0]}\nVersion: {name.split('-')[1]}\n")
    (made / "entry_points.txt").write_text(text)


def test_entry_points_of_a_group_are_found(tmp_path, monkeypatch):
    install(tmp_path, "dance-1.0", "[swarm_control.behaviours]\nwaltz = dance:waltz\n\n[swarm_control.robots]\nbee = dance.bee\n")
    install(tmp_path, "other-1.0", "[console_scripts]\nother = other:main\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path), str(tmp_path / "nowhere")])
    found = {entry.name: entry.value for entry in registry.entry_points("swarm_control.behaviours")}
    assert found == {"waltz": "dance:waltz"}
    assert [entry.value for entry in registry.entry_points("swarm_control.robots")] == ["dance.bee"]


def test_of_a_package_that_is_installed_twice_the_first_counts(tmp_path, monkeypatch):
    for place, value in (("near", "dance:new"), ("far", "dance:old")):
        install(tmp_path / place, f"dance-{len(place)}.0", f"[swarm_control.behaviours]\nwaltz = {value}\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "near"), str(tmp_path / "far"), *sys.path])
    assert [entry.value for entry in registry.entry_points("swarm_control.behaviours")] == ["dance:new"]


def test_a_plugin_with_a_name_that_is_taken_is_named_and_one_that_is_loaded_again_is_not(tmp_path, monkeypatch):
    (tmp_path / "taken.py").write_text("from types import SimpleNamespace as D\none, other = D(name='waltz'), D(name='waltz')\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    install(tmp_path, "one-1.0", "[swarm_control.dances]\nwaltz = taken:one\n")
    dances = registry.Registry("dance", "swarm_control.dances")
    dances.load()
    dances.load()
    install(tmp_path, "other-1.0", "[swarm_control.dances]\nwaltz = taken:other\n")
    registry._declaring.cache_clear()
    with pytest.raises(InputError, match=r"plugin taken:other \(swarm_control\.dances\): .*dance 'waltz' is registered already"):
        dances.load()
