"""The best constants of a form: searched in float64, enclosed by interval Newton, and proved."""
