"""What ends a call over gRPC: errors of the port, faults of ours, messages that nobody can read."""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import grpc
from google.protobuf.message import DecodeError
from grpc import aio

from models.errors import (
    ProviderError,
    ProviderRefused,
    ProviderThrottled,
    ProviderUnavailable,
    Unsupported,
)

log = logging.getLogger(__name__)

PUSHBACK = "grpc-retry-pushback-ms"
"""The trailer in which gRPC says when to come back."""

_STATUS: dict[type[ProviderError], grpc.StatusCode] = {
    ProviderUnavailable: grpc.StatusCode.UNAVAILABLE,
    ProviderThrottled: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Unsupported: grpc.StatusCode.UNIMPLEMENTED,
    ProviderRefused: grpc.StatusCode.FAILED_PRECONDITION,
}


@dataclass(frozen=True, slots=True)
class Statuses(aio.ServerInterceptor):
    """Reads the messages of a service's calls; what goes wrong has the status it stands for.

    gRPC itself would answer UNKNOWN to a message that it cannot read, and log nothing. Calls whose
    caller streams, and those of other services, are left as they are.
    """

    service: str

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """Wrap what answers a call."""
        handler = await continuation(handler_call_details)
        is_ours = handler_call_details.method.startswith(f"/{self.service}/")
        if handler is None or not is_ours or handler.request_streaming:
            return handler
        read = handler.request_deserializer or bytes

        async def answer(raw: bytes, context: Any) -> Any:
            try:
                return await handler.unary_unary(await _message(read, raw, context), context)
            except Exception as error:
                await _abort(context, error)

        async def stream(raw: bytes, context: Any) -> AsyncIterator[Any]:
            try:
                async for part in handler.unary_stream(await _message(read, raw, context), context):
                    yield part
            except Exception as error:
                await _abort(context, error)

        if handler.response_streaming:
            return grpc.unary_stream_rpc_method_handler(
                stream, response_serializer=handler.response_serializer
            )
        return grpc.unary_unary_rpc_method_handler(
            answer, response_serializer=handler.response_serializer
        )


async def _message(read: Callable[[bytes], Any], raw: bytes, context: Any) -> Any:
    try:
        return read(raw)
    except (DecodeError, UnicodeError):
        said = "the message cannot be read: it is not of this call, or a text is not UTF-8."
        await context.abort(grpc.StatusCode.INVALID_ARGUMENT, said)


async def _abort(context: Any, error: Exception) -> NoReturn:
    """End a call with the status that an error stands for; one that has it already keeps it."""
    if isinstance(error, aio.AbortError):
        raise error
    if not isinstance(error, ProviderError):
        log.error("a fault of the provider", exc_info=error)
        said = f"a fault of the provider ({type(error).__name__}); its log says more."
        await context.abort(grpc.StatusCode.INTERNAL, said)
        raise AssertionError("abort always raises") from error
    trailer: tuple[tuple[str, str], ...] = ()
    if isinstance(error, ProviderThrottled) and error.retry_seconds:
        trailer = ((PUSHBACK, str(round(error.retry_seconds * 1000))),)
    await context.abort(_STATUS[type(error)], error.message, trailer)
    raise AssertionError("abort always raises") from error
