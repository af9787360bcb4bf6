"""The headings under which options stand in the help, in this order.

What is asked comes first, then of what and at which inputs, how it is judged, how it leaves.
"""

QUESTION = "Question"
KERNEL = "Kernel"
INPUTS = "Inputs"
JUDGING = "Judging"
OUTPUT = "Output"
PICTURE = "Picture"
OTHER = "Other options"

SECTIONS = (QUESTION, KERNEL, INPUTS, JUDGING, OUTPUT, PICTURE, OTHER)
