"""What ncclient sees at the IP domain's management system while a card fails.

Usage: ncclient_ems.py PLATFORM_PORT EMS_PORT KEY CARD. Prints one JSON object of facts for the test to
judge; what ncclient itself finds wrong ends it with a traceback.
"""
import json
import sys

from lxml import etree
from ncclient import manager
from ncclient.operations import RPCError
from ncclient.xml_ import to_ele

CONVOKE = "urn:convoke:params:xml:ns:yang:convoke-"
NS = {
    "e": CONVOKE + "ems",
    "s": CONVOKE + "simulation",
    "al": "urn:ietf:params:xml:ns:yang:ietf-alarms",
    "nw": "urn:ietf:params:xml:ns:yang:ietf-network",
}
CARD = sys.argv[4]


def connect(port):
    return manager.connect(
        host="127.0.0.1", port=int(port), username="operator", key_filename=sys.argv[3],
        hostkey_verify=False, allow_agent=False, look_for_keys=False, timeout=60)


def reply(session, rpc):
    return etree.fromstring(session.dispatch(to_ele(rpc)).xml.encode())


def probe(session, element):
    return reply(session, f'<probe xmlns="{NS["e"]}"><element>{element}</element></probe>')


facts = {}
with connect(sys.argv[1]) as platform, connect(sys.argv[2]) as ems:
    networks = ems.get(filter=("subtree", f'<networks xmlns="{NS["nw"]}"><network><node><node-id/></node></network></networks>'))
    nodes = [n.text for n in networks.data.iterfind(".//nw:node-id", NS)]
    facts["nodes"] = len(nodes)
    ems.create_subscription(filter=("xpath", (NS, f"/al:alarm-notification[al:resource='{CARD}']")))
    inject = f'<inject-fault xmlns="{NS["s"]}"><kind>card-failure</kind><element>{CARD}</element></inject-fault>'
    facts["injected"] = reply(platform, inject).findtext("s:element", None, NS)
    told = etree.fromstring(ems.take_notification(timeout=60).notification_xml.encode())
    alarm = told.find("al:alarm-notification", NS)
    facts["heard"] = {
        "resource": alarm.findtext("al:resource", None, NS),
        "type": alarm.findtext("al:alarm-type-id", None, NS).split(":")[-1],
        "severity": alarm.findtext("al:perceived-severity", None, NS),
    }
    listed = ems.get(filter=("xpath", (NS, f"/al:alarms/al:alarm-list/al:alarm[al:resource='{CARD}']")))
    alarm = listed.data.find(".//al:alarm", NS)
    facts["listed"] = {
        "severity": alarm.findtext("al:perceived-severity", None, NS),
        "cleared": alarm.findtext("al:is-cleared", None, NS),
    }
    measured = probe(ems, CARD)
    facts["probed"] = {"condition": measured.findtext("e:condition", None, NS)}
    for reading in measured.iterfind("e:reading", NS):
        facts["probed"][reading.findtext("e:name", None, NS)] = float(reading.findtext("e:value", None, NS))
    site = next(n for n in nodes if n.startswith("site:"))
    try:
        probe(ems, site)
    except RPCError as error:
        facts["foreign"] = error.xml.findtext("{*}error-app-tag")
print(json.dumps(facts))
