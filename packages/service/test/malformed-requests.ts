import { encode } from 'fast-png'
import { type Field, messages, responses } from './malformed-protocols.js'
import {
  boundary,
  type FormPart,
  type MalformedRequest,
  type Parts,
  toBytes,
  toForm,
} from './malformed-request.js'

/** The key and the body limit of the service under test. */
export const apiKey = 'a-key'
/** The accepted models. */
export const models = ['planner', 'dall-e-2', 'gpt-4o-mini-tts', 'whisper-1', 'text-embedding-3-small']
export const maxBodyBytes = 100_000

const authorization = `Bearer ${apiKey}`
const jsonType = { authorization, 'content-type': 'application/json' }
const formType = { authorization, 'content-type': `multipart/form-data; boundary=${boundary}` }
const png = Buffer.from(encode({ width: 16, height: 16, data: new Uint8Array(16 * 16 * 4), channels: 4 }))
const user = { role: 'user', content: 'Hello' }

const endpoints = [
  { path: '/v1/chat/completions', model: 'planner', good: { model: 'planner', messages: [user] } },
  { path: responses.path, model: 'planner', good: responses.good },
  { path: messages.path, model: 'planner', good: messages.good },
  {
    path: '/v1/images/generations',
    model: 'dall-e-2',
    good: { model: 'dall-e-2', prompt: 'a cat', size: '16x16' },
  },
  {
    path: '/v1/audio/speech',
    model: 'gpt-4o-mini-tts',
    good: { model: 'gpt-4o-mini-tts', input: 'Hi', voice: 'slt' },
  },
  {
    path: '/v1/embeddings',
    model: 'text-embedding-3-small',
    good: { model: 'text-embedding-3-small', input: 'Hi' },
  },
] as const

const forms = [
  { path: '/v1/images/edits', model: 'dall-e-2', file: 'image', more: [['prompt', 'a cat']] },
  { path: '/v1/images/variations', model: 'dall-e-2', file: 'image', more: [] },
  { path: '/v1/audio/transcriptions', model: 'whisper-1', file: 'file', more: [] },
  { path: '/v1/audio/translations', model: 'whisper-1', file: 'file', more: [] },
] as const satisfies readonly { path: string; model: string; file: string; more: readonly FormPart[] }[]

/** All malformed requests. */
export const malformedRequests: readonly MalformedRequest[] = [
  ...everywhere(),
  ...withJson(),
  ...withForms(),
  ...fieldsOf('/v1/chat/completions', { model: 'planner', messages: [user] }, chatFields()),
  ...fieldsOf(responses.path, responses.good, responses.fields),
  ...fieldsOf(messages.path, messages.good, messages.fields),
  ...fieldsOf('/v1/images/generations', { model: 'dall-e-2', prompt: 'a cat', size: '16x16' }, imageFields()),
  ...fieldsOf('/v1/audio/speech', { model: 'gpt-4o-mini-tts', input: 'Hi', voice: 'slt' }, speechFields()),
  ...fieldsOf('/v1/embeddings', { model: 'text-embedding-3-small', input: 'Hi' }, embeddingFields()),
  ...notHttp(),
]

function refused(what: string, names: string, parts: Parts): MalformedRequest {
  return { what: `${parts.method ?? 'POST'} ${parts.path}: ${what}`, names, bytes: toBytes(parts) }
}

/** Faults that any request can have. */
function everywhere(): MalformedRequest[] {
  const all = [
    ...endpoints.map(({ path, good }) => ({ path, headers: jsonType, body: JSON.stringify(good) })),
    ...forms.map(({ path }) => ({ path, headers: formType, body: '' })),
  ]
  return all.flatMap((right) => {
    const { path, headers } = right
    return [
      refused('no key', 'key', { ...right, headers: { ...headers, authorization: undefined } }),
      refused('a wrong key', 'key', { ...right, headers: { ...headers, authorization: 'Bearer other' } }),
      refused('an empty key', 'key', { ...right, headers: { ...headers, authorization: 'Bearer ' } }),
      refused('another scheme', 'key', {
        ...right,
        headers: { ...headers, authorization: `Basic ${apiKey}` },
      }),
      ...['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'].map((method) =>
        refused('a wrong method', 'method', { method, path, headers }),
      ),
      refused('no content type', 'Content-Type', {
        ...right,
        headers: { ...headers, 'content-type': undefined },
      }),
      refused('plain text', 'text/plain', {
        ...right,
        headers: { ...headers, 'content-type': 'text/plain' },
      }),
      refused('an invalid content type', 'requires', {
        ...right,
        headers: { ...headers, 'content-type': ';;;' },
      }),
      refused('a body that is announced too large', 'body', {
        ...right,
        headers: { ...headers, 'content-length': '99999999999' },
      }),
      refused('a body that grows too large', 'body', {
        ...right,
        headers: { ...headers, 'content-length': undefined, 'transfer-encoding': 'chunked' },
        body: `1ffff\r\n${'x'.repeat(0x1ffff)}\r\n0\r\n\r\n`,
      }),
      refused('a body that does not come', 'body', {
        ...right,
        body: '',
        headers: { ...headers, 'content-length': '9' },
      }),
      refused('half a body', 'body', {
        path,
        body: '{"mod',
        headers: { ...headers, 'content-length': '500' },
      }),
      refused('another path', 'does not exist', { ...right, path: `${path}/x` }),
    ]
  })
}

function withJson(): MalformedRequest[] {
  return endpoints.flatMap(({ path, good }) => {
    // Images need no model.
    const required = path.includes('images') ? 'prompt' : 'model'
    const bodies: [string, string | Buffer, string][] = [
      ['no body', '', 'body'],
      ['half JSON', JSON.stringify(good).slice(0, -3), 'JSON'],
      ['two of them', JSON.stringify(good) + JSON.stringify(good), 'JSON'],
      ['single quotes', "{'model': 'planner'}", 'JSON'],
      ['a byte order mark and nonsense', '\ufeffmodel=planner', 'JSON'],
      ['no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), 'UTF-8'],
      ['an array', '[]', 'object'],
      ['null', 'null', 'object'],
      ['a number', '1e999', 'object'],
      ['no fields', '{}', required],
      ['deep nesting', `{"model": ${'['.repeat(40_000)}${']'.repeat(40_000)}}`, 'model'],
      ['only prototype names', '{"__proto__": {"model": "planner"}, "constructor": {}}', required],
      ...modelsOf(path).map(([what, model]): [string, string, string] => [
        what,
        JSON.stringify({ ...good, model }),
        'model',
      ]),
    ]
    const json = bodies.map(([what, body, names]) => refused(what, names, { path, headers: jsonType, body }))
    const form = { path, headers: { ...jsonType, 'content-type': formType['content-type'] } }
    return [...json, refused('a form', 'application/json', { ...form, body: toForm([['model', 'planner']]) })]
  })
}

function modelsOf(path: string): [string, unknown][] {
  const other = /chat|responses|messages/.test(path) ? 'dall-e-2' : 'planner'
  return [
    ['a model of another endpoint', other],
    ['a model nobody knows', 'no-such-model'],
    ['a model named like a part of every object', '__proto__'],
    ['a model named constructor', 'constructor'],
    ['a model that is a number', 5],
    ...(path.includes('images') ? [] : [['a model that is null', null] as [string, unknown]]),
    ['a gigantic model', 'm'.repeat(50_000)],
  ]
}

type FaultyForm = [what: string, parts: readonly FormPart[], names: string]

function withForms(): MalformedRequest[] {
  return forms.flatMap(({ path, model, file, more }) => {
    const right: FormPart[] = [['model', model], ...more]
    // Images need no model.
    const required = file === 'file' ? 'model' : (more[0]?.[0] ?? file)
    const bodies: FaultyForm[] = [
      ['no fields', [], required],
      ...(file === 'file' ? [['no model', [[file, png, 'a.png']], 'model'] as FaultyForm] : []),
      ['the model twice', [['model', model], ...right, [file, png, 'a.png']], 'model'],
      ['the model as a file', [['model', model, 'model.txt'], ...more, [file, png, 'a.png']], 'model'],
      ['a model nobody knows', [['model', 'toString'], ...more, [file, png, 'a.png']], 'model'],
      ['no file', right, file],
      ['the file as text', [...right, [file, 'words']], file],
      ['an empty file', [...right, [file, '', 'a.png']], file],
      ['two files', [...right, [file, png, 'a.png'], [file, png, 'b.png']], file],
      ['a list of two files', [...right, [`${file}[]`, png, 'a.png'], [`${file}[]`, png, 'b.png']], file],
      ['a file of nonsense', [...right, [file, 'no picture and no sound', 'a.bin']], file],
      ['half a file', [...right, [file, png.subarray(0, 40), 'a.png']], file],
      [
        'a field named like a part of every object',
        [
          ['__proto__', 'x'],
          ['constructor', 'y'],
        ],
        required,
      ],
    ]
    const bent: [string, string | Buffer][] = [
      ['an empty body', ''],
      ['words', 'model=planner&file=a'],
      ['a form without an end', toForm(right).subarray(0, -8)],
      ['a form of another boundary', toForm(right).toString().replaceAll(boundary, 'other')],
      ['JSON in a form', JSON.stringify({ model })],
    ]
    return [
      ...bodies.map(([what, parts, names]) =>
        refused(what, names, { path, headers: formType, body: toForm(parts) }),
      ),
      ...bent.map(([what, body]) => refused(what, 'multipart', { path, headers: formType, body })),
      refused('no boundary', 'boundary', {
        path,
        headers: { ...formType, 'content-type': 'multipart/form-data' },
        body: 'x',
      }),
      refused('JSON', 'multipart/form-data', { path, headers: jsonType, body: '{}' }),
      ...(file === 'image' ? imageForms(path, [...right]) : []),
    ]
  })
}

function imageForms(path: string, right: readonly FormPart[]): MalformedRequest[] {
  // The head of a PNG may announce any size.
  const huge = Buffer.from(png)
  huge.writeUInt32BE(1_000_000, 16)
  const fields: [string, FormPart, string][] = [
    ['a size of words', ['size', 'big'], 'size'],
    ['a size of nothing', ['size', '0x0'], 'size'],
    ['a count of none', ['n', '0'], 'n'],
    ['a count of words', ['n', 'many'], 'n'],
    ['a delivery nobody knows', ['response_format', 'pigeon'], 'response_format'],
  ]
  return [
    ...fields.map(([what, part, names]) =>
      refused(what, names, {
        path,
        headers: formType,
        body: toForm([...right, ['image', png, 'a.png'], part]),
      }),
    ),
    refused('a picture that announces a million columns', 'image', {
      path,
      headers: formType,
      body: toForm([...right, ['image', huge, 'a.png']]),
    }),
  ]
}

function fieldsOf(path: string, good: object, fields: readonly Field[]): MalformedRequest[] {
  return fields.map(([name, value]) => {
    const body = JSON.stringify({ ...good, [name]: value })
    const shown = (JSON.stringify(value) ?? 'nothing').slice(0, 60)
    return refused(`${name} is ${shown}`, name, { path, headers: jsonType, body })
  })
}

function chatFields(): Field[] {
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }
  const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } }
  const answers = (id: unknown) => ({ role: 'tool', tool_call_id: id, content: 'x' })
  const asked = (calls: unknown) => ({ role: 'assistant', content: null, tool_calls: calls })
  const messages: unknown[] = [
    ...[undefined, null, 'Hello', 7, {}, [], [null], ['Hello'], [[]], [{}], [{ role: 'king', content: 'x' }]],
    ...[7, {}, [7], [{ type: 'text' }], [{ type: 'sound' }]].map((content) => [{ role: 'user', content }]),
    [{ role: 'user' }],
    [{ role: 'assistant', content: null }],
    ...['x', {}, [null], [{ ...call, id: 5 }], [{ ...call, type: 'x' }], [{ ...call, function: null }]].map(
      (calls) => [user, asked(calls)],
    ),
    [user, asked([call])],
    [user, asked([call, call]), answers('a'), answers('a')],
    [user, asked([call]), answers('b')],
    [user, asked([call]), answers(5)],
    [user, answers('a')],
    [user, { role: 'tool', content: 'x' }],
  ]
  const tools: unknown[] = [
    ...['f', 5, {}, [null], ['f'], [{}], [{ type: 'function' }], [tool, tool]],
    ...['', 'a b', 'x'.repeat(65), 5, null].map((name) => [{ ...tool, function: { name } }]),
    ...['x', [], { type: 'array' }].map((parameters) => [{ ...tool, function: { name: 'f', parameters } }]),
  ]
  const choices: unknown[] = [
    'maybe',
    5,
    [],
    {},
    { type: 'function' },
    { type: 'function', function: { name: 'g' } },
  ]
  return [
    ...messages.map((value): Field => ['messages', value]),
    ...tools.map((value): Field => ['tools', value]),
    ...[...choices, 'required'].map((value): Field => ['tool_choice', value]),
    ...['yes', 1, {}].map((value): Field => ['stream', value]),
    ...['yes', 0].map((value): Field => ['parallel_tool_calls', value]),
    ...unusedChatFields(),
  ]
}

/** Fields without an effect on the planner, each with a value of a wrong type. */
function unusedChatFields(): Field[] {
  return [
    ['audio', 'alloy'],
    ['frequency_penalty', '1'],
    ['logit_bias', [1]],
    ['logprobs', 'yes'],
    ['metadata', 'a'],
    ['moderation', true],
    ['prediction', 'a'],
    ['presence_penalty', []],
    ['prompt_cache_key', 5],
    ['prompt_cache_options', 5],
    ['prompt_cache_retention', 24],
    ['reasoning_effort', 2],
    ['safety_identifier', {}],
    ['seed', 1.5],
    ['service_tier', true],
    ['store', 'yes'],
    ['temperature', 'warm'],
    ['top_logprobs', 0.5],
    ['top_p', '0.9'],
    ['user', 7],
    ['verbosity', 3],
    ['web_search_options', 'on'],
  ]
}

function embeddingFields(): Field[] {
  return [
    ...[undefined, null, '', [], [''], [7, 'a'], [[]], [0.5], [-1], {}, 'x'.repeat(40_000)].map(
      (value): Field => ['input', value],
    ),
    ...[0, 1.5, 4000, '8', []].map((value): Field => ['dimensions', value]),
    ...['hex', 5].map((value): Field => ['encoding_format', value]),
    ['user', 5],
  ]
}

function imageFields(): Field[] {
  return [
    ...[undefined, null, '', '  ', 7, ['a cat'], {}, 'x'.repeat(4001)].map(
      (value): Field => ['prompt', value],
    ),
    ...[
      'big',
      '0x0',
      '16',
      '16x',
      'x16',
      '-16x16',
      '16x16x16',
      '99999x16',
      '1e3x1e3',
      '16X16',
      16,
      [16, 16],
      {},
    ].map((value): Field => ['size', value]),
    ...[0, -1, 1.5, 11, 1e9, 'two', '3; n=1', [], {}, true].map((value): Field => ['n', value]),
    ...['bmp', 5, [], {}].map((value): Field => ['response_format', value]),
  ]
}

function speechFields(): Field[] {
  return [
    ...[undefined, null, '', '  ', 7, ['Hi'], {}, 'x'.repeat(4097)].map((value): Field => ['input', value]),
    ...['nobody', '', '__proto__', 'toString', 5, [], {}].map((value): Field => ['voice', value]),
    ...['midi', '', 5, [], '__proto__'].map((value): Field => ['format', value]),
    ...['midi', 5].map((value): Field => ['response_format', value]),
    ...[0, -1, 0.1, 5, 1e9, 'fast', [], {}].map((value): Field => ['speed', value]),
  ]
}

/** Faults before a request is complete. */
function notHttp(): MalformedRequest[] {
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n`
  const get = 'GET /v1/models HTTP/1.1\r\nhost: x\r\nconnection: close\r\n'
  const raw: [string, string, string][] = [
    ['words', 'hello?\r\n\r\n', 'HTTP'],
    ['another protocol', '\x16\x03\x01\x02\x00\x01\x00', 'HTTP'],
    ['an unknown method', 'FETCH / HTTP/1.1\r\n\r\n', 'HTTP'],
    ['another version', 'GET / HTTP/7.9\r\n\r\n', 'HTTP'],
    ['no host', 'GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n', 'host'],
    ['a header without a colon', `${get}nonsense\r\n\r\n`, 'HTTP'],
    ['a header with a line end in its name', `${get}a\nb: c\r\n\r\n`, 'HTTP'],
    ['a header of control characters', `${get}a: \x00\x01\r\n\r\n`, 'HTTP'],
    ['a gigantic header', `${get}a: ${'b'.repeat(100_000)}\r\n\r\n`, 'head'],
    ['ten thousand headers', `${get}${'a: b\r\n'.repeat(10_000)}\r\n`, 'head'],
    ['a gigantic path', `GET /${'a'.repeat(100_000)} HTTP/1.1\r\n\r\n`, 'head'],
    ['a head that does not end', get, 'request'],
    ['a negative length', `${head}content-length: -1\r\n\r\n`, 'HTTP'],
    ['a length of words', `${head}content-length: many\r\n\r\n`, 'HTTP'],
    ['two lengths', `${head}content-length: 1\r\ncontent-length: 2\r\n\r\n{}`, 'HTTP'],
    ['a length and chunks', `${head}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}`, 'HTTP'],
    [
      'chunks without a size',
      `${head}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n`,
      'HTTP',
    ],
    ['an encoding nobody knows', `${head}transfer-encoding: brotli\r\n\r\n{}`, 'HTTP'],
    ['an expectation nobody meets', `${get}expect: a miracle\r\n\r\n`, 'expect'],
    ['a tunnel', 'CONNECT a.example:443 HTTP/1.1\r\nhost: a.example\r\n\r\n', 'method'],
  ]
  const paths = [
    '/',
    '/v1',
    '/v1/',
    '//v1/models',
    '/v1/models/',
    '/V1/MODELS',
    '/%2e%2e/etc',
    '/files/../../etc/passwd',
  ]
  return [
    ...raw.map(([what, bytes, names]) => ({ what, bytes, names })),
    ...paths.map((path) =>
      refused('a path that leads nowhere', '', { method: 'GET', path, headers: { authorization } }),
    ),
  ]
}
