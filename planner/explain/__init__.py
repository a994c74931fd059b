"""What ``explain`` is asked: of a need, a machine, the moves of a plan, or of room for a gang.

Each file solves for one question and gives values; ``planner.render.explain`` writes them down.
"""
