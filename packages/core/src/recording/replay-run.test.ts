import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { Agent, type AnyAgent } from '../door/agent.js'
import { handoff } from '../door/handoff.js'
import type { RunInput } from '../run/begin.js'
import { call, calls, fail, text } from '../testing/script-step.js'
import { scriptedModel } from '../testing/scripted-model.js'
import { tool } from '../tool/tool.js'
import type { Decision, Decisions } from '../words/state.js'
import { recordRun } from './record-run.js'
import { replayRun } from './replay-run.js'

const folder = mkdtempSync(join(tmpdir(), 'capstan-replays-'))
afterAll(() => rmSync(folder, { recursive: true }))
let count = 0
const newFile = () => join(folder, `${++count}.jsonl`)

let ran = 0
afterEach(() => {
  ran = 0
})
const parameters = z.object({ city: z.string() })
const weather = tool({
  name: 'get_weather',
  description: 'Weather',
  parameters,
  execute: ({ city }) => {
    ran += 1
    return { city, degrees: city.length }
  },
})
const book = tool({
  name: 'book',
  description: 'Books',
  parameters,
  needsApproval: true,
  execute: ({ city }) => city,
})
const oslo = () => call('get_weather', { city: 'Oslo' })

async function recorded(agent: AnyAgent, input: RunInput = 'Go.') {
  const file = newFile()
  const result = await agent.run(input, { ...recordRun(file), context: undefined as never })
  return { file, result }
}

const runs: Readonly<Record<string, () => AnyAgent>> = {
  'words alone': () => new Agent({ model: scriptedModel([text('Hello.')]), instructions: 'Be kind.' }),
  'calls, good and bad': () =>
    new Agent({
      model: scriptedModel([
        calls(oslo(), call('get_weather', { town: 1 }), call('nothing'), call('get_weather', '{"city')),
        text('Done.'),
      ]),
      tools: [weather],
    }),
  'a limit with a last answer': () =>
    new Agent({
      model: scriptedModel([oslo(), text('As far as I know.')]),
      tools: [weather],
      limits: { steps: 1 },
    }),
  'a limit without one': () =>
    new Agent({ model: scriptedModel([oslo()]), tools: [weather], limits: { steps: 1 }, landing: false }),
  repetition: () =>
    new Agent({
      model: scriptedModel([oslo(), oslo(), oslo(), oslo(), text('I give up.')]),
      tools: [weather],
    }),
  'a failure that passed': () =>
    new Agent({ model: scriptedModel([fail('timeout'), text('Late.')], { retries: 1 }) }),
  'a call that waits': () =>
    new Agent({ model: scriptedModel([call('book', { city: 'Oslo' })]), tools: [book] }),
  'a forced tool': () =>
    new Agent({
      model: scriptedModel([oslo(), text('There.')]),
      tools: [weather, book],
      toolChoice: 'get_weather',
    }),
  'an agent within': () => {
    const inner = new Agent({
      name: 'inner',
      model: scriptedModel([oslo(), text('Four.')]),
      tools: [weather],
    })
    const model = scriptedModel([calls(call('inner', { input: 'Oslo?' }), oslo()), text('It is four.')])
    return new Agent({ model, tools: [inner.asTool(), weather] })
  },
  'time that is limited': () =>
    new Agent({
      model: scriptedModel([oslo(), text('In time.')]),
      tools: [weather],
      limits: { seconds: 60 },
    }),
}

describe('a run is repeated from its recording alone, and with its agent', () => {
  for (const [what, make] of Object.entries(runs))
    test(what, async () => {
      const agent = make()
      const { file, result } = await recorded(agent)
      ran = 0
      for (const options of [{}, { agent }]) {
        const [again] = await replayRun(file, options)
        expect(again?.stopReason).toBe(result.stopReason)
        expect(again?.messages).toEqual(result.messages)
        expect(again?.toolCalls.map(({ status, result: came }) => [status, came])).toEqual(
          result.toolCalls.map(({ status, result: came }) => [status, came]),
        )
      }
      expect(ran).toBe(0)
    })

  test('one that goes on with a state, its decision as it was', async () => {
    const agent = new Agent({
      model: scriptedModel([call('book', { city: 'Oslo' }), text('Booked.')]),
      tools: [book],
    })
    const file = newFile()
    const options = recordRun(file)
    const { state, pending = [] } = await agent.run('Book.', options)
    const approve: Decision = { type: 'approve' }
    const decisions: Decisions = Object.fromEntries(pending.map(({ callId }) => [callId, approve]))
    await agent.run(state, { ...options, decisions })
    const ends = async (given: object) =>
      (await replayRun(file, given)).map(({ stopReason, text: said }) => [stopReason, said])
    expect(await ends({})).toEqual([
      ['pending', ''],
      ['done', 'Booked.'],
    ])
    expect(await ends({ agent })).toEqual([
      ['pending', ''],
      ['done', 'Booked.'],
    ])
  })

  test('one that failed: it fails again, and has no result', async () => {
    const agent = new Agent({ model: scriptedModel([oslo(), fail('quota')]), tools: [weather] })
    const file = newFile()
    await agent.run('Go.', recordRun(file)).catch(() => {})
    expect(await replayRun(file)).toEqual([])
  })
})

test('with its functions a run is repeated as well, those of agents within it included', async () => {
  const agent = runs['an agent within']?.() as AnyAgent
  const { file, result } = await recorded(agent)
  ran = 0
  const [again] = await replayRun(file, { agent, tools: 'run' })
  expect(again?.messages).toEqual(result.messages)
  expect(ran).toBe(2)
})

describe('what is another run is told, with what differs', () => {
  const make = (changes: object = {}) =>
    new Agent({
      model: scriptedModel([oslo(), text('Four.')]),
      instructions: 'Be kind.',
      tools: [weather],
      ...changes,
    })

  test('other instructions', async () => {
    const { file } = await recorded(make())
    const replayed = replayRun(file, { agent: make({ instructions: 'Be brief.' }) })
    await expect(replayed).rejects.toMatchObject({ code: 'not_found' })
    await expect(replayed).rejects.toThrow(/-\s+"system": "Be kind\."\n\+\s+"system": "Be brief\."/)
  })

  test('another tool', async () => {
    const { file } = await recorded(make())
    const colder = tool({ name: 'get_weather', description: 'Cold', parameters, execute: () => 1 })
    await expect(replayRun(file, { agent: make({ tools: [colder] }) })).rejects.toThrow(/"Cold"/)
  })

  test('another outcome of a function', async () => {
    const { file } = await recorded(make())
    const colder = tool({ name: 'get_weather', description: 'Weather', parameters, execute: () => -40 })
    await expect(replayRun(file, { agent: make({ tools: [colder] }), tools: 'run' })).rejects.toThrow(/-40/)
  })

  test('an earlier end', async () => {
    const { file } = await recorded(make())
    const agent = make({ stopWhen: () => true })
    await expect(replayRun(file, { agent })).rejects.toThrow(
      /-\s+"stopReason": "done"[\s\S]*\+\s+"stopReason": "condition"/,
    )
  })
})

describe('what cannot be repeated is refused, and says how', () => {
  test('a form, a handoff or a shortened history, without the agent', async () => {
    const form = new Agent({
      model: scriptedModel([call('final_answer', { answer: 1 })]),
      output: z.object({ answer: z.number() }),
    })
    const other = new Agent({ name: 'other', model: scriptedModel([text('Hello.')]) })
    const handing = new Agent({ model: scriptedModel([call('transfer_to_other')]), tools: [handoff(other)] })
    for (const agent of [form, handing]) {
      const { file } = await recorded(agent)
      await expect(replayRun(file)).rejects.toMatchObject({
        code: 'unsupported',
        message: expect.stringContaining('replayRun(file, { agent })'),
      })
      expect(await replayRun(file, { agent })).toHaveLength(1)
    }
  })

  test('an aborted run', async () => {
    const file = newFile()
    await new Agent({ model: scriptedModel([]) }).run('Go.', {
      ...recordRun(file),
      signal: AbortSignal.abort(),
    })
    await expect(replayRun(file)).rejects.toThrow(/it was aborted/)
  })

  test('functions without an agent', async () => {
    const { file } = await recorded(runs['words alone']?.() as AnyAgent)
    await expect(replayRun(file, { tools: 'run' })).rejects.toThrow(/holds no functions/)
  })

  test('a recording that ends before its run, wherever it was cut', async () => {
    const { file } = await recorded(runs['calls, good and bad']?.() as AnyAgent)
    const whole = readFileSync(file, 'utf8')
    const cut = newFile()
    for (let at = 40; at < whole.length - 1; at += 37) {
      copyFileSync(file, cut)
      writeFileSync(cut, whole.slice(0, at))
      const outcome = await replayRun(cut).then(
        (results) => results.length,
        (error) => error.code,
      )
      // Before its first line is whole there is no run.
      expect([0, 'unsupported']).toContain(outcome)
    }
  })

  test('another version, by its number, and what is no recording', async () => {
    const file = newFile()
    writeFileSync(file, '{"capstan":"recording","version":2}\n')
    await expect(replayRun(file)).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringMatching(/version 2.*reads version 1/),
    })
    writeFileSync(file, '{"hello":1}\n')
    await expect(replayRun(file)).rejects.toMatchObject({ code: 'invalid_request' })
    await expect(replayRun(join(folder, 'none.jsonl'))).rejects.toMatchObject({ code: 'not_found' })
    writeFileSync(file, '{"capstan":"recording","version":1}\n{"run":1}\n')
    await expect(replayRun(file)).rejects.toThrow(/line 2/)
  })
})
