import type { IncomingMessage } from 'node:http'
import { isTrusted, type Reach } from '../refusal-of.js'
import { checkedLookup, type NameRules, systemNames } from './checked-lookup.js'
import { partStream } from './part-stream.js'
import { readBuffer } from './read-buffer.js'

/** One answer, its body not yet read. */
export interface Got {
  readonly status: number
  header(name: string): string | null
  readonly body: ReadableStream<Uint8Array> | null
}

export interface GetOptions {
  readonly reach: Reach
  readonly signal: AbortSignal
  /** Default the system's. */
  readonly names?: NameRules
}

/**
 * One request, no redirect followed, nothing sent but the address. Over node:http the name's address is checked
 * and connected to in one; elsewhere fetch looks names up itself, unchecked.
 * @throws PrivateName for a name that is not public, or what the network says
 */
export async function getChecked(url: URL, options: GetOptions): Promise<Got> {
  const { signal } = options
  if (globalThis.process?.getBuiltinModule?.('node:http')) return overNode(url, options)
  const response = await fetch(url, { redirect: 'manual', credentials: 'omit', signal })
  const { status, headers, body } = response
  return { status, header: (name) => headers.get(name), body }
}

function overNode(url: URL, { reach, signal, names = systemNames }: GetOptions): Promise<Got> {
  const { get } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  const lookup = isTrusted(url, reach) ? {} : { lookup: checkedLookup(names) }
  // Without an agent: a kept connection of somebody else's was never checked.
  const { onread, isUsed } = readBuffer()
  const options = {
    ...lookup,
    onread,
    signal,
    agent: false as const,
    headers: { 'accept-encoding': 'identity' },
  }
  return new Promise((resolve, reject) => {
    get(url, options, (answer) => resolve(toGot(answer, isUsed())))
      .on('error', reject)
      // What is no answer, as another protocol, ends without an error.
      .on('close', () => reject(new Error('the connection was closed without an answer')))
  })
}

function toGot(answer: IncomingMessage, isOwn: boolean): Got {
  return {
    status: answer.statusCode ?? 0,
    header: (name) => [answer.headers[name] ?? []].flat().join(', ') || null,
    body: partStream({ parts: answer, isOwn, end: () => answer.destroy() }),
  }
}
