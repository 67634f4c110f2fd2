"""Running a skill: think, act, observe, until it is done or the budget is."""
