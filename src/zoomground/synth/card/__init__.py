"""The data card: what is in a folder of rows and screens, in figures and pictures."""
