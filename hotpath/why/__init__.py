"""Why a need got what it got, from the books as they stood at its turn."""
