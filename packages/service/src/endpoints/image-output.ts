import type { Output, PictureKind } from '@capstan/painter'
import type { ServiceRequest } from '../http/endpoint.js'
import { ServiceError } from '../http/service-error.js'

type Fields = ServiceRequest['fields']

/** How pictures are to be written. */
export interface WantedOutput extends Output {
  /** Only the things of the prompt, without what lies behind them. */
  readonly cutOut: boolean
}

/** The format of `output_format`, `output_compression` and `background`: an opaque PNG when they are absent. */
export function parseOutput(fields: Fields): WantedOutput {
  const kind = parseChoice(fields, 'output_format', ['png', 'jpeg', 'webp'] satisfies PictureKind[]) ?? 'png'
  const background = parseChoice(fields, 'background', ['auto', 'opaque', 'transparent'])
  const quality = parseCompression(fields, kind)
  if (background === 'transparent' && kind === 'jpeg') {
    const message =
      'A JPEG cannot be transparent: ask for "output_format" "png" or "webp", or another "background".'
    throw new ServiceError(400, 'invalid_background', message, 'background')
  }
  checkIgnored(fields)
  return { kind, quality, cutOut: background === 'transparent' }
}

function parseChoice<T extends string>(fields: Fields, field: string, choices: readonly T[]): T | undefined {
  const value = fields[field]
  if (value === undefined || value === null || value === '') return undefined
  const found = choices.find((choice) => choice === value)
  if (found) return found
  const message = `"${field}" must be one of ${choices.join(', ')}.`
  throw new ServiceError(400, `invalid_${field}`, message, field)
}

/** Forms carry it as text. */
function parseCompression({ output_compression: given }: Fields, kind: PictureKind): number | undefined {
  if (given === undefined || given === null || given === '') return undefined
  const value = typeof given === 'string' && /^\d{1,3}$/.test(given) ? Number(given) : given
  const fits = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 100
  if (fits && kind !== 'png') return value
  // Clients send 100 along with every format.
  if (value === 100) return undefined
  const message = fits
    ? '"output_compression" is for jpeg and webp: a png loses nothing.'
    : '"output_compression" must be a whole number from 0 to 100.'
  throw new ServiceError(400, 'invalid_output_compression', message, 'output_compression')
}

/** Fields that other services paint by, and a painter by rules does not: any text will do. */
const ignored = ['quality', 'style', 'user', 'moderation', 'input_fidelity']

function checkIgnored(fields: Fields): void {
  for (const field of ignored) {
    const value = fields[field]
    if (value === undefined || value === null || typeof value === 'string') continue
    throw new ServiceError(400, `invalid_${field}`, `"${field}" must be a string.`, field)
  }
  const streamed = fields.stream !== undefined && fields.stream !== null && `${fields.stream}` !== 'false'
  if (!streamed) return
  const message = 'Pictures are not streamed here: leave "stream" out.'
  throw new ServiceError(400, 'unsupported_stream', message, 'stream')
}
