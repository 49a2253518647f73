import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

/** A malformed request, byte by byte. */
export interface MalformedRequest {
  readonly what: string
  readonly bytes: string | Buffer
  /** A word that the error must contain. */
  readonly names: string
  /** Whether the client ends its side after sending. Default: false. */
  readonly hangsUp?: boolean
}

export interface Refusal {
  readonly status: number
  readonly type: string | undefined
  readonly message: string
  readonly param: string | null
}

/** Sends the bytes and reads the response until the server ends the connection. */
export async function send({ bytes, hangsUp }: MalformedRequest, baseURL: string): Promise<Refusal> {
  const { hostname, port } = new URL(baseURL)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  // A server may end the connection before it has read everything.
  socket.on('error', () => {})
  if (hangsUp) socket.end(bytes)
  else socket.write(bytes)
  const answer = await text(socket)
  const [head = '', body = ''] = answer.split(/\r\n\r\n([\s\S]*)/)
  const { error } = JSON.parse(body) as { error: Omit<Refusal, 'status'> }
  return { ...error, status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]) }
}

/** The parts of a request. The headers may be invalid on purpose. */
export interface Parts {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: string | Buffer
}

/** The bytes of a request with `connection: close`. */
export function toBytes({ method = 'POST', path, headers = {}, body = '' }: Parts): Buffer {
  const all = {
    host: 'x',
    connection: 'close',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  }
  const lines = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  )
  return Buffer.concat([
    Buffer.from(`${[`${method} ${path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`),
    Buffer.from(body),
  ])
}

/** One part of a form. */
export type FormPart = readonly [name: string, value: string | Buffer, filename?: string]

export const boundary = 'an-edge'

/** A form as bytes. */
export function toForm(parts: readonly FormPart[]): Buffer {
  const pieces = parts.flatMap(([name, value, filename]) => {
    const file =
      filename === undefined ? '' : `; filename="${filename}"\r\ncontent-type: application/octet-stream`
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n`
    return [Buffer.from(head), Buffer.from(value), Buffer.from('\r\n')]
  })
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)])
}
