"""Hardware that is not there: emulated wheels, links that lose lines, rendered camera images."""
