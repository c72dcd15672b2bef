"""`EffectsTrack`: effects on a video track of aiortc (`pip install 'pullfx[webrtc]'`)."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor

from aiortc.mediastreams import MediaStreamError, MediaStreamTrack
from av import VideoFrame

from pullfx.pipeline.pipeline import Pipeline

logger = logging.getLogger(__name__)


class EffectsTrack(MediaStreamTrack):
    """The frames of another video track with the effects of a pipeline in them.

    Frames are taken and given as they are, as `av.VideoFrame` with their own times. They are worked
    on in a thread, so the event loop stays free. The other track is read all the time: while one
    frame is worked on, newer ones replace each other, so the picture never falls behind.

    A frame that the pipeline cannot make at all is left out, and the viewer goes on seeing the one
    before it: nothing is shown raw. That is logged once, until a frame succeeds again.

    `stop` ends the reading and the thread, but neither the other track nor, unless asked, the
    pipeline. When the other track ends, this one does. As with all of aiortc, its methods are for
    the thread of the event loop.

    Args:
        track: where the frames come from; nobody else may read it, see aiortc's `MediaRelay`. It
            gives frames in their own time, as cameras, players and remote peers do.
        pipeline: of this track alone; `Pipeline.session` makes one of another's effects.
        close_pipeline: close it when the track stops, after its last frame.

    Attributes:
        dropped: frames that a newer one replaced.
    """

    kind = "video"

    def __init__(
        self, track: MediaStreamTrack, pipeline: Pipeline, *, close_pipeline: bool = False
    ) -> None:
        super().__init__()
        self.dropped = 0
        self._track = track
        self._pipeline = pipeline
        self._close_pipeline = close_pipeline
        self._newest: VideoFrame | None = None
        self._source_ended = False
        self._failing = False
        self._change = asyncio.Event()
        self._reader: asyncio.Task[None] | None = None
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="pullfx-track")

    async def recv(self) -> VideoFrame:
        """The newest frame with effects in it; aiortc calls this.

        Raises:
            MediaStreamError: the track was stopped, or the other one has ended.
        """
        while True:
            frame = await self._take()
            loop = asyncio.get_running_loop()
            try:
                result = await loop.run_in_executor(self._worker, self._pipeline.process, frame)
            except Exception as error:
                self._note_failure(error)
                continue
            if self.readyState != "live":
                raise MediaStreamError
            self._failing = False
            return result

    def stop(self) -> None:
        """Ends the track."""
        if self.readyState != "live":
            return
        super().stop()
        if self._reader is not None:
            self._reader.cancel()
        self._newest = None
        self._change.set()
        if self._close_pipeline:
            self._worker.submit(self._pipeline.close)  # in its turn: a frame may be in work
        self._worker.shutdown(wait=False)

    async def _take(self) -> VideoFrame:
        if self._reader is None and self.readyState == "live":
            self._reader = asyncio.create_task(self._read())
        while self.readyState == "live":
            frame, self._newest = self._newest, None
            if frame is not None:
                return frame
            if self._source_ended:
                self.stop()
                break
            self._change.clear()
            await self._change.wait()
        raise MediaStreamError

    async def _read(self) -> None:
        try:
            while True:
                frame = await self._track.recv()
                self.dropped += self._newest is not None
                self._newest = frame
                self._change.set()
                del frame
                await asyncio.sleep(0)  # a track that never waits would stop all else
        except MediaStreamError:
            pass
        except Exception as error:
            logger.warning("the track with effects ends, since its source failed: %s", error)
        finally:
            self._source_ended = True
            self._change.set()

    def _note_failure(self, error: Exception) -> None:
        if not self._failing and self.readyState == "live":
            logger.warning("frames are left out, since the pipeline failed: %s", error)
        self._failing = True
