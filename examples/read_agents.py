#!/usr/bin/env python3
"""Prints the agents of a platform: name, domain, address of the agent's own NETCONF server."""
import argparse
from ncclient import manager

options = argparse.ArgumentParser(description=__doc__)
options.add_argument("--port", default=8830, type=int)
options.add_argument("--key", default="convoke-state/operator_ed25519")
args = options.parse_args()

R = {"r": "urn:convoke:params:xml:ns:yang:convoke-registry"}
with manager.connect(host="127.0.0.1", port=args.port, username="operator", key_filename=args.key,
                     hostkey_verify=False, allow_agent=False, look_for_keys=False) as platform:
    registry = platform.get(filter=("xpath", (R, "/r:registry/r:agent"))).data
    for agent in registry.iterfind("r:registry/r:agent", R):
        leaves = (agent.findtext(leaf, "-", R) for leaf in ("r:name", "r:domain", "r:observed/r:endpoint"))
        print("{:<34}{:<14}{}".format(*leaves))
