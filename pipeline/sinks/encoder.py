"""Which encoder writes a file, and how it is set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import av

from pullfx.errors import SinkError
from pullfx.pipeline.devices import H264_ENCODERS, VP9_ENCODERS, encoder_works

MUXERS: Mapping[str, str] = {
    ".mp4": "mp4",
    ".m4v": "mp4",
    ".mov": "mov",
    ".mkv": "matroska",
    ".webm": "webm",
}
"""Endings of video files, and what FFmpeg calls the container."""

# Encoders that take a constant quality; the others are given a bit rate.
_CONSTANT_QUALITY = ("libx264", "libx265", *VP9_ENCODERS)
_BITS_PER_PIXEL = 0.12

# Pixel format and options for pictures with alpha. libvpx writes no alpha for frames out of order.
_WITH_ALPHA: Mapping[str, tuple[str, dict[str, str]]] = {
    "libvpx-vp9": ("yuva420p", {"auto-alt-ref": "0"}),
    "prores_ks": ("yuva444p10le", {"profile": "4444"}),
    "ffv1": ("yuva420p", {}),
}


@dataclass(frozen=True, slots=True)
class EncoderOptions:
    """How a video file is encoded.

    Attributes:
        codec: FFmpeg's name of an encoder; None takes the best that works here: H.264, and VP9 for
            .webm.
        crf: constant rate factor, 0 (lossless, huge) to 51 (poor, small). 20 cannot be told
            from the original without looking closely.
        preset: libx264 and libx265: ultrafast ... veryslow; slower makes smaller files.
        bit_rate: bits a second; None keeps the quality constant, where the encoder can.
        extra: further options of the encoder, as FFmpeg names them.
    """

    codec: str | None = None
    crf: int = 20
    preset: str = "veryfast"
    bit_rate: int | None = None
    extra: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0 <= self.crf <= 51:
            raise SinkError(f"crf must be 0 (lossless) to 51 (poor), but is {self.crf}")
        if self.bit_rate is not None and self.bit_rate < 1000:
            raise SinkError(
                f"the bit rate is in bits a second and must be 1000 or more, but is {self.bit_rate}"
            )

    def settings(
        self, encoder: str, width: int, height: int, rate: Fraction
    ) -> tuple[dict[str, str], int]:
        """Options and bit rate (0: constant quality) for an encoder and a size in pixels."""
        options: dict[str, str] = {}
        bit_rate = self.bit_rate or 0
        if encoder in ("libx264", "libx265"):
            options["preset"] = self.preset
        if encoder in VP9_ENCODERS:
            options |= {"deadline": "realtime", "cpu-used": "6", "row-mt": "1"}
        if not bit_rate and encoder in _CONSTANT_QUALITY:
            options["crf"] = str(self.crf)
        elif not bit_rate:
            bit_rate = max(100_000, round(_BITS_PER_PIXEL * width * height * rate))
        return options | dict(self.extra), bit_rate


def choose_encoder(suffix: str, wanted: str | None) -> str:
    """The encoder for a file with this ending.

    Args:
        suffix: a key of `MUXERS`.
        wanted: FFmpeg's name of the one to take, or None.

    Raises:
        SinkError: the wanted one does not exist or does not work here, or none does.
    """
    if wanted is not None:
        if wanted not in av.codecs_available or not encoder_works(wanted):
            raise SinkError(
                f"the encoder {wanted} does not exist or does not work on this machine; "
                "'pullfx devices' lists those that do"
            )
        return wanted
    candidates = VP9_ENCODERS if suffix == ".webm" else H264_ENCODERS
    for name in candidates:
        if name in av.codecs_available and encoder_works(name):
            return name
    raise SinkError(
        f"this build of FFmpeg has no encoder for {suffix} files that works here; install the "
        "package av from PyPI, which has one"
    )


def for_alpha(encoder: str) -> tuple[str, dict[str, str]]:
    """Pixel format and further options of an encoder for pictures with alpha.

    Raises:
        SinkError: it takes none.
    """
    if encoder not in _WITH_ALPHA:
        raise SinkError(
            f"the encoder {encoder} cannot write what is transparent; write a .webm file, or a "
            ".mov with the codec prores_ks"
        )
    return _WITH_ALPHA[encoder]
