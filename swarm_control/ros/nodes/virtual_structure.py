"""Node ``virtual_structure``: keeps robots in formation; from everybody's odometry to each robot's target and command."""

import argparse
import copy
import sys
import time
from typing import Any, ClassVar

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.formation.itinerary import Itinerary
from swarm_control.formation.parameters import FormationParameters
from swarm_control.ros.graph import topics
from swarm_control.ros.messages import cdr, convert
from swarm_control.ros.messages.goal_pose import goals_for
from swarm_control.ros.messages.maps import MapInput
from swarm_control.ros.messages.poses import pose_message
from swarm_control.ros.messages.sent_rows import sent_of
from swarm_control.ros.messages.structure_rows import structure_rows, targets_of
from swarm_control.ros.messages.trajectories import paths_for
from swarm_control.ros.support.deviations import Deviations
from swarm_control.ros.support.formation_status import formation_status
from swarm_control.ros.support.freshness import JUMP
from swarm_control.ros.support.inputs import StateInput
from swarm_control.ros.support.node import SwarmNode, serve
from swarm_control.ros.support.steering import Steering
from swarm_control.ros.support.structure_reports import PROBLEM
from swarm_control.ros.support.words import WordExchange
from swarm_control.runtime.crossing_ways import share
from swarm_control.runtime.formation_controller import FormationController
from swarm_control.runtime.formation_step import FormationStep
from swarm_control.runtime.mission import nearest_goal
from swarm_control.runtime.observation import Heard
from swarm_control.scenario.absent import formation_of
from swarm_control.scenario.groups import Flock, in_formation
from swarm_control.scenario.safeguards import planned_filter
from swarm_control.scenario.schema import Goal


class VirtualStructureNode(SwarmNode):
    """Fits the structure to the robots and moves it as far as they can follow; hosted for all, onboard for the one robot served."""

    kind: ClassVar[str] = "virtual_structure"

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        self._own = int(self.served[0]) if len(self.served) == 1 < self.robots else None
        self._goals, self._present = np.full((len(self.flocks), 2), np.nan), np.zeros(len(self.flocks), np.int64)
        self._ticks, self._busy = 0, 0.0
        self._target_writer, self._structure_writer = (cdr.CloudWriter(topics.FRAME, kind) for kind in (convert.TARGETS, convert.STRUCTURE))
        self._targets, self._structure = topics.publisher(self, topics.TARGETS), topics.publisher(self, topics.STRUCTURE)
        self._pose = topics.publisher(self, topics.STRUCTURE_POSE)
        self._deviations = Deviations(self)
        topics.subscribe(self, topics.COMMANDED, self._hear_commands, raw=True)
        self._steering = Steering(self, self._steer)
        topics.subscribe(self, topics.STRUCTURE_PATH, paths_for(self, self._follow))
        topics.subscribe(self, topics.GOALS, self._hear_goals, raw=True)
        topics.subscribe(self, topics.SENT_GOALS, self._hear_sent, raw=True)
        topics.subscribe(self, topics.GOAL_POSE, goals_for(self, self._move_goal))
        self._map = MapInput(self)
        self._input = StateInput(self, self._tick, reach=self.reach)
        agree = self.scenario.simulator.agrees
        self._words = WordExchange(self, self._own, self.reach) if self._own is not None and agree else None
        self._begin()
        if self._input.source == "odom":
            self.every(self.control.period, self._tick)

    def _begin(self) -> None:
        fleet, noise = self.setup.fleet, self.scenario.simulator.noise_position
        self._formations = [
            FormationController(fleet, flock.goals, self.control.period, self._own, tuple(fleet.names[k] for k in flock.robots), noise)
            for flock in self.flocks
        ]
        if self._own is None:
            share(self._formations)
        self._sent = [0] * len(self.flocks)
        if self._words is not None:
            self._words.begin(self._formations)
        self._made, self._time, self._kept = dict[int, FormationStep](), -np.inf, list[int]()

    @property
    def _keeping(self) -> list[int]:
        """Flocks (numbers) whose formation is kept here."""
        return [number for number in in_formation(self.flocks, self.controls) if np.isin(self.served, self.flocks[number].robots).any()]

    def _tick(self) -> None:
        """One period, unless time stands still; then the last word is repeated."""
        control, keeping = self.control, self._keeping
        if not (keeping and self.active):
            self._kept = []
            return
        began, state = time.perf_counter(), self._input.state()
        if state.time < self._time - JUMP:
            self._begin()
            self._steering.begin()
        if state.time > self._time + 0.5 * control.period:
            self._time = state.time
            self._steering.stop_silent(control.safety.odometry_timeout)
            deviation = self._deviations.fresh(control.safety.command_timeout)
            for number in keeping:
                flock = self.flocks[number]
                map, params = self._map.knowledge.map(flock.squads[0]), self._formation_of(flock)
                filter = planned_filter(self.controls, flock.name, self.scenario.simulator, self.setup.fleet)
                if number not in self._kept:
                    self._formations[number].catch_up(int(self._present[number]))
                stamps, terms = self._input.stamps(), (params, deviation, map, filter)
                if self._words is None:
                    made = self._formations[number].step(state, stamps, *terms)
                else:
                    made = self._words.step(number, Heard(state, stamps), *terms)
                if made is not None:
                    self._made[number] = made
            self._ticks, self._kept = self._ticks + 1, keeping
        self._publish(state.time)
        self._busy += time.perf_counter() - began

    def _formation_of(self, flock: Flock) -> FormationParameters:
        return formation_of(self.controls, flock.name, [self.setup.fleet.names[robot] for robot in flock.robots])

    def warm(self) -> None:
        """Keep the formations once, of the robots where they start."""
        start, still = self.setup.start, np.zeros((self.robots, 2))
        for number in self._keeping:
            flock, map = self.flocks[number], self._map.knowledge.map(self.flocks[number].squads[0])
            controller = copy.deepcopy(self._formations[number])
            controller.step(start, np.zeros(self.robots), self._formation_of(flock), still, map)

    def _publish(self, stamp: float) -> None:
        """Targets of the robots served; until there is a structure they are told to stand."""
        keeping = self._keeping
        served = self.served[np.isin(self.served, np.concatenate([self.flocks[number].robots for number in keeping]))]
        made = [(self.flocks[number].robots, self._made[number]) for number in keeping if number in self._made]
        self._targets.publish(self._target_writer.write(stamp, convert.target_rows(*targets_of(made, self.robots), served)))
        known = [(number, self._formations[number], self._made[number]) for number in keeping if number in self._made]
        rows = [
            structure_rows(number, one, step, one.total(self.controls.of(self.flocks[number].name).formation), self._sent[number])
            for number, one, step in known
        ]
        if rows:
            self._structure.publish(self._structure_writer.write(stamp, np.concatenate(rows)))
            self._pose.publish(pose_message(known[0][2].steps[0].structure.pose, self.get_clock().now().to_msg()))

    def _steer(self, flock: int, twist: Array | None) -> None:
        if flock in self._keeping:
            self._formations[flock].steer(twist)

    def _hear_commands(self, data: bytes) -> None:
        """What robots have been told in the end, after filter, fence and stop."""
        robots, told = convert.twists_of(cdr.read_cloud(data)[1], self.robots)
        known = np.isfinite(told).all(axis=1)
        for formation in self._formations:
            if formation.last is not None:
                twist = formation.last.command.copy()
                twist[robots[known]] = told[known]
                formation.note_commands(twist)

    def _follow(self, trajectory: Itinerary) -> float:
        """``structure/path``: a trajectory for the first formation that is kept here."""
        self._steering.end()
        return self._formations[self._keeping[0]].follow(trajectory) if self._keeping else 1.0

    def _hear_goals(self, data: bytes) -> None:
        """Where the flocks' present goals are, by which the director chooses whom a new one is for, and which ones they are."""
        _, _, self._goals, self._present = convert.goals_of(cdr.read_cloud(data)[1], self.robots, len(self.flocks))

    def _hear_sent(self, data: bytes) -> None:
        for flock, (number, goal) in sent_of(cdr.read_cloud(data)[1], len(self.flocks)).items():
            if number != self._sent[flock]:
                self._steering.end(flock)
                self._sent[flock] = number
                self._formations[flock].go_to(goal)

    def _move_goal(self, goal: Goal) -> None:
        """``/goal_pose``, as RViz sends it: for the flock whose goal the director moves by it."""
        self._steering.end()
        chosen = nearest_goal(self._goals, goal.position)
        if chosen in self._keeping:
            self._formations[chosen].send(goal)

    def report(self) -> None:
        """How far robots are from their places, who has failed, whom the structure waits for."""
        problem = "; ".join(formation.problem for formation in self._formations if formation.problem)
        values: dict[str, Any] = {"ticks_per_second": self._ticks, "tick_ms": 1e3 * self._busy / max(self._ticks, 1), "problem": problem}
        values |= {f"{PROBLEM}{number}": self._formations[number].problem for number in self._keeping}
        values |= {} if self._words is None else {"hears": self._words.degrees}
        self._ticks, self._busy = 0, 0.0
        made = [self._made[number] for number in self._keeping if number in self._made]
        visits = min((self._formations[number].visits for number in self._keeping), default=0)
        self.status.write(*formation_status(self.setup.fleet.names, self._input.state().valid, made, visits, values))


def main() -> int:
    """Run the node."""
    return serve(VirtualStructureNode)


if __name__ == "__main__":
    sys.exit(main())
