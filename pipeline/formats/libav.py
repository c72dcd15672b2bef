"""The parts of FFmpeg that change pixels: swscale, and a filter of libavfilter."""

from __future__ import annotations

import functools
import threading

import av
from av.filter import Graph
from av.video.reformatter import Interpolation, VideoReformatter

from pullfx.errors import FrameError
from pullfx.pipeline.formats.colour import FFMPEG_RANGE, SWSCALE_MATRIX
from pullfx.pipeline.frame import Matrix, Range

# Without these swscale is off by up to 3 codes, with a mean of 1.2; with them by a half.
_ACCURATE = Interpolation.ACCURATE_RND | Interpolation.FULL_CHR_H_INT | Interpolation.FULL_CHR_H_INP
# AREA makes each chroma sample of 4:2:0 the mean of those that it stands for. The other way
# BILINEAR would do, but with it FFmpeg 8's swscale writes green as 0 in RGB of 16 bits.
_FLAGS_TO_420 = int(Interpolation.AREA | _ACCURATE)
_FORMATS_420 = ("yuv420p", "yuva420p")
_FLAGS_ELSE = int(Interpolation.BICUBIC | _ACCURATE)

# The filter has no rule for pictures with fewer lines.
_FEWEST_LINES = 3


def converted(picture: av.VideoFrame, format: str, matrix: Matrix, range: Range) -> av.VideoFrame:
    """The picture in another pixel format, in new memory unless it has that format already.

    Args:
        picture: what to convert; its own tags are not looked at.
        format: FFmpeg's name of the format.
        matrix, range: of the Y'CbCr side, or of both; swscale takes RGB for full range always.

    Raises:
        FrameError: swscale cannot make one format from the other.
    """
    reformatter = _reformatter(
        threading.get_ident(), picture.format.name, format, picture.width, picture.height
    )
    try:
        return reformatter.reformat(
            picture,
            format=format,
            src_colorspace=SWSCALE_MATRIX[matrix],
            dst_colorspace=SWSCALE_MATRIX[matrix],
            src_color_range=FFMPEG_RANGE[range],
            dst_color_range=FFMPEG_RANGE[range],
            interpolation=_FLAGS_TO_420 if format in _FORMATS_420 else _FLAGS_ELSE,
            threads=1,
        )
    except av.FFmpegError as error:
        raise FrameError(
            f"{picture.format.name} pictures cannot be made {format} ones: {error.strerror}"
        ) from error


@functools.lru_cache(maxsize=16)
def _reformatter(
    thread: int, source: str, target: str, width: int, height: int
) -> VideoReformatter:
    # One for each kind of work, as it sets itself up anew whenever the kind changes; and for each
    # thread, as it serves one at a time.
    return VideoReformatter()


def deinterlaced(picture: av.VideoFrame) -> av.VideoFrame:
    """A progressive picture from the first field of an interlaced one, at full height.

    Made from this picture alone, so the same picture always gives the same result, whatever came
    before it. The method is the Weston 3-field filter (BBC R&D, WHP 047; `w3fdif`): of those in
    FFmpeg that do with one picture it came nearest to the progressive original, 41.7 dB where all
    moves (yadif 39.5, bwdif, which then weaves, 22.4), in 0.6 ms at 768x480.
    """
    if picture.height < _FEWEST_LINES:
        return picture
    # Setting up a graph takes 0.1 ms. A new one each time has nothing left of the last picture.
    graph = Graph()
    graph.threads = 1
    source = graph.add(
        "buffer",
        video_size=f"{picture.width}x{picture.height}",
        pix_fmt=picture.format.name,
        time_base="1/1",
        colorspace=str(picture.colorspace),
        range=str(picture.color_range),
    )
    steps = graph.add("w3fdif", "mode=frame:deint=all"), graph.add("buffersink")
    graph.link_nodes(source, *steps).configure()
    graph.push(picture)
    graph.push(None)
    return graph.vpull()
