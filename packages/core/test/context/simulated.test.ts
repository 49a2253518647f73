import { expect, test } from 'vitest'
import { cases } from '../../../../scripts/cases.mjs'
import { lostContext } from '../../src/features/lost-context.js'
import { estimateMessages, estimateTokenCount, estimateTools, ratioOf } from '../../src/run/estimate.js'
import type { RunView, StepRequest } from '../../src/run/middleware.js'
import type { FeatureEvent, MiddlewareEvent } from '../../src/types/event.js'
import type { Message, SystemMessage } from '../../src/types/message.js'
import type { ChatModel } from '../../src/types/model.js'
import {
  between,
  type Cut,
  countMessage,
  countRequest,
  countText,
  cuts,
  mixedRequestsOf,
  oneOf,
  type Random,
  type Request,
  randomOf,
  requestsOf,
  type Style,
  styleOf,
  type Tokenizer,
  tokenizerOf,
  whole,
} from './conversations.js'

/** The reported tokens; with the name of the model that replied, if it changes. */
type Report = number | { readonly inputTokens: number; readonly model: string }

const newModel = (): ChatModel => ({ name: 'm', complete: () => Promise.reject(new Error('Not asked.')) })

/** Follows one conversation with a model, and returns whether a request with this report is one with a loss. */
function follower(model: ChatModel = newModel()) {
  const events: (FeatureEvent | MiddlewareEvent)[] = []
  const { afterModel } = lostContext().forAgent?.({}) ?? {}
  const systems = new Map<string, SystemMessage>()
  return (request: Request, report: Report): boolean => {
    const { inputTokens, model: name } =
      typeof report === 'number' ? { inputTokens: report, model: 'm' } : report
    const system = systems.get(request.system) ?? { role: 'system', content: request.system }
    systems.set(request.system, system)
    const run = {
      system,
      kept: {},
      emit: (event: FeatureEvent | MiddlewareEvent) => events.push(event),
    }
    const instructions = request.system === '' ? undefined : request.system
    const call = {
      ...request,
      model,
      instructions,
      isFinal: false,
      toolChoice: 'auto',
    } as unknown as StepRequest
    const tokens = { inputTokens, outputTokens: request.output, totalTokens: inputTokens + request.output }
    const before = events.length
    afterModel?.(
      { message: { role: 'assistant', content: '' }, tokens, model: name },
      call,
      run as unknown as RunView,
    )
    return events.length > before
  }
}

const windows = [2048, 4096, 8192, 16_384, 32_768]

/** A conversation whose server loses a part, until some requests after it; undefined for one that is not of use. */
function losing(seed: number) {
  const random = randomOf(seed)
  const [style, tokenizer] = [styleOf(random), tokenizerOf(random)]
  const [window, cut] = [oneOf(random, windows), oneOf(random, Object.keys(cuts) as Cut[])]
  const isSeen = follower()
  let lostAt: number | undefined
  let cutAt: number | undefined
  let at = 0
  for (const request of requestsOf(random, style)) {
    const sent = countRequest(request, tokenizer)
    const read = sent > window ? cuts[cut](request, tokenizer, window) : sent
    if (sent > window) cutAt ??= at
    // What a server makes of a cut before it has shown how it counts cannot be known, unless very much is missing.
    if (cutAt === 0 ? sent < 5 * window && at === 0 : (cutAt ?? 4) < 4) return undefined
    // Nobody knows the tokens of pictures.
    if (sent - picturesOf(request) * tokenizer.picture - read > sent / 3) lostAt ??= at
    if (isSeen(request, read)) return { isEarly: cutAt === undefined, delay: at - (lostAt ?? at) }
    if (lostAt !== undefined && at > lostAt) return { isEarly: false, delay: 2 }
    at += 1
    if (at > 60) return undefined
  }
  return undefined
}

function picturesOf({ messages }: Request): number {
  return messages.flatMap(({ content }) =>
    Array.isArray(content) ? content.filter((one) => one.type !== 'text') : [],
  ).length
}

const losses = cases(200, 24)

test('of conversations that lose a third of a request, each loss is seen within one request', () => {
  const found: unknown[] = []
  let count = 0
  for (let seed = 7001; count < losses; seed++) {
    const outcome = losing(seed)
    if (!outcome) continue
    count += 1
    if (outcome.isEarly || outcome.delay > 1) found.push({ seed, ...outcome })
  }
  expect(found).toEqual([])
})

/** What servers report that lose nothing. */
const reporters: Readonly<
  Record<string, (random: Random, tokenizer: Tokenizer) => (request: Request) => Report>
> = {
  honest: (_, tokenizer) => (request) => countRequest(request, tokenizer),
  'another honest one': (_, tokenizer) => (request) => countRequest(request, tokenizer),
  'of a template without tools': (_, tokenizer) => (request) =>
    countRequest({ ...request, tools: [] }, tokenizer),
  'of a long template': (random, tokenizer) => {
    const length = whole(random, 0, 1500)
    return (request) => length + countRequest(request, tokenizer)
  },
  'a little noise': (random, tokenizer) => (request) =>
    Math.round(countRequest(request, tokenizer) * between(random, 0.97, 1.03)),
  nonsense: (random) => () => whole(random, 1, 50_000),
  'other nonsense': (random) => () => whole(random, 1, 20_000),
  constant: (random) => {
    const value = oneOf(random, [1, 10, 100, 12_345])
    return () => value
  },
  nothing: () => () => 0,
  'output only':
    () =>
    ({ output }) =>
      output,
  'what is not cached': (_, tokenizer) => uncached(tokenizer),
  'a model switch': (random, tokenizer) => {
    const other = tokenizerOf(random)
    let count = 0
    return (request) => {
      count += 1
      return count > 12
        ? { inputTokens: countRequest(request, other), model: 'other' }
        : { inputTokens: countRequest(request, tokenizer), model: 'first' }
    }
  },
}

function uncached(tokenizer: Tokenizer): (request: Request) => number {
  let before: readonly Message[] = []
  return (request) => {
    const { messages } = request
    const same = messages.findIndex((message, at) => message !== before[at])
    before = messages
    if (same <= 0) return countRequest(request, tokenizer)
    const known = messages[same]?.role === 'assistant' ? same + 1 : same
    return 1 + messages.slice(known).reduce((sum, one) => sum + countMessage(one, tokenizer), 0)
  }
}

/** Each reporter three times in `npm test`. */
const others = cases(240, 24)

test('of others none gives a false alarm', () => {
  const alarms: unknown[] = []
  const names = Object.keys(reporters)
  for (let seed = 1; seed <= others; seed++) {
    const random = randomOf(1_000_000 + seed)
    const name = names[seed % names.length] as keyof typeof reporters
    const isHonest = name.includes('honest')
    const drawn: Style = styleOf(random)
    const style = isHonest ? drawn : { ...drawn, first: Math.min(drawn.first, 600) }
    const report = reporters[name]?.(random, tokenizerOf(random))
    const isSeen = follower()
    let at = 0
    for (const request of requestsOf(random, style)) {
      if (isSeen(request, report?.(request) ?? 0)) alarms.push({ seed, name, at })
      at += 1
      if (at === 50) break
    }
  }
  expect(alarms).toEqual([])
})

const mixedOnes = cases(300, 30)

test('of conversations that share a model, and whose instructions and tools change, none gives a false alarm', () => {
  const alarms: unknown[] = []
  for (let seed = 1; seed <= mixedOnes; seed++) {
    const random = randomOf(3_000_000 + seed)
    const tokenizer = tokenizerOf(random)
    const isSeen = follower()
    let at = 0
    for (const request of mixedRequestsOf(random, styleOf(random))) {
      if (isSeen(request, countRequest(request, tokenizer))) alarms.push({ seed, at })
      at += 1
      if (at === 50) break
    }
  }
  expect(alarms).toEqual([])
})

const reasoned = new WeakMap<Message, Message>()

/** The message with a reasoning, which most replies of such models have. */
function withReasoning(message: Message): Message {
  const { length } = JSON.stringify(message)
  if (message.role !== 'assistant' || length % 5 === 0) return message
  const known = reasoned.get(message) ?? {
    ...message,
    reasoning_content: 'They ask for an order, so look. '.repeat(length % 90),
  }
  reasoned.set(message, known)
  return known
}

/** The tokens of the reasoning that templates write: that of replies since the last message of the user. */
function countReasoning({ messages }: Request, tokenizer: Tokenizer): number {
  const turn = messages.slice(messages.findLastIndex(({ role }) => role === 'user'))
  const texts = turn.map((one) => ('reasoning_content' in one ? String(one.reasoning_content) : ''))
  return texts.reduce((sum, text) => sum + countText(text, tokenizer), 0)
}

const reasoningOnes = cases(100, 10)

test('of conversations with a reasoning model, whose server leaves earlier reasoning out, none gives a false alarm', () => {
  const alarms: unknown[] = []
  for (let seed = 1; seed <= reasoningOnes; seed++) {
    const random = randomOf(2_000_000 + seed)
    const style: Style = { ...styleOf(random), calls: 0.9, tools: 8 }
    const tokenizer = tokenizerOf(random)
    const isSeen = follower()
    let at = 0
    for (const plain of requestsOf(random, style)) {
      const request = { ...plain, messages: plain.messages.map(withReasoning) }
      const reported = countRequest(request, tokenizer) + countReasoning(request, tokenizer)
      if (isSeen(request, reported)) alarms.push({ seed, at })
      at += 1
      if (at === 50) break
    }
  }
  expect(alarms).toEqual([])
})

test('a report that stands still while the conversation grows is a loss, also where little was learned before', () => {
  expect(losing(900_648)).toEqual({ isEarly: false, delay: 1 })
})

test('longer and longer texts are no proof that a server reports what it has cached', () => {
  const isSeen = follower()
  const messages: Message[] = []
  const lengths = [600, 1200, 2400, 4800, 500]
  const seen = lengths.map((length) => {
    messages.push({ role: 'user', content: 'order '.repeat(length) })
    const lost = isSeen(
      { run: '', system: '', tools: [], messages: [...messages], output: 10 },
      Math.ceil(1.3 * length),
    )
    messages.push({ role: 'assistant', content: 'Yes.' })
    return lost
  })
  expect(seen).toEqual([false, false, false, false, false])
})

function estimateOf({ messages, tools, system }: Request): number {
  const instructions = system ? 4 + estimateTokenCount(system) : 0
  return estimateMessages(messages) + estimateTools(tools) + instructions
}

/** The shares of requests whose estimates are far above and far below what their server counts, after its reports. */
function estimatesOver(few: number, makeReport: (tokenizer: Tokenizer) => (request: Request) => number) {
  const counts = { requests: 0, above: 0, below: 0 }
  const count = cases(400, 40)
  for (let seed = 1; seed <= count; seed++) {
    const random = randomOf(4_000_000 + seed)
    const style = styleOf(random)
    const drawn = tokenizerOf(random)
    const tokenizer = { ...drawn, ratio: drawn.ratio * few }
    const model = newModel()
    const [report, follow] = [makeReport(tokenizer), follower(model)]
    let at = 0
    for (const request of requestsOf(random, style)) {
      const [estimated, counted] = [ratioOf(model) * estimateOf(request), countRequest(request, tokenizer)]
      if (at > 0) counts.requests += 1
      if (at > 0 && estimated > 1.5 * counted) counts.above += 1
      if (at > 0 && estimated < 0.6 * counted) counts.below += 1
      follow(request, report(request))
      at += 1
      if (at === 60) break
    }
  }
  return { above: counts.above / counts.requests, below: counts.below / counts.requests }
}

test('estimates follow reports of far fewer tokens', () => {
  const { above, below } = estimatesOver(0.3, (tokenizer) => (request) => countRequest(request, tokenizer))
  expect(above).toBeLessThan(0.2)
  expect(below).toBeLessThan(0.02)
})

test('estimates do not follow reports of what is not cached', () => {
  const { below } = estimatesOver(1, uncached)
  expect(below).toBeLessThan(0.03)
})
