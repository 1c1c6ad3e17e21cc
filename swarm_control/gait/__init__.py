"""Walking on any number of legs: coupled oscillators, reflexes, motor programs. McKenna & Zeltzer, sections 3.2 and 3.3.

Legs are numbered left and right of the front pair, of the next pair … All functions here are of one robot and compiled;
:mod:`.controller` puts them together for many.
"""
