"""pullfx within other libraries; each module needs its library, and is imported by name only."""
