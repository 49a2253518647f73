// Simulated conversations with servers that count tokens in their own way and have windows of several sizes.
import type {
  AssistantMessage,
  Message,
  ToolDefinition,
  ToolMessage,
  UserMessage,
} from '../../src/types/message.js'

/** Numbers from 0 to below 1, the same for the same seed. */
export type Random = () => number

export function randomOf(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const between = (random: Random, least: number, most: number) => least + random() * (most - least)
export const whole = (random: Random, least: number, most: number) =>
  Math.floor(between(random, least, most + 1))
export const oneOf = <T>(random: Random, list: readonly T[]): T =>
  list[Math.floor(random() * list.length)] as T

/** One request as a server gets it. */
export interface Request {
  readonly run: string
  readonly system: string
  readonly tools: readonly ToolDefinition[]
  readonly messages: readonly Message[]
  /** The tokens of the reply, for servers that confuse the two. */
  readonly output: number
}

const alphabets = {
  english:
    'the order of a small house was changed before they had seen which customers would answer it again'.split(
      ' ',
    ),
  german:
    'die Bestellung wurde nach einer längeren Überprüfung der Kundennummer schließlich freigegeben und versendet'.split(
      ' ',
    ),
  russian: 'заказ был изменён после того как покупатель сообщил новый адрес доставки и номер телефона'.split(
    ' ',
  ),
  chinese: [...'订单在客户提供新的送货地址和电话号码之后已经更改请确认是否需要重新发送发票'],
  korean: '고객이 새로운 배송 주소와 전화번호를 알려준 뒤에 주문이 변경되었습니다 확인해 주세요'.split(' '),
}
type Language = keyof typeof alphabets
const languages = Object.keys(alphabets) as Language[]

function written(random: Random, language: Language, length: number): string {
  const space = language === 'chinese' ? '' : ' '
  const words: string[] = []
  for (let count = 0; count < length; count++) {
    const end = random() < 0.08 ? (language === 'chinese' ? '。' : '. ') : space
    words.push(oneOf(random, alphabets[language]), end)
    if (random() < 0.02) words.push(`${whole(random, 1, 99_999)} `)
  }
  return words.join('')
}

const fixed = randomOf(1)
const pages = Object.fromEntries(languages.map((language) => [language, written(fixed, language, 60_000)]))
const table = JSON.stringify(
  Array.from({ length: 2000 }, () => {
    const id = `ord_${whole(fixed, 10_000, 99_999)}`
    return { id, total: whole(fixed, 1, 9999) / 100, open: fixed() < 0.5, note: written(fixed, 'english', 6) }
  }),
)

function prose(random: Random, language: Language, length: number): string {
  return sliceOf(random, pages[language] ?? '', length)
}

function rows(random: Random, length: number): string {
  return sliceOf(random, table, length)
}

function sliceOf(random: Random, text: string, length: number): string {
  const start = whole(random, 0, Math.max(0, text.length - length))
  return text.slice(start, start + length)
}

/** How a server counts: characters of each kind for a token, and what surrounds a message. */
export interface Tokenizer {
  readonly ratio: number
  readonly frame: number
  readonly wide: number
  readonly letters: number
  readonly data: number
  readonly noise: number
  readonly picture: number
  /** Whether definitions of tools are written only where the last message is the user's. */
  readonly hidesTools: boolean
}

export function tokenizerOf(random: Random): Tokenizer {
  return {
    ratio: between(random, 0.6, 1.6),
    frame: whole(random, 3, 9),
    wide: between(random, 0.8, 1.3),
    letters: between(random, 0.8, 1.3),
    data: between(random, 0.8, 1.3),
    noise: between(random, 0, 0.1),
    picture: oneOf(random, [0, 85, 256, 765, 1500]),
    hidesTools: random() < 0.15,
  }
}

export function countText(
  text: string,
  { ratio, wide, letters, data, noise }: Tokenizer,
  isData = false,
): number {
  const signs = text.match(/[\u2e80-\ud7ff]/g)?.length ?? 0
  const others = text.match(/[\u0370-\u2dff]/g)?.length ?? 0
  const plain = text.length - signs - others
  const count = signs * wide + (others / 3.4) * letters + (plain / (isData ? 3.6 : 5.2)) * (isData ? data : 1)
  // The same for the same text.
  const vary = 1 + noise * (((text.length * 7919) % 200) / 100 - 1)
  return Math.round(count * ratio * vary)
}

const counts = new WeakMap<Tokenizer, WeakMap<Message, number>>()

export function countMessage(message: Message, tokenizer: Tokenizer): number {
  const known = counts.get(tokenizer) ?? new WeakMap<Message, number>()
  counts.set(tokenizer, known)
  const count = known.get(message) ?? countParts(message, tokenizer)
  known.set(message, count)
  return count
}

function countParts(message: Message, tokenizer: Tokenizer): number {
  const { content } = message
  const list = typeof content === 'string' || !content ? [{ type: 'text', text: content ?? '' }] : content
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : []
  let count = tokenizer.frame
  for (const part of list)
    count +=
      part.type === 'text'
        ? countText(String(part.text), tokenizer, message.role === 'tool')
        : tokenizer.picture
  for (const call of calls)
    count += countText(call.function.name + call.function.arguments, tokenizer, true) + 6
  return count
}

const toolTexts = new WeakMap<readonly ToolDefinition[], string>()

function countHeader({ system, tools, messages }: Request, tokenizer: Tokenizer): number {
  const isHidden = tokenizer.hidesTools && messages.at(-1)?.role === 'tool'
  const text = toolTexts.get(tools) ?? JSON.stringify(tools)
  toolTexts.set(tools, text)
  const shown = tools.length > 0 && !isHidden ? countText(text, tokenizer, true) + 30 : 0
  return (system ? countText(system, tokenizer) + tokenizer.frame : 0) + shown
}

export function countRequest(request: Request, tokenizer: Tokenizer): number {
  return request.messages.reduce(
    (sum, one) => sum + countMessage(one, tokenizer),
    countHeader(request, tokenizer),
  )
}

/** Ways to lose a part of a prompt that does not fit. Returns the tokens that are left. */
export const cuts = {
  'newest tokens': (_request: Request, _tokenizer: Tokenizer, window: number) => window,
  'half of the window': (_request: Request, _tokenizer: Tokenizer, window: number) =>
    Math.floor(window / 2) + 2,
  'newest messages': (request: Request, tokenizer: Tokenizer, window: number) =>
    newest(request, tokenizer, window, 0),
  'system and newest messages': (request: Request, tokenizer: Tokenizer, window: number) =>
    newest(request, tokenizer, window, countHeader(request, tokenizer)),
  'without the middle': (request: Request, tokenizer: Tokenizer, window: number) =>
    newest(
      request,
      tokenizer,
      window,
      countHeader(request, tokenizer) + countMessage(request.messages[0] as Message, tokenizer),
    ),
}
export type Cut = keyof typeof cuts

function newest({ messages }: Request, tokenizer: Tokenizer, window: number, kept: number): number {
  let left = window - kept
  if (left <= 0) return window
  let count = kept
  for (const message of messages.toReversed()) {
    const tokens = countMessage(message, tokenizer)
    // The newest message is cut itself.
    if (tokens > left) return count === kept ? window : count
    left -= tokens
    count += tokens
  }
  return count
}

/** What a conversation is like. */
export interface Style {
  readonly languages: readonly Language[]
  readonly systemLength: number
  readonly tools: number
  /** The share of user turns that lead to calls. */
  readonly calls: number
  readonly resultLength: number
  readonly pictures: 'none' | 'shown' | 'attached'
  readonly history: 'whole' | 'trimmed' | 'summarized'
  /** Characters that a shortened history has. */
  readonly bound: number
  readonly first: number
}

export function styleOf(random: Random): Style {
  const main = oneOf(random, languages)
  const history = oneOf(random, ['whole', 'whole', 'trimmed', 'summarized'] as const)
  const isWhole = history === 'whole'
  return {
    languages: random() < 0.7 ? [main] : [main, oneOf(random, languages)],
    systemLength: oneOf(random, [0, 200, 1500, 5000]),
    tools: oneOf(random, [0, 2, 8, 20]),
    calls: oneOf(random, [0, 0.5, 0.9]),
    // What shortens a history keeps the last exchange, so that exchange fits.
    resultLength: oneOf(random, isWhole ? [200, 1500, 8000] : [200, 1500]),
    pictures: oneOf(random, ['none', 'none', 'shown', 'attached'] as const),
    history,
    bound: oneOf(random, [8000, 30_000]),
    first: isWhole && random() < 0.12 ? whole(random, 20_000, 60_000) : whole(random, 20, 600),
  }
}

/** Yields the requests of a conversation, which never ends. */
export function* requestsOf(random: Random, style: Style): Generator<Request> {
  const say = (length: number) => prose(random, oneOf(random, style.languages), length)
  const system = style.systemLength > 0 ? prose(random, 'english', style.systemLength) : ''
  const tools = style.calls > 0 ? Array.from({ length: style.tools }, (_, at) => definition(random, at)) : []
  const all: Message[] = []
  for (let turn = 0; ; turn++) {
    const run = `run ${turn}`
    const length =
      turn === 0 ? style.first : random() < 0.1 ? whole(random, 1000, 6000) : whole(random, 20, 600)
    all.push(userMessage(say(length), style.pictures === 'attached' && random() < 0.2))
    const steps = tools.length > 0 && random() < style.calls ? whole(random, 1, 5) : 0
    for (let step = 0; step <= steps; step++) {
      const output = whole(random, 40, 900)
      const isLast = step === steps
      yield {
        run,
        system,
        tools,
        messages: withPictures(shortened(all, style), style),
        output: Math.ceil(output / 4),
      }
      if (isLast) all.push({ role: 'assistant', content: say(output) })
      else all.push(...callsAndResults(random, style, turn * 100 + step))
    }
  }
}

/** Yields the requests of a conversation whose instructions and tools change. Some requests have no tools. */
function* changingRequestsOf(random: Random, style: Style): Generator<Request> {
  let few: readonly ToolDefinition[] = []
  let variant = 0
  for (const request of requestsOf(random, style)) {
    const { messages, system, tools } = request
    if (few.length === 0) few = tools.slice(tools.length / 2)
    const isTurn = messages.at(-1)?.role === 'user'
    if (isTurn && random() < 0.3) variant = whole(random, 0, 3)
    const note = ' The user is in Berlin and likes short replies.'.repeat(20)
    yield {
      ...request,
      system: variant === 2 ? system + note : variant === 3 ? system.slice(0, 300) : system,
      tools: !isTurn && random() < 0.1 ? [] : variant === 1 ? few : tools,
    }
  }
}

/** Yields the requests of three conversations with one model, in any order. */
export function* mixedRequestsOf(random: Random, style: Style): Generator<Request> {
  const runs = [style, styleOf(random), styleOf(random)].map((one) => changingRequestsOf(random, one))
  for (;;) {
    const run = oneOf(random, runs)
    for (let left = whole(random, 1, 4); left > 0; left--) yield run.next().value
  }
}

function definition(random: Random, at: number): ToolDefinition {
  const names = Array.from({ length: whole(random, 1, 4) }, (_, index) => [
    `field_${index}`,
    { type: 'string', description: prose(random, 'english', 30) },
  ])
  const parameters = { type: 'object', properties: Object.fromEntries(names) }
  return {
    type: 'function',
    function: { name: `tool_${at}`, description: prose(random, 'english', 60), parameters },
  }
}

function userMessage(text: string, hasPicture: boolean): UserMessage {
  const picture = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }
  return { role: 'user', content: hasPicture ? [{ type: 'text', text }, picture] : text }
}

function callsAndResults(random: Random, style: Style, at: number): Message[] {
  const count = random() < 0.3 ? 2 : 1
  const ids = Array.from({ length: count }, (_, index) => `call_${at}_${index}`)
  const call: AssistantMessage = {
    role: 'assistant',
    content: null,
    tool_calls: ids.map((id) => ({
      id,
      type: 'function',
      function: { name: 'tool_1', arguments: rows(random, whole(random, 20, 200)) },
    })),
  }
  const results = ids.map(
    (id): ToolMessage => ({
      role: 'tool',
      tool_call_id: id,
      content: rows(random, whole(random, 30, style.resultLength)),
    }),
  )
  const shown: UserMessage[] =
    style.pictures === 'shown' && random() < 0.3
      ? [{ role: 'user', content: '[Images of the last step] img_1' }]
      : []
  return [call, ...results, ...shown]
}

/** The newest message shows its picture, in this request only. */
function withPictures(messages: readonly Message[], { pictures }: Style): readonly Message[] {
  const last = messages.at(-1)
  if (pictures !== 'shown' || typeof last?.content !== 'string' || !last.content.startsWith('[Images'))
    return messages
  return messages.with(-1, userMessage(last.content, true))
}

const lengthOf = (messages: readonly Message[]) =>
  messages.reduce((sum, message) => sum + textOf(message).length, 0)

const shortenings = new WeakMap<readonly Message[], { from: number; message: Message }>()

/** Keeps the newest exchanges, with a summary of the others or without. */
function shortened(all: readonly Message[], { history, bound }: Style): readonly Message[] {
  if (history === 'whole') return [...all]
  const starts = all.flatMap(({ role, content }, at) =>
    role === 'user' && !String(content).startsWith('[Images') ? [at] : [],
  )
  if (history === 'trimmed') {
    const from = starts.find((at) => lengthOf(all.slice(at)) <= bound) ?? starts.at(-1) ?? 0
    return all.slice(from)
  }
  let known = shortenings.get(all)
  const shown = known ? [known.message, ...all.slice(known.from + 1)] : [...all]
  if (lengthOf(shown) <= bound) return shown
  const from = starts.find((at) => lengthOf(all.slice(at)) <= bound / 2) ?? starts.at(-1) ?? 0
  if (from === 0) return shown
  const message = userMessage(
    `[What was said before] ${'a summary of orders '.repeat(60)} ${textOf(all[from])}`,
    false,
  )
  known = { from, message }
  shortenings.set(all, known)
  return [message, ...all.slice(from + 1)]
}

function textOf(message: Message | undefined): string {
  const content = message?.content
  return typeof content === 'string' ? content : (content?.map(({ text }) => text ?? '').join('') ?? '')
}
