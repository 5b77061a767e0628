import { expect, test } from 'vitest';
import { curl, curlReading, ncclient, ncclientReading, xml } from './frame';

const request = {
  rpc: 'irtf-agent:task-negotiate',
  input: { 'task-id': 'a&b', content: ['x < y', "it's"], 'convoke-negotiation:alternative': 2 },
};

test('an rpc is the same in XML', () => {
  expect(xml(request)).toBe(`<task-negotiate xmlns="urn:ietf:params:xml:ns:yang:irtf-agent">
  <task-id>a&amp;b</task-id>
  <content>x &lt; y</content>
  <content>it's</content>
  <alternative xmlns="urn:convoke:params:xml:ns:yang:convoke-negotiation">2</alternative>
</task-negotiate>`);
  expect(xml({ rpc: 'convoke-registry:get-tasks', input: { need: [{ name: 'a' }] } })).toBe(
    '<get-tasks xmlns="urn:convoke:params:xml:ns:yang:convoke-registry">\n  <need>\n    <name>a</name>\n  </need>\n</get-tasks>',
  );
});

test('nothing that is said ends the quotes in which it stands', () => {
  expect(curl(request, 'http://h')).toContain("it'\\''s");
  const python = ncclient({ rpc: 'm:r', input: { a: 'x"""; \\' } }, 'ann', 'h');
  expect(python).toContain('environ.get("CONVOKE_NETCONF", "h:8830")');
  expect(python).toContain('environ.get("CONVOKE_USER", "ann")');
  expect(python).toContain('"/keys/ann_ed25519"');
  expect(python).toContain('<a>x\\"\\"\\"; \\\\</a>');
});

test('what is read is asked for by curl and ncclient as well', () => {
  expect(curlReading("m:a=it's", 'http://h')).toBe(
    `curl -s 'http://h/restconf/data/m:a=it%27s' \\\n  -H "Authorization: Bearer $TOKEN" \\\n  -H "Accept: application/yang-data+json"\n`,
  );
  const python = ncclientReading('convoke-registry:registry', { agent: { name: 'a"""b' } }, 'ann', 'h');
  expect(python).toContain('platform.get(filter=("subtree", """<registry xmlns="urn:convoke:params:xml:ns:yang:convoke-registry">');
  expect(python).toContain('<name>a\\"\\"\\"b</name>');
});
