"""Components that pages share: the labeling surface, inputs as a person sees them, and text that stays plain text."""
