"""Whoever writes the replies: a scripted player, the oracle, a person, a served model. No torch in here."""
