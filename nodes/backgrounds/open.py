"""`open_background`: the background that a piece of text means."""

from __future__ import annotations

from pathlib import Path

from pullfx.errors import ParameterError, SourceError
from pullfx.nodes.backgrounds.background import Background
from pullfx.nodes.backgrounds.colour import ColourBackground, colour_of, is_transparent
from pullfx.nodes.backgrounds.moving import MovingBackground
from pullfx.nodes.backgrounds.still import StillBackground
from pullfx.pipeline.sources import open_source


def check_background(text: str) -> None:
    """Finds out whether a text can mean a background, without opening anything.

    Raises:
        ParameterError: it is empty, or a colour that is written wrongly.
    """
    if not text.strip():
        raise ParameterError(
            "a background must be a colour (#rrggbb, green, navy ...), transparent, or a file"
        )
    colour_of(text)


def open_background(text: str) -> Background:
    """Opens what the text means.

    | text | background |
    | --- | --- |
    | `#336699`, `#369`, `navy` | that colour |
    | `green` | a green screen, #00ff00 |
    | `transparent` | nothing: frames with alpha |
    | all else | what `open_source` makes of it: a picture, a video, an address, `camera:1` ... |

    A file that happens to be called like a colour is named as `./navy`, or as a `Path`.

    Args:
        text: as above.

    Raises:
        ParameterError: the text can mean nothing.
        SourceError: it is not there, or cannot be shown; the message says why and what to do.
    """
    check_background(text)
    colour = colour_of(text)
    if colour is not None or is_transparent(text):
        return ColourBackground(colour)
    try:
        if text.isalpha() and text not in ("camera", "sample") and not Path(text).exists():
            raise SourceError(f"the background '{text}' is no colour and no file; {_hint(text)}")
        source = open_source(text)
    except (OSError, ValueError) as error:  # what no path can be
        raise SourceError(f"the background '{text[:40]}' cannot be opened: {error}") from error
    if source.info.frame_count != 1:
        return MovingBackground(source, lambda: open_source(text))
    with source:
        return StillBackground(next(source.frames()))


def _hint(text: str) -> str:
    if text.lower() == "blur":
        return "to blur the room itself, take the effect background_blur"
    return "write a colour as #rrggbb or by its name, or check the path"
