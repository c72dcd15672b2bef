"""The engine: nodes, graphs, plans, pipelines, frames, sources and sinks."""
