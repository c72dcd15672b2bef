"""Dark pictures are made brighter for the network, others are left alone."""

from __future__ import annotations

import numpy as np
import pytest

from pullfx.nodes import Image, expose


def picture(brightest: int) -> Image:
    ramp = np.linspace(0, brightest, 256 * 144).astype(np.uint8)
    return Image(np.repeat(ramp.reshape(144, 256, 1), 3, axis=2))


@pytest.mark.parametrize("brightest", [135, 200, 255])
def test_a_bright_picture_is_given_back_as_it_is(brightest: int) -> None:
    image = picture(brightest)
    assert expose(image) is image


@pytest.mark.parametrize("brightest", [2, 20, 64, 120])
def test_a_dark_one_gets_the_light_of_a_usual_one(brightest: int) -> None:
    image = picture(brightest)
    before = image.copy()
    exposed = expose(image)
    np.testing.assert_array_equal(image, before)
    assert 120 <= np.percentile(exposed, 97) <= 150
    assert exposed.min() == 0


def test_the_gain_grows_steadily() -> None:
    means = [float(expose(picture(brightest)).mean()) for brightest in range(90, 180)]
    assert np.abs(np.diff(means)).max() < 2


def test_a_black_picture_stays_black() -> None:
    assert not expose(Image(np.zeros((144, 256, 3), np.uint8))).any()
