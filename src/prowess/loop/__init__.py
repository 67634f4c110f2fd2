"""From a plan to proven results: tasks go to agents, and code decides what is done."""
