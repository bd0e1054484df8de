"""Episodes made for learning from: scripted zoom demonstrations, and the texts that a small tokenizer is trained on."""
