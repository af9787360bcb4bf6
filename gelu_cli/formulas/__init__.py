"""Forms: functions with a formula, a name and parameters.

`forms.toml` and `published.toml` have the formulas. `catalog` reads these files, and finds a form
by its label; `form` and `pieces` define what a form is; `special` has the functions in formulas.
"""

from gelu_cli.formulas.catalog import all_forms as all_forms
from gelu_cli.formulas.catalog import all_functions as all_functions
from gelu_cli.formulas.catalog import by_any_name as by_any_name
from gelu_cli.formulas.catalog import canonical as canonical
from gelu_cli.formulas.catalog import find_form as find_form
from gelu_cli.formulas.catalog import form_of as form_of
from gelu_cli.formulas.catalog import labelled as labelled
from gelu_cli.formulas.catalog import published_forms as published_forms
from gelu_cli.formulas.catalog import read_table as read_table
from gelu_cli.formulas.catalog import typed_form as typed_form
from gelu_cli.formulas.form import OF_GATES as OF_GATES
from gelu_cli.formulas.form import ORDERS as ORDERS
from gelu_cli.formulas.form import QUANTITIES as QUANTITIES
from gelu_cli.formulas.form import Form as Form
