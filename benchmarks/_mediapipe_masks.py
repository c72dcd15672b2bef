"""MediaPipe's masks, as its own Python interface gives them.

Started by `benchmarks/quality.py` with a Python that has MediaPipe. Each line of its input is a
file with an RGB picture (.npy, uint8 [height, width, 3]), which it overwrites with the mask
(float32 [height, width], 0..1), and answers with the same line.
"""

import sys

import mediapipe  # type: ignore[import-not-found]
import numpy as np


def main() -> None:
    """Serves until the input ends."""
    solution = mediapipe.solutions.selfie_segmentation.SelfieSegmentation
    square, landscape = solution(model_selection=0), solution(model_selection=1)
    for file in (line.strip() for line in sys.stdin):
        picture = np.load(file)
        height, width, _ = picture.shape
        # As near to its shape as there is, as pullfx chooses: the networks have 1:1 and 16:9.
        segmentation = landscape if 9 * width * width > 16 * height * height else square
        np.save(file, segmentation.process(picture).segmentation_mask)
        print(file, flush=True)


if __name__ == "__main__":
    main()
