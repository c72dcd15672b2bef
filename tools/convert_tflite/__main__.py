"""The command: `python -m tools.convert_tflite WHEEL_OR_TFLITE... --output models/`."""

from pathlib import Path
from typing import Annotated

import typer

from tools.convert_tflite.build import build_model
from tools.convert_tflite.errors import ConversionError
from tools.convert_tflite.recipes import read_sources

app = typer.Typer(add_completion=False)


@app.command()
def main(
    sources: Annotated[
        list[Path],
        typer.Argument(
            metavar="WHEEL_OR_TFLITE...", exists=True, dir_okay=False, help="MediaPipe's files."
        ),
    ],
    output: Annotated[
        Path, typer.Option(file_okay=False, help="Folder for the ONNX files and the cards.")
    ],
    pictures: Annotated[
        Path | None,
        typer.Option(
            exists=True, file_okay=False, help="Folder of pictures to compare on, besides noise."
        ),
    ] = None,
) -> None:
    """Convert MediaPipe's networks to ONNX and write their model cards."""
    try:
        for source in sources:
            for recipe, content in read_sources(source):
                comparison = build_model(recipe, content, output, pictures)
                typer.echo(
                    f"{recipe.name}: at most {comparison.max_difference:.1e} off over "
                    f"{comparison.compared_on}"
                )
    except ConversionError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(1) from error


if __name__ == "__main__":
    app()
