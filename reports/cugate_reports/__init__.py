"""Nightly reports of cugate: the history of run files, and the static pages made of it."""

import gc
import os

# Else NumPy starts a thread for each processor, and nothing here has work for one.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# By default one object in 700 has Python look for garbage, an eighth of the time that pages take.
gc.set_threshold(50_000, 20, 20)
