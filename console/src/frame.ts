// What a request looks like to other clients: JSON for curl (RFC 8040), XML for ncclient (RFC 6241). Pure.
import { legibleJson, legibleXml } from './legible';
import { PLATFORM, type Request } from './restconf';

/** Modules of the draft have their namespace from the IETF, all others from us. */
function namespace(module: string): string {
  const owner = module === 'irtf-agent' ? 'ietf' : 'convoke';
  return `urn:${owner}:params:xml:ns:yang:${module}`;
}

function split(name: string): [string | undefined, string] {
  const colon = name.indexOf(':');
  return colon < 0 ? [undefined, name] : [name.slice(0, colon), name.slice(colon + 1)];
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function element(name: string, value: unknown, inherited: string, indent: string): string {
  if (Array.isArray(value)) return value.map((it) => element(name, it, inherited, indent)).join('');
  const [module = inherited, local] = split(name);
  const declared = module === inherited ? '' : ` xmlns="${namespace(module)}"`;
  if (typeof value !== 'object' || value === null) {
    return `${indent}<${local}${declared}>${escaped(String(value ?? ''))}</${local}>\n`;
  }
  return `${indent}<${local}${declared}>\n${members(value, module, `${indent}  `)}${indent}</${local}>\n`;
}

function members(value: object, module: string, indent: string): string {
  return Object.entries(value).map(([name, it]) => element(name, it, module, indent)).join('');
}

/** The rpc as the element that stands in a NETCONF message. */
export function xml({ rpc, input }: Request): string {
  return element(rpc, input, '', '').trimEnd();
}

/** XML in a string of Python: what ends such a string, or escapes in it, is not taken for that. */
function quoted(text: string): string {
  return `"""${legibleXml(text).replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"')}"""`;
}

/** A program for ncclient that prints what comes of an expression on `platform`; where and who is told as to `convoke`. */
function program(imports: string, expression: string, user: string, host: string): string {
  const key = user === 'operator' ? '/operator_ed25519' : `/keys/${user}_ed25519`;
  const said = (name: string, otherwise: string) => `environ.get("CONVOKE_${name}", ${legibleJson(JSON.stringify(otherwise))})`;
  return `from os import environ
from ncclient import manager
${imports}
host, port = ${said('NETCONF', `${host}:8830`)}.rsplit(":", 1)
key = ${said('STATE', 'convoke-state')} + ${legibleJson(JSON.stringify(key))}
with manager.connect(host=host.strip("[]"), port=int(port), username=${said('USER', user)},
                     key_filename=environ.get("CONVOKE_IDENTITY", key), hostkey_verify=False,
                     allow_agent=False, look_for_keys=False) as platform:
    print(${expression})
`;
}

/** A program for ncclient that sends it. */
export function ncclient(request: Request, user: string, host: string): string {
  return program('from ncclient.xml_ import to_ele\n', `platform.dispatch(to_ele(${quoted(xml(request))}))`, user, host);
}

/** A program for ncclient that reads what a subtree filter selects. */
export function ncclientReading(name: string, filter: object, user: string, host: string): string {
  return program('', `platform.get(filter=("subtree", ${quoted(element(name, filter, '', '').trimEnd())}))`, user, host);
}

/** A command for curl that reads the data at a path. */
export function curlReading(path: string, origin: string, root = PLATFORM): string {
  return `curl -s '${origin}${root}/data/${path.replaceAll("'", '%27')}' \\
  -H "Authorization: Bearer $TOKEN" \\
  -H "Accept: application/yang-data+json"
`;
}

/** A command for curl that posts JSON. */
export function posting(url: string, headers: string[], body: object): string {
  const json = legibleJson(JSON.stringify(body, null, 2)).replaceAll("'", "'\\''");
  return `curl -s '${url.replaceAll("'", '%27')}' \\
${['Authorization: Bearer $TOKEN', ...headers].map((it) => `  -H "${it}" \\\n`).join('')}  -d '${json}'
`;
}

/** A command for curl that sends it. */
export function curl({ rpc, input, root = PLATFORM }: Request, origin: string): string {
  const [module] = split(rpc);
  return posting(`${origin}${root}/operations/${rpc}`, ['Content-Type: application/yang-data+json'], { [`${module}:input`]: input });
}
