"""A sentence on the device a model runs on and the limits of its process."""

from testimate.core.subject import Model


def where_it_ran(model: Model) -> str:
    """On which device the model ran, which limits its process keeps, and why it is not the accelerator that is there; "" of a
    model that runs in this process.

    >>> class Apart:
    ...     device, limits = "cpu", ()
    >>> where_it_ran(Apart())
    'the model ran on cpu in a process of its own, limits: '
    """
    found = getattr(model, "limits", None)
    if found is None:
        return ""
    limits = ", ".join(f"{limit.name} {'on' if limit.on else 'off'}" for limit in found)
    passed_over = getattr(model, "passed_over", "")
    ran = f"the model ran on {getattr(model, 'device', 'cpu')} in a process of its own, limits: {limits}"
    return f"{ran}; {passed_over}" if passed_over else ran
