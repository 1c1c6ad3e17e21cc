"""Other people's crowds on the courses of our traffic: one file for each library, what all are told, and how all are measured."""
