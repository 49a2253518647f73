import { Agent, tool } from '@capstan/core'
import { messageOf } from '@capstan/core/internal'
import { describe, expect, expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import './vitest.js'
import { reply } from './script.js'
import { scriptedModel } from './scripted-model.js'
import type { CalledNames } from './vitest.js'

const weather = tool({
  name: 'get_weather',
  description: 'The weather in a city',
  parameters: z.object({ city: z.string(), unit: z.enum(['c', 'f']).optional() }),
  effects: 'read',
  execute: ({ city }) => `${city}: sunny`,
})
const draw = tool({
  name: 'draw',
  description: 'Draws a picture',
  parameters: z.object({ prompt: z.string() }),
  execute: ({ prompt }, { artifacts }) =>
    artifacts.put(new TextEncoder().encode(prompt), {
      kind: 'image',
      mediaType: 'image/png',
      width: 512,
      height: 256,
    }),
})

const model = scriptedModel([
  reply.calls(reply.call('get_weather', { city: 'Oslo', unit: 'c' }), reply.call('get_weather', { city: 7 })),
  reply.call('draw', { prompt: 'sun over Oslo' }),
  reply.text('Here it is.'),
])
const result = await new Agent({ model, tools: [weather, draw] }).run('Draw the weather in Oslo')

const failureOf = (assertion: () => void) => {
  try {
    assertion()
  } catch (error) {
    return messageOf(error)
  }
  return expect.unreachable()
}

test('finds what the run did', () => {
  expect(result).toHaveCalledTool('get_weather')
  expect(result).toHaveCalledTool('get_weather', { city: 'Oslo' })
  expect(result).toHaveCalledTool('draw', { prompt: /^sun/ })
  expect(result).toHaveCalledTool('draw', { prompt: expect.stringContaining('Oslo') })
  expect(result).toHaveCalledTools(['get_weather', 'draw'])
  expect(result).toHaveProducedImage()
  expect(result).toHaveProducedImage({ width: 512, mediaType: /png/, height: expect.any(Number) })
  expect(result).toStopWith('done')
  expect(model).toBeUsedUp()
})

test('does not find what the run did not do', () => {
  expect(result).not.toHaveCalledTool('paint')
  expect(result).not.toHaveCalledTool('draw', { prompt: 'sun' })
  expect(result).not.toHaveCalledTool('draw', { prompt: 'sun over Oslo', size: undefined, n: 1 })
  expect(result).not.toHaveCalledTools(['draw', 'get_weather'])
  expect(result).not.toHaveProducedImage({ width: 513 })
  expect(result).not.toHaveProducedAudio()
  expect(result).not.toStopWith('limit')
  expect(scriptedModel([reply.text('Hi')])).not.toBeUsedUp()
})

const send = tool({
  name: 'send',
  description: 'Sends a picture',
  needsApproval: true,
  parameters: z.object({ to: z.string() }),
  execute: ({ to }) => `sent to ${to}`,
})
const sending = scriptedModel([reply.calls(reply.call('send', { to: 'Kari' }), reply.call('choose', {}))])
const choose = tool({ name: 'choose', description: 'Chooses', parameters: z.object({}) })
const waiting = await new Agent({ model: sending, tools: [send, choose] }).run('Send it')

test('finds the calls that wait for a decision', () => {
  expect(waiting).toHavePendingCall('send')
  expect(waiting).toHavePendingCall('send', { to: /^K/ })
  expect(waiting).not.toHavePendingCall('send', { to: 'Ola' })
  expect(waiting).not.toHaveCalledTool('send')
  expect(waiting).toHavePendingCalls(['send', 'choose'])
  expect(waiting).not.toHavePendingCalls(['send'])
  expect(waiting).not.toHavePendingCalls([])
  expect(result).not.toHavePendingCall('draw')
  expect(result).toHavePendingCalls([])
})

test('a rejected call does not count', () => {
  expect(result).not.toHaveCalledTool('get_weather', { city: 7 })
})

describe('a failure shows the expectation, the difference and the run', () => {
  test('of a call with other arguments', () => {
    const failure = failureOf(() =>
      expect(result).toHaveCalledTool('get_weather', { city: 'Bergen', unit: 'c' }),
    )
    expect(failure).toMatchInlineSnapshot(`
      "Expected a call of get_weather with {"city":"Bergen","unit":"c"}.
      - expected
      + seen
      @ city
        {
      -   "city": "Bergen"
      +   "city": "Oslo"
          "unit": "c"
        }
      The run:
        1. get_weather({"city":"Oslo","unit":"c"}) ok: Oslo: sunny
        2. get_weather({"city":7}) rejected: Error: invalid arguments for "get_weather", the tool did not run: city: Invalid input: expected str…
        3. draw({"prompt":"sun over Oslo"}) ok: {"artifact":"img_7bxe7bho","mediaType":"image/png","width":512,"height":256}
        made img_7bxe7bho image/png 512x256 13 bytes
        stopped with done: Here it is."
    `)
  })

  test('of a pending call', () => {
    const failure = failureOf(() => expect(waiting).toHavePendingCall('send', { to: 'Ola' }))
    expect(failure).toMatchInlineSnapshot(`
      "Expected a pending call of send with {"to":"Ola"}.
      - expected
      + seen
      @ to
        {
      -   "to": "Ola"
      +   "to": "Kari"
        }
      The run:
        send({"to":"Kari"}) pending: "send" needs approval.
        choose() pending: it waits for its result
        stopped with pending, without text"
    `)
  })

  test('of the order of pending calls', () => {
    const failure = failureOf(() => expect(waiting).toHavePendingCalls(['choose', 'send']))
    expect(failure).toContain('Expected pending calls of choose, send, and no others.\n- expected\n+ seen\n')
  })

  test('of the order of calls', () => {
    const failure = failureOf(() => expect(result).toHaveCalledTools(['draw']))
    expect(failure).toContain('Expected calls of draw, and no others.\n- expected\n+ seen\n@ [0]\n')
    expect(failure).toContain('+   "get_weather"')
  })

  test('of an image', () => {
    const failure = failureOf(() => expect(result).toHaveProducedImage({ width: 1024, height: 256 }))
    expect(failure).toContain('Expected an artifact of the kind image with {"width":1024,"height":256}.')
    expect(failure).toContain('-   "width": 1024\n+   "width": 512')
    expect(failure).toMatch(/ {2}made img_\w+ image\/png 512x256 13 bytes\n/)
  })

  test('of the end', () => {
    const failure = failureOf(() => expect(result).toStopWith('limit'))
    expect(failure).toContain('Expected a run that stops with limit.')
    expect(failure).toContain('  stopped with done: Here it is.')
  })

  test('of a negated matcher', () => {
    const failure = failureOf(() => expect(result).not.toHaveCalledTool('draw', { prompt: /sun/ }))
    expect(failure).toContain('Expected anything but a call of draw with {"prompt":"/sun/"}.\nThe run:\n')
  })

  test('of a script with unused steps', () => {
    const failure = failureOf(() => expect(scriptedModel([reply.text('Hi')])).toBeUsedUp())
    expect(failure).toBe('1 of the 1 steps of the script were not used:\n  1. text "Hi"')
  })
})

test('rejects a value that is not a result of a run', () => {
  expect(() => expect(Promise.resolve(result)).toStopWith('done')).toThrow('await agent.run(...)')
  expect(() => expect({}).toBeUsedUp()).toThrow('scriptedModel(...)')
})

test('names of tools and reasons are typed', async () => {
  expectTypeOf<CalledNames<typeof result>>().toEqualTypeOf<'get_weather' | 'draw'>()
  // @ts-expect-error: not a stop reason
  expect(result).not.toStopWith('finished')
  // @ts-expect-error: not a property of an artifact
  expect(result).not.toHaveProducedImage({ breadth: 512 })
  await expect(Promise.resolve(result)).resolves.toStopWith('done')
})
