"""The commands for a class: lessons, the app, and a page that needs no Python."""
