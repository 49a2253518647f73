import { fakeClock } from '@capstan/testing'
import { expect } from 'vitest'
import { type AnyTool, type ChatModel, jsonSchema, tool, trimHistory, without } from '../../src/index.js'
import { call, calls, counted, scenario } from './scenario.js'
import { toolbox } from './toolbox.js'

const search = (q: string) => call('search', { q })
const clock = fakeClock()
// A minute goes by in each call of it.
const nap = tool({
  name: 'nap',
  description: 'Takes its time',
  parameters: jsonSchema({ type: 'object' }),
  execute: () => clock.advance(60_000),
})
/** Four of five seconds go by, and nothing else until the work is cut off: a fifth is for the final answer. */
const waitOnClock = async (signal: AbortSignal | undefined): Promise<never> => {
  const cutOff = new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason))
  })
  await Promise.all([clock.advance(4000), cutOff])
  return cutOff
}
const longNap = tool({
  name: 'long_nap',
  description: 'Does not end',
  parameters: jsonSchema({ type: 'object' }),
  execute: (_args, { signal }) => waitOnClock(signal),
})
const longSearch = tool({
  name: 'long_search',
  description: 'Finds much',
  parameters: jsonSchema({ type: 'object' }),
  execute: () => 'found '.repeat(4000),
})
const question = toolbox().tools.find(({ name }) => name === 'question') as AnyTool

/** A model whose first answer breaks off. */
const cut = (...texts: readonly string[]): ChatModel => {
  const left = [...texts]
  return {
    name: 'cut',
    async complete() {
      const content = left.shift() ?? ''
      return { message: { role: 'assistant', content }, ...(left.length > 0 ? { incomplete: true } : {}) }
    },
  }
}

/** A model whose first answer does not come. */
const stalled = (text: string): ChatModel => {
  let isFirst = true
  return {
    name: 'stalled',
    async complete({ signal }) {
      if (isFirst) {
        isFirst = false
        await waitOnClock(signal)
      }
      return { message: { role: 'assistant', content: text } }
    },
  }
}

const isAtLimit = { stopReason: 'limit', text: 'So far.' }

scenario('a run may make as many steps as its limit says', {
  script: [calls(search('a')), 'Done.'],
  run: { limits: { steps: 2 } },
  expect: { stopReason: 'done', stepCount: 2 },
})

scenario('one step more ends with a final answer, asked for without tools', {
  script: [calls(search('a')), 'So far.'],
  run: { limits: { steps: 1 } },
  expect: { ...isAtLimit, limit: 'steps', stepCount: 2 },
  events: [{ type: 'limit-reached', limit: 'steps' }],
})

scenario('no step at all is a final answer alone', {
  script: ['So far.'],
  run: { limits: { steps: 0 } },
  expect: { ...isAtLimit, limit: 'steps', stepCount: 1 },
})

scenario('the agent is bound to twenty steps when nothing is said', {
  script: [...Array.from({ length: 20 }, (_, n) => calls(search(`${n}`))), 'So far.'],
  expect: { ...isAtLimit, limit: 'steps', stepCount: 21 },
})

scenario('Infinity lifts the bound on steps', {
  script: [...Array.from({ length: 21 }, (_, n) => calls(search(`${n}`))), 'Done.'],
  run: { limits: { steps: Number.POSITIVE_INFINITY } },
  expect: { stopReason: 'done', stepCount: 22 },
})

scenario('a run that a limit ended goes on under a larger one only', {
  script: [calls(search('a')), 'So far.', calls(search('b')), 'Done.'],
  run: { limits: { steps: 1 } },
  expect: { ...isAtLimit, limit: 'steps' },
  next: [
    { refused: { code: 'invalid_state', message: /limits: \{ steps: \.\.\. \}/ } },
    { run: { limits: { steps: 4 } }, expect: { stopReason: 'done', text: 'Done.', stepCount: 4 } },
  ],
})

scenario('a run may make as many calls as its limit says', {
  script: [calls(search('a'), search('b')), 'Done.'],
  run: { limits: { toolCalls: 2 } },
  expect: { stopReason: 'done' },
})

scenario('a call over the limit does not run, those before it do', {
  script: [calls(search('a'), search('b'), search('c')), 'So far.'],
  run: { limits: { toolCalls: 2 } },
  expect: {
    ...isAtLimit,
    limit: 'toolCalls',
    toolCalls: [{ status: 'ok' }, { status: 'ok' }, { status: 'not_run' }],
  },
  ran: ['search {"q":"a"}', 'search {"q":"b"}'],
})

scenario('calls of several turns count together', {
  script: [calls(search('a'), search('b')), calls(search('c')), 'So far.'],
  run: { limits: { toolCalls: 2 } },
  expect: { ...isAtLimit, limit: 'toolCalls', stepCount: 3 },
  told: ['about a', 'about b', /limit reached \(calls: 2\); this call did not run/],
})

scenario('a limit of no calls lets none run', {
  script: [calls(search('a')), 'So far.'],
  run: { limits: { toolCalls: 0 } },
  expect: { ...isAtLimit, limit: 'toolCalls' },
  ran: [],
})

scenario('calls of one tool have a bound of their own', {
  script: [calls(search('a'), call('save'), search('b')), 'So far.'],
  run: { limits: { perTool: { search: 1 } } },
  expect: { ...isAtLimit, limit: 'perTool' },
  ran: ['search {"q":"a"}', 'save {}'],
})

scenario('a bound on one tool that is reached and not passed ends nothing', {
  script: [calls(search('a')), calls(call('save')), 'Done.'],
  run: { limits: { perTool: { search: 1 } } },
  expect: { stopReason: 'done' },
})

scenario('Infinity lifts the bound on one tool, in a state that goes through JSON as well', {
  script: [calls(search('a'), search('b'), call('question', { text: 'Sure?' })), 'Done.'],
  agent: { limits: { perTool: { search: 1 } } },
  run: { limits: { perTool: { search: Number.POSITIVE_INFINITY, save: 0 } } },
  expect: { stopReason: 'pending' },
  next: [
    { run: { decisions: { call_0_2: { type: 'result', value: 'yes' } } }, expect: { stopReason: 'done' } },
  ],
  ran: ['search {"q":"a"}', 'search {"q":"b"}'],
})

scenario('calls that were refused for a limit run when the run goes on under a larger one', {
  script: [calls(search('a'), search('b')), 'So far.', calls(search('b')), 'Done.'],
  run: { limits: { toolCalls: 1 } },
  expect: { ...isAtLimit, limit: 'toolCalls' },
  next: [{ run: { limits: { toolCalls: 9 } }, expect: { stopReason: 'done' } }],
  ran: ['search {"q":"a"}', 'search {"q":"b"}'],
})

/** The definitions of the tools take about 300 tokens. */
const real = [310, 5] as const

// A request takes 315 tokens here; room for two and a half of them is kept.
scenario('tokens that leave room for the next request and the last one end nothing', {
  script: [counted(calls(search('a')), real), counted('Done.', real)],
  run: { limits: { tokens: 1103 } },
  expect: { stopReason: 'done', usage: { totalTokens: 630 } },
})

scenario('tokens without that room end with a final answer, within the limit', {
  script: [counted(calls(search('a')), real), counted('So far.', real)],
  run: { limits: { tokens: 1102 } },
  expect: { ...isAtLimit, limit: 'tokens', usage: { totalTokens: 630 } },
})

scenario('tokens that one request took all of leave none for a final answer', {
  script: [counted(calls(search('a')), real)],
  run: { limits: { tokens: 315 } },
  expect: { stopReason: 'limit', limit: 'tokens', text: '' },
})

scenario('a final answer is asked for while its request fits into what is left', {
  script: [counted(calls(search('a')), real), counted('So far.', real)],
  run: { limits: { tokens: 700 } },
  expect: { ...isAtLimit, limit: 'tokens' },
})

scenario('a final answer whose request alone would pass the limit is not asked for, and an event says so', {
  script: [counted(calls(search('a')), real)],
  run: { limits: { tokens: 320 } },
  expect: { stopReason: 'limit', limit: 'tokens', text: '', usage: { totalTokens: 315 } },
  events: [{ type: 'final-answer-failed', code: 'stopped' }],
})

const long = `Read this: ${'word '.repeat(50_000)}`

scenario('a first request that alone would pass the limit of tokens is not sent, nor is a last one', {
  script: [],
  input: long,
  run: { limits: { tokens: 100 } },
  expect: { stopReason: 'limit', limit: 'tokens', stepCount: 0, text: '', usage: { requests: 0 } },
  events: [
    { type: 'limit-reached', limit: 'tokens' },
    { type: 'final-answer-failed', code: 'stopped' },
  ],
})

scenario('it is sent when the run goes on under a larger limit', {
  script: ['Read.'],
  input: long,
  run: { limits: { tokens: 100 } },
  expect: { stopReason: 'limit' },
  next: [{ run: { limits: { tokens: 60_000 } }, expect: { stopReason: 'done', text: 'Read.' } }],
})

scenario('the instructions count as well', {
  script: [],
  agent: { instructions: () => long },
  run: { limits: { tokens: 100 } },
  expect: { stopReason: 'limit', limit: 'tokens', usage: { requests: 0 } },
})

scenario('a first request is sent when three quarters of its estimate fit', {
  script: ['Read.'],
  input: 'word '.repeat(1000),
  agent: { tools: [] },
  run: { limits: { tokens: 754 } },
  expect: { stopReason: 'done' },
})

scenario('and is not when they do not', {
  script: [],
  input: 'word '.repeat(1000),
  agent: { tools: [] },
  run: { limits: { tokens: 752 } },
  expect: { stopReason: 'limit', limit: 'tokens' },
})

scenario('what a middleware leaves out of a request does not count', {
  script: ['Read.'],
  input: [
    { role: 'user', content: long },
    { role: 'assistant', content: 'Read.' },
    { role: 'user', content: 'Again.' },
  ],
  agent: { middleware: [trimHistory({ maxTokens: 400 })] },
  run: { limits: { tokens: 600 } },
  expect: { stopReason: 'done' },
})

scenario('a request after a result that would pass the limit alone is not sent', {
  script: [calls(call('long_search'))],
  agent: { tools: [longSearch] },
  run: { limits: { tokens: 1000 } },
  expect: { stopReason: 'limit', limit: 'tokens', usage: { requests: 1 } },
})

scenario('after a first reply the counts of the server matter more than the estimate', {
  script: [calls(search('a')), 'Done.'],
  input: 'word '.repeat(1000),
  run: { limits: { tokens: 1000 } },
  expect: { stopReason: 'done', usage: { totalTokens: 30 } },
})

scenario('a reply that is longer than what is left passes the limit, and the result says so', {
  script: [counted('Done.', [10, 500])],
  run: { limits: { tokens: 300 } },
  expect: { stopReason: 'done', text: 'Done.', exceeded: ['tokens'] },
})

scenario('so does a final answer', {
  script: [counted(calls(search('a')), real), counted('So far.', [310, 5000])],
  run: { limits: { tokens: 1102 } },
  expect: { ...isAtLimit, limit: 'tokens', exceeded: ['tokens'] },
})

scenario('tokens are estimated where a limit needs them and the server does not tell', {
  script: [counted(calls(search('a')), null), counted('So far.', null)],
  run: { limits: { tokens: 700 } },
  expect: { ...isAtLimit, limit: 'tokens', usage: { unreported: 2, requests: 2 } },
})

scenario('tokens that a server does not tell are not estimated where nothing needs them', {
  script: [counted('Done.', null)],
  expect: { stopReason: 'done', usage: { unreported: 1, totalTokens: 0 } },
})

scenario('time cuts off the call that runs, and a final answer has its part of it', {
  script: [calls(call('long_nap')), 'So far.'],
  agent: { tools: [longNap] },
  run: { limits: { seconds: 5 }, host: clock.host },
  expect: { ...isAtLimit, limit: 'seconds', toolCalls: [{ status: 'cut_off' }] },
})

scenario('time cuts off the request that is waited for', {
  script: [],
  agent: { model: stalled('So far.') },
  run: { limits: { seconds: 5 }, host: clock.host },
  expect: { ...isAtLimit, limit: 'seconds', stepCount: 1 },
})

scenario('time that nothing is left of ends a run without a request', {
  script: [],
  run: { limits: { seconds: 0 } },
  agent: { middleware: [without('final-answer')] },
  expect: { stopReason: 'limit', limit: 'seconds', stepCount: 0 },
})

scenario('without a final answer a limit is the end, and the last words before it are the text', {
  script: [{ text: 'Searching.', calls: [search('a')] }],
  agent: { middleware: [without('final-answer')] },
  run: { limits: { steps: 1 } },
  expect: { stopReason: 'limit', limit: 'steps', text: 'Searching.', stepCount: 1 },
})

scenario('time that a turn took counts, though the run ends in the middle of it', {
  script: [calls(call('nap'), call('question', { text: 'Sure?' })), 'Done.'],
  agent: { tools: [nap, question] },
  run: { limits: { seconds: 1000 }, host: clock.host },
  expect: { stopReason: 'pending', usage: { seconds: 60 } },
  next: [
    {
      run: { decisions: { call_0_1: { type: 'result', value: 'yes' } }, host: clock.host },
      expect: { stopReason: 'done', usage: { seconds: 60 } },
    },
  ],
})

scenario('an answer without its end is told of, and forgotten when a later one is whole', {
  script: [],
  agent: { model: cut('Once upon', 'a time.') },
  run: { limits: { steps: 0 } },
  expect: { stopReason: 'limit', text: 'Once upon', incomplete: true },
  next: [
    {
      run: { limits: { steps: 5 } },
      expect: { stopReason: 'done', state: { flags: expect.not.objectContaining({ incomplete: true }) } },
    },
  ],
})
