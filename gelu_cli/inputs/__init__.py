"""What users give: numbers, ranges, names of forms and formats, files, records."""
