import type { Exchange } from '../../types.js'

/** One piece of a response, as it arrived from the network. */
export interface Piece {
  readonly index: number
  /** The time from when the request was sent until this piece arrived, in milliseconds. */
  readonly at: number
  readonly bytes: number
  readonly text: string
}

/**
 * Splits a response into the pieces in which it arrived. If a character spans two pieces, it belongs to the later
 * piece.
 */
export function piecesOf(exchange: Pick<Exchange, 'pieces' | 'sentAt'>, bytes: Uint8Array): Piece[] {
  const decoder = new TextDecoder()
  let offset = 0
  const pieces = exchange.pieces.map(([t, size], index) => {
    const text = decoder.decode(bytes.subarray(offset, offset + size), { stream: true })
    offset += size
    return { index, at: t - exchange.sentAt, bytes: size, text }
  })
  // The pieces have their original lengths, but redaction may have changed the length of the response.
  const rest = decoder.decode(bytes.subarray(offset))
  const last = pieces.at(-1)
  if (rest === '') return pieces
  if (!last) return [{ index: 0, at: 0, bytes: bytes.length, text: rest }]
  return [...pieces.slice(0, -1), { ...last, text: last.text + rest }]
}

/** Returns a request as a `curl` command that takes the key from `$OPENAI_API_KEY`. */
export function toCurl(exchange: Pick<Exchange, 'url' | 'requestHeaders'>, body: string): string {
  const headers = Object.entries(exchange.requestHeaders).filter(
    ([name]) => !left.includes(name.toLowerCase()),
  )
  const lines = [
    `curl -sS -N ${quote(exchange.url)}`,
    ...headers.map(([name, value]) => `  -H ${headerText(name, value)}`),
  ]
  if (!headers.some(([name]) => isKey(name))) lines.push(`  -H "authorization: Bearer $OPENAI_API_KEY"`)
  lines.push(`  --data-raw ${quote(body)}`)
  return lines.join(' \\\n')
}

/** Headers that are omitted because curl sets them itself. */
const left = ['content-length', 'host', 'connection', 'accept-encoding', 'transfer-encoding']

function isKey(name: string): boolean {
  return /^(authorization|api-key|x-api-key)$/i.test(name)
}

function headerText(name: string, value: string): string {
  if (!isKey(name)) return quote(`${name}: ${value}`)
  const scheme = /^authorization$/i.test(name) ? 'Bearer ' : ''
  return `"${name}: ${scheme}$OPENAI_API_KEY"`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
