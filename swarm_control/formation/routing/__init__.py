"""The way of a whole formation through a map: rigid, narrowed, or in a column."""
