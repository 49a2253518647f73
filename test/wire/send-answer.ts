import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { HeaderValue, WireAnswer, Write } from './answer.js'

/** Writes an answer, its parts apart from one another, and ends it the way it says. */
export async function sendAnswer(response: ServerResponse, answer: WireAnswer): Promise<void> {
  response.on('error', () => {})
  if (answer.end === 'unanswered') {
    response.socket?.destroy()
    return
  }
  response.socket?.setNoDelay(true)
  response.writeHead(answer.status, toHeaders(answer))
  response.flushHeaders()
  for (const [n, write] of answer.writes.entries()) {
    if (response.destroyed) return
    await put(response, write)
    // A turn of the loop between writes makes them reads of their own; thousands of single bytes may share some.
    if (answer.writes.length < 200 || n % 20 === 0) await nextTurn()
  }
  if (answer.end === 'clean') response.end()
  if (answer.end === 'reset') await breakOff(response)
}

async function put(response: ServerResponse, { bytes, pauseMs = 0, times = 1 }: Write): Promise<void> {
  for (let n = 0; n < times; n++) {
    if (pauseMs > 0) await pause(pauseMs)
    if (response.write(bytes) || response.destroyed) continue
    await drained(response)
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      response.off('drain', go).off('close', go)
      resolve()
    }
    response.on('drain', go).on('close', go)
  })
}

/** What was written arrives before the connection breaks. */
async function breakOff(response: ServerResponse): Promise<void> {
  await pause(20)
  response.socket?.destroy()
}

function toHeaders({ headers, end }: WireAnswer): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name, toText(value)])
  return { ...Object.fromEntries(entries), ...(end === 'open' ? {} : { connection: 'close' }) }
}

function toText(value: HeaderValue): string {
  if (typeof value === 'string') return value
  return new Date(Date.now() + value.secondsFromNow * 1000).toUTCString()
}
