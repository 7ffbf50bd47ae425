"""A sentence on the device a model runs on and the limits of its process."""

from testimate.core.subject import Model


def where_it_ran(model: Model) -> str:
    """On which device the model ran, and which limits its process keeps; "" of a model that runs in this process.

    >>> class Apart:
    ...     device, limits = "cpu", ()
    >>> where_it_ran(Apart())
    'the model ran on cpu in a process of its own, limits: '
    """
    found = getattr(model, "limits", None)
    if found is None:
        return ""
    limits = ", ".join(f"{limit.name} {'on' if limit.on else 'off'}" for limit in found)
    return f"the model ran on {getattr(model, 'device', 'cpu')} in a process of its own, limits: {limits}"
