"""People cut out: pictures with alpha, in which nothing of the room is left."""

from __future__ import annotations
