"""
The agents that can be given a task, each behind the same protocol.

    order → launch → its stream, line by line → events → end

Read `base.py` first. One file an agent says how it is started and how its stream is read.
"""
