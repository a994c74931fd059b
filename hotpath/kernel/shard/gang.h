/* Gangs: all of the machines in one domain, or none. */

#ifndef BIGFLEET_GANG_H
#define BIGFLEET_GANG_H

#include "shard.h"

void assign_gang(Shard *s, int32_t need, int32_t missing);

#endif
