"""`RayCrew`: workers as actors of a Ray cluster (`pip install 'pullfx[ray]'`)."""

from __future__ import annotations

import logging
import socket
import threading
import warnings
from concurrent.futures import Future
from typing import Any
from urllib.parse import urlsplit

from pullfx.batch.job import Attempt, Job, Recipe, Workbench, machine
from pullfx.errors import ClusterError

_CLIENT_PORT = 10001
_REACHABLE = 5.0  # seconds


class RayCrew:
    """Processes wherever Ray has room for them, one CPU for each thread.

    A program that has called `ray.init` stays connected as it is.

    Args:
        address: `ray://host:port`; or `ray`, the cluster that the environment names (RAY_ADDRESS)
            or that runs on this machine, or else one that lives as long as the batch.
        size: how many workers; None takes as many as the cluster's CPUs have room for.
        threads: of each worker, one CPU per thread.

    Raises:
        ClusterError: Ray is not installed, or the cluster cannot be reached.
    """

    def __init__(self, address: str, size: int | None, threads: int) -> None:
        try:
            import ray
        except ImportError as error:
            raise ClusterError(
                "Ray is not installed here; pip install 'pullfx[ray]', or leave out --on"
            ) from error
        self._ray = ray
        self._connected = not ray.is_initialized()
        if self._connected:
            _connect(ray, address)
        self.size = size or max(1, int(ray.cluster_resources().get("CPU", 1)) // threads)

    def hire(self, recipe: Recipe) -> _Actor:
        """One more actor, which Ray begins when there is room for it."""
        return _Actor(self._ray, recipe)

    def close(self) -> None:
        """Leaves the cluster."""
        if self._connected:
            self._ray.shutdown()


class _Actor:
    """The near end of a `_Remote`."""

    def __init__(self, ray: Any, recipe: Recipe) -> None:
        self._ray = ray
        # Two threads: one works, the other can be told to give up.
        options = {"num_cpus": recipe.threads, "max_concurrency": 2, "max_restarts": 0}
        self._actor = ray.remote(**options)(_Remote).remote(recipe)

    def begin(self) -> Future[str]:
        return self._future(self._actor.machine.remote())

    def submit(self, job: Job) -> Future[Attempt]:
        return self._future(self._actor.do.remote(job))

    def give_up(self) -> None:
        self._actor.give_up.remote()

    def stop(self) -> None:
        self._ray.kill(self._actor)

    kill = stop

    @staticmethod
    def _future(reference: Any) -> Future[Any]:
        future: Future[Any] = reference.future()
        return future


class _Remote:
    """A workbench on the cluster."""

    def __init__(self, recipe: Recipe) -> None:
        self._workbench = Workbench(recipe)
        self._given_up = threading.Event()

    def machine(self) -> str:
        return machine()

    def do(self, job: Job) -> Attempt:
        return self._workbench.do(job, self._given_up.is_set)

    def give_up(self) -> None:
        self._given_up.set()


def _connect(ray: Any, address: str) -> None:
    place = None if address == "ray" else address
    if place is not None:
        _knock(place)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what goes wrong is said in the error
            ray.init(place, log_to_driver=False, logging_level=logging.ERROR)
    except Exception as error:  # of many kinds, by version; some hold a traceback of the server
        reason = (str(error).strip().splitlines() or [type(error).__name__])[-1]
        raise ClusterError(
            f"{address} is no Ray cluster for this program: {reason}; versions of Python and Ray "
            "must be the same, and a cluster with a token wants RAY_AUTH_MODE=token"
        ) from error


def _knock(address: str) -> None:
    """Finds out in seconds what takes Ray half a minute."""
    try:
        parts = urlsplit(address)
        where = (parts.hostname or "", parts.port or _CLIENT_PORT)
    except ValueError as error:
        raise ClusterError(f"{address} is no address; write it as ray://host:10001") from error
    try:
        socket.create_connection(where, _REACHABLE).close()
    except OSError as error:
        raise ClusterError(
            f"nobody answers at {address} ({error.strerror or error}); is the cluster up, and its "
            f"client port {where[1]} open?"
        ) from error
