"""docs/effects.md is what the effects say about themselves, with a picture of each."""

from __future__ import annotations

import cv2
import pytest

from pullfx import effects
from tools.effects_page import page, pictures


def test_the_page_is_up_to_date() -> None:
    assert page.PAGE.read_text("utf-8") == page.text(), "run `python -m tools.effects_page`"


@pytest.mark.parametrize("name", effects.names())
def test_each_effect_has_a_picture_in_which_something_happens(name: str) -> None:
    picture = cv2.imread(str(pictures.PICTURES / f"{name}.jpg"))
    assert picture is not None, "run `python -m tools.effects_page --pictures`"
    height, width = picture.shape[:2]
    assert height == pictures.HEIGHT
    before, after = picture[:, : width // 2], picture[:, width // 2 : width // 2 * 2]
    assert cv2.absdiff(before, after).mean() > 0.3
