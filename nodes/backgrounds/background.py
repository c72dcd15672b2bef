"""`Background`: what is shown behind people, and what every kind of it promises."""

from __future__ import annotations

import abc
from typing import NamedTuple

from pullfx.pipeline.frame import Frame
from pullfx.pipeline.pace import Pace
from pullfx.pipeline.shape import Shape


class Moment(NamedTuple):
    """When and how a background is shown.

    Attributes:
        shape: size and colours of the frame that it is laid behind.
        seconds: since the background was first shown.
        pace: whether the frame may wait for it.
    """

    shape: Shape
    seconds: float
    pace: Pace


class Background(abc.ABC):
    """Gives the picture for each moment.

    The contract: whatever cannot be shown at all raises `SourceError` or `ParameterError` in the
    constructor. Later nothing raises: what cannot go on keeps its last picture, and says so once.
    """

    @abc.abstractmethod
    def at(self, moment: Moment) -> Frame:
        """The picture in the moment's shape; the very same object for as long as it stands."""

    def rewind(self) -> None:  # noqa: B027 (most stand still)
        """Begins anew, at second 0."""

    def close(self) -> None:  # noqa: B027 (most hold nothing)
        """Frees file, device and thread; may be called again."""
