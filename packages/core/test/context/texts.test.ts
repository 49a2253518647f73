// Windows are kept, and used, whatever the results are written in.
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { some } from '../../../../scripts/cases.mjs'
import { Agent, type RunEvent, tool } from '../../src/index.js'
import { type Asked, protocolNames, type Said, startWireServer } from './wire-server.js'

const window = 20_000

/** A page in each kind of text, and how many characters of it tokenizers take for a token: few, and many. */
const texts: readonly (readonly [
  kind: string,
  pageOf: (page: number) => string,
  few: number,
  many: number,
])[] = [
  [
    'JSON',
    (page) =>
      JSON.stringify(
        Array.from({ length: 120 }, (_, at) => ({ id: page * 1000 + at, value: Math.sin(at * page + 1) })),
      ),
    1.8,
    3,
  ],
  [
    'hexadecimal digits',
    (page) =>
      Array.from({ length: 100 }, (_, at) =>
        (((at + page) * 2654435761) % 2 ** 32).toString(16).repeat(7),
      ).join('\n'),
    1.6,
    2.2,
  ],
  ['Russian', () => 'Гавань открывается в шесть, и лодки выходят. '.repeat(120), 2.5, 4],
  ['Chinese', () => '港口六点开门，船只出海。'.repeat(300), 1.3, 3],
  [
    'code',
    () => 'const value = items.filter((item) => item.id > 3).map(({ id }) => id * 2)\n'.repeat(80),
    2.5,
    4,
  ],
]

const rows = protocolNames.flatMap((protocol) =>
  texts.flatMap(([kind, pageOf, ...characters]) =>
    characters.map((one) => [protocol, kind, one, pageOf] as const),
  ),
)

describe('40 steps with contextTokens: 20_000', () => {
  test.each(some(rows, 7))('over %s, of %s with %d characters a token', async (...row) => {
    const [protocol, , characters, pageOf] = row
    const say = ({ turn, isSummary }: Asked): Said => {
      if (isSummary) return { text: 'Pages were read.' }
      return turn < 40 ? { calls: [{ name: 'look', arguments: { page: turn } }] } : { text: 'That is all.' }
    }
    await using server = await startWireServer({ say, window, characters })
    const trimmed: Extract<RunEvent, { type: 'context-trimmed' }>[] = []
    const look = tool({
      name: 'look',
      description: 'Looks at a page',
      parameters: z.object({ page: z.number() }),
      execute: ({ page }) => pageOf(page),
    })
    const agent = new Agent({
      model: server.model(protocol, { contextTokens: window }),
      tools: [look],
      limits: { steps: 60 },
      observe: (event) => event.type === 'context-trimmed' && trimmed.push(event),
    })
    const { stopReason } = await agent.run('Read the pages.')
    expect(stopReason).toBe('done')
    expect(server.refused).toEqual([])
    expect(server.faults).toEqual([])
    const main = server.answered.filter(({ isSummary }) => !isSummary)
    expect(Math.max(...main.map(({ tokens }) => tokens))).toBeGreaterThan(0.55 * window)
    expect(trimmed.length).toBeGreaterThan(0)
    for (const [at, { step, tokens }] of trimmed.entries()) {
      // Of several in one step the last one tells what is sent.
      if (trimmed[at + 1]?.step === step) continue
      const counted = main[step]?.tokens ?? 0
      expect(Math.abs(tokens.after - counted) / counted).toBeLessThan(0.15)
    }
  })
})
