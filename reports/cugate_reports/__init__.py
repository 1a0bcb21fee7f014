"""Nightly reports of cugate: the history of run files, and the static pages made of it."""
