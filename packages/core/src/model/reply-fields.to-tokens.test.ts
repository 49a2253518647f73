import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../../../../scripts/cases.mjs'
import { withWholes } from '../run/side-requests.js'
import { toTokens } from './reply-fields.js'

test.each([
  [{ prompt_tokens: 3, completion_tokens: 4, total_tokens: 9 }, [3, 4, 9]],
  [{ prompt_tokens: 3, completion_tokens: 4 }, [3, 4, 7]],
  [{ input_tokens: 3, output_tokens: 4 }, [3, 4, 7]],
  [{ prompt_tokens: 3 }, [3, 0, 3]],
  [{ completion_tokens: 0 }, [0, 0, 0]],
  [{ prompt_tokens: 3, completion_tokens: -1, total_tokens: 'many' }, [3, 0, 3]],
  [{ prompt_tokens: 3, completion_tokens: 4, total_tokens: 0 }, [3, 4, 7]],
])('reads %j as [input, output, total] %j', (usage, [inputTokens, outputTokens, totalTokens]) => {
  expect(toTokens(usage)).toEqual({ inputTokens, outputTokens, totalTokens })
})

test.each([
  null,
  undefined,
  {},
  [],
  7,
  { total_tokens: 5 },
  { prompt_tokens: '3' },
  { prompt_tokens: Number.NaN },
  { prompt_tokens: 1e300 },
])('invents no token counts (case %#)', (usage) => {
  expect(toTokens(usage)).toBeUndefined()
})

/** The usage of servers, and its counts: input, output, cached, written, reasoning. */
const reported: readonly [server: string, usage: object, counts: readonly (number | undefined)[]][] = [
  [
    'OpenAI',
    {
      prompt_tokens: 2006,
      completion_tokens: 300,
      total_tokens: 2306,
      prompt_tokens_details: { cached_tokens: 1920, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 64, accepted_prediction_tokens: 0 },
    },
    [2006, 300, 1920, undefined, 64],
  ],
  [
    'OpenRouter',
    {
      prompt_tokens: 5031,
      completion_tokens: 4,
      total_tokens: 5035,
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 5004 },
      completion_tokens_details: { reasoning_tokens: 0 },
      cost: 0.01,
    },
    [5031, 4, 0, 5004, 0],
  ],
  [
    'DeepSeek',
    {
      prompt_tokens: 102056,
      completion_tokens: 252,
      total_tokens: 102308,
      prompt_cache_hit_tokens: 94464,
      prompt_cache_miss_tokens: 7592,
    },
    [102056, 252, 94464, undefined, undefined],
  ],
  [
    'Moonshot',
    { prompt_tokens: 50, completion_tokens: 5, total_tokens: 55, cached_tokens: 10 },
    [50, 5, 10, undefined, undefined],
  ],
  [
    'Mistral',
    { prompt_tokens: 90, completion_tokens: 5, total_tokens: 95, num_cached_tokens: 64 },
    [90, 5, 64, undefined, undefined],
  ],
  [
    'Mistral with details',
    { prompt_tokens: 90, completion_tokens: 5, prompt_token_details: { cached_tokens: 64 } },
    [90, 5, 64, undefined, undefined],
  ],
  [
    'Qwen',
    {
      prompt_tokens: 1500,
      completion_tokens: 5,
      total_tokens: 1505,
      prompt_tokens_details: { cached_tokens: 0, cache_creation_input_tokens: 1400 },
    },
    [1500, 5, 0, 1400, undefined],
  ],
  [
    'LiteLLM before Anthropic',
    {
      prompt_tokens: 2006,
      completion_tokens: 300,
      total_tokens: 2306,
      prompt_tokens_details: { cached_tokens: 1900, cache_creation_tokens: 80 },
      cache_read_input_tokens: 1900,
      cache_creation_input_tokens: 80,
    },
    [2006, 300, 1900, 80, undefined],
  ],
  [
    'Anthropic',
    {
      input_tokens: 9,
      output_tokens: 8,
      cache_creation_input_tokens: 100,
      cache_read_input_tokens: 17102,
      output_tokens_details: { thinking_tokens: 5 },
    },
    [17211, 8, 17102, 100, 5],
  ],
  [
    'Anthropic behind a gateway that renames two fields',
    { prompt_tokens: 13, completion_tokens: 6, total_tokens: 19, cache_read_input_tokens: 22548 },
    [22561, 6, 22548, undefined, undefined],
  ],
  [
    'a gateway that adds a total which contains the cached tokens',
    { input_tokens: 90, output_tokens: 6, total_tokens: 96, cache_read_input_tokens: 80 },
    [90, 6, 80, undefined, undefined],
  ],
  [
    'the Responses form',
    {
      input_tokens: 125,
      output_tokens: 48,
      total_tokens: 173,
      input_tokens_details: { cached_tokens: 98 },
      output_tokens_details: { reasoning_tokens: 7 },
    },
    [125, 48, 98, undefined, 7],
  ],
  [
    'xAI, with reasoning outside the completion',
    {
      prompt_tokens: 2640,
      completion_tokens: 182,
      total_tokens: 3494,
      prompt_tokens_details: { cached_tokens: 473 },
      completion_tokens_details: { reasoning_tokens: 672 },
    },
    [2640, 854, 473, undefined, 672],
  ],
  [
    'xAI, with cached tokens outside the prompt',
    {
      prompt_tokens: 4142,
      completion_tokens: 254,
      total_tokens: 8724,
      prompt_tokens_details: { cached_tokens: 4328 },
    },
    [8470, 254, 4328, undefined, undefined],
  ],
  [
    'a proxy before Gemini',
    {
      prompt_tokens: 21,
      completion_tokens: 0,
      total_tokens: 81,
      completion_tokens_details: { reasoning_tokens: 60 },
    },
    [21, 60, undefined, undefined, 60],
  ],
  [
    'Perplexity',
    { prompt_tokens: 33, completion_tokens: 7, total_tokens: 40, reasoning_tokens: 5 },
    [33, 7, undefined, undefined, 5],
  ],
  [
    'a server that writes empty details',
    { prompt_tokens: 3, completion_tokens: 4, prompt_tokens_details: null, completion_tokens_details: {} },
    [3, 4, undefined, undefined, undefined],
  ],
]

test.each(reported)('reads the parts of the counts of %s', (_server, usage, counts) => {
  const [inputTokens = 0, outputTokens = 0, cachedInputTokens, cacheWriteTokens, reasoningTokens] = counts
  const totalTokens = inputTokens + outputTokens
  const parts = { cachedInputTokens, cacheWriteTokens, reasoningTokens }
  expect(toTokens(usage)).toEqual({ inputTokens, outputTokens, totalTokens, ...parts })
})

test.each([
  ['negative', { prompt_tokens_details: { cached_tokens: -1 } }],
  ['a text', { prompt_tokens_details: { cached_tokens: '5' } }],
  ['not a number', { prompt_tokens_details: { cached_tokens: Number.NaN } }],
  ['a list', { prompt_tokens_details: [5], completion_tokens_details: 'many' }],
])('leaves out a part that is %s', (_what, details) => {
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, ...details }
  expect(toTokens(usage)).toEqual({ inputTokens: 10, outputTokens: 5, totalTokens: 15 })
})

const numRuns = cases(2500, 200)
const count = fc.integer({ min: 0, max: 200_000 })

interface Counts {
  readonly fresh: number
  readonly cached: number
  readonly written: number
  readonly text: number
  readonly reasoning: number
}

/** Ways to write the same counts. */
const spellings: readonly ((counts: Counts) => object)[] = [
  ({ fresh, cached, written, text, reasoning }) => ({
    prompt_tokens: fresh + cached + written,
    completion_tokens: text + reasoning,
    total_tokens: fresh + cached + written + text + reasoning,
    prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
    completion_tokens_details: { reasoning_tokens: reasoning },
  }),
  ({ fresh, cached, written, text, reasoning }) => ({
    prompt_tokens: fresh + cached + written,
    completion_tokens: text + reasoning,
    prompt_cache_hit_tokens: cached,
    prompt_tokens_details: { cache_creation_tokens: written },
    reasoning_tokens: reasoning,
  }),
  ({ fresh, cached, written, text, reasoning }) => ({
    input_tokens: fresh,
    output_tokens: text + reasoning,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: written,
    output_tokens_details: { thinking_tokens: reasoning },
  }),
  ({ fresh, cached, written, text, reasoning }) => ({
    input_tokens: fresh + cached + written,
    output_tokens: text + reasoning,
    total_tokens: fresh + cached + written + text + reasoning,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
    output_tokens_details: { reasoning_tokens: reasoning },
  }),
  ({ fresh, cached, written, text, reasoning }) => ({
    prompt_tokens: fresh + cached + written,
    completion_tokens: text,
    total_tokens: fresh + cached + written + text + reasoning,
    prompt_tokens_details: { cached_tokens: cached, cache_creation_input_tokens: written },
    completion_tokens_details: { reasoning_tokens: reasoning },
  }),
]

test('every spelling of the same counts is read as the same', () => {
  const counts = fc.record({ fresh: count, cached: count, written: count, text: count, reasoning: count })
  const property = fc.property(counts, fc.constantFrom(...spellings), (given, write) => {
    const { fresh, cached, written, text, reasoning } = given
    expect(toTokens(write(given))).toEqual({
      inputTokens: fresh + cached + written,
      outputTokens: text + reasoning,
      totalTokens: fresh + cached + written + text + reasoning,
      cachedInputTokens: cached,
      cacheWriteTokens: written,
      reasoningTokens: reasoning,
    })
  })
  fc.assert(property, { numRuns })
})

test('whatever a server writes, a run counts parts of wholes, and every count is finite', () => {
  const odd = fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, 1e300, 2 ** 53, 0.5, '7', null, [9])
  const value = fc.oneof(count, fc.integer(), odd)
  const names = [
    ...['prompt_tokens', 'input_tokens', 'completion_tokens', 'output_tokens', 'total_tokens'],
    ...['cached_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens', 'reasoning_tokens'],
  ]
  const fields = fc.dictionary(fc.constantFrom(...names), value)
  const details = fc.oneof(fields, value)
  const usage = fc.record({ fields, prompt_tokens_details: details, completion_tokens_details: details })
  const property = fc.property(usage, ({ fields: own, ...rest }) => {
    const read = toTokens({ ...own, ...rest })
    if (!read) return
    const reply = { message: { role: 'assistant' as const, content: '' }, tokens: read }
    const { tokens = read } = withWholes(reply, read, { name: 'm' })
    const { inputTokens, outputTokens, totalTokens, ...parts } = tokens
    const { cachedInputTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } = parts
    for (const one of Object.values(tokens)) expect(Number.isFinite(one) && one >= 0).toBe(true)
    expect(cachedInputTokens + cacheWriteTokens).toBeLessThanOrEqual(inputTokens)
    expect(reasoningTokens).toBeLessThanOrEqual(outputTokens)
    expect(inputTokens + outputTokens).toBeLessThanOrEqual(totalTokens)
  })
  fc.assert(property, { numRuns })
})
