// A session of the official A2A SDK for JavaScript with a running platform, in both versions.
//
//     node a2a_session.mjs URL-OF-AGENT TOKEN ELEMENT
//
// Finds the agent by its card, and over each binding sends a typed diagnosis of the element, waiting
// and as a stream, and reads the task again; the SDK 1.x speaks v1.0, 0.3.x speaks v0.3. Prints what it
// found as JSON; what any of it should be is for `tests/foreign/a2a.rs` to say.

import * as v10 from "@a2a-js/sdk/client";
import { Message, TaskState } from "@a2a-js/sdk";
import * as v03 from "a2a-v03/client";

const [url, token, target] = process.argv.slice(2);
const CARD = `${url}/.well-known/agent-card.json`;
const SCHEMA = "fault_diagnosis_v1";
const TYPED = `application/json;schema=${SCHEMA}`;

// Every request bears the token.
const fetchImpl = (input, init = {}) => {
  const headers = new Headers(init.headers);
  headers.set("Authorization", `Bearer ${token}`);
  return fetch(input, { ...init, headers });
};

// A client of one SDK over one binding.
async function client(sdk, binding) {
  const transports = [
    new sdk.JsonRpcTransportFactory({ fetchImpl }),
    new sdk.RestTransportFactory({ fetchImpl }),
  ];
  const factory = new sdk.ClientFactory({
    transports,
    cardResolver: new sdk.DefaultAgentCardResolver({ fetchImpl }),
    preferredTransports: [binding],
  });
  return factory.createFromUrl(CARD, "");
}

// How either version writes a message, a task and a state.
const dialects = {
  "1.0": {
    sdk: v10,
    message: (messageId) => ({
      message: Message.fromJSON({
        messageId,
        role: "ROLE_USER",
        parts: [{ data: { target }, mediaType: TYPED }],
      }),
    }),
    task: (event) => (event.payload?.$case === "task" ? event.payload.value : event),
    kind: (event) => event.payload.$case,
    state: (task) => (typeof task.status.state === "number" ? TaskState[task.status.state] : task.status.state),
  },
  0.3: {
    sdk: v03,
    message: (messageId) => ({
      message: {
        kind: "message",
        messageId,
        role: "user",
        // Over HTTP+JSON this SDK drops the metadata of parts: the payload names its schema itself.
        parts: [{ kind: "data", data: { schema_id: SCHEMA, payload: { target } } }],
      },
    }),
    task: (event) => event,
    kind: (event) => event.kind,
    state: (task) => task.status.state,
  },
};

async function refused(call) {
  try {
    await call;
    return "nothing";
  } catch (error) {
    return error.constructor.name;
  }
}

async function converse(version, binding) {
  const { sdk, message, task, kind, state } = dialects[version];
  const agent = await client(sdk, binding);
  const waited = task(await agent.sendMessage(message(`js-${version}-${binding}-wait`)));
  const kinds = [];
  let streamed;
  for await (const event of agent.sendMessageStream(message(`js-${version}-${binding}-stream`))) {
    kinds.push(kind(event));
    if (kind(event) === "task") streamed = task(event);
  }
  const again = await agent.getTask({ id: streamed.id });
  return {
    waited: state(waited),
    result: waited.artifacts[0].name,
    kinds: [kinds[0], kinds.at(-1)],
    state: state(again),
    said: again.history.length > 0,
    unknown: await refused(agent.getTask({ id: "nothing" })),
    cancelled: await refused(agent.cancelTask({ id: streamed.id })),
  };
}

const facts = {};
for (const version of Object.keys(dialects)) {
  for (const binding of ["JSONRPC", "HTTP+JSON"]) {
    facts[`${version} ${binding}`] = await converse(version, binding);
  }
}
console.log(JSON.stringify(facts));
