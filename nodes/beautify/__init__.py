"""The nodes of beautify: which skin there is, and what is done to it."""

from pullfx.nodes.beautify.find_skin import FaceSkin, FindSkin, Skin
from pullfx.nodes.beautify.retouch import Retouching, retouch, retouching

__all__ = ["FaceSkin", "FindSkin", "Retouching", "Skin", "retouch", "retouching"]
