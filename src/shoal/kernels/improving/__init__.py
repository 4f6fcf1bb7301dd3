"""Classes that change as long as that saves loss: records move between them, and classes are cut and dissolved.

What a class costs is its rows times the price of its box.
"""
