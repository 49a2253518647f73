import { afterAll, describe, expect, test } from 'vitest'
import { startService } from '../start-service.js'

const services = { usual: await startService(), strict: await startService({ strict: true }) }
afterAll(() => Promise.all(Object.values(services).map((service) => service.close())))

const model = 'planner'
const user = { role: 'user', content: 'And in Rome?' }
const routes = {
  'chat/completions': { model, messages: [user] },
  responses: { model, input: 'And in Rome?' },
  messages: { model, max_tokens: 5, messages: [user] },
  'messages/count_tokens': { model, messages: [user] },
}
type Route = keyof typeof routes

async function send(path: Route, body: object, service = services.usual) {
  const response = await fetch(`${service.baseURL}/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...routes[path], ...body }),
  })
  const { type, error } = await response.json()
  return { status: response.status, type, error }
}

describe.each(Object.keys(routes) as Route[])('%s', (path) => {
  test.each([
    ['previous_response_id', 'resp_1'],
    ['thread', {}],
    ['thread', { type: 'continue', previous_message_id: 'msg_1' }],
    ['conversation', { id: 'conv_1' }],
    ['container', 'container_1'],
    ['prompt', { id: 'pmpt_1' }],
  ])('refuses %s: %j, in the form of the protocol', async (name, value) => {
    const { status, type, error } = await send(path, { [name]: value })
    expect([status, error.type]).toEqual([400, 'invalid_request_error'])
    expect(error.message).toContain(`"${name}"`)
    if (!path.startsWith('messages')) expect(error.param).toBe(name)
    else expect(type).toBe('error')
  })

  test('takes a new thread, which refers to nothing', async () => {
    expect((await send(path, { thread: { type: 'create' } })).status).toBe(200)
  })

  test('takes null where nothing is referred to', async () => {
    const none = {
      previous_response_id: null,
      thread: null,
      conversation: null,
      container: null,
      prompt: null,
    }
    expect((await send(path, none)).status).toBe(200)
  })

  test.each([['system'], ['user'], { toString: 'user' }, 5, null, undefined])(
    'refuses the role %j',
    async (role) => {
      const said = [{ role, content: 'x' }, user]
      const body = path === 'responses' ? { input: said } : { messages: said }
      expect(await send(path, body)).toMatchObject({
        status: 400,
        error: { message: expect.stringContaining('role') },
      })
    },
  )
})

test.each(Object.values(services))(
  'a thread has the error that its client goes on by (%#)',
  async (service) => {
    const thread = { type: 'continue', previous_message_id: 'msg_1' }
    const details = { error_code: 'thread_unsupported_request', unsupported: ['thread'] }
    for (const fields of [{ thread }, { thread, stream: true }, { thread, messages: [] }])
      expect(await send('messages', fields, service)).toMatchObject({
        status: 400,
        type: 'error',
        error: { type: 'invalid_request_error', details },
      })
  },
)

test.each([
  { type: 'item_reference', id: 'msg_1' },
  { type: 'item_reference', id: 'rs_1' },
  { id: 'msg_1' },
  { type: 'compaction', encrypted_content: 'x' },
  { type: ['reasoning'] },
])('refuses an item that is not here: %j', async (item) => {
  expect(await send('responses', { input: [item, user] })).toMatchObject({
    status: 400,
    error: { type: 'invalid_request_error', param: expect.stringContaining('input[0]') },
  })
})

const file_id = 'file_1'
test.each<[Route, object]>([
  ['chat/completions', { type: 'file', file: { file_id } }],
  ['chat/completions', { type: 'input_image', file_id }],
  ['responses', { type: 'input_file', file_id }],
  ['responses', { type: 'input_image', file_id }],
  ['messages', { type: 'document', source: { type: 'file', file_id } }],
  ['messages', { type: 'image', source: { type: 'file', file_id } }],
  ['messages', { type: 'container_upload', file_id }],
])('%s refuses a file by id: %j', async (path, part) => {
  const inResult = {
    'chat/completions': [],
    responses: [
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: [part] },
    ],
    messages: [
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: [part] }] },
    ],
    'messages/count_tokens': [],
  }[path]
  for (const said of [
    [{ role: 'user', content: [part] }],
    ...(inResult.length > 0 ? [[user, ...inResult]] : []),
  ])
    expect(await send(path, path === 'responses' ? { input: said } : { messages: said })).toMatchObject({
      status: 400,
      error: { message: expect.stringContaining('by its id') },
    })
})
