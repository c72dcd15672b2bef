"""Effects on your own camera in a browser, over WebRTC.

    pip install 'pullfx[webrtc]'
    python examples/webrtc/server.py

Then open http://localhost:8080 and switch effects with the buttons. Each visitor has a pipeline of
their own; the weights of networks are there once. Browsers give cameras to pages from localhost
or over https only, so for other machines put a proxy with a certificate before it.
"""

import argparse
import asyncio
import json
from pathlib import Path

from aiohttp import web
from aiortc import MediaStreamTrack, RTCDataChannel, RTCPeerConnection, RTCSessionDescription

import pullfx
from pullfx.integrations.aiortc import EffectsTrack

PAGE = Path(__file__).with_name("index.html")
PIPELINE = web.AppKey("pipeline", pullfx.Pipeline)
CONNECTIONS = web.AppKey("connections", set[RTCPeerConnection])


def effects() -> list[pullfx.Effect]:
    """What the page has a button for, first to last."""
    return [
        pullfx.Denoise(),
        pullfx.Lighting(),
        pullfx.Beautify(),
        pullfx.BackgroundBlur(),
        pullfx.BackgroundReplacement(background="#204060"),
        pullfx.ShowMask(),
        pullfx.Mirror(),
    ]


async def page(request: web.Request) -> web.FileResponse:
    """The page."""
    return web.FileResponse(PAGE)


async def offer(request: web.Request) -> web.Response:
    """Takes a browser's offer, and answers with its own video, effects in it."""
    description = RTCSessionDescription(**await request.json())
    pipe = await asyncio.to_thread(request.app[PIPELINE].session)
    connection = RTCPeerConnection()
    connections = request.app[CONNECTIONS]
    connections.add(connection)

    @connection.on("track")
    def on_track(track: MediaStreamTrack) -> None:
        if track.kind == "video":
            connection.addTrack(EffectsTrack(track, pipe, close_pipeline=True))

    @connection.on("datachannel")
    def on_datachannel(channel: RTCDataChannel) -> None:
        @channel.on("message")
        def on_message(name: str) -> None:
            if name in {effect.name for effect in pipe.effects}:
                pipe.toggle(name)
            buttons = {effect.name: effect.name in pipe.active for effect in pipe.effects}
            channel.send(json.dumps(buttons))

    @connection.on("connectionstatechange")
    async def on_connectionstatechange() -> None:
        if connection.connectionState in ("failed", "closed"):
            connections.discard(connection)
            await connection.close()

    await connection.setRemoteDescription(description)
    await connection.setLocalDescription(await connection.createAnswer())
    answer = connection.localDescription
    return web.json_response({"sdp": answer.sdp, "type": answer.type})


async def close(app: web.Application) -> None:
    """Hangs up on everybody."""
    await asyncio.gather(*(connection.close() for connection in list(app[CONNECTIONS])))
    app[PIPELINE].close()


def application() -> web.Application:
    """The server."""
    app = web.Application()
    app[PIPELINE] = pullfx.Pipeline(effects(), active=["background_blur"])
    app[CONNECTIONS] = set()
    app.add_routes([web.get("/", page), web.post("/offer", offer)])
    app.on_shutdown.append(close)
    return app


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--port", type=int, default=8080)
    web.run_app(application(), host="127.0.0.1", port=parser.parse_args().port)
