"""What every provider must decide the same way, so that none has to write it again.

``fencing`` says whose orders are heard, ``begin`` what an order comes to on a machine as it stands.
Both are pure: a provider asks them, does the work, and keeps what has to last.
"""
