// Reads the requests and responses of kept runs.

import { join } from 'node:path'
import { CapstanError } from '@capstan/core'
import type { Exchange } from '../types.js'
import { absent, readLines, readRange } from './line-file.js'
import { runFiles } from './run-folder.js'

/** Reads a run's exchanges in order, without their bytes. If an exchange has several lines, returns the last one. */
export async function readExchanges(folder: string): Promise<Exchange[]> {
  const lines = await readLines<Exchange>(join(folder, runFiles.exchanges))
  const byNumber = new Map(lines.map((line) => [line.number, line]))
  return [...byNumber.values()].sort((a, b) => a.number - b.number)
}

export interface ByteRange {
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** Reads the bytes of a request or response from `from` to `to` (exclusive). @throws CapstanError `not_found` */
export async function readExchangeBytes(
  folder: string,
  { number, part }: { readonly number: number; readonly part: 'request' | 'response' },
  { from = 0, to }: ByteRange = {},
): Promise<Uint8Array> {
  const exchanges = new Map((await readExchanges(folder)).map((one) => [one.number, one]))
  const exchange = exchanges.get(number)
  const place = exchange?.[part]
  if (!exchange || !place) {
    const message = exchange ? `Exchange ${number} has no ${part}.` : `This run has no exchange ${number}.`
    throw new CapstanError('not_found', message, { evidence: { number, part } })
  }
  const path = join(folder, runFiles.bytes)
  if (part === 'request') {
    const whole = await readRequest(path, exchange, exchanges)
    return whole.subarray(from, to)
  }
  const end = Math.min(to ?? place.length, place.length)
  return read(path, place.offset + from, Math.max(0, end - from))
}

/** Reads a request: the start that it shares with an earlier request, followed by its own bytes. */
async function readRequest(
  path: string,
  { request, number }: Exchange,
  exchanges: ReadonlyMap<number, Exchange>,
): Promise<Uint8Array> {
  const own = await read(path, request.offset, request.length)
  if (!request.sameAs) return own
  const before = exchanges.get(request.sameAs.exchange)
  // If a damaged file referred to a later exchange, reading would never end.
  if (!before || before.number >= number)
    throw new CapstanError('not_found', `The start of exchange ${number} is missing.`, {
      evidence: { number },
    })
  const start = await readRequest(path, before, exchanges)
  return Buffer.concat([start.subarray(0, request.sameAs.bytes), own])
}

async function read(path: string, offset: number, length: number): Promise<Uint8Array> {
  return (await readRange(path, offset, length).catch(absent)) ?? new Uint8Array()
}
