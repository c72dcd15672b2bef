"""The compiled module with more variants in it: an instruction set with one idea taken out of each.

The sources are copied to build/ablation and changed there, so that those that ship need no switches
for it. A change that does not find what it replaces is an error.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "ablation"
MODULE = "pullfx.kernels._native"
SOURCES = "kernels/src"


@dataclass(frozen=True)
class Change:
    """What is replaced, as a regular expression, in a file of the network's kernels."""

    pattern: str
    replacement: str
    file: str | None = None
    """None for the file of the instruction set's primitives."""


def constant(name: str, value: int | str) -> Change:
    """Another value for a constant of the instruction set."""
    return Change(rf"(constexpr \w+ {name} = )\w+;", rf"\g<1>{value};")


def sources(isa: str, variants: Mapping[str, Sequence[Change]]) -> dict[str, str]:
    """All files of the module, by their paths.

    Args:
        isa: the file in `kernels/src/isa` that the variants start from.
        variants: what is changed in each, by name; they are called ISA_NAME.

    Raises:
        ValueError: a change does not fit to the sources.
    """
    files = {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
        for path in (*(ROOT / SOURCES).rglob("*.?pp"), *(ROOT / SOURCES).rglob("*.inc"))
    }
    files["CMakeLists.txt"] = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    for name, changes in variants.items():
        _add_variant(files, isa, name, changes)
    return files


def build(files: Mapping[str, str]) -> Path:
    """Compiles the module; files that are as they were the last time are not compiled again.

    Args:
        files: from `sources`.

    Returns:
        The module's file.

    Raises:
        subprocess.CalledProcessError: CMake or the compiler fails.
    """
    source, build = FOLDER / "source", FOLDER / "build"
    _write(source, files)
    nanobind = _output(sys.executable, "-m", "nanobind", "--cmake_dir")
    _output(
        *(
            "cmake",
            "-S",
            str(source),
            "-B",
            str(build),
            "-DCMAKE_BUILD_TYPE=Release",
            "-DCMAKE_CXX_FLAGS=-w",
        ),
        *(f"-Dnanobind_DIR={nanobind}", f"-DPython_EXECUTABLE={sys.executable}"),
    )
    _output("cmake", "--build", str(build), "--parallel", "2")
    (module,) = (path for path in build.glob("_native*") if path.suffix in (".so", ".pyd"))
    return module


def use(module: Path) -> None:
    """Makes `pullfx` run on it, in a process that has not used its kernels yet."""
    if MODULE in sys.modules:
        raise RuntimeError("the kernels are in use already")
    loader = importlib.machinery.ExtensionFileLoader(MODULE, str(module))
    specification = importlib.util.spec_from_file_location(MODULE, module, loader=loader)
    assert specification is not None
    sys.modules[MODULE] = importlib.util.module_from_spec(specification)
    loader.exec_module(sys.modules[MODULE])


def _add_variant(files: dict[str, str], isa: str, name: str, changes: Sequence[Change]) -> None:
    """A folder of the network's kernels beside the first, and an instruction set that has them."""
    made = f"{isa}_{name}"
    text = files[f"{SOURCES}/isa/{isa}.cpp"]
    primitives, *_ = re.findall(r'#include "../network/(\w+\.inc)"', text)
    network = {
        path.rsplit("/", 1)[1]: content
        for path, content in files.items()
        if path.startswith(f"{SOURCES}/network/") and path.endswith(".inc")
    }
    for change in changes:
        file = change.file or primitives
        network[file] = _replaced(change.pattern, change.replacement, network[file])
    for file, content in network.items():
        files[f"{SOURCES}/network_{name}/{file}"] = content

    # The other families are compiled again, for the network uses some of their primitives.
    text = text.replace("../network/", f"../network_{name}/")
    text = re.sub(rf"\b{isa}_kernels\b", f"{made}_kernels", text)
    definition = f"""static Variant {made}_variant() {{
    Variant variant = {isa};
    variant.name = "{made}";
    variant.network = &{made}_kernels::network;
    return variant;
}}

const Variant {made} = {made}_variant();
"""
    text = _replaced(rf"const Variant {isa} = {{.*?\n}};\n", definition, text)
    files[f"{SOURCES}/isa/{made}.cpp"] = text

    for file, before, after in (
        (
            "CMakeLists.txt",
            rf"( *){SOURCES}/isa/{isa}.cpp\n",
            rf"\g<0>\1{SOURCES}/isa/{made}.cpp\n",
        ),
        (
            f"{SOURCES}/variant.hpp",
            "extern const Variant portable;\n",
            rf"\g<0>extern const Variant {made};\n",
        ),
        (f"{SOURCES}/variants.cpp", "&portable,", rf"\g<0> &{made},"),
    ):
        files[file] = _replaced(before, after, files[file])


def _replaced(pattern: str, replacement: str, text: str) -> str:
    result, count = re.subn(pattern, replacement, text, flags=re.DOTALL)
    if count != 1:
        raise ValueError(f"'{pattern}' is there {count} times, not once")
    return result


def _write(folder: Path, files: Mapping[str, str]) -> None:
    """Makes a folder hold these files; the time of one that is the same stays as it is."""
    for path in folder.rglob("*.*"):
        if str(path.relative_to(folder)) not in files:
            path.unlink()
    for name, text in files.items():
        path = folder / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def _output(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
