"""How Hypothesis draws: the same examples in every run, and never by the clock.

``HYPOTHESIS_PROFILE=search`` draws many new ones, before a release.
"""

import os

from hypothesis import settings

settings.register_profile("suite", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None, max_examples=1_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))
