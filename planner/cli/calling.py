"""Whom a verb calls, and how it proves who it is: options that all callers of services have."""

import click

from planner.cli.endpoint import FILE, Decorated, gathering


def call_options(verb: Decorated) -> Decorated:
    """Add ``--address`` and the options of TLS, given to the verb as ``callee``."""
    return gathering(
        verb, "callee",
        click.option("--address", required=True, metavar="HOST:PORT", help="Where it listens."),
        click.option("--tls-ca", "authority", type=FILE, metavar="FILE",
                     help="Who vouches for the service, in PEM."),
        click.option("--tls-cert", "certificate", type=FILE, metavar="FILE",
                     help="Our certificate, in PEM, where the service wants one."),
        click.option("--tls-key", "key", type=FILE, metavar="FILE", help="Its key, in PEM."),
        click.option("--plain-text", is_flag=True,
                     help="Call without TLS beyond loopback too."),
    )  # fmt: skip
