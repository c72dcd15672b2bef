"""The background blur that most people write: MediaPipe, a Gaussian of 55 pixels, numpy's `where`.

Started by `benchmarks/pipeline.py` with a Python that has MediaPipe, which pins numpy < 2: a
process of its own that works when it is told to. It reads lines from its input: `FILE`, an .npy of
BGR frames [count, height, width, 3], or a number, to blur that frame; it answers each number with
the nanoseconds of wall clock and of CPU that it took. A dot means: ready.
"""

import sys
import time

import cv2
import mediapipe  # type: ignore[import-not-found]
import numpy as np


def main() -> None:
    """Serves until the input ends."""
    cv2.setNumThreads(1)
    segmentation = mediapipe.solutions.selfie_segmentation.SelfieSegmentation(model_selection=1)
    frames = np.zeros((1, 2, 2, 3), np.uint8)
    print(".", flush=True)
    for line in sys.stdin:
        order = line.strip()
        if order.endswith(".npy"):
            frames = np.load(order)
            print(".", flush=True)
            continue
        frame = frames[int(order) % len(frames)]
        cpu, begun = time.process_time_ns(), time.perf_counter_ns()
        results = segmentation.process(cv2.cvtColor(frame, cv2.COLOR_BGR2RGB))
        condition = np.stack((results.segmentation_mask,) * 3, axis=-1) > 0.1
        np.where(condition, frame, cv2.GaussianBlur(frame, (55, 55), 0))
        print(time.perf_counter_ns() - begun, time.process_time_ns() - cpu, flush=True)


if __name__ == "__main__":
    main()
