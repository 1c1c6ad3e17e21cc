"""Settings that contradict each other: allowed, but somebody should be told."""

from collections.abc import Iterator

from swarm_control.scenario.schema import Control


def contradictions(control: Control) -> list[str]:
    """One line for each pair of settings in ``control`` that cannot both have their effect."""
    return list(_find(control))


def _find(c: Control) -> Iterator[str]:
    sees = c.perception.radius
    if c.separation.weight > 0.0 and c.separation.distance > sees:
        yield f"separation.distance ({c.separation.distance:g} m) exceeds perception.radius ({sees:g} m): it acts only within the radius"
    for name in ("alignment", "cohesion"):
        if getattr(c, name).weight > 0.0 and c.separation.weight > 0.0 and sees <= c.separation.distance:
            inside = f"inside separation.distance ({c.separation.distance:g} m)"
            yield f"{name} reaches {sees:g} m (perception.radius), {inside}: they always oppose"
    if c.potential_field.weight > 0.0 and c.steer_to_avoid.weight > 0.0:
        yield "potential_field and steer_to_avoid are both on: the field pushes off the way that steering has chosen"
    if c.arrival.weight > 0.0 and c.seek.weight > 0.0:
        yield "arrival and seek are both on: seek keeps robots from coming to rest at the goal"
    if c.guidance.weight > 0.0 and c.guidance.comfort < c.guidance.margin:
        yield f"guidance.comfort ({c.guidance.comfort:g} m) is less than guidance.margin ({c.guidance.margin:g} m): it has no effect"
    if c.safety.command_timeout <= c.period:
        late = f"safety.command_timeout ({c.safety.command_timeout:g} s) is not longer than period ({c.period:g} s)"
        yield f"{late}: robots stop between ticks"
    if c.separation_filter.enabled and c.separation_filter.margin > c.separation.distance > 0.0 and c.separation.weight > 0.0:
        yield "separation_filter.margin exceeds separation.distance: the filter acts before separation does"
    weights = [getattr(c, name).weight for name in ("separation", "alignment", "cohesion", "seek", "arrival", "guidance", "cruise")]
    if not (any(weights) or c.potential_field.weight or c.steer_to_avoid.weight or c.formation.enabled):
        yield "no behaviour has a weight: robots keep their velocity"
    if c.formation.enabled and c.formation.estimate.timeout < c.period:
        yield f"formation.estimate.timeout ({c.formation.estimate.timeout:g} s) is less than period ({c.period:g} s): nobody counts"
