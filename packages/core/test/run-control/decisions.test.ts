import { expect, test } from 'vitest'
import { Agent, type Decisions } from '../../src/index.js'
import { type Act, call, calls, scenario } from './scenario.js'
import { expectSound } from './soundness.js'
import { startStrictServer } from './strict-server.js'
import { toolbox } from './toolbox.js'

const send = (to = 'Ada') => call('send', { to })
const ask = call('question', { text: 'Which colour?' })
const save = call('save')
const approve = { type: 'approve' } as const
const deny = (reason: string) => ({ type: 'deny', reason }) as const
const result = (value: unknown) => ({ type: 'result', value }) as const
const pending = { stopReason: 'pending' }
const done = { stopReason: 'done', text: 'Done.' }
const notRun = 'Error: the run stopped; this call did not run.'

/** Decisions that JavaScript lets through, and a run must not. */
const wrong = (decisions: object, message: RegExp, code = 'invalid_request'): Act => ({
  run: { decisions: decisions as Decisions },
  refused: { code, message },
})

scenario('a call that needs approval ends the run, and runs when it is approved', {
  script: [calls(send()), 'Done.'],
  expect: {
    ...pending,
    pending: [{ callId: 'call_0_0', name: 'send', kind: 'approval', arguments: { to: 'Ada' } }],
  },
  next: [{ run: { decisions: { call_0_0: approve } }, expect: done, told: ['sent to Ada'] }],
  ran: ['send {"to":"Ada"}'],
})

scenario('an approved call runs with the arguments that a person made of it', {
  script: [calls(send()), 'Done.'],
  expect: pending,
  next: [
    {
      run: { decisions: { call_0_0: { ...approve, arguments: { to: 'Eve' } } } },
      expect: { ...done, toolCalls: [{ arguments: { to: 'Eve' }, result: 'sent to Eve' }] },
    },
  ],
  ran: ['send {"to":"Eve"}'],
})

scenario('a denied call does not run, and the model is told why', {
  script: [calls(send()), 'Done.'],
  expect: pending,
  next: [
    {
      run: { decisions: { call_0_0: deny('not to Ada') } },
      expect: { ...done, toolCalls: [{ status: 'denied' }] },
      told: ['Error: call denied: not to Ada'],
    },
  ],
  ran: [],
})

scenario('a tool without a function waits for its result', {
  script: [calls(ask), 'Done.'],
  expect: { ...pending, pending: [{ name: 'question', kind: 'result' }] },
  next: [
    {
      run: { decisions: { call_0_0: result({ colour: 'blue' }) } },
      expect: { ...done, toolCalls: [{ status: 'ok', result: { colour: 'blue' } }] },
      told: ['{"colour":"blue"}'],
    },
  ],
})

scenario('a tool without a function can be denied', {
  script: [calls(ask), 'Done.'],
  expect: pending,
  next: [{ run: { decisions: { call_0_0: deny('nobody is there') } }, expect: done }],
})

scenario('a call that needs approval can be answered by the caller in place of its function', {
  script: [calls(send()), 'Done.'],
  expect: pending,
  next: [{ run: { decisions: { call_0_0: result('sent by hand') } }, expect: done, told: ['sent by hand'] }],
  ran: [],
})

scenario('the other calls of the turn run at once, and once', {
  script: [calls(save, send(), save), 'Done.'],
  expect: { ...pending, pending: [{ callId: 'call_0_1' }], usage: { toolCalls: 0 } },
  next: [
    {
      run: { decisions: { call_0_1: approve } },
      expect: { ...done, usage: { toolCalls: 3 } },
      told: ['saved', 'sent to Ada', 'saved'],
    },
  ],
  ran: ['save {}', 'save {}', 'send {"to":"Ada"}'],
})

scenario('what nobody decides goes on waiting, and what was decided is not decided again', {
  script: [calls(send('Ada'), send('Bob')), 'Done.'],
  expect: pending,
  next: [
    { run: { decisions: { call_0_1: approve } }, expect: { ...pending, pending: [{ callId: 'call_0_0' }] } },
    {
      run: { decisions: { call_0_1: approve } },
      refused: {
        code: 'invalid_request',
        message: /No pending call "call_0_1".*"call_0_0" \(send\)/,
      },
    },
    { expect: { ...pending, pending: [{ callId: 'call_0_0' }] } },
    { run: { decisions: { call_0_0: deny('no') } }, expect: done, told: [/no/, 'sent to Bob'] },
  ],
  ran: ['send {"to":"Bob"}'],
})

scenario('decisions of all kinds on one turn', {
  script: [calls(send('Ada'), send('Bob'), send('Eve'), ask), 'Done.'],
  expect: pending,
  next: [
    {
      run: {
        decisions: {
          call_0_0: approve,
          call_0_1: { ...approve, arguments: { to: 'Rob' } },
          call_0_2: deny('no'),
          call_0_3: result('blue'),
        },
      },
      expect: done,
      told: ['sent to Ada', 'sent to Rob', /denied: no/, 'blue'],
    },
  ],
  ran: ['send {"to":"Ada"}', 'send {"to":"Rob"}'],
})

scenario('wrong decisions are refused before anything runs, right ones beside them included', {
  script: [calls(send('Ada'), ask), 'Done.'],
  expect: pending,
  next: [
    wrong({ call_0_0: approve, call_9_9: approve }, /No pending call "call_9_9"/),
    wrong({ call_0_0: approve, call_0_1: approve }, /needs \{ type: "result"/),
    wrong({ call_0_0: { type: 'maybe' } }, /unknown type/),
    wrong({ call_0_0: null }, /unknown type/),
    wrong({ call_0_0: { type: 'deny' } }, /needs a reason/),
    wrong({ call_0_1: result(10n), call_0_0: approve }, /is not JSON/),
    wrong(
      { call_0_0: { ...approve, arguments: { to: 7 } } },
      /does not match its schema: to/,
      'invalid_arguments',
    ),
    wrong({ call_0_0: { ...approve, arguments: 'Eve' } }, /does not match its schema/, 'invalid_arguments'),
    wrong({ call_0_0: { ...approve, arguments: [] } }, /does not match its schema/, 'invalid_arguments'),
    { run: { decisions: { call_0_0: approve, call_0_1: result('blue') } }, expect: done },
  ],
  ran: ['send {"to":"Ada"}'],
})

scenario('decisions are refused where no call waits', {
  script: [],
  run: { decisions: { call_0_0: approve } },
  refused: { code: 'invalid_request', message: /Pending: none/ },
})

scenario('an approved call that fails tells the model so', {
  script: [calls(call('broken')), 'Done.'],
  agent: { policy: () => ({ type: 'ask' }) },
  expect: pending,
  next: [{ run: { decisions: { call_0_0: approve } }, expect: done, told: ['Error: it is broken'] }],
})

scenario('a call that is rejected waits for nobody', {
  script: [calls(call('send', {}), send()), calls(send('Bob')), 'Done.'],
  expect: { ...pending, pending: [{ callId: 'call_0_1' }] },
  next: [
    {
      run: { decisions: { call_0_1: approve } },
      expect: pending,
      told: [/invalid arguments for "send"/, 'sent to Ada'],
    },
    { run: { decisions: { call_1_0: approve } }, expect: done },
  ],
})

scenario('a run can wait in one turn after another', {
  script: [calls(send('Ada')), calls(ask), 'Done.'],
  expect: pending,
  next: [
    { run: { decisions: { call_0_0: approve } }, expect: { ...pending, pending: [{ callId: 'call_1_0' }] } },
    { run: { decisions: { call_1_0: result('blue') } }, expect: done },
  ],
})

scenario('the calls of a turn that waits count towards the limit before those behind them', {
  script: [calls(send('Ada'), save), 'So far.'],
  run: { limits: { toolCalls: 1 } },
  expect: pending,
  next: [
    {
      run: { decisions: { call_0_0: approve } },
      expect: { stopReason: 'limit', limit: 'toolCalls' },
      told: ['sent to Ada', /did not run/],
    },
  ],
  ran: ['send {"to":"Ada"}'],
})

scenario('a call that waits is closed as not run when the conversation goes on without a decision', {
  script: ['Done.'],
  input: [
    { role: 'user', content: 'Go.' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'send', arguments: '{"to":"Ada"}' } }],
    },
    { role: 'user', content: 'Never mind.' },
  ],
  expect: { ...done, messages: [{}, {}, { role: 'tool', content: notRun }, {}, {}] },
  ran: [],
})

scenario('a run that is aborted as it is gone on with closes the calls that wait as not run', {
  script: [calls(send())],
  expect: pending,
  next: [
    {
      abortAt: ({ type }) => type === 'run-start',
      expect: { stopReason: 'aborted', messages: [{}, {}, { role: 'tool', content: notRun }] },
    },
  ],
  events: [{ type: 'tool-end', callId: 'call_0_0', status: 'not_run' }],
  ran: [],
})

scenario('counts spending of calls before a pending step, even after an abort on resume', {
  script: [calls(call('studio', { images: 2 }), send())],
  expect: { ...pending, usage: { images: 0 } },
  next: [
    {
      abortAt: ({ type }) => type === 'run-start',
      expect: { stopReason: 'aborted', usage: { images: 2, toolCalls: 2 } },
      told: ['made', notRun],
    },
  ],
})

test('a message after pending calls closes them to decisions', async () => {
  await using server = await startStrictServer([calls(send()), { text: 'Done.' }])
  const agent = new Agent({ model: server.model, tools: toolbox().tools })
  const { state } = await agent.run('Go.')
  const messages = [...state.messages, { role: 'user', content: 'Never mind.' } as const]
  const late = agent.run({ ...state, messages }, { decisions: { call_0_0: approve } })
  await expect(late).rejects.toMatchObject({ code: 'invalid_request' })
  const result = await agent.run({ ...state, messages })
  expect(result).toMatchObject({ ...done, toolCalls: [] })
  expectSound(result)
  expect(server.faults).toEqual([])
})
