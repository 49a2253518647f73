import { refusalText, withoutOwnField } from './features/request-forms.js'
import { standardOfModels } from './features.js'
import { getEnv, isRecord, listOf, tryURL } from './json.js'
import {
  type ChatModelOptions,
  createServerModel,
  elsewhere,
  kindsOf,
  names,
  optionKinds,
} from './model/chat-model.js'
import { type Block, hostedCallsIn, thoughtBreak } from './model/messages/blocks.js'
import { MessagesBuilder } from './model/messages/reply.js'
import { toMessagesBody } from './model/messages/request.js'
import type { ModelFeature, Protocol } from './model/protocol.js'
import { toText } from './model/reply-fields.js'
import type { ServerForm } from './model/request-body.js'
import { isRefusal } from './model/response-errors.js'
import { checkOptionNames } from './option-names.js'
import { secretsOf, withSecretsOf } from './secrets/secrets.js'
import { type AssistantMessage, callsOf, textOf } from './types/message.js'
import type { ChatModel, ModelReply, ModelRequest, ModelSink } from './types/model.js'
import type { TokenUsage } from './usage.js'

export interface MessagesModelOptions extends Omit<ChatModelOptions, 'baseURL' | 'apiKey' | 'dialect'> {
  /**
   * URL of the service, with or without `/v1`. The same rules as for `chatModel` apply. Default: `ANTHROPIC_BASE_URL`,
   * or api.anthropic.com if that is not set.
   */
  readonly baseURL?: string
  /**
   * The API key, sent as `x-api-key`. Default: `ANTHROPIC_API_KEY`. If the key is missing, the first request fails.
   * `''` means that the server needs no key.
   */
  readonly apiKey?: string
  /**
   * Marks the instructions, the last tool and the last message for the server's cache. On api.anthropic.com, writing to
   * the cache costs 1.25 times the input price, and reading 0.1 times, so sending the same input twice costs 1.35 times
   * its price instead of 2. Default: on api.anthropic.com, true for requests with tools and for those that continue a
   * conversation; otherwise false.
   */
  readonly cache?: boolean
  /**
   * The features that the server supports beyond the basic API. An `anthropic` server enforces a requested output
   * schema (`output_config.format`). Default: `anthropic` for api.anthropic.com, `plain` for other servers.
   */
  readonly dialect?: 'anthropic' | 'plain'
}

/**
 * Creates a model that uses Anthropic's Messages API. Thinking, citations and hosted tool calls are kept and sent back
 * to the same server and model. The API requires `max_tokens`. Set it with `maxTokens`; the default is 16384, plus the
 * budget in the `thinking` setting.
 * @throws CapstanError `invalid_request` as `chatModel` does
 */
export function messagesModel(name: string, options: MessagesModelOptions = {}): ChatModel {
  const standard = [...standardOfModels.map((make) => make()), toolsOfCalls()]
  checkOptionNames(
    options,
    { ...optionKinds, ...kindsOf(standard), ...ownKinds },
    { of: 'messagesModel', names, elsewhere, isOpen: true },
  )
  const { cache, dialect, ...given } = options
  const readBaseURL = () => withVersion(given.baseURL ?? getEnv('ANTHROPIC_BASE_URL') ?? home)
  const shared = {
    ...given,
    get baseURL() {
      return readBaseURL()
    },
  }
  const model = createServerModel(name, shared, createProtocol(cache), standard)
  const complete: ChatModel['complete'] = (request, sink) => continuePaused(model, request, sink)
  return withSecretsOf(
    {
      name,
      hostedTools: true,
      vision: model.vision,
      contextTokens: model.contextTokens,
      get structuredOutput() {
        return (dialect ?? (isAnthropic(hostOf(readBaseURL())) ? 'anthropic' : 'plain')) === 'anthropic'
      },
      complete,
    },
    secretsOf(model),
  )
}

const ownKinds = {
  cache: 'true or false',
  dialect: ["'anthropic' or 'plain'", (value: unknown) => value === 'anthropic' || value === 'plain'],
} as const

function hostOf(address: string): string {
  return tryURL(address)?.host ?? ''
}

/** Adds `/v1` to a URL without a version, as the vendor's client does. */
function withVersion(address: string): string {
  const url = tryURL(address)
  if (!url) return address
  const path = url.pathname.replace(/\/+$/, '')
  if (/\/v\d+\w*$/.test(path)) return address
  url.pathname = `${path}/v1`
  return url.href
}

/** The URL that is used if neither `baseURL` nor the environment variable is set. */
const home = 'https://api.anthropic.com/v1'

/**
 * Returns the protocol of Anthropic's Messages API, `/messages`. `cache` is the value of the model's `cache` option.
 */
function createProtocol(cache: boolean | undefined): Protocol {
  return {
    of: 'messagesModel',
    path: '/messages',
    home,
    variables: ['ANTHROPIC_BASE_URL', 'ANTHROPIC_API_KEY'],
    toKeyHeaders: (apiKey) => ({
      'anthropic-version': '2023-06-01',
      ...(apiKey === '' ? {} : { 'x-api-key': apiKey }),
    }),
    toBody: (model, request, form) =>
      toMessagesBody(model, request, { form, isCached: cache ?? isRepeated(request, form) }),
    adaptations: [withoutOwnField('message_blocks', refusesBlocks)],
    createBuilder: (builderOptions) => new MessagesBuilder(builderOptions),
  }
}

/**
 * Whether caching pays off: a later request will probably begin with the content of this one, and the server's prices
 * are known.
 */
function isRepeated(request: ModelRequest, { server = '' }: ServerForm): boolean {
  if (!isAnthropic(server.split('/', 1)[0] ?? '') || hasMarks(request)) return false
  const { messages, tools, toolChoice } = request
  const isLast = tools.length === 0 || toolChoice === 'none'
  return !isLast || messages.some(({ role }) => role === 'assistant')
}

/** Whether the user has set cache marks. A request may contain at most four, so no others are added. */
function hasMarks({ messages, settings, hostedTools = [] }: ModelRequest): boolean {
  const parts = messages.flatMap(({ role, content }) => (role === 'user' ? listOf(content) : []))
  return [settings, ...parts, ...hostedTools].some((one) => Object(one).cache_control !== undefined)
}

/** Whether a host is Anthropic's own, with known prices and features. */
function isAnthropic(host: string): boolean {
  return host === 'api.anthropic.com'
}

/**
 * Matches errors from a server that rejects blocks which it sent itself, because the server cannot verify thinking, or
 * because a result of one of its own tools is missing.
 */
const refusesBlocks =
  /invalid .?signature|signature: field required|thinking.? blocks? .*cannot be modified|found without a corresponding .?\w+_tool_result/i

/**
 * Finds a form that the server accepts for requests without tools whose history contains calls. Most servers require the
 * tools of these calls, with the choice `none`. A server that rejects `none` gets no tools. If it rejects that too, it
 * gets the tools without a choice: then only the prompt asks the model not to call them.
 */
function toolsOfCalls(): ModelFeature {
  const known = new Map<string | undefined, Form>()
  return {
    name: 'tools-of-calls',
    wrapSend(send, { usualForm }) {
      const ask: typeof send = async (request, sink, form = usualForm()) => {
        const calledTools = known.get(form.server)
        const sent = calledTools ? { ...form, calledTools } : form
        return send(request, sink, sent).catch((error: unknown) => {
          const next = nextForm(calledTools, request, error)
          if (!next) throw error
          // Another request may have found a later form in the meantime.
          if (known.get(form.server) === calledTools) known.set(form.server, next)
          // The run sends the request without tools itself.
          if (hasTools(request)) throw error
          // With the same key, a deduplicating service would return the rejection again.
          return ask({ ...request, idempotencyKey: `${request.idempotencyKey}/${next}` }, sink, form)
        })
      }
      return ask
    },
  }
}

type Form = ServerForm['calledTools']

/** Returns the form that a rejection of this one requires. Undefined if the rejection has a different reason. */
function nextForm(form: Form, request: ModelRequest, error: unknown): Form {
  if (!isRefusal(error)) return undefined
  const isOfCalls = !hasTools(request) && request.messages.some((message) => callsOf(message).length > 0)
  if (!form && (isOfCalls || request.toolChoice === 'none'))
    return /tool_?choice/i.test(refusalText(error)) ? 'omitted' : undefined
  return form === 'omitted' && isOfCalls && /tool/i.test(error.message) ? 'allowed' : undefined
}

function hasTools({ tools, hostedTools = [] }: ModelRequest): boolean {
  return tools.length + hostedTools.length > 0
}

// A server that runs tools itself may pause a long reply (`pause_turn`), and continues when the part so far is sent
// back.

/**
 * Maximum number of continuations of one reply. A reply that is still paused after that is returned as `incomplete`.
 */
const maxContinuations = 5

/**
 * Sends a request, and further requests for as long as the server keeps pausing its reply. Returns all parts as one
 * reply.
 */
async function continuePaused(
  model: Pick<ChatModel, 'complete'>,
  request: ModelRequest,
  sink?: ModelSink,
): Promise<ModelReply> {
  let whole = await model.complete(request, sink)
  for (let count = 1; isPaused(whole); count++) {
    if (count > maxContinuations) return { ...whole, incomplete: true }
    const asked = {
      ...request,
      messages: [...request.messages, whole.message],
      idempotencyKey: `${request.idempotencyKey}/continued-${count}`,
    }
    whole = join(whole, await model.complete(asked, sink && repeating(whole.message, sink)))
  }
  return whole
}

/**
 * Whether the server has paused the reply. If the reply calls the agent's own tools, the run continues with their
 * results instead.
 */
function isPaused({ finishReason, message }: ModelReply): boolean {
  return finishReason === 'pause_turn' && callsOf(message).length === 0
}

/** Returns a sink that sends the earlier parts again after a retry, because a retry discards all streamed text. */
function repeating(before: AssistantMessage, sink: ModelSink): ModelSink {
  const [text, reasoning] = [textOf(before.content), toText(before.reasoning_content)]
  return (delta) => {
    sink(delta)
    if (delta.type !== 'retry') return
    if (reasoning !== '') sink({ type: 'reasoning', text: reasoning })
    if (text !== '') sink({ type: 'text', text })
  }
}

function join(one: ModelReply, other: ModelReply): ModelReply {
  const start = textOf(one.message.content).length
  const moved = (other.sources ?? []).map((source) => ({
    ...source,
    ...(source.start === undefined ? {} : { start: source.start + start }),
    ...(source.end === undefined ? {} : { end: source.end + start }),
  }))
  const sources = [...(one.sources ?? []), ...moved]
  // The result of a call in one part may be in the next part.
  const hostedCalls = hostedCallsIn([...blocksOf(one.message), ...blocksOf(other.message)])
  const tokens = add(one.tokens, other.tokens)
  const omitted = [...(one.omitted ?? []), ...(other.omitted ?? [])]
  return {
    ...other,
    message: joinMessages(one.message, other.message),
    ...(sources.length > 0 ? { sources } : {}),
    ...(hostedCalls.length > 0 ? { hostedCalls } : {}),
    ...(tokens ? { tokens } : {}),
    ...(omitted.length > 0 ? { omitted } : {}),
  }
}

function joinMessages(one: AssistantMessage, other: AssistantMessage): AssistantMessage {
  const text = textOf(one.content) + textOf(other.content)
  const thoughts = [one, other].map(({ reasoning_content }) => toText(reasoning_content)).filter(Boolean)
  const blocks = [...blocksOf(one), ...blocksOf(other)]
  return {
    ...other,
    ...(one.server === undefined ? {} : { server: one.server }),
    content: text === '' ? other.content : text,
    ...(thoughts.length > 0 ? { reasoning_content: thoughts.join(thoughtBreak) } : {}),
    // A refusal has no blocks, because the server does not accept them when they are sent back.
    ...(other.refusal ? {} : { message_blocks: blocks }),
  }
}

function blocksOf({ message_blocks, content, tool_calls = [] }: AssistantMessage): readonly Block[] {
  if (Array.isArray(message_blocks)) return message_blocks.filter(isRecord)
  return [{ type: 'text', length: textOf(content).length }, ...tool_calls.map(() => ({ type: 'tool_use' }))]
}

function add(one: TokenUsage | undefined, other: TokenUsage | undefined): TokenUsage | undefined {
  if (!one || !other) return one ?? other
  const sums: Record<string, number> = { ...one }
  for (const [name, count] of Object.entries(other)) sums[name] = (sums[name] ?? 0) + count
  return sums as unknown as TokenUsage
}
