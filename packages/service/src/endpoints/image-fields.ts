import type { ServiceRequest } from '../http/endpoint.js'
import { ServiceError } from '../http/service-error.js'

/** Width and height in pixels. */
export interface Size {
  readonly width: number
  readonly height: number
}

type Fields = ServiceRequest['fields']

const [shortest, longest] = [16, 2048]
const longestPrompt = 4000
const mostImages = 10

/** The text of `prompt`: required, up to 4000 characters. */
export function parsePromptField({ prompt }: Fields): string {
  if (prompt === undefined || prompt === null || prompt === '') {
    throw new ServiceError(400, 'missing_prompt', 'Say in "prompt" what to paint.', 'prompt')
  }
  if (typeof prompt !== 'string') {
    throw new ServiceError(
      400,
      'invalid_prompt',
      `"prompt" must be a string, not ${kindOf(prompt)}.`,
      'prompt',
    )
  }
  if (prompt.trim() === '')
    throw new ServiceError(400, 'missing_prompt', 'Say in "prompt" what to paint.', 'prompt')
  if (prompt.length <= longestPrompt) return prompt
  const message = `"prompt" has ${prompt.length} characters; the limit is ${longestPrompt}. Shorten it.`
  throw new ServiceError(400, 'prompt_too_long', message, 'prompt')
}

/** The size asked for; nothing when `size` is absent or `auto`. */
export function parseSize({ size }: Fields): Size | undefined {
  if (size === undefined || size === null || size === '' || size === 'auto') return undefined
  const [, width, height] = (typeof size === 'string' && /^(\d{1,9})x(\d{1,9})$/.exec(size)) || []
  const sides = [Number(width), Number(height)] as const
  if (sides.every((side) => side >= shortest && side <= longest)) return { width: sides[0], height: sides[1] }
  const form = `"<width>x<height>", each from ${shortest} to ${longest}, such as "1024x1024"`
  throw new ServiceError(400, 'invalid_size', `"size" must be ${form}; it is ${shown(size)}.`, 'size')
}

/** How many images: 1 to 10, default 1; forms carry it as text. */
export function parseCount({ n }: Fields): number {
  if (n === undefined || n === null || n === '') return 1
  const count = typeof n === 'string' && /^\d+$/.test(n.trim()) ? Number(n) : n
  if (typeof count === 'number' && Number.isInteger(count) && count >= 1 && count <= mostImages) return count
  throw new ServiceError(
    400,
    'invalid_n',
    `"n" must be a whole number from 1 to ${mostImages}; it is ${shown(n)}.`,
    'n',
  )
}

/** How images are delivered: `b64_json` (the default) or `url`. */
export function parseDelivery({ response_format: format }: Fields): 'b64_json' | 'url' {
  if (format === undefined || format === null || format === '') return 'b64_json'
  if (format === 'b64_json' || format === 'url') return format
  const message = `"response_format" must be "b64_json" or "url"; it is ${shown(format)}.`
  throw new ServiceError(400, 'invalid_response_format', message, 'response_format')
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 60)}...` : text
}
