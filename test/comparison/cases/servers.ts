// What servers and models do, and an agent with default options.
import { type Answer, call, calling, saying } from '../server.js'
import type { Case, Stage } from '../stage.js'

const done = saying('Done.')
const add = (given: unknown) => calling([call('add', given)])

/** What became of a call: whether it ran, and who was told if not. */
export function fateOf(stage: Stage, name: string): string {
  const { error, requests, last, told } = stage
  if (stage.times(name) > 0) return error ? `ran, then ${thrown(stage)}` : 'runs'
  if (error) return thrown(stage)
  if (requests.length > 1 && told.length > 0) return 'told to the model'
  return `not run, ${textOf(last.text)}, no error`
}

export function thrown({ error }: Stage): string {
  if (Object(error).name === 'TypeError') return 'a TypeError'
  return 'throws'
}

/** The text that the caller gets, as the page has it. */
export function textOf(text: unknown): string {
  if (text === 'Done.') return 'the text'
  if (text === '' || text === undefined) return 'text `""`'
  if (text === null) return '`null`'
  if (typeof text === 'string') return `text \`${text.slice(0, 30)}\``
  return Array.isArray(text) ? 'the list' : 'an object'
}

function row(id: string, name: string, answers: readonly Answer[], cell: Case['cell']): Case {
  return { id, row: name, answers, cell }
}

export const servers: readonly Case[] = [
  row(
    'no-finish-call',
    'a call, and no `finish_reason`',
    [calling([call('now', '{}')], {}), done],
    (stage) => {
      const { requests, last } = stage
      return stage.times('now') > 0 && requests.length > 2
        ? `runs, text ${textOf(last.text)}: ${requests.length} requests`
        : fateOf(stage, 'now')
    },
  ),
  row(
    'no-finish-text',
    'a text, and no `finish_reason`',
    [saying('Done.', {})],
    ({ requests, last, error }) =>
      error ? 'throws' : requests.length > 1 ? `repeated: ${requests.length} requests` : textOf(last.text),
  ),
  row(
    'empty-arguments',
    '`arguments: ""` for a tool without parameters',
    [calling([call('now', '')]), done],
    (stage) => fateOf(stage, 'now'),
  ),
  row('cut-arguments', 'arguments cut off', [add('{"a":1,"b'), done], (stage) => fateOf(stage, 'add')),
  row('object-arguments', 'arguments as an object, not a text', [add({ a: 1, b: 2 }), done], (stage) =>
    fateOf(stage, 'add'),
  ),
  row('unknown-tool', 'a tool that does not exist', [calling([call('ad', '{}')]), done], (stage) =>
    fateOf(stage, 'ad'),
  ),
  row('tool-throws', 'a tool that throws', [calling([call('fail', '{}')]), done], (stage) => {
    if (stage.error) return 'throws'
    return stage.told.join().includes('out of paper') ? 'told to the model' : 'fixed text to the model'
  }),
  row(
    'same-id',
    'the same id for two calls',
    [calling([call('now', '{}'), call('now', '{}')]), done],
    (stage) => {
      if (stage.error) return thrown(stage)
      if (stage.times('now') === 1) return 'one runs, no error'
      return stage.told.length === 2 ? 'both run' : 'both run, one result lost'
    },
  ),
  row(
    'later-id',
    'an id used again in a later reply',
    [calling([call('add', '{"a":1,"b":1}')]), calling([call('add', '{"a":2,"b":2}')]), done],
    (stage) => {
      if (stage.error) return `first runs, then ${thrown(stage)}`
      if (stage.times('add') === 1) return 'first runs, second gets its result'
      return stage.told.length === 2 ? 'both run' : 'both run, one result lost'
    },
  ),
  row(
    'no-id',
    'a call without an id',
    [calling([{ type: 'function', function: { name: 'now', arguments: '{}' } }]), done],
    (stage) => fateOf(stage, 'now'),
  ),
  row('forever', 'the same call forever', [calling([call('now', '{}')])], (stage) => {
    const { requests, last, error } = stage
    const ran = stage.times('now')
    const rare = ran === 1 ? ', one run of the tool' : ''
    if (error) return `throws at ${requests.length}${rare}`
    const end = last.end === 'stuck' ? 'ends as `stuck`' : textOf(last.text)
    return `${requests.length} requests, ${end}${rare}`
  }),
  row('no-choices', 'an empty list of `choices`', [{ choices: [] }], ({ requests, error, last }) => {
    const end = Object(error).name === 'TypeError' ? 'a TypeError' : error ? 'an error' : textOf(last.text)
    return requests.length > 3 ? `${requests.length} requests, then ${end}` : end
  }),
  row('500-once', 'HTTP 500 once', [{ status: 500 }, done], ({ requests, error }) =>
    error ? 'an error' : requests.length === 2 ? 'repeated' : 'not repeated',
  ),
  {
    ...row(
      '429-retry-after',
      'HTTP 429 with `Retry-After: 3`',
      [{ status: 429, headers: { 'retry-after': '3' } }, done],
      ({ requests: [first, second], error }) => {
        if (error || !first || !second) return 'an error'
        // All of them repeat within two seconds when nothing is asked.
        return second.at - first.at > 2900 ? 'waits as asked' : 'repeated before'
      },
    ),
    kind: 'slow',
  },
  row('bigint', 'a result with a BigInt', [calling([call('big', '{}')]), done], (stage) => {
    if (stage.error) return thrown(stage)
    const [told = ''] = stage.told
    if (/BigInt/.test(told)) return 'told to the model'
    return `\`${told.slice(0, 40)}\``
  }),
  row(
    'text-parts',
    'a last text as a list of parts',
    [saying([{ type: 'text', text: 'Done.' }])],
    ({ last, error }) => (error ? 'throws' : textOf(last.text)),
  ),
]
