"""The nodes that find people, wired in one way for all effects, so that these share them."""

from __future__ import annotations

from pullfx.nodes.changed import Changed
from pullfx.nodes.closer_look import FollowPeople, LookCloser, join_looks
from pullfx.nodes.downscale import downscale
from pullfx.nodes.expose import expose
from pullfx.nodes.main_person import main_person
from pullfx.nodes.reduce import reduce
from pullfx.nodes.segment import Segment
from pullfx.nodes.smooth import SmoothMask, smoothing_table
from pullfx.nodes.types import Image, Mask
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.node import node
from pullfx.pipeline.quality import by_quality


def person_mask(
    original: Frame,
    model: str,
    smoothing: float,
    *,
    hold_still: bool = False,
    main_person_only: bool = False,
) -> Mask:
    """Wires downscale, expose, `Segment` and `SmoothMask`; not a node itself.

    However many effects of a pipeline call it, the network runs once a frame for each model. At low
    quality it is once in two frames, at the best a second time for people who are small.

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
    reduced = reduce(original)
    image = downscale(original, reduced, segment.sizes)
    if hold_still:
        image = Changed()(image)
    image = by_quality(low=every_second(image), balanced=image)
    mask = segment(expose(image))
    region = FollowPeople()(mask, original)
    closer = segment(expose(LookCloser()(original, reduced, region, segment.sizes)))
    mask = by_quality(low=mask, best=join_looks(mask, closer, region, original))
    mask = SmoothMask()(mask, smoothing_table(smoothing))
    return main_person(mask) if main_person_only else mask


@node(every=2)
def every_second(image: Image) -> Image:
    """The picture of every second frame, so that what is made of it stands in between."""
    return image
