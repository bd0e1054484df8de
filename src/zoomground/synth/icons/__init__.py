"""Icon sets: one file each, its ``ICON_SET`` under the file's name."""
