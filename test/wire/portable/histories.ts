import type { Reply } from './replies.js'

/** A conversation: the replies of a model over one protocol, until its run ends. The run after it is over another. */
export interface History {
  readonly name: string
  readonly input?: string
  readonly replies: readonly Reply[]
}

type Call = NonNullable<Reply['calls']>[number]

const call = (name: string, args: object = {}, id?: string): Call => ({
  name,
  arguments: JSON.stringify(args),
  ...(id === undefined ? {} : { id }),
})
const weather = (city: string) => call('get_weather', { city })
const done: Reply = { text: 'Done.' }

/** What stands before the calls of a reply, and before its text. */
const openings: readonly (readonly [name: string, reply: Reply])[] = [
  ['alone', {}],
  ['after a text', { text: 'Let me see.' }],
  ['after reasoning', { reasoning: 'They want to know.' }],
  ['after reasoning and a text', { reasoning: 'Hm.\n\nSo.', text: 'I look it up: ☀️ 🌧' }],
]

/** The calls of one step. */
const steps: readonly (readonly [name: string, calls: readonly Call[]])[] = [
  ['one call', [weather('Oslo')]],
  ['three calls in parallel', [weather('Oslo'), weather('Rome'), weather('Лима 🌊')]],
  ['a call without arguments', [call('list_cities')]],
  ['an empty result', [call('say_nothing')]],
  ['a failing call beside a good one', [call('fail'), weather('Oslo')]],
  ['a picture of a tool', [call('draw', { prompt: 'a boat' })]],
  ['a call that is denied', [call('erase', { what: 'all' })]],
  ['a call of an unknown tool', [call('get_time', { zone: 'CET' })]],
  ['arguments that do not fit', [call('get_weather', { town: 'Oslo' })]],
  ['a long id', [call('get_weather', { city: 'Oslo' }, `call_${'x'.repeat(55)}`)]],
]

/** Runs that end without a call. */
const words: readonly History[] = [
  { name: 'a text', replies: [{ text: 'Hello.' }] },
  { name: 'a text after reasoning', replies: [{ reasoning: 'A greeting.', text: 'Hello.' }] },
  { name: 'several lines, quotes and 🏳️‍🌈', replies: [{ text: '1\n2\r\n"3" \\ \u2028 🏳️‍🌈' }] },
  { name: 'a text with spaces at its end', replies: [{ text: 'Hello. \n' }] },
  { name: 'half of a surrogate pair', input: 'Say \ud83d', replies: [{ text: 'I cannot.' }] },
  { name: 'a refusal', replies: [{ refusal: 'I cannot help with that.' }] },
  { name: 'a reply cut at its limit', replies: [{ text: 'It is', isCut: true }] },
  { name: 'a call cut at a limit', replies: [{ calls: [weather('Oslo')], isCut: true }, done] },
  { name: 'an empty reply', replies: [{ text: '' }, { text: '' }] },
  { name: 'an empty reply, then a text', replies: [{ text: '' }, { text: 'Hello.' }] },
]

/** Runs of several steps. */
const chains: readonly History[] = openings.flatMap(([name, reply]) => [
  {
    name: `two steps, each ${name}`,
    replies: [{ ...reply, calls: [weather('Oslo')] }, { ...reply, calls: [weather('Rome')] }, done],
  },
  {
    name: `five steps, each ${name}`,
    replies: [...Array.from({ length: 5 }, (_, at) => ({ ...reply, calls: [weather(`City ${at}`)] })), done],
  },
])

const single = openings.flatMap(([opening, reply]) =>
  steps.map(([name, calls]) => ({ name: `${name}, ${opening}`, replies: [{ ...reply, calls }, done] })),
)

/** The step of two calls, of which one waits for a decision when the next run begins. */
const open: readonly History[] = [
  {
    name: 'a pending call at the end',
    replies: [{ calls: [call('erase', { what: 'all' }), weather('Oslo')] }],
  },
  {
    name: 'a step limit at the end',
    replies: Array.from({ length: 20 }, () => ({ calls: [weather('Oslo')] })),
  },
]

export const histories: readonly History[] = [...words, ...single, ...chains, ...open]
