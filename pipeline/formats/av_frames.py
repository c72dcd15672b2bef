"""Frames from decoded pictures, and pictures for the encoder."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import av
import numpy as np

from pullfx.pipeline.av_memory import (
    PLANAR_420,
    alpha_of,
    chroma_pairs_of,
    holds,
    luma_of,
    pixels_of,
    planes_of,
)
from pullfx.pipeline.formats.alpha import planes_over_black, rgb_over_black
from pullfx.pipeline.formats.arrays import Planes, frame_to_array, planes_from_rgb
from pullfx.pipeline.formats.chroma import (
    mean_of_row_pairs,
    mean_of_squares,
    neutral_planes,
    split_pairs,
)
from pullfx.pipeline.formats.colour import (
    colours_of,
    has_alpha,
    is_grey,
    tag_colours,
    tag_colours_like,
    warn_about_hdr,
)
from pullfx.pipeline.formats.libav import converted, deinterlaced
from pullfx.pipeline.formats.orientation import orientation_of, upright
from pullfx.pipeline.formats.pixel_format import PixelFormat
from pullfx.pipeline.frame import Frame, Matrix, Range
from pullfx.pipeline.pool import HEAP, Pool

_PACKED_RGB = {"bgr24": PixelFormat.BGR24, "rgb24": PixelFormat.RGB24}


def frame_from_av(picture: av.VideoFrame, pool: Pool = HEAP) -> Frame:
    """A frame with the pixels of a decoded picture, upright and progressive.

    Nothing is copied of an upright, progressive picture in yuv420p or yuvj420p: the planes are the
    decoder's memory, however its rows are padded and in whatever order they lie. Of the other 8-bit
    formats that hold luma as a plane (nv12, 4:2:2, 4:4:4, grey) only chroma is made anew. All else
    is converted once. A picture with alpha is shown in front of black. See `colours_of` for the
    matrix and range of pictures that do not say, and `deinterlaced` for interlaced ones.

    Args:
        picture: as PyAV decodes it. It must not change for as long as the frame is in use.
        pool: where planes that are no views are put, except those that FFmpeg itself allocates.

    Returns:
        A frame with the picture's time; it needs no turning, so it carries no display matrix.

    Raises:
        FrameError: the pixel format cannot be converted.
    """
    matrix, range = colours_of(picture)
    warn_about_hdr(picture)
    source = deinterlaced(picture) if picture.interlaced_frame else picture
    planes, owner = _planes(source, matrix, range, pool)
    turned = upright(planes, orientation_of(picture), pool)
    owner = owner if turned is planes else None
    return Frame(*turned, matrix, range, picture.pts, picture.time_base, owner)


def frame_to_av(frame: Frame) -> av.VideoFrame:
    """A picture in yuv420p, or with alpha yuva420p, with the pixels of a frame, for the encoder.

    Nothing is copied when the frame's planes are those of a picture that it owns, as `Pool.frame`
    and `frame_from_av` make them: that picture is returned, and its times and colour tags are set.
    Its picture type is cleared, so that the encoder makes its own choice, not the decoder's again.

    A full-range frame is yuv420p (or yuvj420p, if it came so) with `color_range` set. Encoders look
    for the colours in their own context, not in pictures: set `codec_context.color_range` and
    `.colorspace` when the stream is made.
    """
    picture = next((owner for owner in _pictures(frame.owner) if holds(owner, frame)), None)
    if frame.alpha is not None:
        picture = av.VideoFrame(frame.width, frame.height, "yuva420p")
        planes = (*planes_of(picture), alpha_of(picture))
        for target, plane in zip(planes, (*frame.planes, frame.alpha), strict=True):
            np.copyto(target, plane)
    elif picture is None:
        picture = av.VideoFrame(frame.width, frame.height, "yuv420p")
        for target, plane in zip(planes_of(picture), frame.planes, strict=True):
            np.copyto(target, plane)
    picture.pict_type = 0
    _set_time(picture, frame)
    tag_colours(picture, frame.matrix, frame.range)
    return picture


def frame_to_av_like(frame: Frame, like: av.VideoFrame, pool: Pool = HEAP) -> av.VideoFrame:
    """A picture with the pixels of a frame in the pixel format and colour tags of another.

    Without a copy for yuv420p, as `frame_to_av`. The picture is upright and progressive whatever
    the other is, and opaque where the frame is; one with a palette comes back as rgb24. A frame
    with alpha comes as yuva420p where the other's format has none.

    Args:
        frame: the pixels, and the time.
        like: the picture whose format and tags are taken.
        pool: where scratch is taken from.

    Raises:
        FrameError: the pixel format cannot be written.
    """
    size = frame.width, frame.height
    name = "rgb24" if like.format.has_palette else like.format.name
    if frame.alpha is not None and (like.format.has_palette or not has_alpha(like.format)):
        picture = frame_to_av(frame)
        picture.color_primaries, picture.color_trc = like.color_primaries, like.color_trc
        return picture
    if name == "yuv420p":
        picture = frame_to_av(frame)
    elif name in _PACKED_RGB:
        picture = av.VideoFrame(*size, name)
        frame_to_array(frame, _PACKED_RGB[name], out=pixels_of(picture), pool=pool)
    elif is_grey(like.format):
        picture = av.VideoFrame(*size, "gray")
        np.copyto(luma_of(picture), frame.y)
        picture = converted(picture, name, frame.matrix, frame.range)
    else:
        picture = converted(frame_to_av(frame), name, frame.matrix, frame.range)
    _set_time(picture, frame)
    tag_colours_like(picture, like, frame.matrix, frame.range)
    return picture


def _planes(
    picture: av.VideoFrame, matrix: Matrix, range: Range, pool: Pool
) -> tuple[Planes, av.VideoFrame | None]:
    """Planes in 4:2:0, and the picture that owns those that are views."""
    name = picture.format.name
    if name in PLANAR_420:
        return planes_of(picture), picture
    if name == "nv12":
        return (luma_of(picture), *split_pairs(chroma_pairs_of(picture), pool)), picture
    if name in ("yuv422p", "yuvj422p"):
        y, u, v = planes_of(picture)
        return (y, mean_of_row_pairs(u, pool), mean_of_row_pairs(v, pool)), picture
    if name in ("yuv444p", "yuvj444p"):
        y, u, v = planes_of(picture)
        return (y, mean_of_squares(u, pool), mean_of_squares(v, pool)), picture
    if has_alpha(picture.format):
        return _opaque_planes(picture, matrix, range, pool), None
    if name in _PACKED_RGB:
        return planes_from_rgb(pixels_of(picture), _PACKED_RGB[name], matrix, range, pool), None
    if is_grey(picture.format):
        # swscale takes grey for full range whatever it is told; from grey to grey codes stay.
        grey = converted(picture, "gray", matrix, range)
        return (luma_of(grey), *neutral_planes(grey.height, grey.width, pool)), grey
    planar = converted(picture, "yuv420p", matrix, range)
    return planes_of(planar), planar


def _opaque_planes(picture: av.VideoFrame, matrix: Matrix, range: Range, pool: Pool) -> Planes:
    if picture.format.is_planar and not picture.format.is_rgb:
        planar = converted(picture, "yuva420p", matrix, range)
        return planes_over_black(planes_of(planar), alpha_of(planar), range, pool)
    pixels = pixels_of(converted(picture, "bgra", matrix, range))
    return planes_from_rgb(rgb_over_black(pixels, pool), PixelFormat.BGR24, matrix, range, pool)


def _set_time(picture: av.VideoFrame, frame: Frame) -> None:
    picture.pts = frame.pts
    picture.time_base = frame.time_base or Fraction(0)  # 0 is FFmpeg's "unknown"


def _pictures(owner: object) -> Iterator[av.VideoFrame]:
    # `Frame.replace` keeps the owners of exchanged planes as nested pairs, the newest last.
    if isinstance(owner, av.VideoFrame):
        yield owner
    elif isinstance(owner, tuple):
        for part in reversed(owner):
            yield from _pictures(part)
