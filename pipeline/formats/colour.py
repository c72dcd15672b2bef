"""Colour: the matrices between R'G'B' and Y'CbCr, and how FFmpeg's tags are read and written."""

from __future__ import annotations

import functools

import av
import numpy as np
from av.video.reformatter import ColorRange, Colorspace, ColorTrc
from numpy.typing import NDArray

from pullfx.pipeline.formats.reporting import warn_once
from pullfx.pipeline.frame import Matrix, Range

# Weights of red and blue in luma: ITU-R BT.601-7 2.5.1, BT.709-6 3.2, BT.2020-2 table 4.
_LUMA_WEIGHTS = {
    Matrix.BT601: (0.299, 0.114),
    Matrix.BT709: (0.2126, 0.0722),
    Matrix.BT2020: (0.2627, 0.0593),
}

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


@functools.cache
def rgb_to_ycbcr(matrix: Matrix, range: Range, *, bgr: bool) -> NDArray[np.float32]:
    """Coefficients of one pixel's way from R'G'B' codes to Y'CbCr codes.

    Args:
        matrix: how the colours are made.
        range: which codes Y'CbCr uses.
        bgr: True where a pixel has blue first.

    Returns:
        float32 [3, 4]: rows Y, Cb, Cr; columns red, green, blue (or blue, green, red), constant.
    """
    exact = _exact_rgb_to_ycbcr(matrix, range)
    return _frozen(exact[:, [2, 1, 0, 3]] if bgr else exact)


@functools.cache
def ycbcr_to_rgb(matrix: Matrix, range: Range, *, bgr: bool) -> NDArray[np.float32]:
    """Coefficients of the way back: float32 [3, 4], columns Y, Cb, Cr, constant."""
    forth = _exact_rgb_to_ycbcr(matrix, range)
    linear = np.linalg.inv(forth[:, :3])
    exact = np.column_stack((linear, -linear @ forth[:, 3]))
    return _frozen(exact[::-1] if bgr else exact)


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
    kinds = [(component.is_luma, component.is_alpha) for component in format.components]
    return not format.has_palette and (True, False) in kinds and all(map(any, kinds))


def has_alpha(format: av.VideoFormat) -> bool:
    """True for pictures that may be transparent; a palette may have transparent colours."""
    return format.has_palette or any(component.is_alpha for component in format.components)


def warn_about_hdr(picture: av.VideoFrame) -> None:
    """Says once that PQ (SMPTE ST 2084) and HLG (ARIB STD-B67) are not tone-mapped."""
    if picture.color_trc in (ColorTrc.SMPTE2084, ColorTrc.ARIB_STD_B67):
        warn_once("HDR is shown as if it were SDR: colours may look pale or dark")


def _exact_rgb_to_ycbcr(matrix: Matrix, range: Range) -> NDArray[np.float64]:
    red, blue = _LUMA_WEIGHTS[matrix]
    luma = np.array([red, 1 - red - blue, blue])
    cb = (np.array([0.0, 0.0, 1.0]) - luma) / (2 * (1 - blue))
    cr = (np.array([1.0, 0.0, 0.0]) - luma) / (2 * (1 - red))
    if range is Range.FULL:
        scales, offsets = (1.0, 1.0, 1.0), (0.0, 128.0, 128.0)
    else:
        scales, offsets = (219 / 255, 224 / 255, 224 / 255), (16.0, 128.0, 128.0)
    return np.column_stack((np.stack((luma, cb, cr)) * np.array(scales)[:, None], offsets))


def _frozen(coefficients: NDArray[np.float64]) -> NDArray[np.float32]:
    shared = np.ascontiguousarray(coefficients, np.float32)
    shared.flags.writeable = False
    return shared
