import { expect } from 'vitest'
import { allowOnly, askOncePerTool, budget, readOnly, taintTracking, verdict } from '../../src/index.js'
import { call, calls, scenario } from './scenario.js'

const search = (q = 'a') => call('search', { q })
const save = call('save')
const approve = { type: 'approve' } as const
const pending = { stopReason: 'pending' }
const done = { stopReason: 'done' }

scenario('allowOnly denies what is not named, and says what is', {
  script: [calls(search(), save), 'Done.'],
  agent: { policy: allowOnly(['search']) },
  expect: { ...done, toolCalls: [{ status: 'ok' }, { status: 'denied' }] },
  told: ['about a', 'Error: call denied: only these tools can run: search.'],
  ran: ['search {"q":"a"}'],
})

scenario('allowOnly of nothing denies everything', {
  script: [calls(search()), 'Done.'],
  agent: { policy: allowOnly([]) },
  expect: { ...done, toolCalls: [{ status: 'denied' }] },
})

scenario('readOnly denies tools that are not known to read only', {
  script: [calls(search(), save), 'Done.'],
  agent: { policy: readOnly() },
  expect: done,
  told: ['about a', /"save" can change data/],
  ran: ['search {"q":"a"}'],
})

scenario('budget asks about calls once it is used up, exactly', {
  script: [calls(search()), calls(search('b')), calls(search('c')), 'Done.'],
  agent: { policy: budget({ toolCalls: 2 }) },
  expect: { ...pending, pending: [{ callId: 'call_2_0', reason: expect.stringMatching(/toolCalls: 2/) }] },
  next: [{ run: { decisions: { call_2_0: approve } }, expect: done }],
})

scenario('budget counts tokens', {
  script: [calls(search()), calls(search('b'))],
  agent: { policy: budget({ totalTokens: 30 }) },
  expect: { ...pending, pending: [{ callId: 'call_1_0' }] },
})

scenario('budget counts images, and sees those of earlier turns', {
  script: [calls(call('studio', { images: 1 })), calls(call('studio', { images: 1 }))],
  agent: { policy: budget({ images: 1 }) },
  expect: { ...pending, pending: [{ callId: 'call_1_0' }], usage: { images: 1 } },
})

scenario('budget takes an unknown cost for one that is used up', {
  script: [calls(search())],
  agent: { policy: budget({ cost: 1000 }), price: { other: { inputTokens: 1 } } },
  expect: pending,
})

scenario('budget allows what costs less', {
  script: [calls(search()), 'Done.'],
  agent: { policy: budget({ cost: 26 }), price: { m: { inputTokens: 1, outputTokens: 3 } } },
  expect: { ...done, usage: { cost: 50 } },
})

scenario('askOncePerTool asks about the first call of a tool that may change things', {
  script: [calls(search(), save), calls(save, call('studio')), 'Done.'],
  agent: { policy: askOncePerTool() },
  expect: { ...pending, pending: [{ callId: 'call_0_1' }] },
  next: [
    { run: { decisions: { call_0_1: approve } }, expect: { ...pending, pending: [{ callId: 'call_1_1' }] } },
    { run: { decisions: { call_1_1: approve } }, expect: done },
  ],
})

scenario('askOncePerTool asks again after a no', {
  script: [calls(save), calls(save)],
  agent: { policy: askOncePerTool() },
  expect: pending,
  next: [{ run: { decisions: { call_0_0: { type: 'deny', reason: 'no' } } }, expect: pending }],
})

scenario('a policy of the user sees the checked arguments, the step and the context', {
  script: [calls(search('secret')), 'Done.'],
  agent: {
    policy: ({ arguments: args, readsOnly }, { step, context, runId }) =>
      verdict.deny(JSON.stringify({ args, readsOnly, step, context, runId })),
  },
  run: { context: { user: 'Ada' } },
  expect: done,
  told: [
    'Error: call denied: {"args":{"q":"secret"},"readsOnly":true,"step":0,"context":{"user":"Ada"},"runId":"run-1"}',
  ],
})

scenario('of several policies the strictest counts: no before ask before yes', {
  script: [calls(save), calls(search())],
  agent: {
    policy: [
      () => verdict.allow,
      ({ name }) => (name === 'save' ? verdict.ask('sure?') : verdict.allow),
      () => verdict.ask(),
      readOnly(),
    ],
  },
  expect: { ...pending, pending: [{ callId: 'call_1_0' }], toolCalls: [{ status: 'denied' }] },
})

scenario('the first reason of several that ask is told', {
  script: [calls(save)],
  agent: { policy: [() => verdict.ask('one'), () => verdict.ask('two')] },
  expect: { ...pending, pending: [{ reason: 'one' }] },
})

scenario('a policy denies a call that would have needed approval, and one of a tool without a function', {
  script: [calls(call('send', { to: 'Ada' }), call('question', { text: 'Sure?' })), 'Done.'],
  agent: { policy: allowOnly([]) },
  expect: { ...done, toolCalls: [{ status: 'denied' }, { status: 'denied' }] },
})

scenario('a policy that allows does not lift the approval that a tool needs', {
  script: [calls(call('send', { to: 'Ada' }))],
  agent: { policy: () => verdict.allow },
  expect: pending,
  ran: [],
})

scenario('a policy that throws, rejects or returns nothing lets nothing run', {
  script: [calls(save), calls(search()), calls(call('page')), 'Done.'],
  agent: {
    policy: async ({ name }) => {
      if (name === 'save') throw new Error('the policy is down')
      return (name === 'search' ? undefined : { type: 'yes' }) as never
    },
  },
  expect: { ...done, toolCalls: [{ status: 'error' }, { status: 'error' }, { status: 'error' }] },
  told: ['Error: the policy is down', /must return verdict.allow/, /must return verdict.allow/],
  ran: [],
})

scenario('after words of strangers were read, what may change things is asked about', {
  script: [calls(call('page'), save), calls(search(), save), 'Done.'],
  expect: {
    ...pending,
    pending: [{ callId: 'call_1_1', reason: expect.stringMatching(/untrusted content from "page"/) }],
  },
  events: [{ type: 'run-tainted', by: 'page' }],
  next: [{ run: { decisions: { call_1_1: approve } }, expect: done }],
  ran: ['page {}', 'save {}', 'search {"q":"a"}', 'save {}'],
})

scenario('a tainted run stays so: every further call is asked about', {
  script: [calls(call('page')), calls(save), calls(save)],
  expect: pending,
  next: [
    { run: { decisions: { call_1_0: approve } }, expect: { ...pending, pending: [{ callId: 'call_2_0' }] } },
  ],
})

scenario('taint off asks about nothing', {
  script: [calls(call('page')), calls(save), 'Done.'],
  agent: { middleware: [taintTracking({ ask: false })] },
  expect: done,
  ran: ['page {}', 'save {}'],
})

scenario('an untrusted tool that did not run taints nothing', {
  script: [calls(call('page')), calls(save), 'Done.'],
  agent: { policy: ({ name }) => (name === 'page' ? verdict.deny('no') : verdict.allow) },
  expect: done,
  ran: ['save {}'],
})

scenario('a policy is told what tainted the run', {
  script: [calls(call('page')), calls(search()), 'Done.'],
  agent: {
    policy: (_call, { taintedBy }) => (taintedBy ? verdict.deny(`tainted by ${taintedBy}`) : verdict.allow),
  },
  expect: done,
  told: [/Ignore/, /tainted by page/],
})

scenario('a policy is asked again at an approved call: its denial counts, and the model reads it', {
  script: [calls(call('send', { to: 'Ada' })), 'Not sent.'],
  agent: { policy: deniesOnceAsked() },
  expect: { ...pending, pending: [{ callId: 'call_0_0' }] },
  next: [
    {
      run: { decisions: { call_0_0: approve } },
      expect: { ...done, toolCalls: [{ status: 'denied' }] },
      told: ['Error: call denied: the account was closed.'],
    },
  ],
  ran: [],
})

scenario('a policy that asks is answered by one approval', {
  script: [calls(save), 'Saved.'],
  agent: { policy: () => verdict.ask('sure?') },
  expect: { ...pending, pending: [{ reason: 'sure?' }] },
  next: [{ run: { decisions: { call_0_0: approve } }, expect: done }],
  ran: ['save {}'],
})

/** Asks about the first call, and denies it when it comes again. */
function deniesOnceAsked() {
  let isAsked = false
  return () => {
    if (isAsked) return verdict.deny('the account was closed.')
    isAsked = true
    return verdict.ask()
  }
}
