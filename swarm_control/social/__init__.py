"""Social potential fields: forces between robots by inverse power laws and springs (Reif & Wang)."""
