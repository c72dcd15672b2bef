"""The only place where pixels change their format: in at the edge, out at the edge."""

from pullfx.pipeline.formats.alpha import over_black
from pullfx.pipeline.formats.arrays import frame_from_array, frame_to_array
from pullfx.pipeline.formats.av_frames import frame_from_av, frame_to_av, frame_to_av_like
from pullfx.pipeline.formats.edge import Picture, enter, leave
from pullfx.pipeline.formats.orientation import Orientation, orientation_of, upright
from pullfx.pipeline.formats.picture_files import decode_layer, decode_picture
from pullfx.pipeline.formats.pixel_format import PixelFormat

__all__ = [
    "Orientation",
    "Picture",
    "PixelFormat",
    "decode_layer",
    "decode_picture",
    "enter",
    "frame_from_array",
    "frame_from_av",
    "frame_to_array",
    "frame_to_av",
    "frame_to_av_like",
    "leave",
    "orientation_of",
    "over_black",
    "upright",
]
