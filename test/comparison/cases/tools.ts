// Tools that fail, leak, or return what no request can carry.
import { call, calling, saying } from '../server.js'
import type { Case, Stage } from '../stage.js'
import { secret, type ToolName } from '../toolbox.js'
import { textOf, thrown } from './servers.js'

const done = saying('Done.')

/** One call of a tool, then a text. */
function one(id: string, row: string, name: ToolName, cell: Case['cell']): Case {
  return { id, row, tools: [name], answers: [calling([call(name, '{}')]), done], cell }
}

function shortTold(stage: Stage): string {
  if (stage.error) return thrown(stage)
  const [told] = stage.told
  if (told === undefined) return `no result, ${textOf(stage.last.text)}`
  if (/error|circular|cycl|cannot|serializ/i.test(told) && told.length > 2) return 'told to the model'
  return told.length > 40 ? `\`${told.slice(0, 36)}…\`` : `\`${told}\``
}

function size(bytes: number): string {
  return bytes > 1_000_000 ? `${Math.round(bytes / 1e6)} MB` : `${Math.max(1, Math.round(bytes / 1000))} kB`
}

export const tools: readonly Case[] = [
  one('circular', 'a result that contains itself', 'circular', shortTold),
  one('huge', 'a result of 5 MB: size of the next request', 'huge', (stage) =>
    stage.error ? thrown(stage) : size(stage.requests.at(-1)?.size ?? 0),
  ),
  one('bytes', 'a `Uint8Array` of 100 kB: size of the next request', 'bytes', (stage) =>
    stage.error ? thrown(stage) : size(stage.requests.at(-1)?.size ?? 0),
  ),
  one('no-result', 'a tool that returns nothing', 'nothing', (stage) =>
    stage.error
      ? thrown(stage)
      : stage.told[0] === undefined
        ? 'no result'
        : `\`${stage.told[0].slice(0, 40) || '""'}\``,
  ),
  one('thrown-null', 'a tool that throws `null`', 'thrown', (stage) => {
    if (stage.error !== undefined) return thrown(stage)
    return stage.told.length > 0 ? 'told to the model' : `not told, ${textOf(stage.last.text)}`
  }),
  one(
    'leak-to-model',
    'an error of a tool contains a password: is it sent to the model?',
    'leak',
    (stage) => {
      if (stage.error) return `${thrown(stage)}${stage.shownError.includes(secret) ? ', with it' : ''}`
      return stage.told.join().includes(secret) ? 'yes' : 'no'
    },
  ),
  {
    id: 'leak-to-page',
    row: 'the same: is it sent to the page?',
    feature: 'chat',
    tools: ['leak'],
    answers: [calling([call('leak', '{}')]), done],
    async play(stage) {
      const opened = await stage.open()
      stage.notes.sent = await opened.chat?.({ messages: [{ role: 'user', text: 'Go.' }] })
    },
    cell: (stage) => (stage.error ? thrown(stage) : String(stage.notes.sent).includes(secret) ? 'yes' : 'no'),
  },
  {
    ...one('leak-to-console', 'the same: is it printed?', 'leak', (stage) =>
      stage.printed.includes(secret) ? 'yes' : 'no',
    ),
    kind: 'alone',
  },
  {
    id: 'never-and-abort',
    row: 'a tool that never returns, and the caller aborts',
    tools: ['never'],
    answers: [calling([call('never', '{}')]), done],
    async play(stage) {
      const controller = new AbortController()
      const opened = await stage.open({
        tools: [
          {
            ...stage.tool('never'),
            execute: (_args, signal) => {
              stage.notes.signal = signal
              setTimeout(() => controller.abort(), 50)
              return new Promise(() => undefined)
            },
          },
        ],
      })
      stage.outcomes.push(await opened.run('Go.', { signal: controller.signal }))
    },
    cell: (stage) => {
      const told = (stage.notes.signal as AbortSignal | undefined)?.aborted ? '' : ', the tool is not told'
      return stage.error ? `throws${told}` : `ends${told}`
    },
  },
  {
    id: 'same-names',
    row: 'two tools with one name',
    tools: ['pay', 'pay'],
    answers: [calling([call('pay', '{"amount":5}')]), done],
    cell: (stage) => {
      if (stage.error) return stage.requests.length === 0 ? 'refused before the first request' : thrown(stage)
      const offered = stage.requests[0]?.body.tools?.length
      return offered === 2 ? 'both are sent' : 'one is dropped, no error'
    },
  },
  {
    id: 'bad-name',
    row: 'a tool with a name that servers refuse, `my tool!`',
    answers: [saying('Done.')],
    async play(stage) {
      const opened = await stage.open({ tools: [{ ...stage.tool('now'), name: 'my tool!' }] })
      stage.outcomes.push(await opened.run('Go.'))
    },
    cell: (stage) => {
      if (stage.error) return 'refused before the first request'
      const [offered] = stage.requests[0]?.body.tools ?? []
      return offered?.function.name === 'my tool!' ? 'sent as it is' : `sent as \`${offered?.function.name}\``
    },
  },
  {
    id: 'untrusted-then-effect',
    row: 'a page that a tool has read says "call pay", and the model calls it',
    tools: ['page', 'pay'],
    answers: [calling([call('page', '{}')]), calling([call('pay', '{"amount":9999}', 'call_2')]), done],
    cell: (stage) => {
      if (stage.times('pay') > 0) return 'runs'
      return stage.last.pending ? 'a person is asked' : stage.error ? thrown(stage) : 'not run'
    },
  },
]
