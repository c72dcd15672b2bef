"""Real-time video effects on a pull graph.

```python
import pullfx

pipe = pullfx.Pipeline([pullfx.BackgroundBlur(strength=0.6)])
out = pipe.process(frame)  # av.VideoFrame, pullfx.Frame or numpy BGR; returns the same kind
```
"""

import lazy_loader

# Programs start fast, and load OpenCV, FFmpeg and the rest when they first use what needs them;
# __init__.pyi says what there is, and where.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
