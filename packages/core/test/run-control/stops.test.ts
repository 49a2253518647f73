import * as z from 'zod'
import { allOf, anyOf, hasCalled, noneOf, stuckDetection, tool, without } from '../../src/index.js'
import { call, calls, scenario } from './scenario.js'

const search = (q: string) => call('search', { q })
const searches = (...queries: string[]) => queries.map((q) => calls(search(q)))
const extra = tool({ name: 'extra', description: 'Another', parameters: z.object({}), execute: () => 'x' })

scenario('an answer in words is the end', {
  script: ['Hello.'],
  expect: { stopReason: 'done', text: 'Hello.', stepCount: 1 },
})

scenario('an answer that says nothing is not kept, and asked for once more', {
  script: [calls(search('a')), '', 'Found.'],
  expect: {
    stopReason: 'done',
    text: 'Found.',
    messages: [{}, {}, {}, { role: 'assistant', content: 'Found.' }],
  },
})

scenario('calls are answered, then the model is asked again', {
  script: [calls(search('a'), search('b')), calls(search('c')), 'Found.'],
  expect: {
    stopReason: 'done',
    text: 'Found.',
    stepCount: 3,
    usage: { toolCalls: 3, perTool: { search: 3 } },
  },
  told: ['about a', 'about b', 'about c'],
})

scenario('a run that is done is not gone on with', {
  script: ['Hello.'],
  next: [{ refused: { code: 'invalid_state', message: /\[\.\.\.state\.messages/ } }],
})

scenario('an answer that was cut at the length limit ends the run, and can be gone on with', {
  script: [{ text: 'Once upon', finish: 'length' }, 'a time.'],
  expect: { stopReason: 'length', text: 'Once upon' },
  next: [{ expect: { stopReason: 'done', text: 'a time.' } }],
  asked: [
    {},
    { messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'user', content: 'Continue.' }] },
  ],
})

scenario('no call of an answer that was cut at the length limit runs, and the run goes on', {
  script: [{ calls: [search('a'), call('search', '{"q":"b')], finish: 'length' }, 'Done.'],
  expect: { stopReason: 'done', toolCalls: [{ status: 'rejected' }, { status: 'rejected' }] },
  told: [/cut off at a limit/, /cut off at a limit/],
  ran: [],
})

scenario('what the content filter cut ends the run', {
  script: [{ text: 'No', finish: 'content_filter' }],
  expect: { stopReason: 'content_filter', text: 'No' },
})

scenario('a refusal ends the run and is told', {
  script: [{ refusal: 'I cannot help with that.' }],
  expect: { stopReason: 'refusal', refusal: 'I cannot help with that.' },
})

scenario('a condition ends the run after the turn that makes it true, without a final answer', {
  script: [calls(search('a'))],
  agent: { stopWhen: hasCalled('search') },
  expect: { stopReason: 'condition', stepCount: 1 },
})

scenario('conditions are joined with and, or, not', {
  script: [calls(search('a')), calls(search('b'), call('save'))],
  agent: {
    stopWhen: anyOf(
      allOf(hasCalled('search'), hasCalled('save')),
      ({ stepCount }) => stepCount > 5,
      allOf(noneOf(hasCalled('search')), hasCalled('page')),
    ),
  },
  expect: { stopReason: 'condition', stepCount: 2 },
})

scenario('one true condition of a list ends the run', {
  script: [calls(search('a')), calls(search('b'), call('save'))],
  agent: { stopWhen: [hasCalled('page'), hasCalled('save')] },
  expect: { stopReason: 'condition', stepCount: 2 },
})

scenario('a failed call does not count as called', {
  script: [calls(call('broken')), 'Sorry.'],
  agent: { stopWhen: hasCalled('broken') },
  expect: { stopReason: 'done' },
})

scenario('a run that a condition ended is gone on with, and ended by it again after another turn', {
  script: [calls(search('a')), calls(search('b'))],
  agent: { stopWhen: hasCalled('search') },
  expect: { stopReason: 'condition', stepCount: 1 },
  next: [{ expect: { stopReason: 'condition', stepCount: 2 } }],
})

scenario('a condition is looked at after a turn whose calls were decided on in a later run', {
  script: [calls(call('send', { to: 'Ada' }))],
  agent: { stopWhen: hasCalled('send') },
  expect: { stopReason: 'pending' },
  next: [{ run: { decisions: { call_0_0: { type: 'approve' } } }, expect: { stopReason: 'condition' } }],
  ran: ['send {"to":"Ada"}'],
})

scenario('the result of a returnDirect tool is the answer', {
  script: [calls(call('report', { text: 'All is well.' }))],
  expect: { stopReason: 'done', text: 'All is well.', stepCount: 1 },
})

scenario('results of several returnDirect calls are the answer together, others are not', {
  script: [calls(call('report', { text: 'One.' }), search('a'), call('report', { text: 'Two.' }))],
  expect: { stopReason: 'done', text: 'One.\n\nTwo.' },
})

scenario('a returnDirect tool that fails is no answer', {
  script: [calls(call('report', { text: '' })), 'Nothing to say.'],
  expect: { stopReason: 'done', text: 'Nothing to say.', stepCount: 2 },
  told: [/nothing to report/],
})

scenario('a result of the caller can be a direct answer of a call that waited beside it', {
  script: [calls(call('report', { text: 'Ready.' }), call('question', { text: 'Sure?' }))],
  expect: { stopReason: 'pending' },
  next: [
    {
      run: { decisions: { call_0_1: { type: 'result', value: 'yes' } } },
      expect: { stopReason: 'done', text: 'Ready.' },
      told: ['Ready.', 'yes'],
    },
  ],
})

scenario('a run that repeats itself is told, loses the tool for a step, and ends with a final answer', {
  script: [...searches('a', 'a', 'a', 'a'), 'Stuck.'],
  expect: { stopReason: 'stuck', text: 'Stuck.', stepCount: 5 },
  told: [
    'about a',
    /about a\n\nNote: same result/,
    /this tool is disabled for the next step/,
    /is not available in this step/,
  ],
  events: [
    { type: 'stuck-detected', stage: 'warn', names: ['search'] },
    { type: 'stuck-detected', stage: 'disable' },
    { type: 'stuck-detected', stage: 'stop' },
  ],
})

scenario('a withheld tool is back after a step that did something else', {
  script: [...searches('a', 'a', 'a'), calls(call('save')), ...searches('b'), 'Done.'],
  expect: { stopReason: 'done', stepCount: 6 },
  ran: ['search {"q":"a"}', 'search {"q":"a"}', 'search {"q":"a"}', 'save {}', 'search {"q":"b"}'],
})

scenario('a tool that a step forces is not forced while it is withheld', {
  script: [...searches('a', 'a', 'a'), 'Done.'],
  agent: { prepareStep: () => ({ toolChoice: 'search' }) },
  expect: { stopReason: 'done', stepCount: 4 },
})

scenario('two turns in a circle are seen as a repetition', {
  script: [...searches('a', 'b', 'a', 'b', 'a', 'b'), 'Round.'],
  agent: { middleware: [stuckDetection({ warn: 1, disable: Number.POSITIVE_INFINITY, stop: 3 })] },
  expect: { stopReason: 'stuck', text: 'Round.', stepCount: 7 },
})

scenario('three turns in a circle are seen as a repetition', {
  script: [...searches('a', 'b', 'c', 'a', 'b', 'c'), 'Round.'],
  agent: { middleware: [stuckDetection({ stop: 1 })] },
  expect: { stopReason: 'stuck', stepCount: 7 },
})

scenario('the same error is a repetition whatever the arguments', {
  script: [...[1, 2, 3, 4].map((n) => calls(call('broken', { n }))), 'It is broken.'],
  agent: { middleware: [stuckDetection({ disable: Number.POSITIVE_INFINITY })] },
  expect: { stopReason: 'stuck', stepCount: 5 },
})

scenario('the same call with other arguments is no repetition', {
  script: [...searches('a', 'b', 'c', 'd', 'e'), 'Done.'],
  expect: { stopReason: 'done', stepCount: 6 },
})

scenario('a run that may repeat itself does', {
  script: [...searches('a', 'a', 'a', 'a', 'a'), 'Done.'],
  agent: { middleware: [without('stuck-detection')] },
  expect: { stopReason: 'done', stepCount: 6 },
})

scenario('a run that is stuck ends without a final answer where it is off', {
  script: searches('a', 'a'),
  agent: { middleware: [stuckDetection({ stop: 1 }), without('final-answer')] },
  expect: { stopReason: 'stuck', stepCount: 2, text: '' },
})

scenario('a run that was stuck is gone on with afresh', {
  script: [...searches('a', 'a'), 'Stuck.', ...searches('a'), 'Found.'],
  agent: { middleware: [stuckDetection({ stop: 1 })] },
  expect: { stopReason: 'stuck' },
  next: [{ expect: { stopReason: 'done', text: 'Found.' } }],
})

scenario('three rejected calls of a tool in a row end the run as stuck', {
  script: [...[1, 2, 3].map((n) => calls(call('search', { n }))), 'I cannot search.'],
  agent: { middleware: [without('stuck-detection')] },
  expect: { stopReason: 'stuck', text: 'I cannot search.', stepCount: 4 },
  ran: [],
})

scenario('a call that is not rejected begins the count anew', {
  script: [
    ...[call('search'), call('search'), search('a'), call('search'), call('search')].map((one) => calls(one)),
    'Ok.',
  ],
  agent: { middleware: [without('stuck-detection')] },
  expect: { stopReason: 'done', stepCount: 6 },
})

scenario('calls of tools that are not there, in three answers in a row, end the run as stuck', {
  script: [calls(call('nope')), calls(call('nada')), calls(call('nope')), 'There is no such tool.'],
  expect: { stopReason: 'stuck', stepCount: 4 },
  told: [/unknown tool "nope"/, /unknown tool "nada"/, /unknown tool "nope"/],
})

scenario('rejected calls of one answer count once: the model has not read yet what was wrong', {
  script: [calls(call('nope'), call('nope'), call('nope')), 'There is no such tool.'],
  expect: { stopReason: 'done', stepCount: 2 },
})

scenario('a forced tool is forced once', {
  script: [calls(search('a')), 'Found.'],
  agent: { toolChoice: 'search' },
  expect: { stopReason: 'done' },
  asked: [{ tool_choice: { function: { name: 'search' } } }, { tool_choice: 'auto' }],
})

scenario('a tool that was forced is not forced again when the run is gone on with', {
  script: [calls(call('send', { to: 'Ada' })), 'Sent.'],
  agent: { toolChoice: 'required' },
  expect: { stopReason: 'pending' },
  next: [{ run: { decisions: { call_0_0: { type: 'approve' } } }, expect: { stopReason: 'done' } }],
  asked: [{ tool_choice: 'required' }, { tool_choice: 'auto' }],
})

scenario('a state of an agent with other tools is refused, unless it is meant so', {
  mayBreak: 'tools',
  script: [calls(call('send', { to: 'Ada' })), 'Not sent.'],
  expect: { stopReason: 'pending' },
  next: [
    { run: { tools: [extra] }, refused: { code: 'conflict', message: /allowChangedTools/ } },
    {
      run: {
        tools: [extra],
        allowChangedTools: true,
        decisions: { call_0_0: { type: 'deny', reason: 'no' } },
      },
      expect: { stopReason: 'done' },
    },
  ],
})
