import type { ClientRequest } from 'node:http'
import { ByteReader } from './inputs/byte-reader.js'
import { holdBlob } from './inputs/held.js'

/** Sends a form, and ends the request. Files go through one buffer, each part once the one before is on its way. */
export async function sendForm(sent: ClientRequest, form: FormData): Promise<void> {
  const boundary = `form-${crypto.randomUUID()}`
  const parts: [head: Uint8Array, body: Blob][] = []
  form.forEach((value, name) => {
    const body = typeof value === 'string' ? new Blob([toLines(value)]) : value
    parts.push([toHead(boundary, name, value), body])
  })
  const end = encode(`--${boundary}--\r\n`)
  const length = parts.reduce((sum, [head, body]) => sum + head.length + body.size + 2, end.length)
  sent.setHeader('content-type', `multipart/form-data; boundary=${boundary}`)
  sent.setHeader('content-length', length)
  const write = writer(sent)
  for (const [head, body] of parts) {
    await write(head)
    await copy(holdBlob(body).stream(), write)
    await write(encode('\r\n'))
  }
  sent.end(end)
}

type Write = (bytes: Uint8Array) => Promise<void>

async function copy(stream: ReadableStream<Uint8Array>, write: Write): Promise<void> {
  const reader = new ByteReader(stream)
  try {
    const part = new Uint8Array(64 * 1024)
    for (let filled = await reader.fill(part); filled > 0; filled = await reader.fill(part))
      await write(part.subarray(0, filled))
  } finally {
    await reader.close()
  }
}

/** Each write is over when its bytes need not stay where they are. */
function writer(sent: ClientRequest): Write {
  const closed = new Promise<never>((_, reject) => {
    // A request that ends before it has a socket says nothing to those who write.
    sent.once('close', () => reject(new Error('The connection was closed.')))
  })
  closed.catch(() => {})
  return (bytes) => {
    const written = new Promise<void>((resolve, reject) => {
      sent.write(bytes, (error) => (error ? reject(error) : resolve()))
    })
    return Promise.race([closed, written])
  }
}

function toHead(boundary: string, name: string, value: FormDataEntryValue): Uint8Array {
  const file = typeof value === 'string' ? undefined : value
  const named = file ? `; filename="${quoted(file.name)}"` : ''
  const typed = file ? `Content-Type: ${file.type || 'application/octet-stream'}\r\n` : ''
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(toLines(name))}"${named}\r\n`
  return encode(`${head}${typed}\r\n`)
}

/** As forms escape names. */
function quoted(name: string): string {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22')
}

/** As forms end lines. */
function toLines(text: string): string {
  return text.replace(/\r?\n|\r/g, '\r\n')
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
