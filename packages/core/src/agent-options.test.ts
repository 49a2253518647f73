import { expect, test } from 'vitest'
import { named } from '../test/call-context.js'
import { checkCost } from './agent-options.js'
import { Agent, stuckDetection, without } from './index.js'
import { safeRepair } from './tools/repair.js'
import type { AgentOptions } from './types/agent.js'

const model = { name: 'm', complete: () => Promise.reject(new Error('nobody is to be asked')) }
const tools = [named('f', () => 1), named('g', () => 1)]
const agent = (options: object) => new Agent({ model, tools, ...options } as AgentOptions<typeof tools>)

test.each<object>([
  {},
  { concurrency: 1 },
  { concurrency: Number.POSITIVE_INFINITY },
  { concurrency: undefined },
  { stepTimeoutMs: 0.5 },
  { stepTimeoutMs: 2 ** 31 - 1 },
  { middleware: [without('stuck-detection')] },
  { middleware: [stuckDetection()] },
  { middleware: [stuckDetection({ warn: 1, disable: 2, stop: Number.POSITIVE_INFINITY })] },
  { middleware: [stuckDetection({})] },
  { repair: safeRepair },
  { limits: { steps: Number.POSITIVE_INFINITY, perTool: { f: 0 } } },
  { limits: { steps: undefined } },
  { settings: { temperature: 0 } },
  { price: {} },
  { price: { m: { inputTokens: 0, cachedInputTokens: 1e-7, images: undefined }, painter: {} } },
  { toolChoice: 'none' },
  { toolChoice: 'required' },
  { toolChoice: 'g' },
  { toolChoice: { type: 'function', function: { name: 'g' } } },
])('%j are options of an agent', (options) => {
  expect(() => agent(options)).not.toThrow()
})

test.each<[object, string]>([
  [{ concurrency: 0 }, 'An agent: concurrency is 0. Use a whole number of at least 1.'],
  [{ concurrency: Number.NaN }, 'concurrency is NaN'],
  [{ concurrency: -1 }, 'concurrency is -1'],
  [{ concurrency: 1.5 }, 'concurrency is 1.5'],
  [{ concurrency: '8' }, 'concurrency is a string'],
  [{ concurrency: null }, 'concurrency is null'],
  [{ repair: 'safe' }, 'repair is a string. Use safeRepair from @capstan/core.'],
  [{ repair: true }, 'repair is true. Use safeRepair'],
  [{ stepTimeoutMs: 0 }, 'stepTimeoutMs is 0. Use 1 to 2147483647, or omit it for no timeout.'],
  [{ stepTimeoutMs: -5 }, 'stepTimeoutMs is -5'],
  [{ stepTimeoutMs: Number.NaN }, 'stepTimeoutMs is NaN'],
  [{ stepTimeoutMs: 2 ** 31 }, 'stepTimeoutMs is 2147483648'],
  [{ stepTimeoutMs: Number.POSITIVE_INFINITY }, 'stepTimeoutMs is Infinity'],
  [{ limits: { steps: -1 } }, 'limits: steps is -1'],
  [{ limits: { steps: Number.NaN } }, 'limits: steps is NaN'],
  [{ limits: { steps: '3' } }, 'limits: steps is a string'],
  [{ limits: { steps: 1.5 } }, 'limits: steps is 1.5'],
  [{ limits: { maxSteps: 3 } }, 'limits has no option "maxSteps"'],
  [{ price: { 'gpt-5': { input: 1 } } }, 'The price of "gpt-5" has no option "input". Did you mean '],
  [{ price: { 'gpt-5': { input: 1 } } }, 'Did you mean "inputTokens"?'],
  [{ price: { m: { output_tokens: 1 } } }, 'Did you mean "outputTokens"?'],
  [{ price: { m: { cached: 1 } } }, 'Did you mean "cachedInputTokens"?'],
  [{ price: { m: { inputTokens: -1 } } }, 'The price of "m": inputTokens is -1. Use a number of at least 0.'],
  [{ price: { m: { inputTokens: '1' } } }, 'The price of "m": inputTokens is a string'],
  [{ price: { m: { images: Number.NaN } } }, 'The price of "m": images is NaN'],
  [{ price: { m: { images: null } } }, 'The price of "m": images is null'],
  [
    { price: { m: 1 } },
    'The price of "m" expects an options object, got a number. Options: cachedInputTokens, ',
  ],
  [{ price: 'cheap' }, 'price is a string. Use an object: {'],
  [
    { limit: { steps: 1 } },
    'An agent has no option "limit". Did you mean "limits"? Options: name, model, instructions, ',
  ],
  [{ limit: { steps: 1 } }, 'Did you mean "limits"?'],
  [{ maxTurns: undefined }, 'An agent has no option "maxTurns"'],
  [{ onStepFinish: () => {} }, 'Did you mean "onStep"?'],
  [{ maxOutputTokens: 9 }, 'Did you mean "settings.maxTokens"?'],
  [{ top_p: 1 }, 'Did you mean "settings.topP"?'],
  [{ stopSequences: [] }, 'Did you mean "settings.stop"?'],
  [{ providerOptions: {} }, 'Did you mean "settings"?'],
  [{ settings: { messages: [] } }, 'settings.messages is set by the agent'],
  [{ settings: { tools: [] } }, 'settings.tools is'],
  [{ settings: { tool_choice: 'auto' } }, 'settings.tool_choice is'],
  [{ settings: { stream: true } }, 'settings.stream is'],
  [{ settings: { model: 'm' } }, 'settings.model is'],
])('%j are refused when the agent is made', (options, said) => {
  expect(() => agent(options)).toThrow(
    expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining(said) }),
  )
})

test('unknown options of a run are refused before its first request', async () => {
  const options = { maxSteps: 1, onEvents: () => {} } as object
  const refused = {
    code: 'invalid_request',
    message: expect.stringMatching(
      /^A run has no option "maxSteps"\. Did you mean "limits\.steps"\? Options: context, signal, /,
    ),
  }
  await expect(agent({}).run('Go.', options)).rejects.toMatchObject(refused)
  await expect(agent({}).stream('Go.', options).result).rejects.toMatchObject(refused)
  await expect(agent({}).prepare('Go.', options)).rejects.toMatchObject(refused)
  await expect(agent({}).run('Go.', { tool: tools } as object)).rejects.toThrow('Did you mean "tools"?')
})

test.each(['h', { type: 'function', function: { name: 'h' } }])(
  '%j is no tool that can be forced',
  (toolChoice) => {
    expect(() => agent({ toolChoice })).toThrow(
      expect.objectContaining({
        code: 'unknown_tool',
        message: 'Unknown tool "h". Nearest: f, g.',
      }),
    )
  },
)

test('a bound on costs needs the price of the model', () => {
  checkCost({}, undefined, 'm')
  checkCost({ cost: 1 }, { m: {} }, 'm')
  for (const price of [undefined, {}, { other: { inputTokens: 1 } }])
    expect(() => checkCost({ cost: 1 }, price, 'm')).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        message: `limits.cost needs a price for "m". Add it to price.`,
        evidence: { model: 'm' },
      }),
    )
  expect(() => checkCost({ cost: 0 }, {}, 'constructor')).toThrow('needs a price for "constructor"')
})

test.each([
  [{ warn: 0 }, 'stuckDetection: warn is 0. Use a whole number of at least 1, or Infinity for never.'],
  [{ disable: 1.5 }, 'stuckDetection: disable is 1.5.'],
  [{ stop: Number.NaN }, 'stuckDetection: stop is NaN.'],
])('stuckDetection(%j) is an error', (options, message) => {
  expect(() => stuckDetection(options)).toThrow(
    expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining(message) }),
  )
})
