"""Matrix and range of colours: how FFmpeg's tags are read and written."""

from __future__ import annotations

from functools import cache

import av
from av.video.reformatter import ColorRange, Colorspace, ColorTrc

from pullfx.pipeline.formats.reporting import warn_once
from pullfx.pipeline.frame import Matrix, Range

# AVColorSpace as ITU-T H.273 numbers it: 0 stands in pictures that are RGB, 2 for "not said". FCC
# (4) is BT.601 with weights rounded to two digits. SMPTE 240M (7), long out of use, has those of
# BT.709 to within 0.02, and BT.2020 in constant luminance (10) those of BT.2020.
_SILENT_TAGS = (0, 2)
_MATRIX_OF_TAG = {
    1: Matrix.BT709,
    4: Matrix.BT601,
    5: Matrix.BT601,
    6: Matrix.BT601,
    7: Matrix.BT709,
    9: Matrix.BT2020,
    10: Matrix.BT2020,
}
_TAG_OF_MATRIX = {Matrix.BT601: 6, Matrix.BT709: 1, Matrix.BT2020: 9}

SWSCALE_MATRIX = {
    Matrix.BT601: Colorspace.ITU601,
    Matrix.BT709: Colorspace.ITU709,
    Matrix.BT2020: Colorspace.BT2020,
}
FFMPEG_RANGE = {Range.LIMITED: ColorRange.MPEG, Range.FULL: ColorRange.JPEG}


def colours_of(picture: av.VideoFrame) -> tuple[Matrix, Range]:
    """Matrix and range that the planes of a picture have once they are 4:2:0.

    Untagged pictures are taken as BT.709 when they are HD and as BT.601 when they are smaller, as
    players do (`matrix_for_size`). RGB and palette pictures become limited range with the matrix
    for their size. Grey pictures are full range unless tagged otherwise, which is how FFmpeg writes
    them, and so are the formats called yuvj; all others without a tag are limited.
    """
    matrix = matrix_for_size(picture.width, picture.height)
    if picture.format.is_rgb or picture.format.has_palette:
        return matrix, Range.LIMITED
    tag = picture.colorspace
    if tag in _MATRIX_OF_TAG:
        matrix = _MATRIX_OF_TAG[tag]
    elif tag not in _SILENT_TAGS:
        warn_once(f"colour matrix {tag} of H.273 is not known; shown as {matrix.value}")
    if picture.format.name.startswith("yuvj") or picture.color_range == ColorRange.JPEG:
        return matrix, Range.FULL
    if is_grey(picture.format) and picture.color_range != ColorRange.MPEG:
        return matrix, Range.FULL
    return matrix, Range.LIMITED


def matrix_for_size(width: int, height: int) -> Matrix:
    """The matrix by convention: BT.709 from 1280x720 up, either way round, else BT.601."""
    hd = max(width, height) >= 1280 or min(width, height) >= 720
    return Matrix.BT709 if hd else Matrix.BT601


def tag_colours(picture: av.VideoFrame, matrix: Matrix, range: Range) -> None:
    """Writes matrix and range into a Y'CbCr picture's tags; a tag that says the same stays."""
    if _MATRIX_OF_TAG.get(picture.colorspace) is not matrix:
        picture.colorspace = _TAG_OF_MATRIX[matrix]
    picture.color_range = FFMPEG_RANGE[range]


def tag_colours_like(
    picture: av.VideoFrame, like: av.VideoFrame, matrix: Matrix, range: Range
) -> None:
    """Gives a picture made from `like` its colour tags; what was untagged stays untagged.

    Args:
        picture: the picture to tag, in the same pixel format.
        like: the picture whose tags are taken.
        matrix, range: what the picture really has, said in its tags where `like` has another.
    """
    picture.color_primaries = like.color_primaries
    picture.color_trc = like.color_trc
    if like.format.is_rgb or like.format.has_palette or colours_of(like) == (matrix, range):
        picture.colorspace = like.colorspace
        picture.color_range = like.color_range
    else:
        tag_colours(picture, matrix, range)


def is_grey(format: av.VideoFormat) -> bool:
    """True for pictures of luma alone, with or without alpha; a palette is none."""
    return _is_grey(format.name)


def has_alpha(format: av.VideoFormat) -> bool:
    """True for pictures that may be transparent; a palette may have transparent colours."""
    return format.has_palette or any(component.is_alpha for component in format.components)


def warn_about_hdr(picture: av.VideoFrame) -> None:
    """Says once that PQ (SMPTE ST 2084) and HLG (ARIB STD-B67) are not tone-mapped."""
    if picture.color_trc in (ColorTrc.SMPTE2084, ColorTrc.ARIB_STD_B67):
        warn_once("HDR is shown as if it were SDR: colours may look pale or dark")


@cache  # asked several times a frame
def _is_grey(name: str) -> bool:
    format = av.VideoFormat(name)
    kinds = [(component.is_luma, component.is_alpha) for component in format.components]
    return not format.has_palette and (True, False) in kinds and all(map(any, kinds))
