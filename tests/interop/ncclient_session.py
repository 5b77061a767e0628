"""What ncclient (paramiko, chunked framing) sees of a running platform.

Usage: ncclient_session.py PORT KEY. Prints one JSON object of facts for the test to judge; what
ncclient itself finds wrong ends it with a traceback.
"""
import json
import sys

from lxml import etree
from ncclient import manager
from ncclient.operations import RPCError
from ncclient.transport.session import NetconfBase
from ncclient.xml_ import to_ele

AGENT = "urn:ietf:params:xml:ns:yang:irtf-agent"
NS = {
    "nc": "urn:ietf:params:xml:ns:netconf:base:1.0",
    "r": "urn:convoke:params:xml:ns:yang:convoke-registry",
    "a": AGENT,
    "n": "urn:convoke:params:xml:ns:yang:convoke-negotiation",
    "m": "urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring",
    "y": "urn:ietf:params:xml:ns:yang:ietf-yang-library",
    "cn": "urn:ietf:params:xml:ns:netmod:notification",
    "acm": "urn:ietf:params:xml:ns:yang:ietf-netconf-acm",
    "s": "urn:convoke:params:xml:ns:yang:convoke-schema",
    "p": "urn:convoke:params:xml:ns:yang:convoke-policy",
    "u": "urn:convoke:params:xml:ns:yang:convoke-usage",
}
IP = "TMF-Convoke-IP-1.0.0"


def connect():
    return manager.connect(
        host="127.0.0.1", port=int(sys.argv[1]), username="operator", key_filename=sys.argv[2],
        hostkey_verify=False, allow_agent=False, look_for_keys=False, timeout=30)


def texts(element, path):
    return [found.text for found in element.iterfind(path, NS)]


def negotiate(session, verb, task, content=None):
    rpc = etree.Element(f"{{{AGENT}}}task-negotiate", nsmap={None: AGENT})
    for leaf, text in [("task-sendTo", IP), ("commuType", verb), ("task-id", task), ("content", content)]:
        if text:
            etree.SubElement(rpc, f"{{{AGENT}}}{leaf}").text = text
    reply = etree.fromstring(session.dispatch(rpc).xml.encode())
    return {leaf: reply.findtext(f".//n:{leaf}", None, NS) for leaf in ("verdict", "task-id", "task-status")}


def refusal(call):
    try:
        call()
    except RPCError as error:
        return {"type": error.type, "tag": error.tag, "severity": error.severity,
                "path": error.path, "message": error.message}
    return None


facts = {}
with connect() as session:
    facts["chunked"] = session._session._base == NetconfBase.BASE_11
    facts["session_id"] = session.session_id
    facts["modules"] = sorted(c.split("module=")[1].split("&")[0] for c in session.server_capabilities if "module=" in c)

    subtree = f'<registry xmlns="{NS["r"]}"><agent><name/></agent></registry>'
    facts["by_subtree"] = texts(session.get(filter=("subtree", subtree)).data, ".//r:agent/r:name")
    by_xpath = ("xpath", (NS, f"/r:registry/r:agent[r:name='{IP}']/r:domain"))
    facts["by_xpath"] = texts(session.get(filter=by_xpath).data, ".//r:agent/r:domain")
    config = session.get_config(source="running").data
    facts["config"] = [etree.QName(child).localname for child in config]
    trimmed = session.get(filter=("subtree", f'<nacm xmlns="{NS["acm"]}"/>'), with_defaults="trim").data
    facts["enable_nacm_trimmed"] = texts(trimmed, ".//acm:enable-nacm")

    # Every schema that monitoring names, and every module that hello or yang-library names, comes
    # whole, and is what it says it is.
    listed = session.get(filter=("xpath", (NS, "/m:netconf-state/m:schemas/m:schema | /y:yang-library/y:module-set"))).data
    schemas = {(s.findtext("m:identifier", None, NS), s.findtext("m:version", None, NS))
               for s in listed.iterfind(".//m:schema", NS)}
    wrong = []
    for identifier, version in sorted(schemas):
        text = session.get_schema(identifier, version=version).data.strip()
        if not (text.startswith(f"module {identifier} {{") or text.startswith(f"submodule {identifier} {{")) or not text.endswith("}"):
            wrong.append(identifier)
    served = {identifier for identifier, _ in schemas}
    library = set(texts(listed, ".//y:module-set/y:module/y:name"))
    facts["schemas"] = {"served": len(schemas), "wrong": wrong,
                        "unserved": sorted((set(facts["modules"]) | library) - served)}

    with session.locked("running"), connect() as other:
        facts["locked"] = refusal(lambda: other.lock("running"))
    facts["unlocked"] = refusal(lambda: session.unlock("running"))

    facts["refused_write"] = refusal(lambda: session.dispatch(to_ele(
        f'<edit-config xmlns="{NS["nc"]}"><target><running/></target><config/></edit-config>')))
    facts["bad_verb"] = refusal(lambda: negotiate(session, "shout", "t-0", "## target object\nx\n## task description\ny"))

    # What is looked at before anything is sent or added.
    understood = etree.fromstring(session.dispatch(to_ele(
        f'<parse-utterance xmlns="{NS["s"]}"><utterance>the fibre of link Warsaw-Poznan is torn</utterance>'
        f'<agent>{IP}</agent><scenario>fault_diagnosis</scenario></parse-utterance>')).xml.encode())
    facts["understood"] = [understood.findtext(f"s:{leaf}", None, NS) for leaf in ("agent", "schema-id", "payload")]
    foreseen = etree.fromstring(session.dispatch(to_ele(
        f'<check-rule xmlns="{NS["p"]}"><name>small</name><kind>result</kind><scenario>fault_repare</scenario>'
        '<verdict>accept</verdict></check-rule>')).xml.encode())
    facts["foreseen"] = [foreseen.findtext("p:decides-count", None, NS), *texts(foreseen, "p:remark/p:remark")]
    usage = session.get(filter=("xpath", (NS, "/u:usage/u:store | /u:usage/u:agent[u:name='" + IP + "']"))).data
    facts["usage"] = {leaf: texts(usage, f".//u:{leaf}") for leaf in ("condition", "waiting")}

    # ncclient writes its <filter> in the namespace of the base operations.
    session.create_subscription(filter=("xpath", ({"a": AGENT}, "/a:condition-notifications[a:task-id='interop-1']")))
    content = "## target object\nnothing known\n## task description\nLook at it\n## asynchronous\ntrue"
    facts["assigned"] = negotiate(session, "taskAssgin", "interop-1", content)
    facts["other"] = negotiate(session, "taskAssgin", "interop-2", content)
    facts["query"] = negotiate(session, "taskResultQuery", "interop-1")
    facts["cancelled"] = negotiate(session, "taskCancel", "interop-1")
    told = []
    while not told or told[-1][1] != "cancelled":
        notification = session.take_notification(timeout=30)
        element = etree.fromstring(notification.notification_xml.encode()).find("a:condition-notifications", NS)
        told.append((element.findtext("a:task-id", None, NS), element.findtext(".//a:status", None, NS)))
    facts["told"] = told
print(json.dumps(facts))
