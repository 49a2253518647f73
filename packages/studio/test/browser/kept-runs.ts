import type { RunEvent, Usage } from '@capstan/core'
import type { EntryContent, Exchange } from '../../src/types.js'
import type { SmallStudio } from './small-studio.js'

type Timed = EntryContent & { readonly t: number }

/** Writes entries with increasing timestamps. */
function script(): { readonly entries: Timed[]; at(t: number, ...contents: EntryContent[]): void } {
  const entries: Timed[] = []
  return {
    entries,
    at: (t, ...contents) => void entries.push(...contents.map((content) => ({ ...content, t }))),
  }
}

const event = (type: RunEvent['type'], body: object = {}): EntryContent => ({
  event: { runId: 'kept', seq: 0, step: 0, type, ...body } as never,
})

function usage(totalTokens: number): Usage {
  return {
    requests: 1,
    unreported: 0,
    inputTokens: totalTokens - 10,
    outputTokens: 10,
    totalTokens,
    toolCalls: 0,
    perTool: {},
    repairs: 0,
    images: 0,
    audioSeconds: 0,
    characters: 0,
  }
}

const calls = (...names: string[]) => ({
  message: {
    role: 'assistant',
    content: 'Let me look.',
    tool_calls: names.map((name, index) => ({
      id: `c${index}`,
      type: 'function',
      function: { name, arguments: '{}' },
    })),
  },
})

/** A run with concurrent calls, a sub-agent, a retry, a repair, a repeated call, a limit and a console line. */
export function keepFullRun(studio: SmallStudio): void {
  const { entries, at } = script()
  at(0, event('run-start', { agent: 'traveller' }), { checkpoint: 0, step: 0 }, event('step-start'))
  at(5, { exchange: 0, is: 'sent' })
  at(45, { exchange: 0, is: 'headers' }, { exchange: 0, is: 'ended' })
  at(
    50,
    event('retry-scheduled', { attempt: 1, delayMs: 500, code: 'rate_limit', message: 'Too many requests' }),
  )
  at(550, { exchange: 1, is: 'sent' })
  at(600, { exchange: 1, is: 'headers' }, { exchange: 1, is: 'first-byte' })
  at(800, { exchange: 1, is: 'ended' }, event('message-added', calls('get_weather', 'paint')))
  at(801, event('call-ready', { callId: 'c0', name: 'get_weather', arguments: '{"city":"Oslo",}' }))
  at(802, event('repair-applied', { callId: 'c0', name: 'get_weather', repairs: ['trailing comma removed'] }))
  at(803, event('call-ready', { callId: 'c1', name: 'paint', arguments: '{"input":"Oslo in snow"}' }))
  at(805, event('tool-start', { callId: 'c0', name: 'get_weather', arguments: { city: 'Oslo' } }))
  at(806, event('tool-start', { callId: 'c1', name: 'paint', arguments: { input: 'Oslo in snow' } }))
  at(807, { console: 'log', text: 'asking the weather office', callId: 'c0' })
  at(
    810,
    event('tool-end', {
      callId: 'c0',
      name: 'get_weather',
      status: 'ok',
      ms: 5,
      content: '{"city":"Oslo","degrees":4}',
      artifacts: [],
    }),
  )
  at(
    820,
    event('run-start', { agent: 'painter', parentCallId: 'c1' }),
    event('step-start', { parentCallId: 'c1' }),
  )
  at(
    1900,
    event('message-added', { ...calls(), parentCallId: 'c1' }),
    event('step-end', { usage: usage(90), parentCallId: 'c1' }),
  )
  at(1950, event('run-end', { stopReason: 'done', usage: usage(90), parentCallId: 'c1' }))
  at(
    2000,
    event('tool-end', {
      callId: 'c1',
      name: 'paint',
      status: 'ok',
      ms: 1194,
      content: 'painted',
      artifacts: [],
    }),
  )
  at(
    2001,
    event('step-end', { usage: usage(310) }),
    { checkpoint: 1, step: 1 },
    event('step-start', { step: 1 }),
  )
  at(2005, { exchange: 2, is: 'sent' })
  at(2400, { exchange: 2, is: 'ended' }, event('message-added', { ...calls('get_weather'), step: 1 }))
  at(
    2410,
    event('tool-start', { step: 1, callId: 'c9', name: 'get_weather', arguments: { city: 'Atlantis' } }),
  )
  at(
    2420,
    event('tool-end', {
      step: 1,
      callId: 'c9',
      name: 'get_weather',
      status: 'error',
      ms: 9,
      content: 'Error: no weather for "Atlantis"',
      artifacts: [],
    }),
  )
  at(2430, event('stuck-detected', { step: 1, stage: 'warn', names: ['get_weather'] }))
  at(
    2440,
    event('step-end', { step: 1, usage: usage(620) }),
    event('limit-reached', { step: 1, limit: 'toolCalls' }),
  )
  at(2500, event('run-end', { step: 1, stopReason: 'limit', usage: usage(620) }))
  const kept = studio.keep(
    {
      id: 'full',
      title: 'Look up the weather in Oslo',
      stopReason: 'limit',
      limit: 'toolCalls',
      steps: 2,
      toolCalls: 3,
      workedMs: 2500,
      usage: { ...usage(620), cost: 0.0041 },
    },
    entries,
  )
  kept.exchanges.push(
    { ...exchange(0, 5), status: 429, response: { offset: 0, length: 20 } },
    { ...exchange(1, 550), attempt: 2, ...answered(550) },
    { ...exchange(2, 2005), at: 'step1/request', ...answered(2005) },
  )
  kept.bytes.set('0/request', Buffer.from(request(1)))
  kept.bytes.set('0/response', Buffer.from('{"error":"slow down"}'))
  kept.bytes.set('1/request', Buffer.from(request(1)))
  kept.bytes.set('1/response', Buffer.from(pieces.join('')))
  kept.bytes.set('2/request', Buffer.from(request(3)))
  kept.bytes.set('2/response', Buffer.from(pieces.join('')))
}

/** A request body with spaces that parsing would lose. */
export function request(messages: number): string {
  const list = Array.from({ length: messages }, (_, index) => ({
    role: index % 2 ? 'assistant' : 'user',
    content: `message ${index}`,
  }))
  return `{"model": "planner",  "messages": ${JSON.stringify(list)}, "temperature": 0, "stream": true}`
}

export const pieces = [
  'data: {"choices":[{"delta":{"role":"assistant"}}]}\n\n',
  'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c0","function":{"name":"functions.get_weather","arguments":"{\\"city\\":\\"Oslo\\"}"}}]}}]}\n\n',
  'data: {"choices":[{"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
]

function exchange(number: number, sentAt: number): Exchange {
  return {
    number,
    at: 'step0/request',
    attempt: 1,
    url: 'http://127.0.0.1:4100/v1/chat/completions',
    requestHeaders: { 'content-type': 'application/json', authorization: '[redacted]' },
    responseHeaders: { 'content-type': 'text/event-stream' },
    sentAt,
    headersAt: sentAt + 41,
    firstByteAt: sentAt + 41,
    endedAt: sentAt + 212,
    request: { offset: 0, length: request(1).length },
    pieces: [],
    notes: [],
  }
}

function answered(sentAt: number): Partial<Exchange> {
  return {
    status: 200,
    firstTokenAt: sentAt + 44,
    response: { offset: 0, length: pieces.join('').length },
    pieces: pieces.map((piece, index) => [sentAt + 41 + index * 7, Buffer.byteLength(piece)] as const),
    notes: [
      { code: 'name-cleaned', call: 0, piece: 1, from: 'functions.get_weather', to: 'get_weather' },
      { code: 'calls-despite-reason', piece: 2, from: 'stop' },
    ],
    reply: { message: { role: 'assistant', content: null, tool_calls: [] }, finishReason: 'stop' },
  }
}

/** A run with many events, whose steps make two calls each. */
export function keepLongRun(studio: SmallStudio, events: number, id = 'long'): void {
  const { entries, at } = script()
  at(0, event('run-start', { agent: 'traveller' }))
  for (let step = 0; entries.length < events - 1; step += 1) {
    const t = step * 10
    at(t, event('step-start', { step }))
    for (const call of ['a', 'b']) {
      const ref = { step, callId: `${call}${step}`, name: call === 'a' ? 'get_weather' : 'paint' }
      at(t + 1, event('call-ready', { ...ref, arguments: `{"number":${step}}` }))
      at(t + 2, event('tool-start', { ...ref, arguments: { number: step } }))
      at(t + 5, event('tool-end', { ...ref, status: 'ok', ms: 3, content: `result ${step}`, artifacts: [] }))
    }
    at(t + 9, event('step-end', { step, usage: usage(100 * (step + 1)) }))
  }
  at(events, event('run-end', { stopReason: 'done', usage: usage(9) }))
  studio.keep({ id, title: 'A long run', steps: events / 8 }, entries)
}
