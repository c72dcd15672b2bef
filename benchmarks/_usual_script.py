"""The background blur that most people write: MediaPipe, a Gaussian of 55 pixels, numpy's `where`.

Started by `benchmarks/pipeline.py` with a Python that has MediaPipe, which pins numpy < 2: a
process of its own that works when it is told to. Each line of its input is a file of BGR frames
(.npy, [count, height, width, 3]) to load, or the number of a frame to blur. It answers each with
how often it has had to stop for other processes so far, and the seconds of CPU that it has taken.
"""

import resource
import sys
import time

import cv2
import mediapipe  # type: ignore[import-not-found]
import numpy as np


def main() -> None:
    """Serves until the input ends."""
    cv2.setNumThreads(1)
    segmentation = mediapipe.solutions.selfie_segmentation.SelfieSegmentation(model_selection=1)
    frames = np.zeros((1, 144, 256, 3), np.uint8)
    for order in (line.strip() for line in sys.stdin):
        if order.endswith(".npy"):
            frames = np.load(order)
        else:
            frame = frames[int(order) % len(frames)]
            results = segmentation.process(cv2.cvtColor(frame, cv2.COLOR_BGR2RGB))
            condition = np.stack((results.segmentation_mask,) * 3, axis=-1) > 0.1
            np.where(condition, frame, cv2.GaussianBlur(frame, (55, 55), 0))
        print(resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw, time.process_time(), flush=True)


if __name__ == "__main__":
    main()
