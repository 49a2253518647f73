import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { Agent, type ChatModel, type Message, type ModelRequest, tool } from './index.js'
import { messagesModel } from './messages.js'

interface Body {
  readonly tools?: readonly { readonly name: string }[]
  readonly tool_choice?: { readonly type: string }
  readonly messages: readonly object[]
}

const invalid = (message: string) => ({ type: 'error', error: { type: 'invalid_request_error', message } })
const refusesNone = invalid(
  "tool_choice: Input tag 'none' found using 'type' does not match any of the expected tags: 'auto', 'any', 'tool'",
)
const needsTools = invalid('Requests which include `tool_use` or `tool_result` blocks must define tools.')

/** A server that calls a tool until a request forbids it. It rejects a body if `refuse` returns an error for it. */
function serverOf(refuse: (body: Body) => object | undefined) {
  const asked: Body[] = []
  const model = messagesModel('m', {
    baseURL: 'http://model.test/v1',
    apiKey: '',
    fetch: async (_url, init) => {
      const body: Body = JSON.parse(await new Response(init?.body).text())
      asked.push(body)
      const refused = refuse(body)
      if (refused) return Response.json(refused, { status: 400 })
      const isLast = !body.tools || /cannot call more|Sum up/.test(JSON.stringify(body.messages))
      const content = isLast
        ? [{ type: 'text', text: 'So far.' }]
        : [{ type: 'tool_use', id: `c${asked.length}`, name: 'look', input: {} }]
      const usage = { input_tokens: 10, output_tokens: 1 }
      return Response.json({ id: 'msg', type: 'message', role: 'assistant', content, usage })
    },
  })
  const kinds = () => asked.map(({ tools, tool_choice }) => [tools?.length ?? 0, tool_choice?.type ?? ''])
  return { model, asked, kinds }
}

const look = tool({ name: 'look', description: 'Looks', parameters: z.object({}), execute: () => 'Snow.' })
const runOf = (model: ChatModel) => new Agent({ model, tools: [look], limits: { steps: 1 } }).run('Look.')

describe('a server that rejects the choice none', () => {
  const withNone = ({ tool_choice }: Body) => (tool_choice?.type === 'none' ? refusesNone : undefined)

  test('gets one more request for the final answer, without tools, and later no choice none', async () => {
    const { model, kinds } = serverOf(withNone)
    for (const _run of [1, 2])
      expect(await runOf(model)).toMatchObject({ text: 'So far.', stopReason: 'limit' })
    expect(kinds()).toEqual([
      [1, ''],
      [1, 'none'],
      [0, ''],
      [1, ''],
      [0, ''],
    ])
  })

  test.each([
    [
      'in a field',
      { error: { type: 'invalid_request_error', message: 'Invalid value.', param: 'tool_choice' } },
    ],
    ['in a place', { detail: [{ loc: ['body', 'tool_choice', 'type'], msg: "Input should be 'auto'" }] }],
    ['in other words', { message: 'Malformed input request: #/toolChoice: none is not a valid enum value' }],
  ])('may name the choice %s', async (_where, refusal) => {
    const { model, kinds } = serverOf((body) => withNone(body) && refusal)
    expect(await runOf(model)).toMatchObject({ text: 'So far.' })
    expect(kinds()).toEqual([
      [1, ''],
      [1, 'none'],
      [0, ''],
    ])
  })

  test('gets the tools of earlier calls without a choice, if it requires them', async () => {
    const { model, kinds, asked } = serverOf(
      (body) => withNone(body) ?? (body.tools ? undefined : needsTools),
    )
    for (const _run of [1, 2])
      expect(await runOf(model)).toMatchObject({ text: 'So far.', stopReason: 'limit' })
    expect(kinds()).toEqual([
      [1, ''],
      [1, 'none'],
      [0, ''],
      [1, ''],
      [1, ''],
      [1, ''],
    ])
    expect(asked.at(-1)?.tools).toEqual([{ name: 'look', input_schema: { type: 'object' } }])
  })
})

describe('a request without tools, after calls', () => {
  const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } } as const
  const messages: readonly Message[] = [
    { role: 'user', content: 'Look.' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c1', content: 'Snow.' },
    { role: 'user', content: 'Sum up.' },
  ]
  const request: ModelRequest = {
    messages,
    tools: [],
    stream: false,
    signal: new AbortController().signal,
    idempotencyKey: 'k',
  }

  test('is sent again without the tools of the calls, and remembered', async () => {
    const { model, kinds } = serverOf(({ tools }) => tools && refusesNone)
    for (const _time of [1, 2])
      expect(await model.complete(request)).toMatchObject({ message: { content: 'So far.' } })
    expect(kinds()).toEqual([
      [1, 'none'],
      [0, ''],
      [0, ''],
    ])
  })

  test.each([
    ['another reason', invalid('max_tokens: must be at least 1')],
    ['its prompt', invalid('prompt is too long: 9000 tokens > 8192 maximum')],
  ])('is sent once if it is rejected for %s', async (_why, refusal) => {
    const { model, kinds } = serverOf(() => refusal)
    await expect(model.complete(request)).rejects.toThrow('The model server returned 400')
    expect(kinds()).toEqual([[1, 'none']])
  })

  test('ends with the rejection of the last form', async () => {
    const { model, kinds } = serverOf(({ tools }) => (tools ? refusesNone : needsTools))
    await expect(model.complete(request)).rejects.toMatchObject({ code: 'invalid_request' })
    expect(kinds()).toEqual([
      [1, 'none'],
      [0, ''],
      [1, ''],
    ])
  })
})
