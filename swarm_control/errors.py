"""The one exception for bad input: a single line that says where, and what was expected."""


class InputError(Exception):
    """Input of the user that cannot be used; the command line prints it and exits with status 2.

    ``where`` names the file and place (``file.yaml: control.separation.weight``), ``what`` what was found and expected.
    """

    def __init__(self, where: str, what: str) -> None:
        super().__init__(" ".join(f"{where}: {what}".split()))
