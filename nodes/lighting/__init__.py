"""The light of a picture: how it is, how it should be, and the change from one to the other."""

from pullfx.nodes.lighting.balance import balance
from pullfx.nodes.lighting.curves import light_tables
from pullfx.nodes.lighting.light import Light, in_part, wanted_light
from pullfx.nodes.lighting.near import FollowFaces, Lamp
from pullfx.nodes.lighting.noise import measure_noise
from pullfx.nodes.lighting.relight import Lift, lifting, relight
from pullfx.nodes.lighting.scene import Scene, measure_scene
from pullfx.nodes.lighting.settle import SettleLight
from pullfx.nodes.lighting.spotlight import spotlight
from pullfx.nodes.lighting.watch import Look, WatchScene

__all__ = [
    "FollowFaces",
    "Lamp",
    "Lift",
    "Light",
    "Look",
    "Scene",
    "SettleLight",
    "WatchScene",
    "balance",
    "in_part",
    "lifting",
    "light_tables",
    "measure_noise",
    "measure_scene",
    "relight",
    "spotlight",
    "wanted_light",
]
