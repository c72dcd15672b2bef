"""Effects on a visitor's camera in a Streamlit app, with a switch for each.

pip install pullfx streamlit-webrtc
streamlit run examples/streamlit_effects.py
"""

import streamlit as st
from streamlit_webrtc import webrtc_streamer

import pullfx


@st.cache_resource
def shared() -> pullfx.Pipeline:
    """The effects and the weights of their networks, once for all visitors."""
    return pullfx.Pipeline(
        [pullfx.Lighting(), pullfx.Beautify(), pullfx.BackgroundBlur(), pullfx.Mirror()],
        active=["background_blur"],
    )


if "pipe" not in st.session_state:
    st.session_state.pipe = shared().session()
pipe: pullfx.Pipeline = st.session_state.pipe

st.title("pullfx")
for effect in pipe.effects:
    wanted = st.toggle(effect.name.replace("_", " "), value=effect.name in pipe.active)
    (pipe.enable if wanted else pipe.disable)(effect.name)

strength = st.slider("strength of the blur", 0.0, 1.0, 0.6)
pipe.set("background_blur", strength=strength)

# Not in a thread of streamlit-webrtc's own: until that has its first result, it shows frames as
# they came, and so the room behind a person.
webrtc_streamer(
    key="effects",
    video_frame_callback=pipe.process,
    async_processing=False,
    media_stream_constraints={"video": True, "audio": False},
)
