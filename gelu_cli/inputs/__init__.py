"""What users give: numbers, ranges, names, files, records."""
