"""Force laws by design: what laws will come to, and laws for what is wished (Reif & Wang 1999, section 4)."""
