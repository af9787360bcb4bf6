"""Which forms are there, what is known of one of them, and which models compute it?"""

from gelu_cli.answers.forms.figures import figures
from gelu_cli.answers.forms.listing import about, forms, models

__all__ = ["about", "figures", "forms", "models"]
