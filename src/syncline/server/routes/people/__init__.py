"""Routes of people: accounts, sessions, single sign-on."""
