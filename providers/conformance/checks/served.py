"""What every server has: health, reflection, and room for callers that are newer."""

from typing import Any

import grpc
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2

from providers.client import error_of
from providers.conformance.ground import Ground
from providers.conformance.verdict import Broken, expect
from providers.server import SERVICE
from providers.v1 import capacity_pb2 as pb

_REFLECTIONS = ("grpc.reflection.v1", "grpc.reflection.v1alpha")
"""The same messages under two names; either will do."""

_FIELD_99 = bytes([0x98, 0x06, 0x07])
"""A number in field 99, as a newer minor version may have it."""


async def health(ground: Ground) -> None:
    """Ask for the health of the server and of the service."""
    stub: Any = health_pb2_grpc.HealthStub(ground.caller.channel)
    for name in ("", SERVICE):
        try:
            request = health_pb2.HealthCheckRequest(service=name)
            answer = await stub.Check(request, timeout=ground.caller.provider.call_seconds)
        except aio.AioRpcError as error:
            raise Broken(f"health of {name!r} to be SERVING", f"{error.code().name}") from None
        is_serving = answer.status == health_pb2.HealthCheckResponse.SERVING
        expect(is_serving, f"health of {name!r} to be SERVING", f"status {answer.status}")


async def reflection(ground: Ground) -> None:
    """Ask which services there are."""
    seen = "neither v1 nor v1alpha"
    for package in _REFLECTIONS:
        call: Any = ground.caller.channel.stream_stream(
            f"/{package}.ServerReflection/ServerReflectionInfo",
            request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
            response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
        )
        asked = reflection_pb2.ServerReflectionRequest(list_services="")
        try:
            answers = call(iter([asked]), timeout=ground.caller.provider.call_seconds)
            names = [
                service.name
                async for answer in answers
                for service in answer.list_services_response.service
            ]
        except aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.UNIMPLEMENTED:
                seen = f"{error.code().name} from {package}"
            continue
        expect(SERVICE in names, f"reflection to name {SERVICE}", ", ".join(names) or "none")
        return
    raise Broken("reflection to be served", seen)


async def newer_caller(ground: Ground) -> None:
    """Send a message with a field that this version does not have."""
    request = pb.GetRequest(machines=["nobody"]).SerializeToString() + _FIELD_99
    call: Any = ground.caller.channel.unary_unary(f"/{SERVICE}/Get")

    async def ask() -> bytes:
        try:
            answer: bytes = await call(request, timeout=ground.caller.provider.call_seconds)
        except aio.AioRpcError as error:
            raise error_of(ground.caller.provider.name, error) from None
        return answer

    answer = pb.GetResponse.FromString(await ground.caller.patient(ask))
    count = len(answer.machines) + len(answer.unknown)
    expect(count == 1, "Get to be answered as ever", f"{count} answers to 1 question")
