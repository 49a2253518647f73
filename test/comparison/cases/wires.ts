// Servers and networks that misbehave, and what leaves the process.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { type Answer, call, calling, event, saying, toEvents } from '../server.js'
import type { Case, Stage } from '../stage.js'
import { textOf } from './servers.js'

const done = saying('Done.')
const key = 'sk-of-the-comparison'

function fail(response: ServerResponse): void {
  const error = {
    code: 'context_length_exceeded',
    message: `This model's maximum context length is 8192 tokens. However, your messages resulted in 12540 tokens.`,
  }
  response.writeHead(400, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error }))
}

function failing(id: string, row: string, answer: Answer, cell: Case['cell']): Case {
  return { id, row, answers: [answer], cell }
}

function ended({ error, last }: Stage): string {
  if (!error) return `${textOf(last.text)}, no error`
  return Object(error).name === 'TypeError' ? 'a TypeError' : 'an error'
}

/** Text without an end: a JSON body or a stream, up to 100 MB. */
const endless: Answer = {
  async write(response, isStream) {
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
    const piece = isStream
      ? event({ choices: [{ index: 0, delta: { content: 'x'.repeat(100_000) } }] })
      : 'x'.repeat(100_000)
    if (!isStream) response.write('{"choices":[{"index":0,"message":{"role":"assistant","content":"')
    response.setMaxListeners(0)
    for (let sent = 0; sent < 1000 && !response.destroyed; sent++)
      if (!response.write(piece)) await Promise.race([once(response, 'drain'), once(response, 'close')])
    if (!response.destroyed) response.end(isStream ? 'data: [DONE]\n\n' : '"}}]}')
  },
}

/** Text piece by piece, until the client goes away. */
function flowing(onPiece: () => void): Answer {
  return {
    write(response) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(toEvents(saying('Half of'), { isOpen: true }))
      const timer = setInterval(() => {
        response.write(event({ choices: [{ index: 0, delta: { content: ' more' } }] }))
        onPiece()
      }, 20)
      response.setMaxListeners(0).on('close', () => clearInterval(timer))
    },
  }
}

let elsewhere = ''

async function redirect(stage: Stage): Promise<void> {
  const seen: { key: boolean; prompt: boolean }[] = []
  const other = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    seen.push({ key: JSON.stringify(request.headers).includes(key), prompt: text.includes('Go.') })
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ id: 'a', object: 'chat.completion', created: 1, model: 'a', ...done }))
  }).listen(0, '127.0.0.1')
  await once(other, 'listening')
  stage.notes.seen = seen
  elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}/v1/chat/completions`
  try {
    stage.outcomes.push(await (await stage.open()).run('Go.'))
  } finally {
    other.closeAllConnections()
    other.close()
  }
}

export const wires: readonly Case[] = [
  failing(
    '200-error',
    'HTTP 200 with `{"error": …}` as its body',
    { status: 200, body: { error: { message: 'overloaded' } } },
    ended,
  ),
  failing(
    '200-html',
    'HTTP 200 with a page of HTML',
    { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Log in</html>' },
    ended,
  ),
  {
    id: 'context-overflow',
    row: 'after a result of 50 kB, HTTP 400: the context is too long; shorter requests pass',
    tools: ['long'],
    answers: [
      calling([call('long', '{}')]),
      {
        write(response, isStream, body) {
          if (JSON.stringify(body).length > 30_000) return fail(response)
          response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
          response.end(
            isStream
              ? toEvents(done)
              : JSON.stringify({ id: 'a', object: 'chat.completion', created: 1, model: 'a', ...done }),
          )
        },
      },
    ],
    cell: (stage) => {
      if (stage.error) return 'an error'
      return stage.last.text === 'Done.' ? 'shortened, then the text' : ended(stage)
    },
  },
  {
    id: 'retry-after-hour',
    row: 'HTTP 429 with `Retry-After: 3600`',
    answers: [{ status: 429, headers: { 'retry-after': '3600' } }, done],
    cell: (stage) => {
      const { requests, error } = stage
      if (requests.length === 1) return error ? 'an error at once' : 'no error'
      const waited = Math.round(((requests[1]?.at ?? 0) - (requests[0]?.at ?? 0)) / 1000)
      return waited < 15 ? 'repeated within seconds' : 'repeated'
    },
  },
  {
    id: 'reset-once',
    row: 'the connection is reset before the reply, once',
    answers: [
      {
        write(response) {
          response.destroy()
        },
      },
      done,
    ],
    cell: ({ error, requests }) => (error ? 'an error' : requests.length === 2 ? 'repeated' : 'the text'),
  },
  {
    id: 'redirect',
    row: 'HTTP 307 to another host',
    answers: [
      {
        write(response) {
          response.writeHead(307, { location: elsewhere })
          response.end()
        },
      },
    ],
    play: redirect,
    cell: (stage) => {
      const [seen] = stage.notes.seen as { key: boolean; prompt: boolean }[]
      if (!seen) return 'not followed'
      return seen.key
        ? 'followed, with the key'
        : seen.prompt
          ? 'followed, without the key'
          : 'followed, without key and prompt'
    },
  },
  {
    id: 'endless',
    kind: 'slow',
    // Some need ten seconds, and more memory than there is.
    seconds: 100,
    row: 'a reply of 100 MB, in a process with 1 GB',
    answers: [endless],
    async play(stage) {
      try {
        stage.outcomes.push(await (await stage.open()).run('Go.'))
      } finally {
        await stage.server.closed()
      }
    },
    cell: (stage) =>
      stage.error
        ? stage.server.wasLeft()
          ? 'an error, before its end'
          : 'an error, at its end'
        : 'read whole',
  },
  {
    id: 'abort-stream',
    row: 'the caller aborts within a streamed text',
    answers: [flowing(() => undefined)],
    async play(stage) {
      const controller = new AbortController()
      const opened = await stage.open()
      const onText = (text: string) => {
        stage.notes.text = `${stage.notes.text ?? ''}${text}`
        controller.abort()
      }
      try {
        stage.outcomes.push(await opened.run('Go.', { signal: controller.signal, onText }))
      } finally {
        await stage.server.closed()
        stage.notes.left = stage.server.wasLeft()
      }
    },
    cell: (stage) => {
      const left = stage.notes.left ? '' : ', the request goes on'
      if (stage.unhandled.length > 0)
        return `${stage.error ? 'throws' : 'ends'}, with an unhandled rejection${left}`
      return stage.error ? `throws${left}` : `ends${left}`
    },
  },
  {
    id: 'token-limit',
    row: 'a limit of 100 tokens, replies of 60 tokens with calls forever',
    feature: 'token limit',
    tools: ['now'],
    answers: () =>
      Array.from({ length: 100 }, (_, at) => ({
        ...calling([call('now', '{}', `call_${at}`)]),
        usage: { prompt_tokens: 50, completion_tokens: 10, total_tokens: 60 },
      })),
    cell: ({ requests, last, error }) =>
      error ? `throws at ${requests.length * 60}` : `${requests.length * 60} tokens, ends as \`${last.end}\``,
  },
  {
    id: 'budget-race',
    row: '20 runs at once share 1,000 tokens, each needs 100: how many are spent?',
    feature: 'shared budget',
    answers: [
      {
        ...saying('Done.'),
        usage: { prompt_tokens: 10, completion_tokens: 90, total_tokens: 100 },
      },
    ],
    async play(stage) {
      const opened = await stage.open({ tools: [] })
      const all = await Promise.allSettled(Array.from({ length: 20 }, () => opened.run('Go.')))
      stage.outcomes.push(...all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])))
      await opened.close?.()
    },
    cell: ({ requests, outcomes }) => {
      const spent = (requests.length * 100).toLocaleString('en')
      const texts = outcomes.filter(({ text }) => text === 'Done.').length
      return texts === 20 ? `${spent}, all run` : `${spent}, ${20 - texts} runs refused`
    },
  },
  {
    id: 'key-in-error',
    row: 'the server rejects the key and repeats it: is it in the error, as logs show it?',
    answers: [{ status: 401, body: { error: { message: `Incorrect API key provided: ${key}` } } }],
    cell: ({ error, shownError }) => {
      if (!error) return 'no error'
      return shownError.includes(key) || inspect(error, { showHidden: true, depth: 8 }).includes(key)
        ? 'yes'
        : 'no'
    },
  },
  {
    id: 'key-in-header-error',
    row: 'HTTP 400 with another reason: is the key in the error?',
    answers: [{ status: 400, body: { error: { message: 'no' } } }],
    cell: ({ error, shownError }) => (!error ? 'no error' : shownError.includes(key) ? 'yes' : 'no'),
  },
  {
    id: 'hosts',
    kind: 'alone',
    row: 'other hosts that a plain run contacts, with `OPENAI_API_KEY` set',
    answers: [calling([call('now', '{}')]), done],
    async play(stage) {
      stage.outcomes.push(await (await stage.open()).run('Go.'))
      // Those who report do so in the background.
      await new Promise((resolve) => setTimeout(resolve, 7000))
    },
    cell: ({ hosts }) => (hosts.size === 0 ? 'none' : [...hosts].map((host) => `\`${host}\``).join(', ')),
  },
  {
    id: 'printed',
    kind: 'alone',
    row: 'what a plain run prints',
    answers: [calling([call('now', '{}')]), done],
    cell: ({ printed }) => (printed.trim() === '' ? 'nothing' : `${printed.trim().split('\n').length} lines`),
  },
]
