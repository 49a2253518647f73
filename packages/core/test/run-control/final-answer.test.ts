import { expect } from 'vitest'
import type { ChatModel } from '../../src/index.js'
import { call, calls, scenario } from './scenario.js'

const search = calls(call('search', { q: 'a' }))
const oneStep = { limits: { steps: 1 } }
const isAtLimit = { stopReason: 'limit', limit: 'steps' }
const noTools = { status: 400, error: { message: 'tools= must be given when messages hold tool_calls' } }
const brief = { role: 'system', content: 'Be brief.' }
const everyTool = [{ function: { name: 'search' } }, {}, {}, {}, {}, {}, {}, {}, {}]
const noChoice = { status: 400, error: { message: "tool_choice: 'none' is not supported" } }
const withoutTools = expect.toSatisfy((body: object) => !('tools' in body) && !('tool_choice' in body))
const limit = /Limit reached \(steps\)\. You cannot call more tools/

/** A model that calls a tool, whether it may or not, and is cut off before it says anything. */
const tireless: ChatModel = {
  name: 'tireless',
  async complete({ messages }) {
    const { name, arguments: args } = call('search', { q: `${messages.length}` })
    const made = {
      id: `c${messages.length}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    } as const
    return { message: { role: 'assistant', content: null, tool_calls: [made] }, finishReason: 'length' }
  },
}

scenario(
  'the last request keeps instructions and tools, and its last message says why nothing may be called',
  {
    script: [search, 'So far.'],
    agent: { instructions: 'Be brief.' },
    run: oneStep,
    expect: { ...isAtLimit, text: 'So far.' },
    asked: [
      { messages: [brief, {}], tool_choice: 'auto' },
      {
        messages: [brief, {}, {}, { role: 'tool' }, { role: 'user', content: expect.stringMatching(limit) }],
        tools: everyTool,
        tool_choice: 'none',
      },
    ],
  },
)

scenario('what the last request says beside the conversation is not kept in it', {
  script: [search, 'So far.'],
  run: oneStep,
  expect: {
    ...isAtLimit,
    messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'tool' }, { role: 'assistant' }],
  },
})

scenario('a server that refuses tools that may not be called is asked again without tools', {
  mayBreak: 'tools',
  script: [search, noChoice, 'So far.'],
  run: oneStep,
  expect: { ...isAtLimit, text: 'So far.', usage: { requests: 2 } },
  asked: [{}, { tool_choice: 'none' }, withoutTools],
})

scenario('and is not offered them again in the last request of a later run', {
  mayBreak: 'tools',
  script: [search, noChoice, 'So far.', search, 'And so far.'],
  run: oneStep,
  expect: isAtLimit,
  next: [{ run: { limits: { steps: 2 } }, expect: { ...isAtLimit, text: 'And so far.' } }],
  asked: [{}, { tool_choice: 'none' }, withoutTools, { tools: everyTool }, withoutTools],
})

scenario('a server that ignores the choice, and calls without a word, is asked again without tools', {
  mayBreak: 'tools',
  script: [search, calls(call('search', { q: 'b' })), 'So far.', search, 'And so far.'],
  run: oneStep,
  expect: { ...isAtLimit, text: 'So far.', usage: { requests: 3 } },
  next: [{ run: { limits: { steps: 2 } }, expect: { ...isAtLimit, text: 'And so far.' } }],
  asked: [{}, { tool_choice: 'none' }, withoutTools, {}, withoutTools],
  ran: ['search {"q":"a"}', 'search {"q":"a"}'],
})

scenario('a server that refuses both leaves the run without a final answer', {
  mayBreak: 'tools',
  script: [search, noChoice, noTools],
  run: oneStep,
  expect: { ...isAtLimit, text: '', stepCount: 1 },
  events: [{ type: 'final-answer-failed', code: 'invalid_request' }],
})

scenario('a final answer that fails ends the run as its limit would', {
  script: [search, { status: 500, error: { message: 'down' } }],
  run: oneStep,
  expect: { ...isAtLimit, text: '', stepCount: 1 },
  events: [{ type: 'final-answer-failed', code: 'api' }],
})

scenario('a run whose final answer failed goes on under a larger limit', {
  script: [search, { status: 500, error: { message: 'down' } }, 'Done.'],
  run: oneStep,
  expect: isAtLimit,
  next: [{ run: { limits: { steps: 3 } }, expect: { stopReason: 'done', text: 'Done.' } }],
})

scenario('calls in a final answer are dropped, its words are kept', {
  script: [search, { text: 'One more search.', calls: [call('search', { q: 'b' })] }],
  run: oneStep,
  expect: { ...isAtLimit, text: 'One more search.', toolCalls: [{ status: 'ok' }] },
  ran: ['search {"q":"a"}'],
})

scenario('a final answer of calls alone says nothing, and the run goes on under a larger limit', {
  mayBreak: 'tools',
  script: [search, calls(call('search', { q: 'b' })), calls(call('search', { q: 'c' })), 'Done.'],
  run: oneStep,
  expect: { ...isAtLimit, text: '', usage: { requests: 3 } },
  next: [{ run: { limits: { steps: 9 } }, expect: { stopReason: 'done', text: 'Done.' } }],
})

scenario('a final answer of calls alone is one that a server takes back, whatever model made it', {
  script: [],
  agent: { model: tireless },
  run: oneStep,
  expect: { ...isAtLimit, text: '' },
})

scenario('a final answer that is cut at the length limit is the text, and the limit the reason', {
  script: [search, { text: 'So', finish: 'length' }],
  run: oneStep,
  expect: { ...isAtLimit, text: 'So' },
})

scenario('prepareStep that throws leaves the run without a final answer', {
  script: [search],
  agent: {
    prepareStep: ({ step }) => {
      if (step === 1) throw new Error('not prepared')
    },
  },
  run: oneStep,
  expect: { ...isAtLimit, text: '' },
  events: [{ type: 'final-answer-failed', message: 'not prepared' }],
})

scenario('a request of a step without tools is asked again as well where the server wants them', {
  mayBreak: 'tools',
  script: [search, noTools, 'Done.'],
  agent: { prepareStep: ({ step }) => (step === 1 ? { tools: [] } : undefined) },
  expect: { stopReason: 'done', text: 'Done.' },
  asked: [{}, withoutTools, { tools: everyTool, tool_choice: 'none' }],
})

scenario('an abort while the final answer is awaited is an abort', {
  script: [search, 'So far.'],
  run: oneStep,
  abortAt: ({ type, step }) => type === 'step-start' && step === 1,
  expect: { stopReason: 'aborted', text: '' },
  next: [{ expect: { ...isAtLimit, text: 'So far.' } }],
})
