import { getWeather, saveNote, toolShape } from '../tool-shapes.js'
import { type Notation, notations } from './notations.js'
import type { TextCase, ToolCallData } from './text-case.js'

/** A tool whose arguments are of every type. */
const bookTable = toolShape(
  'book_table',
  {
    guests: { type: 'integer' },
    terrace: { type: 'boolean' },
    price: { type: 'number' },
    dishes: { type: 'array', items: { type: 'string' } },
    contact: { type: 'object', properties: { name: { type: 'string' } } },
  },
  ['guests'],
)

export const offeredTools = [getWeather, saveNote, bookTable]

const weather = (city: string): ToolCallData => ({ name: 'get_weather', arguments: { city } })
const note = (title: string): ToolCallData => ({ name: 'save_note', arguments: { title } })

const table: ToolCallData = {
  name: 'book_table',
  arguments: { guests: 4, terrace: true, price: 12.5, dishes: ['soup', 'fish'], contact: { name: 'Ada' } },
}

interface Content {
  readonly name: string
  readonly calls: readonly ToolCallData[]
  /** Changes the text that the notation writes. */
  readonly change?: (text: string) => string
  /** Written in front of the call, in the way of its notation. */
  readonly thought?: string
  readonly reasoning?: string
  /** Words in front of the call, and behind it. */
  readonly before?: string
  readonly behind?: string
  /** Whether a notation can write it. Default: all can. */
  readonly suits?: (notation: Notation) => boolean
}

const contents: readonly Content[] = [
  { name: 'one call', calls: [weather('Oslo')] },
  { name: 'values of every type', calls: [table] },
  {
    name: 'two calls of two tools',
    calls: [weather('Oslo'), note('Bring a coat')],
    suits: ({ isSingle = false }) => !isSingle,
  },
  { name: 'quotes', calls: [note('She said "don\'t", he said “why?” \\ and left')] },
  { name: 'other scripts', calls: [weather('Łódź, 東京, مراكش 🇳🇴')] },
  {
    name: 'markup within a value',
    calls: [note('The end of a call is ] } </tool_call> ``` or <|call|>')],
    suits: ({ isJson = true }) => isJson,
  },
  {
    name: 'reasoning in front',
    calls: [weather('Oslo')],
    thought: 'The user asks for the weather. I call get_weather with {"city": "Oslo"}.',
  },
  { name: 'reasoning in its field', calls: [weather('Oslo')], reasoning: 'The user asks for the weather.' },
  {
    name: 'a sentence in front',
    calls: [weather('Oslo')],
    before: 'I will look that up. ',
    suits: ({ isMarked = true }) => isMarked,
  },
  {
    name: 'a line in front',
    calls: [weather('Oslo')],
    before: 'Sure, I will look that up:\n',
    suits: ({ isMarked = true }) => isMarked,
  },
  {
    name: 'a line behind',
    calls: [weather('Oslo')],
    behind: '\nI hope this helps.',
    suits: ({ isMarked = true }) => isMarked,
  },
  { name: 'line ends of Windows', calls: [weather('Rome')], change: (text) => text.replaceAll('\n', '\r\n') },
  { name: 'space around', calls: [weather('Lima')], change: (text) => `\n\n  ${text}\n` },
]

/** Replies that are calls, with nothing else than words beside them. */
export const positiveCases: readonly TextCase[] = notations.flatMap((notation, row) =>
  contents
    .filter(({ suits }) => suits?.(notation) ?? true)
    .map(({ name, calls, change, thought, reasoning, before = '', behind = '' }, column) => {
      const written = before + notation.write(calls) + behind
      const [opened, closed] = notation.reasoning ?? ['<think>', '</think>']
      const shown = thought === undefined ? '' : `${opened}${thought}${closed}`
      return {
        id: `${notation.name}, ${name}`,
        family: notation.family,
        evidence: notation.evidence,
        tools: offeredTools,
        question: 'What is the weather like?',
        ...(reasoning === undefined ? {} : { reasoning }),
        ...(shown === '' ? {} : { shown }),
        ...(before || behind ? { words: before || behind } : {}),
        text: shown + (shown && (notation.afterReasoning ?? '')) + (change?.(written) ?? written),
        calls,
        pieceLength: 1 + ((row + column) % 9),
      }
    }),
)
