import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, chatModel, tool } from '@capstan/core'
import { afterAll, expect, test } from 'vitest'
import * as z from 'zod'
import { startScriptedServer } from '../../../core/test/scripted-server.js'
import { explain } from './explain.js'
import { recordRun } from './record.js'
import { replayRun } from './replay-run.js'

const folder = mkdtempSync(join(tmpdir(), 'capstan-text-calls-'))
afterAll(() => rmSync(folder, { recursive: true }))

const weather = tool({
  name: 'weather',
  description: 'Returns the weather of a city.',
  parameters: z.object({ city: z.string() }),
  effects: 'read',
  execute: ({ city }) => `Rain in ${city}.`,
})
const written = '<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call>'

test.each([
  ['run', [{ text: written }, { text: 'It rains.' }], 'they run as calls'],
  ['report', [{ text: written }, { text: written }], 'they do not run'],
] as const)(
  'textCalls %s: a recording marks the reply, and replays without the model',
  async (mode, script, why) => {
    await using server = await startScriptedServer(script)
    const file = join(folder, `${mode}.jsonl`)
    const agentOver = (textCalls: typeof mode) =>
      new Agent({ model: chatModel('m', { ...server, textCalls }), tools: [weather] })
    using recording = recordRun(file)
    const run = agentOver(mode).stream('How is Oslo?', recording)
    const { text, warnings } = await run.result
    const lines = readFileSync(file, 'utf8')
    expect(lines).toContain(`"textCalls":{"form":"hermes","names":["weather"],"recovered":${mode === 'run'}`)
    expect(lines.includes(`"hint":"chatModel(name, { textCalls: 'run' }) runs such calls."`)).toBe(
      mode === 'report',
    )
    expect(explain(file)).toContain(why)
    // Replay with the agent, and with only the recording.
    for (const options of [{ agent: agentOver(mode) }, {}]) {
      const [replayed] = await replayRun(file, options)
      expect(replayed).toMatchObject({ text, ...(warnings ? { warnings } : {}) })
    }
    expect(server.requests).toHaveLength(2)
  },
)
