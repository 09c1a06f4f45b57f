"""Where objects come from: sources of Applications, repositories, what is trusted, which commits may be used."""
