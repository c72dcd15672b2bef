"""What all effects have in common that tell people from the background."""

from __future__ import annotations

from typing import ClassVar

from pullfx.nodes import (
    SELFIE,
    Matte,
    enlarge_mask,
    feather,
    feathering,
    person_mask,
    reduce,
    refine,
)
from pullfx.pipeline.effect import Effect, parameter
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.quality import by_quality


class PersonEffect(Effect):
    """Base of the effects that need to know who is person and what is background.

    They fail closed: what is behind a person is never shown by mistake.

    What the quality of the pipeline adds, step by step: a mask of every second frame (low), of
    every frame (balanced), refined along the picture's edges (high), and with a second look at
    people who are small in the picture (best).
    """

    fails_closed: ClassVar[bool] = True

    feather: float = parameter(
        default=0.0,
        minimum=-1.0,
        maximum=1.0,
        description="soft edge: above 0 outside of the person, below 0 inside",
    )
    edge: float = parameter(
        default=1.0,
        minimum=0.0,
        maximum=1.0,
        description="how closely the mask follows edges, such as hair, from quality high on",
    )
    smoothing: float = parameter(
        default=0.7,
        minimum=0.0,
        maximum=1.0,
        description="how far flicker of the mask is held back; what moves is not delayed",
    )
    model: str = parameter(
        default=SELFIE,
        live=False,
        description="'selfie', or the path of an ONNX file",
    )
    hold_still: bool = parameter(
        default=False,
        live=False,
        description="keep the mask while the picture stands still; saves work",
    )

    main_person_only: bool = parameter(
        default=False,
        live=False,
        description="treat all people but the main one as background",
    )

    def person(self, original: Frame) -> Matte:
        """Wires the matte of the frame."""
        mask = person_mask(
            original,
            self.model,
            self.smoothing,
            hold_still=self.hold_still,
            main_person_only=self.main_person_only,
        )
        matte = by_quality(
            low=enlarge_mask(mask, original),
            high=refine(mask, original, reduce(original), self.edge),
        )
        return feather(matte, feathering(self.feather))
