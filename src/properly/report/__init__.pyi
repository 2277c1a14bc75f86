# Where each public name lives; it is imported from there when it is first used.

from ._figures import figures
from ._methods import methods
from ._page import show, write

__all__ = ["figures", "methods", "show", "write"]
