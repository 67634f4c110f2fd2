"""Whoever ends a test run from inside is seen, and whoever only speaks of it is not blamed."""

import pytest

from prowess.check.judges.deciding import touched
from prowess.check.judges.leaving import leaves_more
from prowess.check.scope import scope
from prowess.core.evidence import Spec

CODE = "import os\n\n\ndef leave():\n    return 0\n"


@pytest.mark.parametrize(
    "text",
    [
        CODE + "\n\nos._exit(0)\n",
        "import os as system\n\nsystem._exit(0)\n",
        "import posix\n\nposix._exit(0)\n",
        "from os import (\n    path,\n    _exit as leave,\n)\n",
        "import os\n\ngetattr(os, '_exit')(0)\n",
        "__import__('os')._exit(0)\n",
        "import sys\n\nsys.modules['os']._exit(0)\n",
        "import os\n\nvars(os)['_exit'](0)\n",
        "def broken(:\n    os._exit(0)\n",
    ],
)
def test_a_way_out_of_a_test_run_is_seen(text: str) -> None:
    assert leaves_more(CODE, text)
    assert not leaves_more(text, text)


@pytest.mark.parametrize(
    "text",
    [
        CODE + "# unlike os._exit, this cleans up\n",
        '"""Never calls `os._exit`, as from os import _exit would."""\n',
        CODE.replace("return 0", 'raise ValueError("os._exit ends it all")'),
        "class Door:\n    def _exit(self):\n        self._exit()\n",
        "from door import _exit\n",
    ],
)
def test_words_about_it_end_nothing(text: str) -> None:
    assert not leaves_more(CODE, text)
    spec, scoped = Spec(id="T", title="Do it"), scope(("**",), [])
    assert touched({"lib/a.py": CODE}, {"lib/a.py": text}, spec=spec, found=scoped) == []
