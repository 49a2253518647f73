import { readFileSync } from 'node:fs'
import {
  Agent,
  agentTool,
  backgroundCalls,
  guard,
  handoff,
  type RunOptions,
  readOnly,
  tool,
  verdict,
} from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { modelTexts, modelTextsPage } from '../scripts/model-texts.mjs'

const found = modelTexts()
const all = found.flatMap(({ file, texts }) => texts.map((text) => ({ file, text })))

test('docs/reference/model-texts.md has every text that models read', () => {
  const page = readFileSync(new URL('../docs/reference/model-texts.md', import.meta.url), 'utf8')
  // A text that changed needs a second reader: node scripts/model-texts.mjs --write
  expect(page).toBe(modelTextsPage(found))
})

test('no text for a model addresses the developer', () => {
  const forDevelopers =
    /\bctx\.|\bnew Agent\b|npm install|\boption\b|\bauthors\b|\b(set|pass|raise) (an? )?`?(max|timeout|effects|allow|audio:|auth:|baseURL|headers|env)/i
  expect(all.filter(({ text }) => forDevelopers.test(text))).toEqual([])
})

const weather = tool({
  name: 'weather',
  description: 'The weather',
  parameters: z.object({ city: z.string() }),
  effects: 'read',
  execute: ({ city }) => `Snow in ${city}.`,
})
const pay = tool({ name: 'pay', description: 'Pays', parameters: z.object({}), execute: () => 'Paid.' })
const page = tool({
  name: 'page',
  description: 'A page',
  parameters: z.object({}),
  effects: 'read',
  untrusted: true,
  execute: () => 'Hi.',
})
const oslo = reply.call('weather', { city: 'Oslo' })

type Row = readonly [
  what: string,
  steps: Parameters<typeof scriptedModel>[0],
  agent?: (inner: Agent) => object,
  run?: RunOptions,
]

/** Runs in which Capstan itself writes to the model. */
const rows: readonly Row[] = [
  ['an unknown tool', [reply.call('wether'), reply.text('ok')]],
  ['invalid arguments', [reply.call('weather', { city: 7 }), reply.text('ok')]],
  ['a repeated call', [oslo, oslo, oslo, reply.text('ok')]],
  ['a limit of steps', [oslo, reply.text('ok')], () => ({ limits: { steps: 1 } })],
  [
    'a limit of calls',
    [reply.calls(oslo, reply.call('weather', { city: 'Rome' })), reply.text('ok')],
    () => ({ limits: { toolCalls: 1 } }),
  ],
  ['an empty reply', [reply.text(''), reply.text('ok')]],
  ['a policy', [reply.call('pay'), reply.text('ok')], () => ({ policy: readOnly() })],
  ['a denial', [reply.call('pay'), reply.text('ok')], () => ({ policy: () => verdict.deny('no') })],
  [
    'untrusted text',
    [reply.call('page'), reply.call('pay'), reply.text('ok')],
    () => ({}),
    { unattended: true },
  ],
  [
    'a schema',
    [reply.text('no'), reply.text('{"city":"Oslo"}')],
    () => ({ output: z.object({ city: z.string() }) }),
  ],
  [
    'a guard',
    [reply.text('bad'), reply.text('ok')],
    () => ({ middleware: [guard({ reply: (text) => (text === 'bad' ? verdict.deny('bad') : undefined) })] }),
  ],
  [
    'a handoff',
    [reply.call('transfer_to_inner'), reply.text('ok')],
    (inner) => ({ tools: [handoff(inner)] }),
  ],
  [
    'an agent that does not finish',
    [reply.call('inner', { input: 'Go.' }), reply.text('ok')],
    (inner) => ({ tools: [agentTool(inner)] }),
  ],
  [
    'an empty task',
    [reply.call('inner', { input: ' ' }), reply.text('ok')],
    (inner) => ({ tools: [agentTool(inner)] }),
  ],
  [
    'a background call',
    [reply.call('pay'), reply.text('ok'), reply.text('ok')],
    () => ({
      tools: [
        tool({
          ...{ name: 'pay', description: 'Pays' },
          parameters: z.object({}),
          background: true,
          execute: () => 'Paid.',
        }),
      ],
      middleware: [backgroundCalls()],
    }),
  ],
]

/** The texts with which a run has answered its model, without what tools and users wrote. */
async function toldIn([, steps, agent, run]: Row): Promise<string[]> {
  const model = scriptedModel(steps)
  const within = scriptedModel([oslo, reply.text('So far.')])
  const inner = new Agent({ name: 'inner', model: within, tools: [weather], limits: { steps: 1 } })
  await new Agent({ model, tools: [weather, pay, page], ...agent?.(inner) }).run('Go.', run as never)
  const messages = [model, within].flatMap(({ requests }) => requests.flatMap((one) => one.messages))
  const lines = messages
    .filter(({ role }) => role === 'tool' || role === 'user')
    .flatMap(({ content }) => String(content).split('\n\n'))
  return [...new Set(lines)].filter((line) => !/^(Go\.|Snow in \w+\.|Paid\.|Hi\.)$/.test(line))
}

test('each text that a run adds is on the page', async () => {
  const patterns = all.map(({ text }) => patternOf(text))
  const told: [string, string[]][] = []
  for (const row of rows) told.push([row[0], await toldIn(row)])
  expect(told.filter(([, lines]) => lines.length === 0).map(([what]) => what)).toEqual([])
  const unknown = told.map(([what, lines]) => [
    what,
    lines.filter((line) => !patterns.some((pattern) => pattern.test(line.replace(/^Error: /, '')))),
  ])
  expect(unknown.filter(([, lines]) => lines?.length)).toEqual([])
})

/** Matches a text with any values. A text that is only a value matches nothing. */
function patternOf(text: string): RegExp {
  const parts = text.split(/\$\{[^}]*\}/).map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${parts.join('[\\s\\S]*')}$`)
}
