"""The graph as pixels, for a preview window or a file, without a drawing program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

import cv2
import networkx as nx
import numpy as np
from numpy.typing import NDArray

from pullfx.pipeline.graph import GraphNode, Kind
from pullfx.pipeline.graph_text import Structure, Times, label_of

_FONT = cv2.FONT_HERSHEY_SIMPLEX
_FONT_SCALE = 0.5
_LINE_HEIGHT = 18
_PADDING = 10
_COLUMN_GAP = 60
_ROW_GAP = 22
_WHITE = (255, 255, 255)
_BLACK = (0, 0, 0)
_GREY = (190, 190, 190)


@dataclass(slots=True)
class _Box:
    """Where a node is drawn, in pixels."""

    lines: list[str]
    width: int
    height: int
    x: int = 0
    y: int = 0


def picture(structure: Structure, pulled: Structure, times: Times) -> NDArray[np.uint8]:
    """Draws the nodes from left to right in the order in which values flow.

    Parameters are left out: they would hide what a person looks for.

    Args:
        structure: the whole graph.
        pulled: the part of it that the effects which are on need; drawn black, the rest grey.
        times: milliseconds per node, where known.

    Returns:
        BGR picture, uint8 [height, width, 3].
    """
    shown = structure.subgraph(node for node in structure if node.kind is not Kind.PARAMETER)
    boxes = {node: _box(list(label_of(node, node in pulled, times))) for node in shown}
    width, height = _lay_out(shown, boxes)
    canvas = np.full((height, width, 3), 255, np.uint8)
    # Grey first, so that what is active lies on top.
    for is_active in (False, True):
        colour = _BLACK if is_active else _GREY
        for producer, consumer in shown.edges:
            if pulled.has_edge(producer, consumer) is is_active:
                _draw_edge(canvas, boxes[producer], boxes[consumer], colour)
    for node, box in boxes.items():
        _draw_box(canvas, box, _BLACK if node in pulled else _GREY)
    return canvas


def _box(lines: list[str]) -> _Box:
    width = max(cv2.getTextSize(line, _FONT, _FONT_SCALE, 1)[0][0] for line in lines)
    return _Box(lines, width + 2 * _PADDING, len(lines) * _LINE_HEIGHT + _PADDING)


def _lay_out(shown: Structure, boxes: Mapping[GraphNode, _Box]) -> tuple[int, int]:
    """Places one column per generation; each node near the middle of what feeds it."""
    x, bottom = _PADDING, 0
    for generation in nx.topological_generations(shown):
        column = sorted(generation, key=lambda node: (_middle(shown, boxes, node), node.index))
        y = _PADDING
        for node in column:
            box = boxes[node]
            box.x = x
            box.y = max(y, int(_middle(shown, boxes, node)) - box.height // 2)
            y = box.y + box.height + _ROW_GAP
        bottom = max(bottom, y)
        x += max(boxes[node].width for node in column) + _COLUMN_GAP
    return x - _COLUMN_GAP + _PADDING, bottom


def _middle(shown: Structure, boxes: Mapping[GraphNode, _Box], node: GraphNode) -> float:
    feeding = [boxes[producer] for producer in shown.predecessors(node)]
    return fmean(box.y + box.height / 2 for box in feeding) if feeding else _PADDING


def _draw_edge(
    canvas: NDArray[np.uint8], start: _Box, end: _Box, colour: tuple[int, int, int]
) -> None:
    tail = start.x + start.width, start.y + start.height // 2
    head = end.x, end.y + end.height // 2
    length = float(np.hypot(head[0] - tail[0], head[1] - tail[1]))
    cv2.arrowedLine(canvas, tail, head, colour, 1, cv2.LINE_AA, tipLength=8 / max(length, 8))


def _draw_box(canvas: NDArray[np.uint8], box: _Box, colour: tuple[int, int, int]) -> None:
    corner = box.x + box.width, box.y + box.height
    cv2.rectangle(canvas, (box.x, box.y), corner, _WHITE, cv2.FILLED)
    cv2.rectangle(canvas, (box.x, box.y), corner, colour, 1)
    for row, line in enumerate(box.lines, start=1):
        origin = box.x + _PADDING, box.y + row * _LINE_HEIGHT
        cv2.putText(canvas, line, origin, _FONT, _FONT_SCALE, colour, 1, cv2.LINE_AA)
