"""
An agent without a model, to see a loop at work: it does each task of six-tasks.md by its title.

The prompt comes on standard input. Like other agents it is sure of itself, and not always right: it
forgets to round until it is told what failed, and says that it went below absolute zero.
"""

import sys
from pathlib import Path

CONVERT = "def fahrenheit(celsius):\n    return {}\n"
TEST = """import unittest

import temperature


class FahrenheitTest(unittest.TestCase):
    def test_water_boils_at_212(self):
        self.assertEqual(temperature.fahrenheit(100), 212)
"""
FILES = {
    "Convert Celsius to Fahrenheit": {"temperature.py": CONVERT.format("celsius * 9 / 5 + 32")},
    "Round to one decimal": {"test_temperature.py": TEST},
    "Explain the use": {"docs/usage.md": "# Use\n\n`fahrenheit(100)` is 212.\n"},
    "Begin a list of changes": {"CHANGES.md": "- Celsius can be converted to Fahrenheit.\n"},
    "Go below absolute zero": {"cold.py": "KELVIN = -1\n"},
    "Point to the explanation": {"README.md": "# Temperatures\n\nSee docs/usage.md.\n"},
}
TOLD = {
    "Round to one decimal": {"temperature.py": CONVERT.format("round(celsius * 9 / 5 + 32, 1)")}
}


def main() -> None:
    prompt = sys.stdin.read()
    task = prompt.partition("\n## Task\n")[2].strip().splitlines()[0]
    files = dict(FILES[task])
    if "Failed Criteria" in prompt:
        files |= TOLD.get(task, {})
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")
    print(f"{task}: done. All tests pass.")


if __name__ == "__main__":
    main()
