"""The command palette: everything one can go to or do, found by typing a few letters of it, without a mouse."""

from testimate.ui.components.command_palette.palette import Command, command_palette

__all__ = ["Command", "command_palette"]
