"""Where a service listens, and whom it trusts: options that all services have."""

import click

from planner.cli.endpoint import FILE, Decorated, gathering


def listen_options(service: Decorated) -> Decorated:
    """Add ``--address`` and the options of TLS, given to the service as ``listen``."""
    return gathering(
        service, "listen",
        click.option("--address", default="127.0.0.1:0", show_default=True,
                     help="HOST:PORT to listen at; port 0 takes a free one."),
        click.option("--tls-cert", "certificate", type=FILE, metavar="FILE",
                     help="Our certificate, in PEM."),
        click.option("--tls-key", "key", type=FILE, metavar="FILE",
                     help="Its key, in PEM."),
        click.option("--tls-ca", "authority", type=FILE, metavar="FILE",
                     help="Who vouches for callers, in PEM: only those are heard."),
        click.option("--plain-text", is_flag=True,
                     help="Listen without TLS beyond loopback too."),
    )  # fmt: skip
