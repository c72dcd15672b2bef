"""Networks on several threads: the same bits, for any number of threads and of callers."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from network_programs import STEPS, Case, Maker, program_of
from numpy.typing import NDArray
from quantised_networks import NETWORKS

from pullfx import kernels
from pullfx.errors import KernelError
from pullfx.kernels import reference
from pullfx.kernels.network import Network, Program, compile_network

Codes = NDArray[np.uint8]

TASKS = Path("/proc/self/task")
VARIANTS = [name for name in kernels.available_isas() if name != reference.name]
each_variant = pytest.mark.parametrize("variant", VARIANTS)
each_case = pytest.mark.parametrize("case", STEPS, ids=lambda case: case.name)
on_linux = pytest.mark.skipif(not TASKS.is_dir(), reason="needs /proc")


def noise_for(program: Program, seed: int) -> Codes:
    random = np.random.default_rng(seed)
    return random.integers(0, 256, (program.height, program.width, 3), np.uint8)


def check(program: Program, variant: str, seed: int) -> None:
    """Tensor by tensor, on as many threads as there are rows, fewer and more."""
    picture = noise_for(program, seed)
    defined = Network(program, reference.name)
    expected = defined.run(picture)
    for threads in (1, 2, 3, 7):
        network = Network(program, variant, threads)
        np.testing.assert_array_equal(network.run(picture), expected, err_msg=f"{threads} threads")
        for index, tensor in enumerate(program.tensors):
            np.testing.assert_array_equal(
                network.codes(index),
                defined.codes(index),
                err_msg=f"{tensor.name}, {threads} threads",
            )


@each_variant
@each_case
def test_every_step(case: Case, variant: str) -> None:
    for height in range(1, 11):
        chain = case.chains[height % len(case.chains)]
        check(program_of(case, chain, height, 9, 20, 24, Maker(height)), variant, height)


@each_variant
@pytest.mark.parametrize("name", NETWORKS)
def test_whole_networks(name: str, variant: str) -> None:
    check(compile_network(NETWORKS[name](), share_memory=False), variant, 0)


@each_variant
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_many_callers(threads: int, variant: str) -> None:
    program = compile_network(NETWORKS["portrait"]())
    network = Network(program, variant, threads)
    pictures = [noise_for(program, seed) for seed in range(4)]
    expected = [network.run(picture) for picture in pictures]
    wrong: list[int] = []
    together = threading.Barrier(len(pictures))

    def work(index: int) -> None:
        together.wait()
        same = [np.array_equal(network.run(pictures[index]), expected[index]) for _ in range(50)]
        if not all(same):
            wrong.append(index)

    callers = [threading.Thread(target=work, args=(index,)) for index in range(len(pictures))]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert wrong == []


def cpu_time(task: str) -> int:
    """Nanoseconds that a thread of this process has run."""
    return int((TASKS / task / "schedstat").read_text(encoding="ascii").split()[0])


@on_linux
def test_the_threads_work_and_go() -> None:
    program = compile_network(NETWORKS["portrait"]())
    picture = noise_for(program, 0)
    before = set(os.listdir(TASKS))
    network = Network(program, threads=3)
    helpers = set(os.listdir(TASKS)) - before
    assert len(helpers) == 2
    network.run(picture)
    begun = {task: cpu_time(task) for task in helpers}
    deadline = time.monotonic() + 60
    while any(cpu_time(task) < begun[task] + 1_000_000 for task in helpers):
        assert time.monotonic() < deadline, "a helper has done nothing"
        network.run(picture)
    del network
    assert not helpers & set(os.listdir(TASKS))


@on_linux
def test_the_threads_sleep_between_runs() -> None:
    program = compile_network(NETWORKS["portrait"]())
    before = set(os.listdir(TASKS))
    network = Network(program, threads=3)
    helpers = set(os.listdir(TASKS)) - before
    network.run(noise_for(program, 0))
    begun = {task: cpu_time(task) for task in helpers}
    time.sleep(0.3)
    assert all(cpu_time(task) < begun[task] + 20_000_000 for task in helpers)


@pytest.mark.parametrize("threads", [0, -1, 257])
def test_a_wrong_number(threads: int) -> None:
    with pytest.raises(KernelError, match=f"threads must be 1 to 256, but is {threads}"):
        Network(compile_network(NETWORKS["portrait"]()), threads=threads)


SET_UP = f"""
import os, resource, sys, threading
sys.path.insert(0, {str(Path(__file__).parent)!r})
import numpy as np
from quantised_networks import portrait
from pullfx.errors import KernelError
from pullfx.kernels.network import Network, compile_network

program = compile_network(portrait())
picture = np.random.default_rng(0).integers(0, 256, (32, 48, 3), np.uint8)
expected = Network(program).run(picture)
"""


def run_script(text: str, **environment: str) -> None:
    """Runs it in a process of its own, which must end well and by itself."""
    subprocess.run(
        [sys.executable, "-P", "-W", "ignore", "-c", SET_UP + text],
        check=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **environment},
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("busy", [False, True])
def test_a_forked_process_works_alone(busy: bool) -> None:
    run_script(f"""
network = Network(program, threads=3)
network.run(picture)
over = threading.Event()

def work():
    while not over.is_set():
        network.run(picture)

worker = threading.Thread(target=work)
if {busy}:
    worker.start()
for _ in range(10):
    child = os.fork()
    if child == 0:
        ok = all(np.array_equal(network.run(picture), expected) for _ in range(3))
        del network
        os._exit(0 if ok else 1)  # as multiprocessing does: onnxruntime does not survive more
    _, status = os.waitpid(child, 0)
    assert status == 0, status
over.set()
if {busy}:
    worker.join()
assert np.array_equal(network.run(picture), expected)
""")


def test_a_network_may_outlive_the_interpreter() -> None:
    run_script("""
network = Network(program, threads=3)
assert np.array_equal(network.run(picture), expected)
network.itself = network  # so that nothing takes it down before the end
""")


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit that Linux keeps to")
def test_a_system_without_threads_says_so() -> None:
    run_script("""
now = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + 2**28, now + 2**28))
try:
    Network(program, threads=256)
except KernelError as error:
    assert "the system gives no 256 threads" in str(error), error
else:
    raise AssertionError("there were 256 threads")
assert np.array_equal(Network(program, threads=2).run(picture), expected)
""")


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc" or "LD_PRELOAD" in os.environ, reason="counts in glibc"
)
@pytest.mark.parametrize("threads", [1, 3])
def test_a_run_allocates_nothing(threads: int, tmp_path: Path) -> None:
    library = tmp_path / "allocations.so"
    source = Path(__file__).parent / "native" / "allocations.cpp"
    compiler = os.environ.get("CXX", "c++")
    subprocess.run(
        [compiler, "-std=c++17", "-O1", "-shared", "-fPIC", source, "-o", library], check=True
    )
    run_script(
        f"""
import ctypes
counter = ctypes.CDLL({str(library)!r})
network = Network(program, threads={threads})
mask = np.empty((32, 48), np.uint8)
runs = 200

def allocated(work):
    begun = counter.allocations_of_main(), counter.allocations_of_others()
    for _ in range(runs):
        work()
    return counter.allocations_of_main() - begun[0], counter.allocations_of_others() - begun[1]

def run():
    network.run(picture, mask)

allocated(run)
by_main, by_others = allocated(run)
assert by_main < runs // 10, by_main  # one now and then is Python's own
assert by_others == 0, by_others
by_main, _ = allocated(lambda: network.run_timed(picture))
assert by_main >= runs, by_main  # they are counted
""",
        LD_PRELOAD=str(library),
    )
