"""TensorFlow's padding rules, as explicit numbers of pixels."""

from collections.abc import Mapping

import tflite  # type: ignore[import-untyped]

from tools.convert_tflite.errors import ConversionError


def same_padding(size: int, kernel: int, stride: int, dilation: int = 1) -> tuple[int, int]:
    """Pixels to add before and after an axis of `size` so that it comes out as ceil(size / stride).

    When the total is odd, the extra pixel goes to the end. ONNX's own `SAME_UPPER` means the same,
    but explicit numbers leave no room for a runtime to disagree.
    """
    output_size = -(-size // stride)
    extent = (kernel - 1) * dilation + 1
    total = max((output_size - 1) * stride + extent - size, 0)
    return total // 2, total - total // 2


def transposed_padding(
    input_size: int, output_size: int, kernel: int, stride: int
) -> tuple[int, int]:
    """Pixels that a transposed convolution cuts off before and after an axis.

    Raises ConversionError where the output is larger than what the kernels cover.
    """
    total = (input_size - 1) * stride + kernel - output_size
    if total < 0:
        raise ConversionError(
            f"a transposed convolution of {input_size} pixels, kernel {kernel}, stride {stride}, "
            f"does not reach {output_size} pixels"
        )
    return total // 2, total - total // 2


def window_padding(
    options: Mapping[str, int],
    size: tuple[int, int],
    kernel: tuple[int, int],
    dilation: tuple[int, int] = (1, 1),
) -> list[int]:
    """The `pads` of an ONNX convolution or pooling: top, left, bottom, right.

    `options` is the operator's (Padding, StrideH, StrideW); pairs are (height, width).
    """
    if options["Padding"] == tflite.Padding.VALID:
        return [0, 0, 0, 0]
    top, bottom = same_padding(size[0], kernel[0], options["StrideH"], dilation[0])
    left, right = same_padding(size[1], kernel[1], options["StrideW"], dilation[1])
    return [top, left, bottom, right]
