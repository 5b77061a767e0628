"""What the Python netconf-client sees of a running platform.

Usage: netconf_client_session.py PORT KEY. Prints one JSON object of facts for the test to judge.
"""
import json
import sys

from netconf_client.connect import connect_ssh
from netconf_client.error import RpcError
from netconf_client.ncclient import Manager

R = "urn:convoke:params:xml:ns:yang:convoke-registry"

facts = {}
session = connect_ssh(host="127.0.0.1", port=int(sys.argv[1]), username="operator", key_filename=sys.argv[2],
                      initial_timeout=30, general_timeout=30)
with Manager(session, timeout=30) as manager:
    facts["mode"] = session.mode
    wanted = f'<filter type="subtree"><registry xmlns="{R}"><statistics><agents/></statistics></registry></filter>'
    facts["agents"] = manager.get(filter=wanted).data_ele.findtext(f".//{{{R}}}agents")
    facts["config"] = manager.get_config(source="running").data_ele is not None
    manager.lock(target="running")
    manager.unlock(target="running")
    try:
        manager.edit_config('<config xmlns="urn:ietf:params:xml:ns:netconf:base:1.0"/>', target="running")
    except RpcError as error:
        facts["refused_write"] = error.tag
    # Its get-data is that of RFC 8526.
    names = f'<subtree-filter xmlns="urn:ietf:params:xml:ns:yang:ietf-netconf-nmda"><registry xmlns="{R}"><agent><name/></agent></registry></subtree-filter>'
    data = manager.get_data(datastore="ds:operational", filter=names, config_filter=False).data_ele
    facts["names"] = len(data.findall(f".//{{{R}}}name"))
    # Many requests in flight on one session, each with its own answer.
    rpc = f'<rpc xmlns="urn:ietf:params:xml:ns:netconf:base:1.0" message-id="{{}}"><get>{wanted}</get></rpc>'
    futures = [session.send_rpc(rpc.format(n).encode()) for n in range(100)]
    facts["pipelined"] = sum(f'message-id="{n}"'.encode() in f.result(timeout=30)[0] for n, f in enumerate(futures))
    manager.create_subscription()
    manager.close_session()
print(json.dumps(facts))
