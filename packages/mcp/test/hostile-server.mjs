// A server that misbehaves: node hostile-server.mjs CASE. Without a case it behaves correctly.
import { createInterface } from 'node:readline'

const [wrong = ''] = process.argv.slice(2)
const object = { type: 'object' }
const plain = { name: 'plain', description: 'Says yes.', inputSchema: object }

const send = (message) =>
  process.stdout.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`)

const twice = (to) => ({ allOf: [{ $ref: `#/$defs/d${to}` }, { $ref: `#/$defs/d${to}` }] })
const laughs = Object.fromEntries(
  Array.from({ length: 30 }, (_, at) => [`d${at}`, at === 29 ? object : twice(at + 1)]),
)
const deep = (levels) => `${'{"type":"object","properties":{"a":'.repeat(levels)}{}${'}}'.repeat(levels)}`

const lists = {
  names: ['__proto__', 'constructor', '', 'a/b', 'a.b', 'x'.repeat(300), '天気'].map((name) => ({
    ...plain,
    name,
  })),
  twins: [plain, { ...plain, description: 'The other one.' }],
  description: [
    { ...plain, description: `Reads.\u0000\u202e${String.fromCodePoint(0xe0041)}${'x'.repeat(1_000_000)}` },
  ],
  cycle: [
    {
      ...plain,
      inputSchema: {
        ...object,
        properties: { a: { $ref: '#/$defs/a' } },
        $defs: { a: { $ref: '#/$defs/a' } },
      },
    },
  ],
  laughs: [{ ...plain, inputSchema: { ...object, $defs: laughs, ...twice(0) } }],
  pattern: [
    { ...plain, inputSchema: { ...object, properties: { a: { type: 'string', pattern: '^(a+)+$' } } } },
  ],
  nowhere: [{ ...plain, inputSchema: { ...object, properties: { a: { $ref: 'https://example.com/a' } } } }],
  nonsense: [{ ...plain, inputSchema: { ...object, properties: 5, required: 'all' } }, plain],
  many: Array.from({ length: 10_000 }, (_, at) => ({ ...plain, name: `t${at}` })),
  'changes-when-asked': Array.from({ length: 300 }, (_, at) => ({ ...plain, name: `t${at}` })),
  'no-object': [{ ...plain, inputSchema: { type: 'string' } }, plain],
}

const texts = {
  'deep-schema': (id) =>
    `{"jsonrpc":"2.0","id":${id},"result":{"tools":[{"name":"plain","inputSchema":${deep(5000)}}]}}`,
  'proto-schema': (id) =>
    `{"jsonrpc":"2.0","id":${id},"result":{"tools":[{"name":"plain","inputSchema":{"type":"object","properties":{"__proto__":{"polluted":true,"type":"string"}},"__proto__":{"polluted":true}}}]}}`,
}

const results = {
  huge: () => ({ content: [{ type: 'text', text: 'x'.repeat(200_000) }] }),
  'no-result': () => 'yes',
  'proto-result': () =>
    JSON.parse('{"content":[],"structuredContent":{"__proto__":{"polluted":true},"ok":1}}'),
  'long-error': () => ({ isError: true, content: [{ type: 'text', text: 'x'.repeat(1_000_000) }] }),
  'wordless-error': () => ({ isError: true, content: [] }),
  // The same JSON, written in another order, in a text block.
  repeated: () => ({
    content: [
      { type: 'text', text: '{ "wind": [1.0, 2], "city": "Oslo" }' },
      { type: 'text', text: 'It may rain.' },
      { type: 'text', text: '{"city":"Bergen"}' },
    ],
    structuredContent: { city: 'Oslo', wind: [1, 2] },
  }),
  'no-base64': () => ({ content: [{ type: 'image', data: '%%%', mimeType: 'image/png' }] }),
}

function list({ id, params }) {
  if (wrong === 'changes-when-asked') send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
  if (wrong === 'slow-pages') {
    const result = { tools: [{ ...plain, name: `t${params?.cursor ?? ''}` }], nextCursor: `${id}` }
    return setTimeout(send, 100, { jsonrpc: '2.0', id, result })
  }
  if (wrong === 'pages') {
    const page = Number(params?.cursor ?? 0)
    return send({
      jsonrpc: '2.0',
      id,
      result: { tools: [{ ...plain, name: `t${page}` }], nextCursor: `${page + 1}` },
    })
  }
  if (wrong === 'no-list') return send({ jsonrpc: '2.0', id, result: { tools: 'all' } })
  if (texts[wrong]) return send(texts[wrong](id))
  send({ jsonrpc: '2.0', id, result: { tools: lists[wrong] ?? [plain] } })
}

function call({ id, params }) {
  const answer = (result) => send({ jsonrpc: '2.0', id, result })
  if (wrong === 'silent-call') return
  if (wrong === 'dies') process.exit(3)
  if (wrong === 'dies-with-output') {
    console.error('Cannot reach the database.')
    process.exit(3)
  }
  if (wrong === 'long-line') return send('x'.repeat(2_000_000))
  if (wrong === 'garbage') {
    for (const line of [
      'hello',
      '{',
      '[]',
      'null',
      '{"jsonrpc":"1.0","id":1}',
      '{"jsonrpc":"2.0","id":77777,"result":{}}',
      '{"jsonrpc":"2.0","method":5}',
    ])
      send(line)
    for (const method of ['roots/list', 'sampling/createMessage'])
      send({ jsonrpc: '2.0', id: `own-${method}`, method, params: {} })
  }
  if (wrong === 'progress')
    for (let progress = 0; progress < 5000; progress++)
      send({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: params._meta?.progressToken, progress, message: 'm'.repeat(1000) },
      })
  if (wrong === 'changes')
    for (let at = 0; at < 1000; at++) send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
  if (wrong === 'rpc-error')
    return send({ jsonrpc: '2.0', id, error: { code: -32000, message: 'x'.repeat(100_000) } })
  answer(results[wrong]?.() ?? { content: [{ type: 'text', text: 'yes' }] })
}

const handlers = {
  initialize: ({ id, params: { protocolVersion } }) =>
    send({
      jsonrpc: '2.0',
      id,
      result: {
        protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'hostile', version: '1' },
      },
    }),
  'tools/list': list,
  'tools/call': call,
}

if (wrong === 'deaf-to-the-end') process.on('SIGTERM', () => {})
if (wrong === 'exits') process.exit(1)
const input = createInterface({ input: process.stdin })
if (wrong === 'deaf-to-the-end') input.on('close', () => setInterval(() => {}, 1000))
input.on('line', (line) => {
  if (wrong === 'silent') return
  const message = JSON.parse(line)
  const handler = handlers[message.method]
  if (handler) handler(message)
  else if (wrong === 'exits-at-questions' && message.method === 'server/discover') process.exit(1)
  else if (message.id !== undefined && message.method)
    send({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'Method not found' } })
})
