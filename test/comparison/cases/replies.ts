// Replies that are broken off, odd, or made to do harm.
import type { ServerResponse } from 'node:http'
import { type Answer, call, calling, event, saying, toEvents } from '../server.js'
import type { Case, Stage } from '../stage.js'
import { fateOf, textOf, thrown } from './servers.js'

const done = saying('Done.')

/** Runs with a stream to the caller. */
async function streamed(stage: Stage): Promise<void> {
  let text = ''
  stage.notes.text = () => text
  const onText = (piece: string) => {
    text += piece
  }
  stage.outcomes.push(await (await stage.open()).run('Go.', { onText }))
}

function streamedText(stage: Stage): string {
  return (stage.notes.text as () => string)()
}

/** A streamed reply that is not what clients expect: `end` after its first events. */
function piece(text: string, end: (response: ServerResponse) => void = (response) => response.end()): Answer {
  return {
    write(response) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(text, () => end(response))
    },
  }
}

const destroy = (response: ServerResponse) => void setTimeout(() => response.destroy(), 20)

/** A JSON body that breaks off. */
const half: Answer = {
  write(response) {
    const body = JSON.stringify(calling([call('pay', '{"amount":5}')]))
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
    response.write(body.slice(0, body.length - 20), () => destroy(response))
  },
}

/** What the caller of a text that was cut gets. */
function cutText(stage: Stage): string {
  if (stage.error) return 'an error'
  const times = stage.requests.length
  const text = streamedText(stage)
  if (text === 'Half of') return 'the half text, no error'
  return text === 'Half of'.repeat(times) ? `the half text ${times} times, no error` : textOf(stage.last.text)
}

export function payFate(stage: Stage): string {
  if (stage.times('pay') > 0) return `runs with ${stage.ran.at(-1)?.args.amount}`
  if (stage.error) return 'not run, an error'
  if (stage.told.length > 0) return 'not run, told to the model'
  return stage.requests.length > 1 ? 'not run, asked again' : `not run, ${textOf(stage.last.text)}, no error`
}

function bothRun(stage: Stage): string {
  const ran = stage.times('add')
  if (ran === 2) return 'both run'
  if (ran === 1) return 'one runs, no error'
  return fateOf(stage, 'add')
}

/** How a run that has no end of its own is ended. */
function endOf({ requests, last, error }: Stage): string {
  if (error) return `throws at ${requests.length}`
  const isOurs = last.end === 'stuck' || last.end === 'limit'
  return `${requests.length} requests, ${isOurs ? `ends as \`${last.end}\`` : textOf(last.text)}`
}

const cutCall = toEvents(calling([call('pay', '{"amount":5')]), { isOpen: true })
const wholeCall = toEvents(calling([call('pay', '{"amount":5}')]), { isOpen: true })
const halfText = toEvents(saying('Half of'), { isOpen: true })

export const replies: readonly Case[] = [
  {
    id: 'stream-cut-in-arguments',
    row: 'a stream breaks off within the arguments `{"amount":5`, each time',
    tools: ['pay'],
    answers: [piece(cutCall, destroy)],
    play: streamed,
    cell: payFate,
  },
  {
    id: 'stream-ends-in-arguments',
    row: 'a stream ends within `{"amount":5`, without an end mark',
    tools: ['pay'],
    answers: [piece(cutCall), done],
    play: streamed,
    cell: payFate,
  },
  {
    id: 'stream-ends-after-call',
    row: 'a stream ends after a whole call, without a finish reason',
    tools: ['pay'],
    answers: [piece(wholeCall), done],
    play: streamed,
    cell: payFate,
  },
  {
    id: 'stream-ends-in-text',
    row: 'a stream ends within a text, without an end mark',
    answers: [piece(halfText)],
    play: streamed,
    cell: cutText,
  },
  {
    id: 'stream-breaks-in-text',
    row: 'the connection breaks within a streamed text, each time',
    answers: [piece(halfText, destroy)],
    play: streamed,
    cell: cutText,
  },
  {
    id: 'stream-error-event',
    row: 'an error event within a streamed text',
    answers: [piece(`${halfText}data: {"error":{"message":"overloaded","code":500}}\n\ndata: [DONE]\n\n`)],
    play: streamed,
    cell: cutText,
  },
  {
    id: 'json-cut',
    row: 'a JSON reply breaks off, each time',
    tools: ['pay'],
    answers: [half],
    cell: payFate,
  },
  {
    id: 'length-cut-call',
    row: 'a call cut off by `finish_reason: length`',
    tools: ['pay'],
    answers: [calling([call('pay', '{"amount":5')], { finish_reason: 'length' }), done],
    cell: payFate,
  },
  {
    id: 'length-two-calls',
    row: '`finish_reason: length` after one whole call and half of another',
    tools: ['pay', 'add'],
    answers: [
      calling([call('pay', '{"amount":5}'), call('add', '{"a":', 'call_2')], { finish_reason: 'length' }),
      done,
    ],
    cell: payFate,
  },
  {
    id: 'content-filter-call',
    row: 'a call, and `finish_reason: content_filter`',
    tools: ['pay'],
    answers: [calling([call('pay', '{"amount":5}')], { finish_reason: 'content_filter' }), done],
    cell: payFate,
  },
  {
    id: 'same-index',
    row: 'two streamed calls with one index and two ids',
    tools: ['add'],
    answers: [
      piece(
        [
          event({ choices: [{ index: 0, delta: { role: 'assistant' } }] }),
          ...['call_1', 'call_2'].map((id, at) =>
            event({
              choices: [
                { index: 0, delta: { tool_calls: [{ index: 0, ...call('add', `{"a":${at},"b":1}`, id) }] } },
              ],
            }),
          ),
          event({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }),
          'data: [DONE]\n\n',
        ].join(''),
      ),
      done,
    ],
    play: streamed,
    cell: bothRun,
  },
  {
    id: 'one-chunk',
    row: 'two whole calls in one streamed chunk',
    tools: ['add'],
    answers: [
      piece(
        [
          event({
            choices: [
              {
                index: 0,
                delta: {
                  role: 'assistant',
                  tool_calls: [1, 2].map((a, index) => ({
                    index,
                    ...call('add', `{"a":${a},"b":1}`, `call_${a}`),
                  })),
                },
              },
            ],
          }),
          event({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }),
          'data: [DONE]\n\n',
        ].join(''),
      ),
      done,
    ],
    play: streamed,
    cell: bothRun,
  },
  {
    id: 'same-id-two-arguments',
    row: 'one id for two calls with different arguments',
    tools: ['add'],
    answers: [calling([call('add', '{"a":1,"b":1}'), call('add', '{"a":2,"b":2}')]), done],
    cell: (stage) => {
      if (stage.error) return stage.ran.length > 0 ? `${stage.ran.length} run, then throws` : thrown(stage)
      const sums = [...new Set(stage.ran.map(({ args }) => args.a))].length
      if (sums < 2) return stage.times('add') === 0 ? 'told to the model' : 'one runs, no error'
      return new Set(stage.told).size === 2 ? 'both run' : 'both run, one result lost'
    },
  },
  {
    id: 'same-reply-id',
    row: 'each reply has the same completion id',
    tools: ['now'],
    answers: [
      { ...calling([call('now', '{}')]), id: 'chatcmpl-1' },
      { ...calling([call('now', '{}', 'call_2')]), id: 'chatcmpl-1' },
      { ...saying('Done.'), id: 'chatcmpl-1' },
    ],
    cell: ({ error, last, requests }) => {
      if (error) return 'throws'
      const { messages = [] } = requests.at(-1)?.body ?? {}
      const replied = messages.filter(({ role }) => role === 'assistant').length
      if (replied < 2) return 'a reply is lost from the history'
      return last.text === 'Done.' ? 'runs' : `runs, ${textOf(last.text)}`
    },
  },
  {
    id: 'misfit',
    row: 'arguments that do not match the schema',
    tools: ['pay'],
    answers: [calling([call('pay', '{"amount":"lots"}')]), done],
    cell: payFate,
  },
  {
    id: 'double-encoded',
    row: 'arguments encoded as JSON twice',
    tools: ['pay'],
    answers: [calling([call('pay', JSON.stringify('{"amount":5}'))]), done],
    cell: payFate,
  },
  {
    id: 'proto-arguments',
    row: '`__proto__` among the arguments',
    tools: ['loose'],
    answers: [calling([call('loose', '{"amount":5,"__proto__":{"isAdmin":true}}')]), done],
    cell: (stage) => {
      if (stage.polluted.length > 0) return 'pollutes all objects'
      const [ran] = stage.ran
      if (!ran) {
        if (stage.requests.length === 0) return 'a loose schema is refused'
        return stage.error ? 'not run, an error' : 'not run, told to the model'
      }
      return ran.args.isAdmin ? 'runs, the tool sees `isAdmin`' : 'runs without it'
    },
  },
  {
    id: 'prototype-tool',
    row: 'calls of `constructor`, `toString` and `__proto__`, which no tool is',
    tools: ['pay'],
    answers: [
      calling(['constructor', 'toString', '__proto__'].map((name, at) => call(name, '{}', `call_${at}`))),
      done,
    ],
    cell: (stage) => {
      if (stage.polluted.length > 0) return `pollutes all objects (\`${stage.polluted[0]}\`)`
      if (stage.error) return thrown(stage)
      const unknown = stage.told.filter((text) =>
        /not (found|exist|available|a valid tool)|unknown|no (such )?tool|unavailable|invalid tool|isn't/i.test(
          text,
        ),
      )
      if (stage.told.length === 0) return `not run, ${textOf(stage.last.text)}, no error`
      return unknown.length === 3
        ? 'told to the model'
        : `told to the model: \`${(stage.told.find((text) => !unknown.includes(text)) ?? '').slice(0, 50)}\``
    },
  },
  {
    id: 'large-integer',
    row: 'an id of 20 digits as a number',
    tools: ['order'],
    answers: [calling([call('order', '{"id":12345678901234567891}')]), done],
    cell: (stage) => {
      const [ran] = stage.ran
      if (ran) return `runs with another id, …${String(BigInt(Number(ran.args.id))).slice(-4)}`
      return stage.error ? 'not run, an error' : 'not run, told to the model'
    },
  },
  {
    id: 'deep-arguments',
    row: 'arguments nested 50,000 deep',
    tools: ['open'],
    answers: [calling([call('open', `{"value":${'['.repeat(50_000)}${']'.repeat(50_000)}}`)]), done],
    cell: (stage) => {
      const overflow = Object(stage.error).name === 'RangeError' || /call stack/i.test(stage.shownError)
      if (stage.error) return overflow ? 'throws: the stack overflows' : 'throws'
      return fateOf(stage, 'open')
    },
  },
  {
    id: 'dangling-call',
    row: 'a stored conversation with a call that has no result, and a new question',
    tools: ['pay'],
    answers: [done],
    async play(stage) {
      const opened = await stage.open()
      const stored = { id: 'call_1', name: 'pay', arguments: { amount: 5 } }
      stage.outcomes.push(
        await opened.run([
          { role: 'user', text: 'Pay 5.' },
          { role: 'call', call: stored },
          { role: 'user', text: 'Is it paid?' },
        ]),
      )
    },
    cell: (stage) => {
      if (stage.times('pay') > 0) return '**runs** it'
      if (stage.error) return 'throws'
      if (stage.told.length > 0) return 'told to the model: not run'
      const { messages = [] } = stage.requests[0]?.body ?? {}
      const isSent = messages.some(({ tool_calls = [] }) => tool_calls.length > 0)
      return isSent ? 'sent without a result' : 'the call is left out'
    },
  },
  {
    id: 'misfit-answer',
    row: 'a typed answer that does not match its schema, then one that does',
    feature: 'output',
    tools: ['now'],
    answers: ({ answer }) =>
      [{ nights: 'two' }, { nights: 2 }].map((value, at) =>
        answer ? calling([{ ...answer(value, at), id: `call_${at}` }]) : saying(JSON.stringify(value)),
      ),
    cell: ({ error, last }) => {
      if (error) return 'an error'
      const { nights } = Object(last.output)
      return nights === 2
        ? 'asked again, then typed'
        : `\`${JSON.stringify(last.output) ?? 'undefined'}\`, no error`
    },
  },
  {
    id: 'empty-reply',
    row: 'a reply without text and calls',
    answers: [saying(null), done],
    cell: ({ error, last, requests }) => {
      if (error) return 'throws'
      return requests.length > 1 ? `asked again: ${textOf(last.text)}` : textOf(last.text)
    },
  },
  {
    id: 'call-as-text',
    row: 'a call written as text, `<tool_call>…</tool_call>`',
    tools: ['now'],
    answers: [saying('<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>'), done],
    cell: (stage) => {
      if (stage.error) return thrown(stage)
      if (stage.times('now') > 0) return 'runs'
      return stage.requests.length > 1 ? 'told to the model' : 'not run, the caller gets the text'
    },
  },
  {
    id: 'many-calls',
    row: '200 calls in one reply',
    tools: ['slow'],
    answers: [calling(Array.from({ length: 200 }, (_, at) => call('slow', '{}', `call_${at}`))), done],
    cell: (stage) => {
      if (stage.error) return thrown(stage)
      if (stage.ran.length < 200)
        return `${stage.ran.length === 1 ? 'one runs' : `${stage.ran.length} run`}, no error`
      return stage.busiest === 1
        ? 'one after the other'
        : stage.busiest === 200
          ? 'all 200 at once'
          : `${stage.busiest} at a time`
    },
  },
  {
    id: 'one-of-two-fails',
    row: 'two calls in one reply, one fails',
    tools: ['add', 'fail'],
    answers: [calling([call('fail', '{}'), call('add', '{"a":1,"b":2}', 'call_2')]), done],
    cell: (stage) => {
      if (stage.error) return thrown(stage)
      if (stage.told.length < 2) return 'one call is lost, no error'
      return stage.told.some((text) => text.includes('3'))
        ? 'the other result is kept'
        : 'the other result is lost'
    },
  },
  {
    id: 'different',
    row: 'another call in each reply, forever',
    tools: ['add'],
    answers: () =>
      Array.from({ length: 200 }, (_, at) => calling([call('add', `{"a":${at},"b":2}`, `call_${at}`)])),
    cell: endOf,
  },
  {
    id: 'alternating',
    row: 'two calls in turn, forever',
    tools: ['now', 'add'],
    answers: () =>
      Array.from({ length: 200 }, (_, at) =>
        calling([at % 2 ? call('now', '{}', `call_${at}`) : call('add', '{"a":1,"b":2}', `call_${at}`)]),
      ),
    cell: endOf,
  },
]
