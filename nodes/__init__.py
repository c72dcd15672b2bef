"""The plain functions that effects are built of."""

from pullfx.nodes.backgrounds import (
    PlayBackground,
    check_background,
    open_background,
    unless_keyed,
)
from pullfx.nodes.beneath import beneath
from pullfx.nodes.blur import (
    HIDING_STRENGTH,
    blur_background,
    blur_by_distance,
    blur_whole,
    out_of_focus,
)
from pullfx.nodes.changed import Changed
from pullfx.nodes.closer_look import FollowPeople, LookCloser, Region, join_looks
from pullfx.nodes.colour_match import Colours, SteadyColours, matching_tables
from pullfx.nodes.composite import composite, nobody_before
from pullfx.nodes.denoise import Denoise, Denoising, denoising, noise_level
from pullfx.nodes.distance import Distance, SteadyDistance, guess_distance
from pullfx.nodes.downscale import downscale
from pullfx.nodes.expose import expose
from pullfx.nodes.faces import (
    DetectFaces,
    DetectMeshes,
    SmoothFaces,
    SmoothMeshes,
    find_faces,
    find_meshes,
)
from pullfx.nodes.feather import Feathering, feather, feathering
from pullfx.nodes.framing import Crop, Framing, framing, reframe
from pullfx.nodes.light_wrap import light_wrap
from pullfx.nodes.main_person import main_person
from pullfx.nodes.masks import person_mask
from pullfx.nodes.mirror import mirror
from pullfx.nodes.move_camera import MoveCamera
from pullfx.nodes.reduce import reduce
from pullfx.nodes.refine import enlarge_mask, refine
from pullfx.nodes.rgb import enlarge, from_rgb, to_rgb
from pullfx.nodes.segment import SELFIE, Segment
from pullfx.nodes.sharpen import SharpeningTable, sharpen, sharpening_table
from pullfx.nodes.show import show_mask
from pullfx.nodes.show_faces import show_faces
from pullfx.nodes.smooth import SmoothingTable, SmoothMask, smoothing_table
from pullfx.nodes.tighten import tighten
from pullfx.nodes.tone import Tables, tone
from pullfx.nodes.types import (
    Alpha,
    Backdrop,
    Face,
    Faces,
    Image,
    Mask,
    Matte,
    Meshes,
    Reduced,
    Size,
)

__all__ = [
    "HIDING_STRENGTH",
    "SELFIE",
    "Alpha",
    "Backdrop",
    "Changed",
    "Colours",
    "Crop",
    "Denoise",
    "Denoising",
    "DetectFaces",
    "DetectMeshes",
    "Distance",
    "Face",
    "Faces",
    "Feathering",
    "FollowPeople",
    "Framing",
    "Image",
    "LookCloser",
    "Mask",
    "Matte",
    "Meshes",
    "MoveCamera",
    "PlayBackground",
    "Reduced",
    "Region",
    "Segment",
    "SharpeningTable",
    "Size",
    "SmoothFaces",
    "SmoothMask",
    "SmoothMeshes",
    "SmoothingTable",
    "SteadyColours",
    "SteadyDistance",
    "Tables",
    "beneath",
    "blur_background",
    "blur_by_distance",
    "blur_whole",
    "check_background",
    "composite",
    "denoising",
    "downscale",
    "enlarge",
    "enlarge_mask",
    "expose",
    "feather",
    "feathering",
    "find_faces",
    "find_meshes",
    "framing",
    "from_rgb",
    "guess_distance",
    "join_looks",
    "light_wrap",
    "main_person",
    "matching_tables",
    "mirror",
    "nobody_before",
    "noise_level",
    "open_background",
    "out_of_focus",
    "person_mask",
    "reduce",
    "refine",
    "reframe",
    "sharpen",
    "sharpening_table",
    "show_faces",
    "show_mask",
    "smoothing_table",
    "tighten",
    "to_rgb",
    "tone",
    "unless_keyed",
]
