"""Page kinds, one a file: ``build(page)`` returns the body's HTML; the file name is the kind's name."""
