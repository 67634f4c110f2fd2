"""Workflows: what a skill.yaml says, whether it makes sense, and how it is carried out."""
