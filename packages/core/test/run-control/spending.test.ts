import { call, calls, counted, scenario } from './scenario.js'

const search = (q: string) => call('search', { q })
const price = { m: { inputTokens: 1, outputTokens: 2, images: 30, audioSeconds: 3 } }
const isAtLimit = { stopReason: 'limit', text: 'So far.' }

scenario('images may be made up to the limit', {
  script: [calls(call('studio', { images: 2 })), calls(call('studio', { images: 1 })), 'Done.'],
  run: { limits: { images: 3 } },
  expect: { stopReason: 'done', usage: { images: 3 } },
})

scenario('an image over the limit is not made, and the run ends with a final answer', {
  script: [calls(call('studio', { images: 2 }), call('studio', { images: 1 })), 'So far.'],
  run: { limits: { images: 2 } },
  expect: { ...isAtLimit, limit: 'images', usage: { images: 2 } },
  told: ['made', /Limit reached \(images: 2\)\. Nothing was done/],
  ran: ['studio 2'],
})

scenario('images of one turn count together, those of a call that waited included', {
  script: [calls(call('studio', { images: 1 }), call('studio', { images: 1 })), 'So far.'],
  agent: { policy: ({ callId }) => (callId === 'call_0_1' ? { type: 'ask' } : { type: 'allow' }) },
  run: { limits: { images: 1 } },
  expect: { stopReason: 'pending' },
  next: [
    {
      run: { decisions: { call_0_1: { type: 'approve' } } },
      expect: { ...isAtLimit, limit: 'images', usage: { images: 1 } },
    },
  ],
  ran: ['studio 1'],
})

scenario('what is listened to is bounded in seconds', {
  script: [
    calls(call('studio', { audioSeconds: 1.5 })),
    calls(call('studio', { audioSeconds: 0.6 })),
    'So far.',
  ],
  run: { limits: { audioSeconds: 2 } },
  expect: { ...isAtLimit, limit: 'audioSeconds', usage: { audioSeconds: 1.5 } },
})

scenario('spending what the limits do not bound is counted alone', {
  script: [calls(call('studio', { images: 9, audioSeconds: 9 })), 'Done.'],
  expect: { stopReason: 'done', usage: { images: 9, audioSeconds: 9 } },
})

/** The definitions of the tools take about 300 tokens. A request costs 320 here. */
const real = [310, 5] as const

scenario('costs that leave room for the next request and the last one end nothing', {
  script: [counted(calls(search('a')), real), counted('Done.', real)],
  agent: { price },
  run: { limits: { cost: 1120 } },
  expect: { stopReason: 'done', usage: { cost: 640 } },
})

scenario('costs without that room end with a final answer, within the limit', {
  script: [counted(calls(search('a')), real), counted('So far.', real)],
  agent: { price },
  run: { limits: { cost: 1119 } },
  expect: { ...isAtLimit, limit: 'cost', usage: { cost: 640 } },
})

scenario('costs that one request made all of leave none for a final answer', {
  script: [counted(calls(search('a')), real)],
  agent: { price },
  run: { limits: { cost: 320 } },
  expect: { stopReason: 'limit', limit: 'cost' },
})

scenario('a first request whose input alone would cost more than the limit is not sent, nor is a last one', {
  script: [],
  input: 'word '.repeat(1000),
  agent: { price: { m: { inputTokens: 1e-4, outputTokens: 1e-4 } } },
  run: { limits: { cost: 0.01 } },
  expect: { stopReason: 'limit', limit: 'cost', text: '', usage: { requests: 0 } },
  events: [{ type: 'final-answer-failed', code: 'stopped' }],
})

scenario('a final answer that costs more than is left passes the limit, and the result says so', {
  script: [counted(calls(search('a')), real), counted('So far.', [310, 5000])],
  agent: { price },
  run: { limits: { cost: 1119 } },
  expect: { ...isAtLimit, limit: 'cost', exceeded: ['cost'] },
})

scenario('a final answer at another limit is checked by its cost as well', {
  script: [counted(calls(search('a')), real)],
  agent: { price },
  run: { limits: { cost: 325, steps: 1 } },
  expect: { stopReason: 'limit', limit: 'steps', text: '', usage: { cost: 320 } },
  events: [{ type: 'final-answer-failed', code: 'stopped' }],
})

scenario('cached tokens of the last request are expected to be cached again', {
  script: [counted(calls(search('a')), [10, 5]), 'Done.'],
  input: 'word '.repeat(1000),
  agent: { price: { m: { inputTokens: 1, outputTokens: 1 } } },
  run: { limits: { cost: 1100 } },
  expect: { stopReason: 'done', usage: { cost: 30 } },
})

scenario('what a tool spends costs, and what would cost too much is not done', {
  script: [
    counted(
      calls(call('studio', { images: 1, model: 'm' }), call('studio', { images: 30, model: 'm' })),
      real,
    ),
    counted('So far.', real),
  ],
  agent: { price },
  run: { limits: { cost: 720 } },
  expect: { ...isAtLimit, limit: 'cost', usage: { cost: 670, images: 1 } },
  ran: ['studio 1'],
})

scenario('what has no price is not done under a limit on costs', {
  script: [calls(call('studio', { images: 1, model: 'other' })), 'So far.'],
  agent: { price },
  run: { limits: { cost: 1000 } },
  expect: { ...isAtLimit, limit: 'cost' },
  told: [/No price is known \(other\)/],
  ran: [],
})

scenario('what has no price makes the cost unknown where nothing bounds it', {
  script: [calls(call('studio', { images: 1, model: 'other' })), 'Done.'],
  agent: { price },
  expect: { stopReason: 'done', usage: { cost: 'unknown' } },
})

scenario('a limit on costs is refused at once for a model without a price', {
  script: [],
  run: { limits: { cost: 1000 } },
  refused: { code: 'invalid_request', message: /needs a price for "m"/ },
})

scenario('costs are estimated where a limit needs them and the server does not tell', {
  script: [counted('Done.', null)],
  agent: { price: { m: { inputTokens: 1, outputTokens: 1 } } },
  run: { limits: { cost: 1000 } },
  expect: { stopReason: 'done', usage: { cost: 318, unreported: 1 } },
})
