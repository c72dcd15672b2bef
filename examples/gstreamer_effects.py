"""Effects between two halves of a GStreamer pipeline, through numpy.

    apt install python3-gi gir1.2-gst-plugins-base-1.0 gstreamer1.0-plugins-good
    python examples/gstreamer_effects.py v4l2src 'autovideosink sync=false'

Frames come and go as GStreamer's I420; nothing is converted on the way.
"""

import sys
from typing import Any

import gi
import numpy as np

import pullfx

gi.require_version("Gst", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import Gst, GstVideo  # noqa: E402 (after its versions are required)

MATRICES = {
    GstVideo.VideoColorMatrix.BT709: pullfx.Matrix.BT709,
    GstVideo.VideoColorMatrix.BT2020: pullfx.Matrix.BT2020,
}


def planes_of(data: bytes | bytearray, info: Any) -> list[Any]:
    """Y, U and V as views of a buffer's bytes, whose rows GStreamer pads to multiples of four."""
    half = (info.height + 1) // 2, (info.width + 1) // 2
    return [
        np.ndarray(shape, np.uint8, data, info.offset[number], (info.stride[number], 1))
        for number, shape in enumerate([(info.height, info.width), half, half])
    ]


def with_effects(pipe: pullfx.Pipeline, sample: Any) -> Any:
    """The buffer of a sample with effects in it, of the same layout and time."""
    buffer = sample.get_buffer()
    info = GstVideo.VideoInfo.new_from_caps(sample.get_caps())
    colours = info.colorimetry
    full = colours.range == GstVideo.VideoColorRange(1)  # its name, 0_255, is none in Python
    # A copy, since nodes may keep a frame for longer than a buffer stays mapped.
    y, u, v = planes_of(buffer.extract_dup(0, buffer.get_size()), info)
    matrix = MATRICES.get(colours.matrix, pullfx.Matrix.BT601)
    given = pullfx.Frame(y, u, v, matrix, pullfx.Range.FULL if full else pullfx.Range.LIMITED)
    result = pipe.process(given)
    if result is given:
        return buffer
    data = bytearray(info.size)
    for target, plane in zip(planes_of(data, info), result.planes, strict=True):
        np.copyto(target, plane)
    made = Gst.Buffer.new_wrapped(bytes(data))
    made.pts, made.dts, made.duration = buffer.pts, buffer.dts, buffer.duration
    return made


def check(*halves: Any, wait: int = 0) -> None:
    """Raises RuntimeError if an element has failed; with `wait`, looks until the end or so long."""
    for half in halves:
        kinds = Gst.MessageType.ERROR | (Gst.MessageType.EOS if wait else Gst.MessageType.ERROR)
        message = half.get_bus().timed_pop_filtered(wait, kinds)
        if message is not None and message.type == Gst.MessageType.ERROR:
            raise RuntimeError(f"{message.src.name}: {message.parse_error()[0].message}")


def run(source: str, sink: str, pipe: pullfx.Pipeline) -> int:
    """Takes every frame from one half to the other; how many there were."""
    first = Gst.parse_launch(
        f"{source} ! videoconvert ! video/x-raw,format=I420 ! "
        "appsink name=frames max-buffers=1 sync=false"
    )
    second = Gst.parse_launch(
        f"appsrc name=frames format=time block=true max-buffers=1 ! videoconvert ! {sink}"
    )
    taking, giving = first.get_by_name("frames"), second.get_by_name("frames")
    count = 0
    try:
        for half in (second, first):
            half.set_state(Gst.State.PLAYING)
        while not taking.get_property("eos"):
            check(first, second)
            sample = taking.emit("try-pull-sample", Gst.SECOND // 10)
            if sample is not None:
                giving.set_property("caps", sample.get_caps())
                giving.emit("push-buffer", with_effects(pipe, sample))
                count += 1
        giving.emit("end-of-stream")
        check(second, wait=10 * Gst.SECOND)
    finally:
        for half in (first, second):
            half.set_state(Gst.State.NULL)
    return count


Gst.init(None)
if __name__ == "__main__":
    run(sys.argv[1], sys.argv[2], pullfx.Pipeline([pullfx.BackgroundBlur()]))
