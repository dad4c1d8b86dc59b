"""Iterators for frameworks. Nothing here imports a framework until it is used."""
