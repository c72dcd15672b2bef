"""docs/effects.md, made of what the effects say about themselves."""

from __future__ import annotations

import inspect
from pathlib import Path

from pullfx import Effect, Parameter, effects

PAGE = Path(__file__).parents[2] / "docs" / "effects.md"

HEAD = """# Effects

Each is a class of `pullfx` and a name for the command line and for `Pipeline.enable`:

```sh
pullfx run in.mp4 out.mp4 --effect lighting --effect background_blur:strength=0.8
```

```python
pipe = pullfx.Pipeline([pullfx.Lighting(), pullfx.BackgroundBlur(strength=0.8)])
pipe.set("background_blur", strength=0.4)  # what is "live" may change while running
```

Effects are applied in the order in which they are given. All of them look for people and faces in
the picture as it came, and find them once. `python benchmarks/effects.py` says what each costs on
your machine. The pictures are frames of the sample clip, before and after; they are made, as this
page is, by `python -m tools.effects_page --pictures`.
"""


def text() -> str:
    """The page."""
    return "\n".join((HEAD, *(_section(effects.by_name(name)) for name in effects.names())))


def _section(effect: type[Effect]) -> str:
    name = effect.default_name
    said = inspect.cleandoc(effect.__doc__ or "").partition("\n\nRaises:")[0]
    rows = "\n".join(map(_row, effect.parameters().values()))
    table = f"| parameter | values | default | live | |\n| --- | --- | --- | --- | --- |\n{rows}\n"
    return (
        f"## {effect.__name__}\n\n`{name}`: {said}\n\n"
        f"![{name}, before and after](effects/{name}.jpg)\n\n"
        f"{table if rows else 'It has nothing to set.'}"
    )


def _row(parameter: Parameter) -> str:
    live = "yes" if parameter.live else "no"
    default = "" if parameter.default == "" else f"`{parameter.default}`"
    described = parameter.description.replace("|", "\\|")
    return f"| `{parameter.name}` | {_values(parameter)} | {default} | {live} | {described} |"


def _values(parameter: Parameter) -> str:
    if parameter.choices:
        return ", ".join(f"`{choice}`" for choice in parameter.choices)
    if parameter.type is bool:
        return "`True`, `False`"
    if parameter.minimum is not None and parameter.maximum is not None:
        return f"{parameter.minimum:g} to {parameter.maximum:g}"
    return {"str": "text", "Path": "a path"}.get(parameter.type.__name__, parameter.type.__name__)
