"""The pages behind ``data_samples/screens``: words, icons, style, page kinds, the browser and the gates."""
