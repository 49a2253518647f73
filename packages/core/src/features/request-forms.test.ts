import { describe, expect, test } from 'vitest'
import { CapstanError } from '../errors.js'
import type { ServerForm } from '../model/request-body.js'
import { toApiError } from '../model/response-errors.js'
import type { AssistantMessage, Message } from '../types/message.js'
import type { ModelReply, ModelRequest } from '../types/model.js'
import { requestForms } from './request-forms.js'

const reply = { message: { role: 'assistant', content: 'Hi.' } } as const
const called: AssistantMessage = {
  role: 'assistant',
  content: null,
  reasoning_content: 'First the weather.',
  tool_calls: [
    {
      id: 'call_PTLP8xhu3uwZk4l3nlnrrJha',
      type: 'function',
      extra_content: { google: { thought_signature: 'abc' } },
      function: { name: 'f', arguments: '{}' },
    },
  ],
}
const request = (given: Partial<ModelRequest> = {}): ModelRequest => ({
  messages: [{ role: 'user', content: 'Hello' }, called],
  tools: [
    {
      type: 'function',
      function: { name: 'f', description: '', parameters: { type: 'object' }, strict: true },
    },
  ],
  stream: true,
  signal: new AbortController().signal,
  idempotencyKey: 'run/step0/request',
  ...given,
})

type SendForm = (asked: ModelRequest, form: ServerForm) => Promise<ModelReply>

/** A model that learns from rejections. Each request is sent to its own server. */
class Learning {
  readonly #servers = new Map<ModelRequest['messages'], SendForm>()
  readonly #send = requestForms().wrapSend?.(
    (asked, _sink, form = {}) => this.#servers.get(asked.messages)?.(asked, form) ?? expect.unreachable(),
    { name: 'm', options: {}, usualForm: () => usualForm },
  )

  async send(asked: ModelRequest, server: SendForm): Promise<ModelReply> {
    this.#servers.set(asked.messages, server)
    return this.#send?.(asked) ?? expect.unreachable()
  }
}

const usualForm: ServerForm = { server: 'here m' }

/**
 * Returns the forms in which a request is sent if it is rejected with these bodies in turn, and the error if the last
 * form is rejected too.
 */
async function formsOf(
  bodies: readonly unknown[],
  asked = request(),
  status = 400,
  learned = new Learning(),
) {
  const forms: ServerForm[] = []
  const keys: string[] = []
  const send = async ({ idempotencyKey }: ModelRequest, form: ServerForm) => {
    forms.push(form)
    keys.push(idempotencyKey)
    const body = bodies[forms.length - 1]
    if (body === undefined) return reply
    throw toApiError({
      status,
      body: typeof body === 'string' ? body : JSON.stringify(body),
      header: () => null,
    })
  }
  const error = await learned.send(asked, send).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return { forms: forms.map(({ server: _, ...form }) => form), keys, error, learned }
}

/** Server errors, as people have reported them. */
const refusals: readonly [from: string, status: number, body: unknown, form: ServerForm, server?: string][] =
  [
    [
      'Groq: janhq/jan#8136',
      400,
      {
        error: {
          message:
            "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]",
          type: 'invalid_request_error',
        },
      },
      { withoutFields: ['reasoning_content'] },
    ],
    [
      'Mistral: charmbracelet/crush#1590',
      422,
      {
        detail: [31, 33].map((at) => ({
          type: 'extra_forbidden',
          loc: ['body', 'messages', at, 'assistant', 'reasoning_content'],
          msg: 'Extra inputs are not permitted',
          input: 'the value is "missing"',
        })),
      },
      { withoutFields: ['reasoning_content'] },
    ],
    [
      'Mistral, JSON within JSON: mistralai/platform-docs-public#7',
      422,
      {
        object: 'error',
        message: JSON.stringify({
          detail: [
            {
              type: 'extra_forbidden',
              loc: ['body', 'messages', 1, 'assistant', 'tool_calls', 0, 'extra_content'],
              msg: 'Extra inputs are not permitted',
              input: 'is required',
            },
          ],
        }),
        type: 'internal_error_proxy',
      },
      { withoutFields: ['extra_content'] },
    ],
    [
      'vLLM, with quotes of Python: vllm-project/vllm#9312',
      400,
      {
        object: 'error',
        message:
          "[{'type': 'extra_forbidden', 'loc': ('body', 'messages', 1, 'reasoning_content'), 'msg': 'Extra inputs are not permitted', 'input': 'x'}, {'type': 'extra_forbidden', 'loc': ('body', 'messages', 1, 'tool_calls', 0, 'extra_content'), 'msg': 'Extra inputs are not permitted'}]",
        type: 'BadRequestError',
      },
      { withoutFields: ['extra_content', 'reasoning_content'] },
    ],
    [
      'Cerebras: CherryHQ/cherry-studio#16790',
      400,
      {
        message:
          "messages.2.assistant.reasoning_content: property 'messages.2.assistant.reasoning_content' is unsupported",
        type: 'invalid_request_error',
        param: 'validation_error',
        code: 'wrong_api_format',
      },
      { withoutFields: ['reasoning_content'] },
    ],
    [
      'the words of Google: google-gemini/gemini-cli#13972',
      400,
      [
        {
          error: {
            code: 400,
            message: `Invalid JSON payload received. Unknown name "reasoning_content" at 'messages[1]': Cannot find field.`,
            status: 'INVALID_ARGUMENT',
          },
        },
      ],
      { withoutFields: ['reasoning_content'] },
    ],
    [
      'Google, a strict tool, in the words of google-gemini/gemini-cli#13972',
      400,
      {
        error: {
          code: 400,
          message: `Invalid JSON payload received. Unknown name "strict" at 'tools[0].function': Cannot find field.`,
        },
      },
      { withoutStrict: true },
    ],
    [
      'OpenAI, in the words of coroot/coroot#698',
      400,
      {
        error: {
          message: 'Unrecognized request argument supplied: tool_choice',
          type: 'invalid_request_error',
        },
      },
      { withoutToolChoice: true },
    ],
    [
      'Mistral: anomalyco/opencode#1680',
      400,
      {
        object: 'error',
        message:
          'Tool call id was call_PTLP8xhu3uwZk4l3nlnrrJha but must be a-z, A-Z, 0-9, with a length of 9.',
        type: 'invalid_function_call',
        code: '3280',
      },
      { shortIds: true },
    ],
    [
      'OpenAI: vercel/ai#8132',
      400,
      {
        error: {
          message:
            "Invalid 'messages[36].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 51 instead.",
        },
      },
      { shortIds: true },
    ],
    [
      'Anthropic: BlockRunAI/ClawRouter#17',
      400,
      {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: "messages.92.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        },
      },
      { shortIds: true },
    ],
    [
      'DeepSeek: zed-industries/zed#55321',
      400,
      {
        error: {
          message: 'The `reasoning_content` in the thinking mode must be passed back to the API.',
          type: 'invalid_request_error',
        },
      },
      { withReasoning: true },
      'here m',
    ],
    [
      'DeepSeek: continuedev/continue#9940',
      400,
      {
        error: { message: 'Missing `reasoning_content` field in the assistant message at message index 16.' },
      },
      { withReasoning: true },
      'here m',
    ],
    [
      'Moonshot: looplj/axonhub#1755',
      400,
      {
        error: {
          message: 'thinking is enabled but reasoning_content is missing in assistant tool call message',
        },
      },
      { withReasoning: true },
      'here m',
    ],
  ]

test.each(refusals)(
  '%s asks for another form, once, and from then on',
  async (_from, status, body, form, server) => {
    const messages = [server === undefined ? called : { ...called, server }]
    const { forms, keys, learned } = await formsOf([body], request({ messages }), status)
    expect(forms).toEqual([{}, form])
    expect(new Set(keys).size).toBe(2)
    expect((await formsOf([], request(), status, learned)).forms).toEqual([form])
  },
)

test.each<[string, number, unknown, Partial<ModelRequest>?]>([
  ['another status', 500, "property 'reasoning_content' is unsupported"],
  ['another problem', 400, 'No such model.'],
  ['a field that the request does not have', 400, "property 'reasoning_details' is unsupported"],
  ['a part of a name', 400, "property 'my_reasoning_content_x' is unsupported"],
  [
    'a setting of the user',
    400,
    'Unrecognized request argument supplied: temperature',
    { settings: { temperature: 0 } },
  ],
  [
    'a setting that has the name of a field',
    400,
    'Unrecognized request argument supplied: reasoning_content',
    { settings: { reasoning_content: true } },
  ],
  [
    'the usage that the settings ask for',
    400,
    'Unknown: stream_options',
    { settings: { stream_options: { include_usage: true } } },
  ],
  [
    'a choice that is forced',
    400,
    'Unrecognized request argument supplied: tool_choice',
    { toolChoice: 'required' },
  ],
  ['reasoning that no server sent', 400, 'reasoning_content must be passed back'],
  [
    'a server without tools: vllm-project/vllm#9986',
    400,
    '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
  ],
  [
    'a schema that is not strict: letta-ai/letta#3137',
    400,
    "Invalid schema for function 'f': 'additionalProperties' is required to be supplied and to be false when strict is used.",
  ],
  [
    'a call without its result',
    400,
    "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
  ],
])('%s changes nothing', async (_what, status, message, given) => {
  const { forms, error } = await formsOf([{ error: { message } }], request(given), status)
  expect(forms).toHaveLength(1)
  expect(error).toBeInstanceOf(CapstanError)
})

describe('several refusals', () => {
  const refused = (name: string) => ({ error: { message: `property '${name}' is unsupported` } })

  test('follow one another, each with a key of its own', async () => {
    const bodies = [
      { error: 'unknown stream_options' },
      refused('reasoning_content'),
      refused('extra_content'),
    ]
    const { forms, keys, learned } = await formsOf(bodies)
    const last = { withoutUsage: true, withoutFields: ['extra_content', 'reasoning_content'] }
    expect(forms).toEqual([
      {},
      { withoutUsage: true },
      { withoutUsage: true, withoutFields: ['reasoning_content'] },
      last,
    ])
    expect(new Set(keys).size).toBe(4)
    expect((await formsOf([], request(), 400, learned)).forms).toEqual([last])
  })

  test('that name the same field again end in the error of the server, and nothing is remembered', async () => {
    const bodies = [refused('reasoning_content'), refused('reasoning_content')]
    const { forms, error, learned } = await formsOf(bodies)
    expect(forms).toHaveLength(2)
    expect(error).toMatchObject({ status: 400 })
    expect((await formsOf([], request(), 400, learned)).forms).toEqual([{}])
  })

  test('of a server that is never content end', async () => {
    const names = Array.from({ length: 30 }, (_, n) => `field_${n}`)
    const message = { ...called, ...Object.fromEntries(names.map((name) => [name, 1])) } as Message
    const { forms, error } = await formsOf(names.map(refused), request({ messages: [message] }))
    expect(forms).toHaveLength(9)
    expect(error).toBeInstanceOf(CapstanError)
  })

  test('of two requests at once are both remembered', async () => {
    const learned = new Learning()
    await Promise.all([
      formsOf([refused('reasoning_content')], request(), 400, learned),
      formsOf([refused('extra_content')], request(), 400, learned),
    ])
    const { forms } = await formsOf([], request(), 400, learned)
    expect(forms).toEqual([{ withoutFields: ['extra_content', 'reasoning_content'] }])
  })
})

test("a server's own fields stay while those of clients and older states are refused", async () => {
  const messages = [called, { ...called, server: 'here m' }]
  const refused = { error: "property 'reasoning_content' is unsupported" }
  expect((await formsOf([refused], request({ messages }))).forms).toEqual([
    {},
    { withoutFields: ['reasoning_content'] },
  ])
  expect((await formsOf([refused, refused], request({ messages }))).forms.at(-1)).toEqual({
    withoutFields: ['reasoning_content'],
    withoutOwnFields: ['reasoning_content'],
  })
})

test('a field of another server is not sent, so it is not what is refused', async () => {
  const messages = [{ ...called, server: 'there m' }]
  const { forms } = await formsOf(
    [{ error: "property 'reasoning_content' is unsupported" }],
    request({ messages }),
  )
  expect(forms).toHaveLength(1)
})

test.each(['@type', 'x:y', 'thought signature', 'é', '\ud83c\udf0c', 'a.b'])(
  'a field that is called %j is left out like any other',
  async (field) => {
    const messages = [{ ...called, [field]: 'v' }]
    const refused = { error: `property '${field}' is unsupported` }
    const { forms } = await formsOf([refused], request({ messages }))
    expect(forms).toEqual([{}, { withoutFields: [field] }])
  },
)
