import { ServiceError } from '../http/service-error.js'
import { isRecord } from '../record.js'

/** What a message says, and what came with it that nobody here can see or hear. */
export interface MessageContent {
  readonly text: string
  readonly unseen?: readonly string[]
}

/** Checks a message's content: a text, or parts whose texts are joined as lines. Nothing when there is none. */
export function parseContent(content: unknown, at: string): MessageContent | undefined {
  if (content === undefined || content === null) return undefined
  if (typeof content === 'string') return { text: content }
  if (!Array.isArray(content)) throw invalidMessage(at, 'must be a string, null or an array of parts')
  const parts = content.map((part, index) => parsePart(part, `${at}[${index}]`))
  const unseen = parts.flatMap((part) => part.unseen ?? [])
  const text = parts.flatMap((part) => part.text ?? []).join('\n')
  return unseen.length > 0 ? { text, unseen } : { text }
}

/** The 400 for a message that cannot be read. */
export function invalidMessage(at: string, what: string): ServiceError {
  return new ServiceError(400, 'invalid_messages', `${at} ${what}.`, at)
}

const unseen: Readonly<Record<string, string>> = {
  image_url: 'picture',
  input_image: 'picture',
  input_audio: 'recording',
  file: 'file',
}

function parsePart(part: unknown, at: string): { readonly text?: string; readonly unseen?: string } {
  if (isRecord(part)) {
    if ((part.type === 'text' || part.type === 'input_text') && typeof part.text === 'string')
      return { text: part.text }
    if (part.type === 'refusal' && typeof part.refusal === 'string') return { text: part.refusal }
    const kind = Object.hasOwn(unseen, String(part.type)) ? unseen[String(part.type)] : undefined
    if (kind !== undefined) return { unseen: kind }
  }
  throw invalidMessage(
    at,
    'must be {"type": "text", "text": "..."}, or an image_url, input_audio or file part',
  )
}
