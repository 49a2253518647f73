import {
  Agent,
  type AnyAgent,
  agentTool,
  type ChatModel,
  handoff,
  jsonSchema,
  type PrepareOptions,
  type RunInput,
  summarizeHistory,
  tool,
} from '@capstan/core'
import * as z from 'zod'

/**
 * A run whose journal is stored. After the first release, the names, descriptions and schemas of its tools must never
 * change.
 */
export interface StoredRun {
  readonly agent: AnyAgent
  readonly input: RunInput
  readonly options?: PrepareOptions
}

/** Receives a line for each request and for each call that starts. */
export type Note = (line: string) => void

/** The runs whose journals are stored, by file name. */
export const storedRuns: Readonly<Record<string, (note: Note) => StoredRun>> = {
  'output-by-tool': (note) => ({
    agent: new Agent({
      model: modelOf(note, [[['look', {}]], 'Oslo', [['final_answer', { city: 'Oslo' }]]]),
      tools: toolsOf(note),
      output: z.object({ city: z.string() }),
    }) as unknown as AnyAgent,
    input: 'Which city?',
  }),
  stuck: (note) => ({
    agent: new Agent({
      model: modelOf(note, [...Array.from({ length: 4 }, (): Calls => [['look', {}]]), 'It repeats.']),
      tools: toolsOf(note),
    }),
    input: 'Look.',
  }),
  'final-answer-at-a-limit': (note) => ({
    agent: new Agent({
      model: modelOf(note, [
        [
          ['look', { at: 1 }],
          ['page', {}],
        ],
        [['look', { at: 2 }]],
        'That is all.',
      ]),
      tools: toolsOf(note),
    }),
    input: 'Look.',
    options: { limits: { steps: 2, seconds: 3600 } },
  }),
  'child-waiting-for-approval': (note) => {
    const worker = new Agent({
      name: 'worker',
      model: modelOf(note, [
        [
          ['look', {}],
          ['pay', { amount: 10 }],
        ],
        'Paid.',
      ]),
      tools: toolsOf(note),
    })
    return {
      agent: new Agent({
        name: 'lead',
        model: modelOf(note, [
          [
            ['worker', { input: 'Pay.' }],
            ['pay', { amount: 3 }],
            ['look', {}],
          ],
          'Done.',
        ]),
        tools: [agentTool(worker), ...toolsOf(note)],
      }),
      input: 'Pay.',
    }
  },
  summary: (note) => ({
    agent: new Agent({
      model: modelOf(note, [[['look', {}]], 'Summed up.']),
      tools: toolsOf(note),
      middleware: [summarizeHistory({ maxTokens: 120, model: modelOf(note, ['Much was said.'], 'writer') })],
    }),
    input: [
      { role: 'user', content: `First. ${'words '.repeat(60)}` },
      { role: 'assistant', content: earlier },
      { role: 'user', content: `Second. ${'words '.repeat(60)}` },
      { role: 'assistant', content: earlier },
      { role: 'user', content: 'Now look.' },
    ],
  }),
  handoff: (note) => {
    const billing = new Agent({
      name: 'billing',
      model: modelOf(note, [[], [], [['look', { at: 3 }]], 'Billed.']),
      tools: toolsOf(note),
    })
    return {
      agent: new Agent({
        name: 'front',
        model: modelOf(note, [
          [
            ['page', {}],
            ['nothing', {}],
          ],
          [['transfer_to_billing', {}]],
        ]),
        tools: [handoff(billing), ...toolsOf(note)],
      }),
      input: 'Bill me.',
    }
  },
}

type Calls = readonly (readonly [name: string, args: object])[]

/** The replies in the input of `summary`. */
const earlier = 'Yes.'

/** Creates a model that chooses its reply by the number of its earlier replies. Call ids show the position. */
function modelOf(note: Note, said: readonly (string | Calls)[], name = 'planned'): ChatModel {
  return {
    name,
    async complete({ messages }) {
      note(`${name} asked`)
      const turn = messages.filter(({ role, content }) => role === 'assistant' && content !== earlier).length
      const reply = said[turn] ?? 'Over.'
      const message =
        typeof reply === 'string'
          ? { role: 'assistant' as const, content: reply }
          : {
              role: 'assistant' as const,
              content: null,
              tool_calls: reply.map((one, at) => toCall(one, `c${turn}_${at}`)),
            }
      return { message, tokens: { inputTokens: 10, outputTokens: 5, totalTokens: 15 } }
    },
  }
}

function toCall([name, args]: Calls[number], id: string) {
  return { id, type: 'function' as const, function: { name, arguments: JSON.stringify(args) } }
}

function toolsOf(note: Note) {
  const named = (
    name: string,
    settings: { readonly needsApproval?: boolean; readonly untrusted?: boolean },
  ) =>
    tool({
      name,
      description: `Does ${name}.`,
      parameters: jsonSchema({ type: 'object' }),
      ...settings,
      execute: (args) => {
        note(`${name} ran`)
        return { [name]: args }
      },
    })
  return [named('look', {}), named('page', { untrusted: true }), named('pay', { needsApproval: true })]
}
