"""What the lessons ask: guesses before a value is shown, and tasks that check themselves."""
