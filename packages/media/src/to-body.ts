import type { MediaDialect } from './dialect.js'

type Body = Readonly<Record<string, unknown>>

/** A request's fields as a server's dialect has them; undefined ones are not sent. */
export async function toBody(endpoint: string, body: Body, dialect: MediaDialect): Promise<Body> {
  if (endpoint === '/audio/speech') {
    const { format, ...rest } = body
    return { ...rest, [dialect.speechFormat]: format }
  }
  if (!endpoint.startsWith('/images/')) return body
  const delivery = dialect.imageDelivery === null ? {} : { response_format: dialect.imageDelivery }
  const fields = { ...body, ...delivery }
  return isJson(endpoint, dialect) ? withDataUris(fields) : fields
}

/** Whether a request that may hold files goes up as JSON. */
export function isJson(endpoint: string, { edits }: MediaDialect): boolean {
  return endpoint === '/images/edits' && edits === 'json'
}

async function withDataUris(body: Body): Promise<Body> {
  const fields = Object.entries(body).map(async ([name, value]) => [
    name,
    value instanceof Blob ? await toDataUri(value) : value,
  ])
  return Object.fromEntries(await Promise.all(fields))
}

async function toDataUri(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let binary = ''
  // In steps: a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 8192)
    binary += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return `data:${file.type};base64,${btoa(binary)}`
}
