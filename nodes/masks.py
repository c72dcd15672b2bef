"""The nodes that find people, wired in one way for all effects, so that these share them."""

from __future__ import annotations

from pullfx.nodes.changed import Changed
from pullfx.nodes.downscale import downscale
from pullfx.nodes.expose import expose
from pullfx.nodes.main_person import main_person
from pullfx.nodes.reduce import reduce
from pullfx.nodes.segment import Segment
from pullfx.nodes.smooth import SmoothMask, smoothing_table
from pullfx.nodes.types import Mask
from pullfx.pipeline.frame import Frame


def person_mask(
    original: Frame,
    model: str,
    smoothing: float,
    *,
    hold_still: bool = False,
    main_person_only: bool = False,
) -> Mask:
    """Wires downscale, expose, `Segment` and `SmoothMask`; not a node itself.

    However many effects of a pipeline call it, the network runs once a frame for each model.

    Args:
        original: the picture as it came.
        model: "selfie" or the path of an ONNX file, see `Segment`.
        smoothing: strength of the smoothing in time, 0 to 1.
        hold_still: keeps the mask while the picture stands still, see `Changed`.
        main_person_only: leaves out all but one person, see `main_person`.

    Returns:
        The mask at the network's size, uint8; `refine` makes the frame's matte of it.

    Raises:
        ModelError: the model cannot be used.
    """
    segment = Segment(model)
    image = downscale(original, reduce(original), segment.sizes)
    if hold_still:
        image = Changed()(image)
    mask = SmoothMask()(segment(expose(image)), smoothing_table(smoothing))
    return main_person(mask) if main_person_only else mask
