#!/usr/bin/env python3
"""A fault agent of the IP domain, out of process: what the hosted one does, by NETCONF alone.

At the platform it registers, answers whether it can diagnose an element, takes fault_diagnosis_v1 tasks and
reports fault_diagnosis_result_v1. At the management system of the IP domain (convoke-ems) it reads the network
(ietf-network-topology) and the alarms that stand (ietf-alarms), hears of new ones, and measures (probe). It is
let in at both by its own key. After a lost connection it begins anew: what was said twice counts once."""
import argparse, json, sys, time
from lxml import etree
from ncclient import NCClientError, manager

options = argparse.ArgumentParser(description=__doc__)
options.add_argument("--port", default=8830, type=int, help="of the platform")
options.add_argument("--ems-port", required=True, type=int, help="of the IP domain's management system; `serve` tells it")
options.add_argument("--name", default="ip-from-outside", help="its public key is agents/NAME.pub in the state folder")
options.add_argument("--key", default="ip-from-outside_ed25519", help="its private key")
options.add_argument("--lease", default=300, type=int, help="seconds for which it stays without renewing")
options.add_argument("--json", action="store_true", help="print one object a line")
args = options.parse_args()

AGENT, CONVOKE = "urn:ietf:params:xml:ns:yang:irtf-agent", "urn:convoke:params:xml:ns:yang:convoke-"
IETF = "urn:ietf:params:xml:ns:yang:ietf-"
NS = {"a": AGENT, "r": CONVOKE + "registry", "n": CONVOKE + "negotiation", "e": CONVOKE + "ems",
      "al": IETF + "alarms", "nw": IETF + "network", "nt": IETF + "network-topology"}
REGISTER = f"""<register-agent xmlns="{NS['r']}"><name>{args.name}</name><description>Diagnoses the IP network</description>
<skills><skill><skill-name>fault-diagnosis</skill-name><skill-description>Measures an element of the IP network and
what is around it</skill-description><skill-tags>fault</skill-tags><input-modes>text</input-modes>
<output-modes>text</output-modes></skill></skills><version>1.0.0</version><provider>Example</provider>
<domain>IP</domain><capability><streaming>false</streaming><push-notifications>true</push-notifications>
<negotiate>acp-task-feasibility-negotiation-v1.0</negotiate></capability><skill-detail>
<skill-name>fault-diagnosis</skill-name><schema>fault_diagnosis_v1</schema></skill-detail><layer>resource</layer>
<lease>{args.lease}</lease></register-agent>"""
ASSIGNED = f"""<get-tasks xmlns="{NS['r']}"><executor>{args.name}</executor><status>created</status>
<status>processing</status></get-tasks>"""
ASKED = ("xpath", (NS, f"/r:registry/r:negotiation[r:executor='{args.name}'][r:state='open'][r:kind='feasibility']"))
DARK_DBM, SILENT_S, ONE_PLACE_KM, LINKS_MAX, PROBES_MAX = -30, 60, 0.3, 6, 16


def tell(event, **facts):
    words = json.dumps({"event": event, **facts}) if args.json else f"{event}  {'  '.join(map(str, facts.values()))}"
    print(words, flush=True)


def connect(port):
    return manager.connect(host="127.0.0.1", port=port, username=args.name, key_filename=args.key, timeout=60,
                           hostkey_verify=False, allow_agent=False, look_for_keys=False)


# --- The network: what is documented, what is alarmed, what is measured --------------------------


class Network:
    """The IP domain as its management system shows it."""

    def __init__(self):
        self.ems, self.ears = connect(args.ems_port), connect(args.ems_port)
        self.ears.create_subscription()  # First: what happens while it reads is then heard as well.
        self.nodes, self.links, self.alarms = {}, {}, {}
        networks = self.ems.get(filter=("subtree", f'<networks xmlns="{NS["nw"]}"/>')).data
        for node in networks.iterfind(".//nw:node", NS):
            self.nodes[node.findtext("nw:node-id", None, NS)] = self.facts(node)
        for link in networks.iterfind(".//nt:link", NS):
            ends = [link.findtext(path, None, NS) for path in ("nt:source/nt:source-node", "nt:destination/nt:dest-node")]
            self.links[link.findtext("nt:link-id", None, NS)] = {
                **self.facts(link), "ends": ends, "ducts": [d.text for d in link.iterfind("e:duct", NS)],
                "length": float(link.findtext("e:length", "0", NS))}
        standing = self.ems.get(filter=("xpath", (NS, "/al:alarms/al:alarm-list/al:alarm[al:is-cleared='false']"))).data
        for alarm in standing.iterfind(".//al:alarm", NS):
            self.take(alarm, alarm.findtext("al:perceived-severity", "", NS))

    @staticmethod
    def facts(element):
        leaves = ("kind", "domain", "parent", "place", "longitude", "latitude", "vendor", "model")
        return {leaf: element.findtext(f"e:{leaf}", "", NS) for leaf in leaves}

    def element(self, name):
        return self.nodes.get(name) or self.links.get(name)

    def take(self, alarm, severity):
        kind = alarm.findtext("al:alarm-type-id", "", NS).split(":")[-1]
        resource = alarm.findtext("al:resource", "", NS)
        if severity == "cleared":
            self.alarms.pop((resource, kind), None)
        else:
            self.alarms[resource, kind] = severity
        tell("alarm", resource=resource, type=kind, severity=severity)

    def hear(self):
        """Takes the alarms that have come, without waiting."""
        while notification := self.ears.take_notification(block=False):
            for alarm in etree.fromstring(notification.notification_xml.encode()).iterfind("al:alarm-notification", NS):
                self.take(alarm, alarm.findtext("al:perceived-severity", "", NS))
        if not self.ears.connected:
            raise NCClientError("the management system has ended the session")

    def probe(self, elements):
        """Measures side by side: all are asked for at once, and answered in turn."""
        self.ems.async_mode = True
        asked = {}
        for name in elements:
            rpc = etree.Element(f"{{{NS['e']}}}probe", nsmap={None: NS["e"]})
            etree.SubElement(rpc, f"{{{NS['e']}}}element").text = name
            asked[name] = self.ems.dispatch(rpc)
        self.ems.async_mode = False
        measured, unmeasured = {}, []
        for name, rpc in asked.items():
            rpc.event.wait(620)
            if rpc.error or rpc.reply is None:
                raise NCClientError(f"no answer about {name}: {rpc.error}")
            if not rpc.reply.ok:
                unmeasured.append(f"{name}: {rpc.reply.error.message}")
                continue
            reply = etree.fromstring(rpc.reply.xml.encode())
            readings = {r.findtext("e:name", None, NS): float(r.findtext("e:value", "nan", NS))
                        for r in reply.iterfind("e:reading", NS)}
            measured[name] = reply.findtext("e:condition", "", NS), readings
        return measured, unmeasured


# --- The diagnosis: the same table of readings that the hosted agent goes by ---------------------


def plan(network, target):
    """The target first, then what tells it from others."""
    inside = lambda duct: [l for l, link in network.links.items() if duct in link["ducts"]][:LINKS_MAX]
    kind, around = network.element(target)["kind"], [target]
    if kind == "link":
        around += [end for end in network.links[target]["ends"] if end.startswith("card:")]
        for duct in network.links[target]["ducts"]:
            around += [duct, *inside(duct)]
    elif kind == "duct":
        around += inside(target)
    elif kind == "card":
        around += [network.element(target)["parent"]]
        around += [l for l, link in network.links.items() if target in link["ends"]][:LINKS_MAX]
    elif kind == "router":
        around += [n for n, node in network.nodes.items() if node["kind"] == "card" and node["parent"] == target]
    return list(dict.fromkeys(around))[:PROBES_MAX]


def decide(network, target, measured):
    """What the readings mean, or None: what fails higher up takes what is below with it."""
    router_dead = lambda m: m[0] == "failed" or m[1].get("console_answers") == 0

    def card_dead(name, m):
        router = measured.get(network.element(name)["parent"])
        answers = router is None or not (router_dead(router) or router[0] == "unreachable")
        return m[0] == "failed" and m[1].get("heartbeat_age_s", SILENT_S + 1) > SILENT_S and answers

    def duct_cut(m):
        broken, could = m[1].get("links_broken", 0), m[1].get("links_measured", 0)
        return broken >= 2 and broken >= could and m[1].get("break_spread_km", ONE_PLACE_KM) < ONE_PLACE_KM

    def fibre_cut(name, m):
        dark = any(m[1].get(light, 0) < DARK_DBM for light in ("light_a_dbm", "light_b_dbm"))
        return dark and m[1].get("reflection_km", float("inf")) <= network.links[name]["length"]

    table = [("router", "router-failure", lambda _, m: router_dead(m)), ("card", "card-failure", card_dead),
             ("duct", "duct-cut", lambda _, m: duct_cut(m)), ("link", "fibre-cut", fibre_cut)]
    for kind, cause, is_so in table:
        for name, m in sorted(measured.items(), key=lambda one: one[0] != target):
            if network.element(name)["kind"] == kind and is_so(name, m):
                return name, cause, m[1]
    return None


def report(network, target, measured, unmeasured):
    """The payload of the result, and its words."""
    found = decide(network, target, measured)
    say = lambda name, m: f"{name} {m[0]}: " + ", ".join(f"{k} {v:.1f}" for k, v in m[1].items())
    alarmed = [f"{resource} {kind} {severity}" for (resource, kind), severity in network.alarms.items() if resource == target]
    payload = {"target": target, "confirmed": found is not None, "automatic": False,
               "evidence": [say(*one) for one in measured.items()] + unmeasured + alarmed}
    if not found:
        return {**payload, "proposal": "Look for the cause elsewhere: what was measured does not explain it"}, \
            f"No fault of {target} can be measured"
    name, cause, readings = found
    of = network.element(name)
    where = f"in {of['place']} ({of['latitude']} N, {of['longitude']} E)"
    proposal = {
        "router-failure": f"Send a technician to {name} ({of['vendor']} {of['model']}): check supply, then replace modules",
        "card-failure": f"Replace {name} ({of['vendor']} {of['model']}) and move its fibres over",
        "duct-cut": f"Open {name} {readings.get('break_km', 0):.2f} km from {of['place']} and splice every cable in it",
        "fibre-cut": f"Splice {name} {readings.get('reflection_km', 0):.1f} km from its first end"}[cause]
    return {**payload, "root_cause": name, "cause": cause, "proposal": proposal, "location": where}, \
        f"{cause} of {name}, {where}"


# --- The tasks: what the platform asks -----------------------------------------------------------


def say(platform, verb, task, target, words, **sections):
    sections = {"target object": target, "task description": words, **sections}
    rpc = etree.Element(f"{{{AGENT}}}task-negotiate", nsmap={None: AGENT})
    content = "\n".join(f"## {heading}\n{body}" for heading, body in sections.items())
    for leaf, value in [("commuType", verb), ("task-id", task), ("content", content)]:
        etree.SubElement(rpc, f"{{{AGENT}}}{leaf}").text = value
    platform.dispatch(rpc)
    tell("said", task=task, verb=verb, words=words)


def target_of(content):
    """What a fault_diagnosis_v1 in a content is about; None if it is something else."""
    payload = content.split("structured payload", 1)[-1]
    try:
        payload = json.loads(payload[payload.index("{"):payload.rindex("}") + 1])
    except ValueError:
        return None
    return payload.get("payload", {}).get("target") if payload.get("schema_id") == "fault_diagnosis_v1" else None


def look(platform, network):
    own = lambda target: (network.element(target) or {}).get("domain") == "IP"
    for asked in platform.get(filter=ASKED).data.iterfind("r:registry/r:negotiation", NS):
        turn = asked.findall("r:turn", NS)[-1]
        if turn.findtext("r:by", None, NS) == "publisher":
            target = target_of(turn.findtext("r:content", "", NS))
            word = "accept" if target and own(target) else f"reject\n- {target} is no element of the IP domain"
            say(platform, "FeasibilityNegotiate", asked.findtext("r:task-id", None, NS), target or "nothing", "answer",
                result=word)
    tasks = etree.fromstring(platform.dispatch(etree.fromstring(ASSIGNED)).xml.encode())
    for task in tasks.iterfind(".//r:task", NS):
        name = task.findtext("r:task-id", None, NS)
        target = target_of("\n".join(c.text or "" for c in task.iterfind("r:content", NS)))
        if target is None or not own(target):
            say(platform, "taskResultNotify", name, target or "nothing", f"{target} is no element of the IP domain",
                status="failed")
            continue
        around = plan(network, target)
        say(platform, "taskResultNotify", name, target, f"measuring {len(around)} elements", progress="10")
        payload, words = report(network, target, *network.probe(around))
        say(platform, "taskResultNotify", name, target, f"Diagnosis of {target}", result=words, **{
            "structured payload": json.dumps({"schema_id": "fault_diagnosis_result_v1", "payload": payload})})


while True:
    try:
        platform = connect(args.port)
        platform.dispatch(etree.fromstring(REGISTER))  # The management system lets in who is registered.
        platform.create_subscription()
        network = Network()
        tell("ready", elements=len(network.nodes) + len(network.links))
        renewed = time.monotonic()
        while platform.connected:
            network.hear()
            look(platform, network)  # At the beginning, and whenever something happened.
            platform.take_notification(timeout=1)
            if time.monotonic() - renewed > args.lease / 3:
                platform.dispatch(etree.fromstring(REGISTER))
                renewed = time.monotonic()
    except (OSError, NCClientError) as lost:
        tell("lost", why=f"begins anew: {lost}")
    time.sleep(1)
