"""Label keys with a meaning of their own; every other label is taken as given."""

INSTANCE_TYPE = "node.kubernetes.io/instance-type"
ZONE = "topology.kubernetes.io/zone"
REGION = "topology.kubernetes.io/region"
ARCH = "kubernetes.io/arch"
HOSTNAME = "kubernetes.io/hostname"

CAPACITY_TYPE = "bigfleet.dev/capacity-type"
PROVIDER = "bigfleet.dev/provider"

QUOTA = "bigfleet.dev/quota"
"""Names the quota a machine counts against; without it, provider, region and capacity type do."""

SUBNET = "bigfleet.dev/subnet"
"""Names the subnet a machine takes its address from; without it, provider and zone do."""
