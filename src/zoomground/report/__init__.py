"""What a person looks at: one picture of an episode, one page of many, one chart of a run."""
