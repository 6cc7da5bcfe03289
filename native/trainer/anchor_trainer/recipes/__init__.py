"""Recipes that train the embedded models from nothing, and measure them."""
