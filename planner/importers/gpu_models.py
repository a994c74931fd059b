"""The names of GPU models: the label that carries them, and which cloud GPU stands for which.

The one place for the assumption that a need bound to an OpenB model may be served by a cloud
instance: the table below. Models that are undisclosed (G2, G3) or not in the price list (P100)
have no entry, so that no cloud instance ever serves them.
"""

GPU_MODEL_LABEL = "bigfleet.dev/gpu-model"
"""Label of the GPU model on machines, and key of the requirements that ask for one."""

CLOUD_MODELS = {
    ("t4", 16384): "T4",
    ("a10g", 22888): "A10",
    ("v100", 16384): "V100M16",
    ("v100", 32768): "V100M32",
}
"""(GPU name in the AWS list, MiB of each GPU) to the OpenB model taken to be equal."""


def model_of(gpu_name: str, memory_mib: int) -> str | None:
    """Give the OpenB model that this cloud GPU stands for; None when there is none."""
    return CLOUD_MODELS.get((gpu_name.lower(), memory_mib))


def mapping_lines() -> list[str]:
    """Say the table for people."""
    return [
        f"an AWS {name} with {mib} MiB may serve what asks for the OpenB GPU model {model}."
        for (name, mib), model in sorted(CLOUD_MODELS.items())
    ]
