"""How property tests are drawn: at random while working, so that they find more each time; the same examples
every time where a change is judged, so that the verdict is about the change."""

import os

from hypothesis import settings

settings.register_profile("judged", derandomize=True, deadline=None)
settings.register_profile("working", deadline=None)
settings.load_profile("judged" if os.environ.get("CI") else "working")
