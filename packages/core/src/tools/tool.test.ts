import { getEventListeners } from 'node:events'
import { expect, expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import { memoryArtifacts, readBytes } from '../artifacts/memory-artifacts.js'
import type { CapstanError } from '../errors.js'
import { jsonSchema } from './json-schema.js'
import { type ToolContext, type ToolSettings, tool } from './tool.js'
import { settle } from './validate.js'

const parameters = z.object({ city: z.string(), unit: z.enum(['c', 'f']).default('c') })
const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters,
  execute: ({ city, unit }) => `${city}: 7 °${unit}`,
})

test.each(['a', 'get_weather', 'get-weather-2', 'A'.repeat(64)])('accepts %s as a tool name', (name) => {
  expect(tool({ name, description: 'D', parameters, execute: () => 1 }).name).toBe(name)
})

test.each(['', ' ', 'get weather', 'get.weather', 'a/b', 'wetter_für', 'a'.repeat(65), 'a\n', '<|call|>'])(
  'rejects %j as a tool name, with the valid characters',
  (name) => {
    expect(() => tool({ name, description: 'D', parameters, execute: () => 1 })).toThrow(
      `"${name}" is not a valid tool name. Use 1 to 64 letters, digits, "_" and "-".`,
    )
  },
)

test.each([
  [
    { concurrency: 0 },
    'Tool "t": concurrency is 0. Use a whole number of at least 1, or omit it for no limit.',
  ],
  [{ concurrency: 1.5 }, 'Tool "t": concurrency is 1.5'],
  [{ concurrency: Number.NaN }, 'Tool "t": concurrency is NaN'],
  [{ timeoutMs: 0 }, 'Tool "t": timeoutMs is 0. Use 1 to 2147483647, or omit it for no timeout.'],
  [{ timeoutMs: -1 }, 'Tool "t": timeoutMs is -1'],
  [{ timeoutMs: Number.NaN }, 'Tool "t": timeoutMs is NaN'],
  [{ timeoutMs: Number.POSITIVE_INFINITY }, 'Tool "t": timeoutMs is Infinity'],
  [{ timeoutMs: 2 ** 31 }, 'Tool "t": timeoutMs is 2147483648'],
  [{ timeoutMs: '5' as never }, 'Tool "t": timeoutMs is a string'],
  [{ maxRejections: 0 }, 'Tool "t": maxRejections is 0. Use a whole number of at least 1, or omit it for 3.'],
  [{ maxRejections: 2 ** 60 }, 'Tool "t": maxRejections is 1152921504606847000'],
  [
    { rate: { calls: 2, intervalMs: 1000 } as never },
    'Tool "t": rate is an object. Use rateLimit({ calls, intervalMs }) from @capstan/core.',
  ],
] satisfies [ToolSettings, string][])('rejects an invalid setting: %j', (settings, message) => {
  const options = { name: 't', description: 'D', parameters, execute: () => 1, ...settings }
  expect(() => tool(options)).toThrow(expect.objectContaining({ code: 'invalid_tool' }))
  expect(() => tool(options)).toThrow(message)
})

test.each([{ timeoutMs: 1 }, { timeoutMs: 2 ** 31 - 1 }, { concurrency: 1 }, { maxRejections: 1 }])(
  'accepts a setting at the end of its range: %j',
  (settings) => {
    expect(tool({ name: 't', description: 'D', parameters, execute: () => 1, ...settings }).settings).toEqual(
      settings,
    )
  },
)

test.each([
  [{ description: undefined }, 'Tool "t" has no description. Add one'],
  [{ description: 7 }, 'Tool "t" has no description'],
  [{ execute: 'run' }, 'Tool "t": execute is a string. Use a function.'],
  [{ execute: null }, 'Tool "t": execute is null'],
  [
    { paramaters: 1 },
    'Tool "t" has no option "paramaters". Did you mean "parameters"? Options: name, description, parameters, execute',
  ],
  [{ name: undefined }, '"undefined" is not a valid tool name'],
  [{ name: 7 }, '"7" is not a valid tool name'],
  [
    { parameters: undefined },
    'Parameters of tool "t" cannot be converted to JSON Schema: this schema exports no JSON Schema',
  ],
])('rejects invalid options of callers without types: %j', (change, message) => {
  const options = { name: 't', description: 'D', parameters, execute: () => 1, ...change }
  expect(() => tool(options as never)).toThrow(expect.objectContaining({ code: 'invalid_tool' }))
  expect(() => tool(options as never)).toThrow(message)
})

test('the definition is what requests contain, and it is frozen', () => {
  const { definition } = weather
  expect(definition).toEqual({
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'Current weather in a city',
      parameters: {
        type: 'object',
        properties: {
          city: { type: 'string' },
          unit: { type: 'string', enum: ['c', 'f'], default: 'c' },
        },
        required: ['city'],
      },
    },
  })
  expect(Object.isFrozen(definition) && Object.isFrozen(definition.function)).toBe(true)
})

test('sets strict in the definition only if the tool does', () => {
  const strict = tool({ name: 't', description: 'D', parameters, strict: true, execute: () => 1 })
  expect(strict.definition.function.strict).toBe(true)
  expect(weather.definition.function).not.toHaveProperty('strict')
})

test('call fills in defaults and returns the value itself', async () => {
  expect(await weather.call({ city: 'Oslo' })).toBe('Oslo: 7 °c')
  const result = { at: new Date(0) }
  const plain = tool({
    name: 't',
    description: 'D',
    parameters: jsonSchema({ type: 'object' }),
    execute: () => result,
  })
  expect(await plain.call({})).toBe(result)
})

test('call rejects invalid arguments, names each, and runs nothing', async () => {
  const never = tool({
    name: 'get_weather',
    description: 'D',
    parameters,
    execute: () => expect.unreachable(),
  })
  const error: CapstanError = await never.call({ unit: 'k' } as never).catch((error) => error)
  expect(error).toMatchObject({ code: 'invalid_arguments', evidence: { tool: 'get_weather' } })
  expect(error.message).toMatch(/^Invalid arguments for "get_weather": city: .+; unit: .+\.$/)
})

test('call passes the function the context that a run would pass', async () => {
  const seen: ToolContext<{ user: string }>[] = []
  const asking = tool({
    name: 't',
    description: 'D',
    parameters: z.object({}),
    execute: async (_args, ctx: ToolContext<{ user: string }>) => {
      seen.push(ctx)
      ctx.progress('half way')
      return ctx.artifacts.put(Uint8Array.of(1), { kind: 'file', mediaType: 'application/x-one' })
    },
  })
  const artifacts = memoryArtifacts()
  const stored = await asking.call({}, { context: { user: 'Ada' }, artifacts })
  await asking.call({}, { context: { user: 'Bo' } })
  expect(await readBytes(await artifacts.open(stored.id))).toEqual(Uint8Array.of(1))
  expect(seen[0]).toMatchObject({ context: { user: 'Ada' }, step: 0 })
  expect(seen.map((ctx) => ctx.signal.aborted)).toEqual([false, false])
  expect(new Set(seen.map((ctx) => ctx.idempotencyKey)).size).toBe(2)
})

test('call rejects with the error of the function, sync or async', async () => {
  const failing = (execute: () => unknown) =>
    tool({ name: 't', description: 'D', parameters: z.object({}), execute }).call({})
  const broken = new Error('broken')
  const atOnce = () => {
    throw broken
  }
  await expect(failing(atOnce)).rejects.toBe(broken)
  await expect(failing(async () => atOnce())).rejects.toBe(broken)
})

const deaf = (settings: ToolSettings = {}, heard: (signal: AbortSignal) => void = () => {}) =>
  tool({
    name: 'deaf',
    description: 'D',
    parameters: z.object({}),
    execute: (_args, { signal }) => {
      heard(signal)
      return new Promise<string>(() => {})
    },
    ...settings,
  })

test('an abort ends a call at once, even if the function ignores it', async () => {
  const controller = new AbortController()
  let heard: AbortSignal | undefined
  const calling = deaf({}, (signal) => {
    heard = signal
    queueMicrotask(() => controller.abort('enough'))
  }).call({}, { signal: controller.signal })
  await expect(calling).rejects.toBe('enough')
  expect(heard).toMatchObject({ aborted: true, reason: 'enough' })
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
})

test('a call aborted before its start runs nothing', async () => {
  const never = deaf({}, () => expect.unreachable())
  await expect(never.call({}, { signal: AbortSignal.abort('enough') })).rejects.toBe('enough')
})

test("the tool's deadline holds for a direct call and aborts its signal", async () => {
  let heard: AbortSignal | undefined
  const late = deaf({ timeoutMs: 5 }, (signal) => {
    heard = signal
  })
  await expect(late.call({})).rejects.toMatchObject({
    code: 'timeout',
    message: '"deaf" timed out after 5 ms. It may have taken effect; check before you repeat it.',
    evidence: { tool: 'deaf', timeoutMs: 5 },
  })
  expect(heard?.aborted).toBe(true)
})

test('a finished call leaves no timer and no listener', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
  const before = timers()
  const { signal } = new AbortController()
  const quick = tool({ name: 't', description: 'D', parameters, execute: () => 1, timeoutMs: 60_000 })
  expect(await quick.call({ city: 'Oslo' }, { signal })).toBe(1)
  expect(timers()).toBe(before)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('runs a sync generator; an array iterator is a value', async () => {
  function* work() {
    yield 1
    return 'done'
  }
  const seen: unknown[] = []
  const { signal } = new AbortController()
  expect(await settle(work(), (value) => seen.push(value), signal)).toBe('done')
  expect(seen).toEqual([1])
  const values = [1].values()
  expect(await settle(values, () => expect.unreachable(), signal)).toBe(values)
  const typed = tool({ name: 't', description: 'D', parameters: z.object({}), execute: work })
  expectTypeOf(typed.call).returns.resolves.toEqualTypeOf<string>()
  expect(await typed.call({})).toBe('done')
})

test('yields of a generator are progress, its return value is the result', async () => {
  const seen: unknown[] = []
  async function* work() {
    yield 1
    yield undefined
    return 'done'
  }
  const signal = new AbortController().signal
  expect(await settle(work(), (value) => seen.push(value), signal)).toBe('done')
  expect(seen).toEqual([1, undefined])
  expect(await settle(Promise.resolve([1]), () => expect.unreachable(), signal)).toEqual([1])
})

test('a generator ends at its first yield after an abort, and can clean up', async () => {
  const controller = new AbortController()
  let cleaned = false
  async function* poll() {
    try {
      for (let n = 0; n < 1000; n++) yield 'still waiting'
    } finally {
      cleaned = true
    }
  }
  const polling = settle(poll(), () => controller.abort('enough'), controller.signal)
  await expect(polling).rejects.toBe('enough')
  expect(cleaned).toBe(true)
})
