"""Games of the Lichess database, streamed month by month."""
