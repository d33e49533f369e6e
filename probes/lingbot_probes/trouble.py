"""Why nothing arrives, in a sentence for whoever looks at ``probe.stats()``: the address, what happened, what to do."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lingbot_probes.link import Endpoint

PORT = 8700  # where a map listens unless told otherwise
_ELSEWHERE = "give the address that the map prints at its start as LINGBOT_ENDPOINT or Probe(endpoint=)"


def sentence(to: Endpoint, error: Exception) -> str:
    """What ``error`` says of the way to ``to``. Loads no module that the attempt itself has not loaded."""
    import socket

    if isinstance(error, ConnectionRefusedError):
        where = "" if to.local else f" on {to.host}"
        return f"{to}: no map listens there (connection refused); start {_serve(to)}{where}, or {_ELSEWHERE}"
    if isinstance(error, socket.gaierror):
        return f"{to}: the host {to.host} is not known ({error.strerror or 'no such name'}); {_ELSEWHERE}"
    if isinstance(error, TimeoutError):
        between = "" if to.local else " and that no firewall or proxy holds it back"
        return f"{to}: no answer in time; see that {_serve(to)} runs there{between}, or {_ELSEWHERE}"
    if isinstance(error, ConnectionError):
        scheme = "http" if to.secure else "https"
        return (
            f"{to}: the connection was closed before an answer came; see that {_serve(to)} still runs there, "
            f"and whether it wants {scheme}://"
        )
    if isinstance(error, OSError):
        if to.secure and type(error).__module__ == "ssl":
            remedy = "see that the map serves TLS (--tls-cert) and that its certificate is trusted here (SSL_CERT_FILE)"
        else:
            remedy = f"see that {_serve(to)} runs there and can be reached, or {_ELSEWHERE}"
        return f"{to}: can't be reached ({error.strerror or error or type(error).__name__}); {remedy}"
    return f"{to}: {stranger(error)}"


def stranger(found: object = "") -> str:
    """What to say of something at the address that is no map."""
    said = f" ({found})" if str(found) else ""
    return f"what answers there is no map{said}; {_ELSEWHERE}"


def refusal(to: Endpoint, status: int) -> str:
    """What the HTTP ``status`` of a map's refusal says."""
    if status in (401, 403):
        return (
            f"{to}: the map answered {status}: is the token right? It stands after #t= in the address that the map "
            "prints at its start, a new one each time; give it as LINGBOT_TOKEN or Probe(token=)"
        )
    if status in (429, 503):
        return f"{to}: the map is busy ({status}); it is asked again"
    if status in (404, 405):
        return f"{to}: {stranger(status)}"
    if status in (400, 413, 422):
        return f"{to}: the map could not read a batch ({status}); is it of the probe's version?"
    return f"{to}: the map answered {status}; what it printed may say why"


def _serve(to: Endpoint) -> str:
    return "`lingbot-map serve`" if to.port == PORT else f"`lingbot-map serve --port {to.port}`"
