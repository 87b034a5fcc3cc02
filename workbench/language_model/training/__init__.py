"""Training of the bundled language models; needs the extra ``train``."""
