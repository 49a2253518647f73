import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, agentTool, handoff, type RunEvent, tool, verdict } from '@capstan/core'
import { argumentCases, callTool, inspectAgent, reply, scriptedModel } from '@capstan/testing'
import { explain, explainEntries, readRecording, recordRun, replayRun } from '@capstan/testing/recording'
import { afterAll, expect, test } from 'vitest'
import * as z from 'zod'

const folder = mkdtempSync(join(tmpdir(), 'capstan-inspect-'))
afterAll(() => rmSync(folder, { recursive: true }))

const weather = (answer = 'Snow') =>
  tool({
    name: 'get_weather',
    description: 'The weather in a city',
    parameters: z.object({ city: z.string().min(1) }),
    execute: ({ city }, ctx) => {
      if (city === 'Atlantis') throw new RangeError('No such city.')
      ctx.progress(city)
      return `${answer} in ${city}`
    },
  })

test('an agent is described as plain JSON', () => {
  const model = scriptedModel([])
  const inner = new Agent({ name: 'inner', model })
  const other = new Agent({ name: 'other', model })
  const agent = new Agent({
    name: 'front',
    model: 'gpt-5-mini',
    instructions: 'Be brief.',
    tools: [weather(), agentTool(inner, { description: 'Helps' }), handoff(other)],
    output: z.object({ city: z.string() }),
    policy: () => verdict.allow,
    limits: { steps: 7 },
    settings: { temperature: 0 },
  })
  expect(inspectAgent(agent)).toMatchObject({
    name: 'front',
    model: { name: 'gpt-5-mini', isNamed: true },
    instructions: { text: 'Be brief.' },
    limits: { steps: 7 },
    settings: { temperature: 0 },
    output: { type: 'object', properties: { city: { type: 'string' } } },
    policies: 1,
    middleware: expect.arrayContaining(['structured-output', 'policy', 'stuck-detection']),
    tools: expect.arrayContaining(['get_weather', 'inner', 'transfer_to_other']),
    agents: [
      { name: 'inner', by: 'call' },
      { name: 'other', by: 'handoff' },
    ],
  })
  expect(inspectAgent(new Agent({ model, instructions: () => 'Now.' }))).toMatchObject({
    model: { isNamed: false },
    instructions: { isFunction: true },
  })
  expect(() => inspectAgent({} as Agent)).toThrow('new Agent(...)')
})

test('a tool is called alone as a run would, with its events', async () => {
  const events: RunEvent['type'][] = []
  const observe = ({ type }: RunEvent) => events.push(type)
  expect(await callTool(weather(), '{"city":"Oslo"}', { observe })).toMatchObject({
    status: 'ok',
    result: 'Snow in Oslo',
  })
  expect(events).toEqual(expect.arrayContaining(['tool-start', 'tool-end']))
  expect(await callTool(weather(), '{"city":""}')).toMatchObject({ status: 'rejected' })
  const failed = await callTool(weather(), '{"city":"Atlantis"}')
  expect(failed).toMatchObject({ status: 'error', thrown: expect.any(RangeError) })
})

test('cases of arguments come from a schema', () => {
  const cases = argumentCases(weather().definition.function.parameters)
  expect(new Set(cases.map(({ kind }) => kind))).toEqual(new Set(['valid', 'boundary', 'invalid']))
})

const script = () => scriptedModel([reply.call('get_weather', { city: 'Oslo' }), reply.text('It snows.')])

async function record(name: string): Promise<string> {
  const file = join(folder, `${name}.jsonl`)
  using recording = recordRun(file)
  await new Agent({ model: script(), tools: [weather()] }).run('Weather?', recording)
  return file
}

test('a recording is read as data, and each explained line has its place', async () => {
  const file = await record('read')
  const [run] = readRecording(file)
  expect(run?.exchanges.map(({ at }) => at)).toEqual(['step0/request', 'step1/request'])
  const entries = explainEntries(file)
  expect(entries.map(({ text }) => text).join('\n')).toBe(explain(file))
  expect(entries.find(({ text }) => text.includes('get_weather') && text.includes('ok'))?.at).toBe(
    'step0/call0',
  )
  expect(entries.at(-1)).toMatchObject({ run: 1, at: 'end' })
})

test('differences of a replay are data', async () => {
  const file = await record('replay')
  const changed = new Agent({ model: script(), tools: [weather()], instructions: 'Be brief.' })
  const error = await replayRun(file, { agent: changed }).catch((thrown) => thrown)
  expect(error).toMatchObject({ code: 'not_found', evidence: { file, at: 'step0/request' } })
  expect(error.evidence.expected).not.toEqual(error.evidence.seen)
  expect(JSON.stringify(error.evidence.seen)).toContain('Be brief.')

  const denied = new Agent({ model: script(), tools: [weather()], policy: () => verdict.deny('no.') })
  const outcome = await replayRun(file, { agent: denied }).catch((thrown) => thrown)
  expect(outcome).toMatchObject({
    code: 'conflict',
    evidence: { at: 'step0/call0', expected: { status: 'ok' }, seen: { status: 'denied' } },
  })

  const other = join(folder, 'other-end.jsonl')
  writeFileSync(other, readFileSync(file, 'utf8').replace('"stopReason":"done"', '"stopReason":"stuck"'))
  const end = await replayRun(other).catch((thrown) => thrown)
  expect(end).toMatchObject({
    code: 'conflict',
    evidence: { at: 'end', expected: { stopReason: 'stuck' }, seen: { stopReason: 'done' } },
  })
})
