import { call, calls, scenario } from './scenario.js'

const search = (q: string) => call('search', { q })
const aborted = { stopReason: 'aborted' }
const notRun = 'Error: the run stopped; this call did not run.'
const cutOff =
  'Error: the run stopped during this call. It may have taken effect; check before you repeat it.'

scenario('a run that is aborted before it begins asks nobody, and can be gone on with', {
  script: ['Done.'],
  abortAt: ({ type }) => type === 'run-start',
  expect: { ...aborted, stepCount: 0 },
  next: [{ expect: { stopReason: 'done', text: 'Done.' } }],
})

scenario('a run whose signal was aborted before asks nobody', {
  script: [],
  run: { signal: AbortSignal.abort(new Error('Enough.')) },
  expect: { ...aborted, messages: [{ role: 'user' }] },
})

scenario('an abort while the model is asked takes nothing of its answer', {
  script: ['never', 'Done.'],
  abortAt: 'never',
  expect: { ...aborted, stepCount: 0, usage: { requests: 1, unreported: 1 } },
  next: [{ expect: { stopReason: 'done', text: 'Done.' } }],
})

scenario('an abort with the answer there runs none of its calls', {
  script: [calls(search('a'), call('save')), 'Done.'],
  abortAt: ({ type }) => type === 'call-ready',
  expect: { ...aborted, toolCalls: [{ status: 'not_run' }, { status: 'not_run' }] },
  told: [notRun, notRun],
  next: [{ expect: { stopReason: 'done' } }],
  ran: [],
})

scenario('an abort cuts off the call that runs, and those in line behind it do not run', {
  script: [calls(search('a'), call('sleeper'), call('save')), 'Done.'],
  agent: { concurrency: 1 },
  abortAt: (event) => event.type === 'tool-start' && event.name === 'sleeper',
  expect: { ...aborted, usage: { toolCalls: 3 } },
  told: ['about a', cutOff, notRun],
  next: [{ expect: { stopReason: 'done' } }],
})

scenario('an abort between two turns asks no more', {
  script: [calls(search('a')), 'Done.'],
  abortAt: ({ type }) => type === 'step-end',
  expect: { ...aborted, stepCount: 1, toolCalls: [{ status: 'ok' }] },
  next: [{ expect: { stopReason: 'done', stepCount: 2 } }],
})

scenario('an abort as calls come to wait closes them', {
  script: [calls(call('save'), call('send', { to: 'Ada' })), 'Done.'],
  abortAt: ({ type }) => type === 'call-pending',
  expect: aborted,
  told: ['saved', notRun],
  next: [{ expect: { stopReason: 'done' } }],
  ran: ['save {}'],
})

scenario('an abort as some of the calls are decided ends each of them once, where states are kept as well', {
  script: [calls(call('send', { to: 'Ada' }), call('send', { to: 'Bob' }))],
  agent: { onCheckpoint: async () => {} },
  expect: { stopReason: 'pending' },
  next: [
    {
      run: { decisions: { call_0_0: { type: 'approve' } } },
      abortAt: ({ type }) => type === 'call-pending',
      expect: aborted,
      told: [notRun, notRun],
    },
  ],
  ran: [],
})

scenario('an abort at the last event of a run that is done comes too late', {
  script: ['Done.'],
  abortAt: ({ type }) => type === 'run-end',
  expect: { stopReason: 'done' },
})

scenario('an abort after a limit was reached is an abort, and the limit holds when the run is gone on with', {
  script: [calls(search('a')), 'So far.'],
  run: { limits: { steps: 1 } },
  abortAt: ({ type }) => type === 'limit-reached',
  expect: aborted,
  next: [{ expect: { stopReason: 'limit', limit: 'steps', text: 'So far.' } }],
})

scenario('an abort in an approved call says that it may have taken effect', {
  script: [calls(call('sleeper')), 'Done.'],
  agent: { policy: () => ({ type: 'ask' }) },
  expect: { stopReason: 'pending' },
  next: [
    {
      run: { decisions: { call_0_0: { type: 'approve' } } },
      abortAt: ({ type }) => type === 'tool-start',
      expect: aborted,
      told: [cutOff],
    },
    { expect: { stopReason: 'done' } },
  ],
})
