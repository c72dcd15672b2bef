"""What the light of a picture lacks."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from pullfx.nodes.lighting.cast import Chroma
from pullfx.nodes.lighting.scene import Scene, Subject
from pullfx.pipeline.frame import Range
from pullfx.pipeline.node import node

# All of these were chosen on 51 portraits and webcam pictures: well lit ones lie outside of every
# ramp below, and dark, backlit and tinted ones inside.

# Parts of a face's middle, high and top luma in how light it is, and what that should be.
# Highlights count as much as skin, so that dark skin in good light is not taken for a lack of it.
_SUBJECT: Final = (0.35, 0.35, 0.3)
_LIT: Final = 0.62
_SUBJECT_DARK: Final = (0.47, 0.37)
# The same for what stands for a face where none is known, and so may be anything.
_MIDDLE_LIT: Final = 0.4
_MIDDLE_DARK: Final = (0.25, 0.12)
_MIDDLE_MOST: Final = 0.7
# Highlights of a picture that has enough light, and what they should be otherwise.
_HIGHLIGHTS_DIM: Final = (0.64, 0.5)
_HIGHLIGHTS: Final = 0.8
# Mean luma of a dim room, even where a lamp or a window is in it.
_KEY_DIM: Final = (0.3, 0.2)
# How many times, in stops, what is behind a face is lighter than its skin and its highlights, added
# up, when the light comes from behind.
_BEHIND: Final = (1.5, 2.1)
# Then so much of what a face lacks is not given to the rest of the picture.
_REST: Final = 0.6
# How light the lighter quarter of a picture may become.
_BROAD: Final = 0.62
# Luma of a face on which there is too much light, and by how many stops at most.
_GLARE: Final = (0.8, 0.92)
_LESS: Final = 0.8
# Luma of the darkest parts when there is a veil over the picture, and how much of it is taken.
_VEIL: Final = 0.28
_UNVEILED: Final = 0.6
# Distance of the light's colour from grey, and how much of it is taken. From a further distance on,
# that of a bar, a stage or a colour filter, nothing would be left of colours, and nothing is taken.
_TINTED: Final = (0.055, 0.09)
_NEUTRAL: Final = 0.85
_STAGE: Final = (0.2, 0.32)
# Cb of the grey that becomes colourless at a warmth of 1; Cr is as much on the other side.
_WARMEST: Final = 0.06
# Deviation of the noise after the change, in codes.
_NOISE: Final = 8.0
_MOST_STOPS: Final = 3.0


class Light(NamedTuple):
    """A change of light; all luma is 0 for black to 1 for white.

    Attributes:
        exposure: how many stops lighter whoever the picture is about becomes, with all of it.
        lift: how many stops lighter that becomes by itself, without what is behind.
        veil: luma that becomes black.
        cast: what becomes grey.
        subject: how light that is now.
        upper: how light the light parts of the picture are.
        bright: how light its highlights are.
        range: which codes the picture uses.
    """

    exposure: float
    lift: float
    veil: float
    cast: Chroma
    subject: float
    upper: float
    bright: float
    range: Range


@node
def wanted_light(scene: Scene, noise: float) -> Light:
    """What the light of a scene lacks; nothing where it is well lit.

    The scene is exposed, not the face to a set value: it gets so much more light as its highlights,
    or the face's, lack of what they usually have, and only when the scene is dim or the light comes
    from behind. So dark skin stays dark.

    Args:
        scene: how the light is.
        noise: deviation of the noise in the dark parts, in codes.
    """
    subject, need = _need(scene.subject)
    dim = max(_ramp(scene.bright, _HIGHLIGHTS_DIM), _ramp(scene.key, _KEY_DIM))
    behind = _behind(scene)
    need *= max(dim, behind)
    room = math.log2(_BROAD / max(scene.broad, 0.01))
    if scene.bright < _HIGHLIGHTS_DIM[0]:
        lacking = math.log2(_HIGHLIGHTS / max(scene.bright, 0.01))
        lacking *= _ramp(scene.bright, _HIGHLIGHTS_DIM)
        unsure = _MOST_STOPS * (1 - _ramp(scene.bright, _HIGHLIGHTS_DIM))
        need = min(need, lacking + unsure) if scene.subject.face else max(need, lacking)
        room = max(room, lacking)
    limit = min(_MOST_STOPS, max(math.log2(_NOISE / max(noise, 0.01)), 0.0))
    need = min(need, limit)
    kept = 1 - _REST * behind if scene.subject.face else 1.0
    exposure = min(need * dim * kept, max(room, 0.0))
    lift = min(need - exposure, need * behind)
    if scene.subject.face:
        exposure -= _LESS * _ramp(scene.subject.middle, _GLARE)
    return Light(
        exposure,
        lift,
        _UNVEILED * max(scene.black - _VEIL, 0.0),
        _tint(scene.cast),
        subject,
        scene.upper,
        scene.bright,
        scene.look.range,
    )


@node
def in_part(light: Light, strength: float, white_balance: float, warmth: float) -> Light:
    """A change of light as a person wants it.

    Args:
        light: the whole change.
        strength: how much of exposure, lift and contrast, 0 to 1.
        white_balance: how much of the colour, 0 to 1.
        warmth: -1 for colder to 1 for warmer than that.
    """
    return light._replace(
        exposure=light.exposure * strength,
        lift=light.lift * strength,
        veil=light.veil * strength,
        cast=Chroma(
            light.cast.u * white_balance + warmth * _WARMEST,
            light.cast.v * white_balance - warmth * _WARMEST,
        ),
    )


def _need(subject: Subject) -> tuple[float, float]:
    """How light the subject is, and how many stops it lacks for itself."""
    lit, dark = (_LIT, _SUBJECT_DARK) if subject.face else (_MIDDLE_LIT, _MIDDLE_DARK)
    luma = subject.middle, subject.high, subject.top
    light = max(sum(part * value for part, value in zip(_SUBJECT, luma, strict=True)), 0.01)
    need = max(math.log2(lit / light), 0.0) * _ramp(light, dark)
    return light, need if subject.face else min(need, _MIDDLE_MOST)


def _behind(scene: Scene) -> float:
    """How far the light comes from behind, 0 to 1."""
    skin = max(scene.subject.middle, 0.01)
    highlights = max((scene.subject.high + scene.subject.top) / 2, 0.01)
    upper = max(scene.upper, 0.01)
    return _ramp(math.log2(upper / skin) + math.log2(upper / highlights), _BEHIND)


def _tint(cast: Chroma) -> Chroma:
    distance = math.hypot(*cast)
    part = _NEUTRAL * _ramp(distance, _TINTED) * (1 - _ramp(distance, _STAGE))
    return Chroma(cast.u * part, cast.v * part)


def _ramp(value: float, ends: tuple[float, float]) -> float:
    """0 up to the first end, 1 from the second on, smooth in between; either may be the larger."""
    start, stop = ends
    place = min(max((value - start) / (stop - start), 0.0), 1.0)
    return place * place * (3 - 2 * place)
