"""Light for a face in a dark or tinted room, or before a window."""

from __future__ import annotations

from pullfx.nodes import find_faces, reduce, tone
from pullfx.nodes.lighting import (
    FollowFaces,
    SettleLight,
    WatchScene,
    balance,
    in_part,
    lifting,
    light_tables,
    measure_noise,
    measure_scene,
    relight,
    spotlight,
    wanted_light,
)
from pullfx.pipeline.effect import Effect, parameter
from pullfx.pipeline.frame import Frame


class Lighting(Effect):
    """Gives a picture the light that it lacks; one that lacks none stays as it is.

    What it lacks is found in `original`; it is applied to the picture so far. So effects that come
    before it do not change what it does, and it shows nothing that they have hidden.
    """

    strength: float = parameter(
        default=1.0,
        minimum=0.0,
        maximum=1.0,
        description="how much of the light that is lacking is added",
    )
    white_balance: float = parameter(
        default=1.0,
        minimum=0.0,
        maximum=1.0,
        description="how much of the light's colour is taken out",
    )
    warmth: float = parameter(
        default=0.0,
        minimum=-1.0,
        maximum=1.0,
        description="colder below 0, warmer above",
    )
    spotlight: float = parameter(
        default=0.0,
        minimum=0.0,
        maximum=1.0,
        description="how much darker the room is than the people in it",
    )

    def build(self, frame: Frame, original: Frame) -> Frame:
        """Wires what is found out, what becomes of it in time, and the change of the picture."""
        faces = find_faces(original)
        look = WatchScene()(original, reduce(original), faces)
        scene = measure_scene(look)
        settled = SettleLight()(original, scene, wanted_light(scene, measure_noise(look)))
        light = in_part(settled, self.strength, self.white_balance, self.warmth)
        lamps = FollowFaces()(original, faces)
        exposed = balance(tone(frame, light_tables(light)), light)
        lit = relight(exposed, lifting(light), lamps)
        return spotlight(lit, lamps, self.spotlight)
