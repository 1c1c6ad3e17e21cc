"""What a scenario says that has no effect: a line for the user, before the run."""

from collections.abc import Sequence

from swarm_control.core.behaviour import goal_weights, heeds_goals
from swarm_control.scenario.groups import Flock, stages
from swarm_control.scenario.schema import Scenario


def unused(scenario: Scenario) -> tuple[str, ...]:
    """One line for each key of robots and phases that is written down and not looked at."""
    found = []
    for k, group in enumerate(scenario.robots):
        for key, pattern in (("poses", "poses"), ("outline", "fill")):
            if getattr(group.start, key) and group.start.pattern != pattern:
                asked = f"not used, as the pattern is {group.start.pattern}; expected pattern: {pattern}"
                found.append(f"robots[{k}].start.{key}: {asked}")
        if len(group.names) > group.count:
            found.append(f"robots[{k}].names: {len(group.names)} found for {group.count} robots, of which the first are used")
    for k, phase in enumerate(scenario.phases):
        if phase.start >= scenario.duration:
            found.append(f"phases[{k}].start: {phase.start:g} s found, the run ends before, at {scenario.duration:g} s")
    return tuple(found)


def unheeded(scenario: Scenario, flocks: Sequence[Flock], source: str) -> tuple[str, ...]:
    """One line for each flock with goals that nothing leads it to: no behaviour, formation, landmarks or leading robots, in any phase."""
    if scenario.landmarks or any(group.role == "leading" for group in scenario.robots):
        return ()
    trees = [controls for controls, _ in stages(scenario, source)]
    led = [
        any(tree.formation.enabled or heeds_goals(tree) for tree in (controls.of(flock.name) for controls in trees)) for flock in flocks
    ]
    return tuple(
        f"{f'groups.{flock.name}: ' if flock.name else ''}goals: no behaviour leads robots to them; expected {goal_weights()} above 0"
        for flock, is_led in zip(flocks, led) if flock.goals and not is_led
    )  # fmt: skip
