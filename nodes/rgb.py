"""The picture as RGB and back, for who writes a node with numpy."""

from __future__ import annotations

from pullfx import kernels
from pullfx.nodes.types import Alpha, Image, Matte
from pullfx.pipeline.formats import PixelFormat, frame_from_array, frame_to_array
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.node import node
from pullfx.pipeline.pool import HEAP, Pool


@node
def to_rgb(frame: Frame, pool: Pool = HEAP) -> Image:
    """The picture as RGB, made once however many nodes ask for it.

    Args:
        frame: the picture.
        pool: where the result comes from.

    Returns:
        uint8 [height, width, 3], full range. Others may read it too: write into a copy.
    """
    return Image(frame_to_array(frame, PixelFormat.RGB24, pool=pool))


@node
def from_rgb(image: Image, like: Frame, pool: Pool = HEAP) -> Frame:
    """A frame with the pixels of an RGB picture.

    Args:
        image: uint8 [height, width, 3], full range.
        like: gives time, matrix and range.
        pool: where the planes come from.

    Raises:
        FrameError: the image is of another dtype, or no RGB picture.
    """
    return frame_from_array(
        image,
        PixelFormat.RGB24,
        matrix=like.matrix,
        range=like.range,
        pts=like.pts,
        time_base=like.time_base,
        pool=pool,
    )


@node
def enlarge(matte: Matte, frame: Frame, pool: Pool = HEAP) -> Alpha:
    """The matte at the size of the frame, as `composite` enlarges it while it paints.

    Args:
        matte: of the size of the frame's chroma.
        frame: gives the size.
        pool: where the result comes from.

    Returns:
        uint8 [height, width]: 0 is background, 255 is person.
    """
    height, width = matte.shape
    doubled = pool.array((2 * height, 2 * width))
    kernels.upsample_2x(matte, doubled)
    return Alpha(doubled[: frame.height, : frame.width])
