#!/usr/bin/env python3
"""An operator's own OSS has a fault diagnosed by Convoke's agents, from outside, over NETCONF.

  1. reads who is registered and finds the agent that diagnoses the IP network
  2. subscribes to condition-notifications: the last hours first (replay), then what happens now
  3. looks for an outage: sites that an incident of the wireless domain names, and elements of
     the IP network that were in trouble at the same time
  4. asks the agent whether it could diagnose them (FeasibilityNegotiate)
  5. assigns the diagnosis, asynchronously (taskAssgin), and follows it by its notifications
  6. judges what the agent offers (FulfillmentNegotiate): if nothing was found, the agent is to
     look at the alternatives; else the result is accepted
  7. reads the result (taskResultQuery) and prints it
  8. opens a trouble ticket for what cannot be mended from afar, which demands that the field force
     agrees on how it goes about it; agrees, and with --repair follows and judges the repair

Nothing is used but NETCONF, the YANG modules irtf-agent, convoke-registry and convoke-negotiation,
and the keys of the payloads fault_incident_result_v1, fault_diagnosis_v1,
fault_diagnosis_result_v1, fault_repair_v1, fault_repair_decision_v1 and fault_repair_result_v1.

Exit codes: 0 the diagnosis has a result (found or not), 1 nothing to diagnose or no result,
2 usage, 3 refused, 4 unreachable.
"""
import argparse
import datetime
import json
import os
import sys
import time
import uuid

import paramiko
from lxml import etree
from ncclient import manager
from ncclient.operations import RPCError, TimeoutExpiredError
from ncclient.operations.errors import OperationError
from ncclient.transport.errors import TransportError

AGENT = "urn:ietf:params:xml:ns:yang:irtf-agent"
REGISTRY = "urn:convoke:params:xml:ns:yang:convoke-registry"
NEGOTIATION = "urn:convoke:params:xml:ns:yang:convoke-negotiation"
NOTIFICATION = "urn:ietf:params:xml:ns:netconf:notification:1.0"
MONITORING = "urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring"
NS = {"a": AGENT, "r": REGISTRY, "n": NEGOTIATION, "m": MONITORING}

# A task in one of these states will not change any more.
TERMINAL = {"finished", "failed", "cancelled", "rejected", "unconfirmed"}
# What to suspect first of an element of the IP network, and in which order to suspect them: what
# fails higher up takes what hangs below with it.
SUSPECTED = {"router": "router-failure", "card": "card-failure", "duct": "duct-cut", "link": "fibre-cut"}
# Incidents of two domains that began so many seconds apart may have one cause.
TOGETHER_S = 600


class Failure(Exception):
    """Ends the program with this exit code."""

    def __init__(self, code, words):
        super().__init__(words)
        self.code = code


# --- What the messages look like --------------------------------------------------------------


def write_sections(target, description, **others):
    """The leaf `content`: a heading behind ##, a body below it."""
    sections = {"target object": target, "task description": description}
    sections.update((name.replace("_", " "), body) for name, body in others.items())
    return "\n".join(f"## {heading}\n{body}" for heading, body in sections.items())


def read_sections(content):
    """The inverse of `write_sections`: bodies by heading."""
    sections, heading = {}, None
    for line in content.splitlines():
        if line.startswith("##"):
            heading = line[2:].strip().lower()
            sections[heading] = ""
        elif heading:
            sections[heading] += line + "\n"
    return {heading: body.strip() for heading, body in sections.items()}


def structured_payload(schema, values):
    return json.dumps({"schema_id": schema, "payload": values})


def instant(text):
    """A date-and-time of RFC 6991."""
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def read_payload(sections):
    """The structured payload of a message: its schema and its values; (None, {}) without one."""
    payload = json.loads(sections.get("structured payload", "{}"))
    return payload.get("schema_id"), payload.get("payload", {})


class Told:
    """One condition-notification."""

    def __init__(self, notification):
        element = notification.find("a:condition-notifications", NS)
        text = lambda path: element.findtext(path, "", NS)
        self.task = text("a:task-id")
        self.status = text("a:input-required/a:status")
        self.percent = int(text("n:progress") or 0)
        self.sections = read_sections(text("a:input-required/a:required"))
        self.schema, self.payload = read_payload(self.sections)


# --- The platform, as NETCONF shows it ----------------------------------------------------------


class Platform:
    def __init__(self, args):
        known = {"hostkey_verify": False}
        if args.known_hosts != "none":
            known = {"hostkey_b64": host_key(args.known_hosts, args.host, args.port)}
        self.session = manager.connect(
            host=args.host, port=args.port, username=args.user, key_filename=args.key,
            allow_agent=False, look_for_keys=False, timeout=60, **known)

    def agents(self):
        reply = self.session.get(filter=("xpath", (NS, "/r:registry/r:agent")))
        return [
            {
                "name": agent.findtext("r:name", "", NS),
                "domain": agent.findtext("r:domain", "", NS),
                "endpoint": agent.findtext("r:observed/r:endpoint", "", NS),
                "online": agent.findtext("r:observed/r:online", "", NS) == "true",
                "skills": [s.text for s in agent.iterfind("r:skills/r:skill/r:skill-name", NS)],
            }
            for agent in reply.data.iterfind("r:registry/r:agent", NS)
        ]

    def now(self):
        """What the platform's clock showed when this session was opened (RFC 6022 §2.1.3).

        A startTime is held against that clock, which need not agree with ours; while a simulated
        network is shown, it is the network's.
        """
        session = f"/m:netconf-state/m:sessions/m:session[m:session-id={self.session.session_id}]"
        reply = self.session.get(filter=("xpath", (NS, session + "/m:login-time")))
        return instant(reply.data.findtext(".//m:login-time", "", NS))

    def subscribe(self, since):
        """RFC 5277: what the log holds from `since` on, then replayComplete, then what happens."""
        # As an element, because ncclient would put a filter that it makes itself into the
        # namespace of RFC 6241, and RFC 5277 wants its own.
        wanted = etree.Element(f"{{{NOTIFICATION}}}filter", nsmap={None: NOTIFICATION}, type="subtree")
        etree.SubElement(wanted, f"{{{AGENT}}}condition-notifications", nsmap={None: AGENT})
        start = since.strftime("%Y-%m-%dT%H:%M:%SZ")
        self.session.create_subscription(filter=wanted, start_time=start)

    def told(self, deadline):
        """Notifications as they come, until the deadline; None marks the end of the replay."""
        while (left := deadline - time.monotonic()) > 0:
            notification = self.session.take_notification(timeout=left)
            if notification is None:
                if not self.session.connected:
                    raise Failure(4, "the platform has ended the session")
                continue
            element = etree.fromstring(notification.notification_xml.encode())
            if element.find("{*}replayComplete") is not None:
                yield None
            elif element.find("a:condition-notifications", NS) is not None:
                yield Told(element)

    def negotiate(self, verb, to, task, content=None, asynchronous=None, kind=None):
        """Calls task-negotiate. The reply: verdict, status, sections, reasons for a refusal."""
        rpc = etree.Element(f"{{{AGENT}}}task-negotiate", nsmap={None: AGENT})
        leaf = lambda name, text: setattr(etree.SubElement(rpc, f"{{{AGENT}}}{name}"), "text", text)
        leaf("task-sendTo", to)
        leaf("commuType", verb)
        leaf("task-id", task)
        if content:
            leaf("content", content)
        if kind:
            leaf("type", kind)
        if asynchronous is not None:
            # A leaf that convoke-negotiation adds; a section "## asynchronous" would say the same.
            element = etree.SubElement(rpc, f"{{{NEGOTIATION}}}task-async", nsmap={None: NEGOTIATION})
            element.text = "true" if asynchronous else "false"
        reply = etree.fromstring(self.session.dispatch(rpc).xml.encode()).find(".//n:reply", NS)
        return {
            "verdict": reply.findtext("n:verdict", "", NS),
            "status": reply.findtext("n:task-status", "", NS),
            "sections": read_sections("\n".join(c.text for c in reply.iterfind("n:content", NS))),
            "reasons": [r.findtext("n:message", "", NS) for r in reply.iterfind("n:refusal", NS)],
        }


def host_key(file, host, port):
    """The public key that the server must have, from a file in the format of known_hosts."""
    try:
        known = paramiko.HostKeys(file).lookup(f"[{host}]:{port}") or {}
    except OSError as error:
        raise Failure(2, f"--known-hosts: {error}") from error
    for key in known.values():
        return key.get_base64()
    raise Failure(4, f"{file} does not know [{host}]:{port}; --known-hosts none connects nevertheless")


# --- The work -------------------------------------------------------------------------------


class Incidents:
    """The incidents that were reported, and what they suggest."""

    def __init__(self):
        # By identifier, the fullest version of each: an incident shrinks as alarms clear.
        self.worst = {}
        self.open = set()

    def take(self, told):
        """True if the notification was about an incident."""
        if told.schema != "fault_incident_result_v1":
            return False
        # An array without an entry is absent from a payload.
        incident = {"sites": [], "resources": [], **told.payload}
        key = incident["incident_id"]
        size = lambda i: (len(i["sites"]), len(i["resources"]))
        if key not in self.worst or size(incident) >= size(self.worst[key]):
            self.worst[key] = incident
        (self.open.discard if incident["cleared"] else self.open.add)(key)
        return True

    def outage(self, sites_min, only_open):
        """The incident with the most sites out of service; of two, the later."""
        outages = [
            incident for key, incident in self.worst.items()
            if len(incident["sites"]) >= sites_min and (key in self.open or not only_open)
        ]
        return max(outages, key=lambda i: (len(i["sites"]), i["raised_at"]), default=None)

    def suspects(self, outage):
        """Elements of the IP network with alarms from about the same time, likeliest first, and
        the incidents that name them."""
        began = lambda incident: instant(incident["raised_at"])
        apart = lambda incident: abs((began(incident) - began(outage)).total_seconds())
        near = [i for i in self.worst.values() if i["domain"] == "IP" and apart(i) <= TOGETHER_S]
        near.sort(key=apart)
        rank = lambda element: list(SUSPECTED).index(element.split(":")[0])
        elements = []
        for incident in near:
            known = [e for e in incident["resources"] if e.split(":")[0] in SUSPECTED]
            elements += [e for e in sorted(known, key=rank) if e not in elements]
        return elements, [i["incident_id"] for i in near]


def find_outage(platform, incidents, args, say):
    """Listens until an outage and suspects are known; after --wait, what was is good enough."""
    deadline, replayed = time.monotonic() + args.wait, False
    for told in platform.told(deadline):
        if told is None:
            replayed = True
        elif incidents.take(told):
            if replayed:
                words = told.sections["task description"]
                say("incident", words, incident=told.payload["incident_id"], sites=told.payload.get("sites", []))
        outage = incidents.outage(args.sites, only_open=True)
        if replayed and outage and incidents.suspects(outage)[0]:
            # Alarms are still coming: a little patience makes a better guess.
            for more in platform.told(min(deadline, time.monotonic() + args.settle)):
                if more:
                    incidents.take(more)
            return incidents.outage(args.sites, only_open=True) or outage
    return incidents.outage(args.sites, only_open=False)


def order(args, incidents, outage):
    """The payload of the diagnosis: the suspect, what else it might be, and why we ask."""
    suspects, reporters = incidents.suspects(outage) if outage else ([], [])
    if args.element:
        suspects = [args.element] + [e for e in suspects if e != args.element]
    if not suspects:
        raise Failure(1, "the IP network reported nothing that goes with the outage")
    suspicion = lambda e: {"target": e, "suspected_cause": SUSPECTED.get(e.split(":")[0], "fibre-cut")}
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        **suspicion(suspects[0]),
        "alternatives": [suspicion(e) for e in suspects[1:8]],
        "incident_ids": ([outage["incident_id"]] if outage else []) + reporters,
        "sites": outage["sites"] if outage else [],
        "since": outage["raised_at"] if outage else now,
    }


def follow(platform, agent, task, diagnosis, args, say):
    """Follows the task until it has ended, and judges what is offered on the way."""
    target, alternatives = diagnosis["target"], bool(diagnosis["alternatives"])
    for told in platform.told(time.monotonic() + args.timeout):
        if told is None or told.task != task:
            continue
        say("progress", f"{told.percent:3} %  {told.status}: {told.sections['task description']}",
            status=told.status, percent=told.percent)
        if told.status in TERMINAL:
            return told.status
        if told.status == "input-required" and told.schema == "fault_diagnosis_result_v1":
            enough = told.payload["confirmed"] or not alternatives
            alternatives = False  # The agent takes them up all at once.
            word = "accept" if enough else "reject"
            say("judged", f"       {told.sections.get('result', '')}: {word}", judgement=word)
            content = write_sections(target, "Judgement of the diagnosis", result=word, in_reply_to="judgement")
            platform.negotiate("FulfillmentNegotiate", agent, task, content, kind="FULFILLMENT")
    raise Failure(1, f"{task} has not ended within {args.timeout:.0f} s")


def open_ticket(platform, agents, found, sites, args, say):
    """Has what was found mended: assigns the ticket, and agrees on how it is worked."""
    to = next((a["name"] for a in agents if "trouble-ticket" in a["skills"]), None)
    if to is None:
        raise Failure(1, "no agent is registered that takes trouble tickets")
    element, task = found["root_cause"], f"oss-{uuid.uuid4()}"
    ticket = {
        "ticket_id": f"TT-{task}", "element": element, "cause": found["cause"], "place": found.get("location", ""),
        "affected_sites": sites, "proposal": found["proposal"], "evidence": found.get("evidence", []),
    }
    content = write_sections(
        element, found["proposal"], expected_response="service restored at all affected sites",
        fulfillment_negotiation="required", structured_payload=structured_payload("fault_repair_v1", ticket))
    reply = platform.negotiate("taskAssgin", to, task, content, asynchronous=True)
    say("ticket", "; ".join([f"ticket {ticket['ticket_id']} to {to}: {reply['verdict']}", *reply["reasons"]]),
        task=task, agent=to, element=element, verdict=reply["verdict"], reasons=reply["reasons"])
    if reply["verdict"] != "accepted":
        return

    def judge(awaited, good, words):
        word = "accept" if good else "reject"
        content = write_sections(element, words, result=word, in_reply_to=awaited)
        platform.negotiate("FulfillmentNegotiate", to, task, content, kind="FULFILLMENT")
        return word

    for told in platform.told(time.monotonic() + args.timeout):
        if told is None or told.task != task:
            continue
        if told.status in TERMINAL:
            say("closed", f"ticket {ticket['ticket_id']}: {told.status}", task=task, status=told.status)
            return
        if told.status != "input-required":
            continue
        if told.schema == "fault_repair_decision_v1":
            good = told.payload["element"] == element
            word = judge("decision", good, "Word on the decision")
            say("decision", f"       {told.payload['crew']}: {'; '.join(told.payload.get('order_of_work', []))}: {word}",
                judgement=word, **told.payload)
            if good and not args.repair:
                return
        elif told.schema == "fault_repair_result_v1":
            word = judge("judgement", told.payload["repaired"], "Judgement of the repair")
            say("repaired", f"       {told.payload.get('finding', '')}: {word}", judgement=word, **told.payload)
    raise Failure(1, f"{task} has not come so far within {args.timeout:.0f} s")


def run(args, say):
    platform = Platform(args)
    agents = platform.agents()
    for agent in agents:
        say("agent", f"{agent['name']:<34}{agent['domain']:<14}{agent['endpoint']}", **agent)
    diagnoses = (a for a in agents if a["domain"] == "IP" and "fault-diagnosis" in a["skills"])
    agent = next((a["name"] for a in diagnoses), None)
    if agent is None:
        raise Failure(1, "no agent is registered that diagnoses the IP network")

    hours = datetime.timedelta(hours=args.hours)
    platform.subscribe(platform.now() - hours)
    say("subscribed", f"listening; the last {args.hours:g} hours are replayed", hours=args.hours)
    incidents, outage = Incidents(), None
    if not args.element:
        outage = find_outage(platform, incidents, args, say)
        if outage is None:
            raise Failure(1, f"no incident has taken {args.sites} sites out of service")
        state = "is open" if outage["incident_id"] in incidents.open else "has cleared since"
        say("outage", f"{outage['incident_id']}: {len(outage['sites'])} sites out of service "
            f"since {outage['raised_at']}; it {state}", incident=outage["incident_id"],
            sites=outage["sites"], open=state == "is open", incidents=len(incidents.worst))

    diagnosis = order(args, incidents, outage)
    target, task = diagnosis["target"], f"oss-{uuid.uuid4()}"
    content = write_sections(
        target, f"Diagnose {target}: is it the cause? Measure it and what is around it",
        expected_response="the root cause confirmed or excluded, with readings, place and proposal",
        structured_payload=structured_payload("fault_diagnosis_v1", diagnosis))
    for event, verb, kind in [("feasibility", "FeasibilityNegotiate", "FEASIBILITY"), ("assigned", "taskAssgin", None)]:
        reply = platform.negotiate(verb, agent, task, content, kind=kind,
                                   asynchronous=True if event == "assigned" else None)
        words = "; ".join([f"{agent}: {reply['verdict']}", *reply["reasons"]])
        say(event, f"{verb} {target}, {words}", task=task, agent=agent, target=target,
            verdict=reply["verdict"], reasons=reply["reasons"])
        if reply["verdict"] != "accepted":
            raise Failure(3, f"{verb}: {words}")

    status = follow(platform, agent, task, diagnosis, args, say)
    result = platform.negotiate("taskResultQuery", agent, task)
    schema, found = read_payload(result["sections"])
    if schema != "fault_diagnosis_result_v1":
        raise Failure(1, f"{task} has ended without a result: {status}")
    say("result", report(found), task=task, status=result["status"], **found)
    if found["confirmed"] and not found["automatic"]:
        open_ticket(platform, agents, found, diagnosis["sites"], args, say)
    platform.session.close_session()


def report(found):
    lines = ["", f"looked at   {found['target']}"]
    if found["confirmed"]:
        lines += [f"root cause  {found['root_cause']}, {found['cause']}", f"where       {found.get('location', '')}"]
    else:
        lines += ["root cause  not among what was measured"]
    lines += [f"proposal    {found['proposal']}"] + [f"measured    {line}" for line in found.get("evidence", [])]
    return "\n".join(lines)


def arguments():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--host", default="127.0.0.1", help="where the platform listens (%(default)s)")
    options.add_argument("--port", type=int, default=8830, help="its port (%(default)s)")
    options.add_argument("--user", default="operator", help="who asks (%(default)s)")
    options.add_argument("--key", default="convoke-state/operator_ed25519", help="the user's private key (%(default)s)")
    options.add_argument("--known-hosts", metavar="FILE|none",
                         help="the host keys to trust (known_hosts beside the private key)")
    options.add_argument("--element", help="diagnose this, such as link:Berlin-Leipzig, and wait for no outage")
    options.add_argument("--sites", type=int, default=2, help="so many sites make an outage (%(default)s)")
    options.add_argument("--hours", type=float, default=24, help="how much to replay (%(default)s)")
    options.add_argument("--wait", type=float, default=30, help="seconds to wait for an outage (%(default)s)")
    options.add_argument("--settle", type=float, default=2, help="seconds to listen on once there is one (%(default)s)")
    options.add_argument("--timeout", type=float, default=600, help="seconds to wait for the diagnosis (%(default)s)")
    options.add_argument("--repair", action="store_true", help="follow the ticket until it is closed")
    options.add_argument("--json", action="store_true", help="print JSON lines, each with a member event")
    args = options.parse_args()
    args.known_hosts = args.known_hosts or os.path.join(os.path.dirname(args.key), "known_hosts")
    return args


def main():
    args = arguments()

    def say(event, words, **facts):
        print(json.dumps({"event": event, **facts}) if args.json else words, flush=True)

    try:
        run(args, say)
        return 0
    except Failure as failure:
        code, words = failure.code, str(failure)
    except RPCError as error:
        code, words = 3, f"{error.tag}: {error.message}"
    except (OSError, TransportError, OperationError, TimeoutExpiredError, paramiko.SSHException) as error:
        code, words = 4, f"{args.host}:{args.port}: {error}"
    if args.json:
        print(json.dumps({"event": "error", "code": code, "message": words}))
    print(f"oss_fault_workflow: {words}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
