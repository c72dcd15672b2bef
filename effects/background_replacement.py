"""Something else behind people than what is there."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from pullfx.effects.person import PersonEffect
from pullfx.nodes import (
    PlayBackground,
    SteadyColours,
    beneath,
    check_background,
    composite,
    light_wrap,
    matching_tables,
    nobody_before,
    open_background,
    out_of_focus,
    reduce,
    tighten,
    tone,
    unless_keyed,
)
from pullfx.pipeline.effect import parameter
from pullfx.pipeline.frame import Frame


class BackgroundReplacement(PersonEffect):
    """Shows a picture, a video, a colour or nothing at all behind people in place of the room.

    A background that is set while the pipeline runs is opened while frames go on; until it is
    there, and for good if it cannot be shown, the last one stays. Until the first mask is there,
    and when the mask cannot be made, the background is shown with nobody before it.

    Raises:
        ParameterError: the background can mean nothing.
        SourceError: it is not there, or cannot be shown.
    """

    background: str | Path = parameter(
        default="green",
        description="a colour (#rrggbb, green, navy ...), transparent, a picture, a video ...",
    )
    blur: float = parameter(
        default=0.0,
        minimum=0.0,
        maximum=1.0,
        description="how far the background is out of focus; 0 leaves it as it is",
    )
    light_wrap: float = parameter(
        default=0.0,
        minimum=0.0,
        maximum=1.0,
        description="how much of the background's light lies on the person's edge",
    )
    colour_match: float = parameter(
        default=0.0,
        minimum=0.0,
        maximum=1.0,
        description="how far the person's light and colours are moved towards the background's",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self._first = str(self.background)
        self._opened = [open_background(self._first)]  # for the first pipeline that is made of it
        self._player: PlayBackground | None = None

    def check(self, name: str, value: object) -> Any:
        """The value for parameter `name`; a background's text is looked at, but not yet opened."""
        checked = super().check(name, value)
        if name == "background":
            check_background(checked)
        return checked

    def build(self, frame: Frame, original: Frame) -> Frame:
        """Wires the matte, the background and the two laid together."""
        matte = tighten(self.person(original))
        picture = self._picture(frame)
        amount = unless_keyed(self._text, self.colour_match)
        tables = matching_tables(
            SteadyColours()(frame, amount), SteadyColours()(picture, amount), amount
        )
        backdrop = out_of_focus(picture, self.blur)
        lit = light_wrap(matte, unless_keyed(self._text, self.light_wrap))
        return composite(tone(frame, tables), beneath(backdrop, frame, reduce(frame), matte), lit)

    def fallback(self, frame: Frame) -> Frame:
        """Wires the background alone."""
        return nobody_before(frame, out_of_focus(self._picture(frame), self.blur))

    @property
    def _text(self) -> str:
        """The background as it is in a graph, where a path has become its text."""
        return cast(str, self.background)

    def _picture(self, frame: Frame) -> Frame:
        # One player for both branches, so that nothing is opened twice.
        if self._player is None:
            opened = self._opened.pop() if self._opened else None
            self._player = PlayBackground(self._first, opened)
        return self._player(frame, self._text)
