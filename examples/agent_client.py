#!/usr/bin/env python3
"""An agent of the outside that connects as a NETCONF client: it surveys what it is asked to.

It registers under the name of its key, looks for what is open, answers and works; then it listens, and looks again
whenever something happened. What was said twice counts once, so after a lost connection it simply begins anew."""
import argparse, time
from lxml import etree
from ncclient import NCClientError, manager

options = argparse.ArgumentParser(description=__doc__)
options.add_argument("--port", default=8830, type=int)
options.add_argument("--name", default="surveyor", help="its public key is agents/NAME.pub in the state folder")
options.add_argument("--key", default="surveyor_ed25519", help="its private key")
args = options.parse_args()
AGENT, CONVOKE = "urn:ietf:params:xml:ns:yang:irtf-agent", "urn:convoke:params:xml:ns:yang:convoke-"
NS = {"a": AGENT, "r": CONVOKE + "registry", "n": CONVOKE + "negotiation"}
REGISTER = f"""<register-agent xmlns="{NS['r']}"><name>{args.name}</name><description>Surveys sites</description>
<skills><skill><skill-name>survey</skill-name><skill-description>Looks at a site</skill-description>
<skill-tags>field</skill-tags><input-modes>text</input-modes><output-modes>text</output-modes></skill></skills>
<version>1.0.0</version><provider>Example</provider><domain>Wireless</domain><capability><streaming>false</streaming>
<push-notifications>true</push-notifications><negotiate>acp-task-feasibility-negotiation-v1.0</negotiate></capability>
<layer>resource</layer><lease>60</lease></register-agent>"""
ASSIGNED = f"""<get-tasks xmlns="{NS['r']}"><executor>{args.name}</executor><status>created</status>
<status>processing</status></get-tasks>"""
ASKED = ("xpath", (NS, f"/r:registry/r:negotiation[r:executor='{args.name}'][r:state='open'][r:kind='feasibility']"))
def say(platform, verb, task, words, **sections):
    sections = {"target object": task, "task description": words, **sections}
    text = "\n".join(f"## {heading}\n{body}" for heading, body in sections.items())
    rpc = etree.Element(f"{{{AGENT}}}task-negotiate", nsmap={None: AGENT})
    for leaf, value in [("commuType", verb), ("task-id", task), ("content", text)]:
        etree.SubElement(rpc, f"{{{AGENT}}}{leaf}").text = value
    platform.dispatch(rpc)
    print(task, verb, words, flush=True)

def look(platform):
    for asked in platform.get(filter=ASKED).data.iterfind("r:registry/r:negotiation", NS):
        turn = asked.findall("r:turn", NS)[-1]
        if turn.findtext("r:by", None, NS) == "publisher":
            near = "sea" not in turn.findtext("r:content", "", NS)
            word = "accept" if near else "reject\n- the sea cannot be walked on"
            say(platform, "FeasibilityNegotiate", asked.findtext("r:task-id", None, NS), "answer", result=word)
    tasks = etree.fromstring(platform.dispatch(etree.fromstring(ASSIGNED)).xml.encode())
    for task in tasks.iterfind(".//r:task/r:task-id", NS):
        say(platform, "taskResultNotify", task.text, "on the way", progress="50")
        time.sleep(0.5)  # The survey.
        say(platform, "taskResultNotify", task.text, "surveyed", result="all is well")

while True:
    try:
        platform = manager.connect(host="127.0.0.1", port=args.port, username=args.name, key_filename=args.key,
                                   timeout=30, hostkey_verify=False, allow_agent=False, look_for_keys=False)
        platform.dispatch(etree.fromstring(REGISTER))
        platform.create_subscription()
        while platform.connected:
            look(platform)  # At the beginning, and whenever something happened, or the lease is half over.
            platform.take_notification(timeout=20) or platform.dispatch(etree.fromstring(REGISTER))
    except (OSError, NCClientError) as lost:
        print(f"begins anew: {lost}", flush=True)
    time.sleep(1)
