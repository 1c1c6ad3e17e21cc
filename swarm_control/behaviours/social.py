"""Social potential fields: the resultant of force laws between groups of robots and landmarks (Reif & Wang 1999).

In the paper every robot knows of all others. Here ``feels`` says whose forces it feels: everyone's, or those of whom it perceives, with
range, field of view, occlusion, count, loss, delay and noise of ``control.perception`` as for every other behaviour. Landmarks are
places that all robots know, as goals and walls are, and are felt however far; ``far`` of a law limits it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from swarm_control.core.behaviour import register_behaviour
from swarm_control.core.geometry import Array, rotate
from swarm_control.core.parameters import param
from swarm_control.core.state import Neighbourhoods, Society, Surroundings, SwarmState
from swarm_control.social.alike import resultant
from swarm_control.social.laws import Law, equilibria
from swarm_control.social.moves import Move
from swarm_control.social.perceived import perceived_forces
from swarm_control.social.plan import LawPlan, make_plan, plain
from swarm_control.social.spring_links import pulled, pulled_by_seen, spring_links
from swarm_control.social.summation import METHODS, forces

FEELS = ("auto", "everyone", "perceived")


@dataclass(frozen=True)
class Social:
    """Parameters of the social potential fields."""

    weight: float = param(0.0, "weight; 0 switches the forces off", low=0.0, high=100.0)
    laws: tuple[Law, ...] = param((), "force laws between groups, each a mapping or one in YAML")
    springs: tuple[float, ...] = param(
        (), "springs between single robots, three numbers each: two robots, from 0, and the natural length in m", low=0.0, high=1e6
    )
    stiffness: float = param(1.0, "stiffness of these springs", unit="1/s²", low=0.0, high=1e6)
    moves: tuple[Move, ...] = param((), "landmarks that have come to be in other groups; events of the scenario set it")
    feels: str = param(
        "auto", "whose forces: everyone's, of robots perceived, or auto: everyone's while all of perception is as by default", choices=FEELS
    )
    core_radius: float = param(0.05, "within this distance forces fall linearly to zero", unit="m", low=1e-4, high=100.0)
    summation: str = param("auto", "how forces are summed: pair by pair, or by a tree; auto: by number", choices=METHODS)
    opening: float = param(0.4, "of the tree: size over distance below which a cell is summed as a whole", low=0.05, high=0.8)
    threshold: float = param(0.0, "a resultant smaller than this counts as zero", unit="m/s²", low=0.0, high=1e6)
    friction: float = param(0.0, "damping: deceleration per speed", unit="1/s", low=0.0, high=1000.0)

    def local(self, limited: bool) -> bool:
        """Whether only perceived robots are felt; ``limited``: whether parameters of perception differ from their defaults."""
        return self.feels == "perceived" or (self.feels == "auto" and limited)

    @cached_property
    def _kept(self) -> list[tuple[Society, LawPlan]]:
        return []

    def plan(self, society: Society) -> LawPlan:
        """What these parameters mean for a ``society``; that of the last one is kept."""
        kept = self._kept
        if not kept or kept[0][0] is not society:
            made = make_plan(society, self.laws, self.moves, self.core_radius, self.threshold, self.summation)
            kept[:] = [(society, made)]
        return kept[0][1]


def check(control: Any) -> Iterator[str]:
    """Perception that is set, and whether it limits the laws; laws that do not keep a group together, each with its equilibrium."""
    laws, core = control.social.laws, control.social.core_radius
    yield from _limits(control)
    if not laws and not control.social.springs:
        yield "social.weight is set, but there are no social.laws and no social.springs"
    elif laws and not control.social.springs and all(law.acts_on == law.of and not _attracts(law) for law in laws):
        yield "social.laws never attract, and no other group holds robots: there is no equilibrium, they spread without end"
    for pair in dict.fromkeys((law.acts_on, law.of) for law in laws):
        between = [law for law in laws if (law.acts_on, law.of) == pair]
        names = " and ".join(f"the group {name}" if name else "all robots" for name in dict.fromkeys(pair))
        stable, unstable = equilibria(between, core), equilibria(between, core, stable=False)
        if _attracts_nearby(between):
            where = f"inside {unstable[0]:.3g} m, the equilibrium" if unstable else "at every distance"
            if pair[0] == pair[1]:
                yield f"social.laws among {names} attract without bound {where}: robots fall together"
            elif unstable:
                yield f"social.laws between {names} attract without bound {where}, which is unstable"
        below = [r for r in equilibria(between) if r <= core]
        if below and not stable:
            inside = f"inside social.core_radius ({core:g} m)"
            yield f"social.laws between {names} balance at {below[0]:.3g} m, {inside}: nothing keeps robots apart"
        if pair[0] == pair[1] and stable and stable[0] > control.perception.radius and not hears_all(control):
            beyond = f"beyond perception.radius ({control.perception.radius:g} m)"
            yield f"social.laws among {names} balance at {stable[0]:.3g} m, {beyond}: robots that perceive each other only repel"


def _limits(control: Any) -> Iterator[str]:
    """Perception that is set for laws which do not say whether it limits them, or say that it does not."""
    names = ", ".join(f"perception.{name}" for name in control.perception.changed)
    if names and control.social.feels == "auto":
        yield f"social.laws act on perceived robots only, as {names} was set; social.feels: perceived confirms it, everyone lifts it"
    elif names and control.social.feels == "everyone":
        yield f"{names} does not limit social.laws: social.feels is everyone"


def _attracts_nearby(laws: list[Law]) -> bool:
    """Whether the force grows without bound towards zero distance, attracting."""
    powers: dict[float, float] = {}
    for c, exponent in (power for law in laws if law.near == 0.0 for power in law.powers):
        powers[exponent] = powers.get(exponent, 0.0) + c
    steepest = max((exponent for exponent, c in powers.items() if c != 0.0), default=0.0)
    return steepest > 0.0 and powers[steepest] > 0.0


def _attracts(law: Law) -> bool:
    """Whether it attracts at any distance."""
    return bool((law.force(np.geomspace(1e-4, 1e5, 1000)) > 0.0).any())


def hears_all(control: Any) -> bool:
    """Whether robots must be told of those whom they do not perceive."""
    return not control.social.local(bool(control.perception.changed))


@register_behaviour(Social, priority=70, sees_all=hears_all, check=check)
def social(state: SwarmState, seen: Neighbourhoods, around: Surroundings, params: Social) -> Array:
    """Resultant of the laws between groups, (N, 2) m/s², over landmarks and the robots that are felt; less friction.

    Equation: ``F_i = Σ_j f(‖x_j − x_i‖)·(x_j − x_i)/‖x_j − x_i‖ − friction·v_i`` with f the sum of the laws that i feels of j
    (Reif & Wang §2), and of the spring between them; j are all robots and landmarks, or all landmarks and the robots that i perceives,
    where it perceives them.
    """
    plan, local = params.plan(around.society or plain(len(state.pose))), params.local(around.limited)
    if local or plan.alike is None or around.swarm is not None:
        force = _perceived(state, seen, plan, params) if local else _resultant(state, around.swarm or state, plan, params)
        if params.threshold > 0.0:
            force[np.hypot(force[:, 0], force[:, 1]) < params.threshold] = 0.0
    elif state.complete:
        force = resultant(state.pose, plan.alike)
    else:
        force = np.zeros((len(state), 2))
        force[state.valid] = resultant(state.pose[state.valid], plan.alike)
    if params.springs:
        force += _sprung(state, seen, around, plan, params)
    if params.friction > 0.0:
        force -= params.friction * state.velocity[:, :2]
    return force


def _sprung(state: SwarmState, seen: Neighbourhoods, around: Surroundings, plan: LawPlan, params: Social) -> Array:
    """Force (N, 2) m/s² of the springs between single robots; none on robots that lead."""
    links, swarm = spring_links(params.springs, params.stiffness), around.swarm or state
    if params.local(around.limited):
        force = pulled_by_seen(links, seen)
    else:
        force = pulled(links, np.where(state.valid[:, None], state.position, swarm.position), state.valid | swarm.valid)
    force[plan.society.leads] = 0.0
    return force


def _resultant(state: SwarmState, swarm: SwarmState, plan: LawPlan, params: Social) -> Array:
    """Sum of the forces (N, 2) m/s² between robots and landmarks of different kinds."""
    society = plan.society
    position, kind, feel = state.position, plan.kind, plan.feel
    if not state.complete:
        heard = swarm.valid | state.valid
        position = np.where(state.valid[:, None], position, swarm.position)[heard]  # nobody feels where he himself was a moment ago
        kind = np.concatenate((society.robot[heard], society.landmark_kind))
        feel = feel[state.valid[feel]]
    source = np.concatenate((position, society.landmark))
    force = np.zeros((len(state), 2))
    for angle, table in plan.turns:
        felt = forces(
            state.position[feel], society.robot[feel], source, kind, table, params.core_radius, params.summation, params.opening
        )  # fmt: skip
        force[feel] += rotate(felt, np.full(len(feel), angle)) if angle else felt
    return force


def _perceived(state: SwarmState, seen: Neighbourhoods, plan: LawPlan, params: Social) -> Array:
    """Sum of the forces (N, 2) m/s² of robots that are ``seen`` and of all landmarks."""
    society, feel = plan.society, plan.feel if state.complete else plan.feel[state.valid[plan.feel]]
    force, kind = np.zeros((len(state), 2)), society.robot[feel]
    for angle, table in plan.turns:
        felt = perceived_forces(seen, society.robot, table, params.core_radius)[feel]
        if len(society.landmark):
            felt += forces(
                state.position[feel], kind, society.landmark, society.landmark_kind, table, params.core_radius, params.summation,
                params.opening,
            )  # fmt: skip
        force[feel] += rotate(felt, np.full(len(feel), angle)) if angle else felt
    return force
