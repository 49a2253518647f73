import { Agent, type ChatModel, jsonSchema, tool } from '../../src/index.js'

// The kept states were made with these tools: a changed name, description or schema is another agent.
const object = (properties: object = {}, required: readonly string[] = []) =>
  jsonSchema({ type: 'object', properties, required })

const read = tool({
  name: 'read',
  description: 'Reads a note',
  parameters: object({ note: { type: 'string' } }, ['note']),
  effects: 'read',
  execute: () => 'Milk and bread.',
})

const page = tool({
  name: 'page',
  description: 'Reads a page of the web',
  parameters: object({ url: { type: 'string' } }, ['url']),
  effects: 'read',
  untrusted: true,
  execute: () => 'Buy our milk!',
})

const buy = tool({
  name: 'buy',
  description: 'Buys something',
  parameters: object({ what: { type: 'string' } }, ['what']),
  needsApproval: true,
  execute: () => 'bought',
})

const color = tool({
  name: 'ask_color',
  description: 'Asks the user for a colour',
  parameters: object(),
})

const paint = tool({
  name: 'paint',
  description: 'Paints a picture',
  parameters: object({ subject: { type: 'string' } }, ['subject']),
  execute: async (_args, { spend, artifacts }) => {
    spend({ images: 1, model: 'painter' })
    return artifacts.put(new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10]), {
      kind: 'image',
      mediaType: 'image/png',
    })
  },
})

const wait = tool({
  name: 'wait',
  description: 'Waits until the run is stopped',
  parameters: object(),
  execute: (_args, { signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
})

/** The agent of the stored states. */
export function oldAgent(model: ChatModel) {
  return new Agent({
    name: 'shopper',
    model,
    tools: [read, page, buy, color, paint, wait],
    price: { clerk: { inputTokens: 0.001, outputTokens: 0.002 }, painter: { images: 0.05 } },
  })
}
