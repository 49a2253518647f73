import { setImmediate } from 'node:timers/promises'
import type { Endpoint, ServiceRequest } from '../http/endpoint.js'
import { ServiceError } from '../http/service-error.js'
import { countTokens } from './draft.js'
import { checkModel, engineHeader, type ModelNames } from './models.js'

/**
 * Embeds text by hashing its words: inputs that share words are close to each other, regardless of their meaning. Equal
 * inputs have equal vectors, and every vector has length 1. Fields: `input`, `dimensions` and `encoding_format`.
 */
export function embeddingsEndpoint(models: ModelNames): Endpoint {
  return async ({ fields }) => {
    const model = checkModel(fields.model, 'embeddings', models)
    const inputs = parseInput(fields.input)
    const dimensions = parseDimensions(fields.dimensions) ?? usualDimensions(model)
    const isBase64 = parseEncoding(fields.encoding_format) === 'base64'
    const data: object[] = []
    for (const [index, input] of inputs.entries()) {
      // Lets the service handle other requests between two inputs.
      await setImmediate()
      const vector = embed(input, dimensions)
      data.push({ object: 'embedding', index, embedding: isBase64 ? toBase64(vector) : [...vector] })
    }
    const tokens = inputs.reduce((sum, input) => sum + tokensOf(input), 0)
    const usage = { prompt_tokens: tokens, total_tokens: tokens }
    return { headers: engineHeader('embeddings'), json: { object: 'list', model, data, usage } }
  }
}

/** A string, or an array of token numbers. */
type Input = string | readonly number[]

// The limits of the reference service. They also limit the time on the main thread.
const mostInputs = 2048
const mostTokensEach = 8192
const mostTokens = 300_000
const mostDimensions = 3072

function parseInput(input: ServiceRequest['fields'][string]): readonly Input[] {
  const inputs = isInput(input) ? [input] : input
  if (!Array.isArray(inputs) || inputs.length === 0 || !inputs.every(isInput)) {
    const message =
      '"input" must be a non-empty string, an array of such strings, or an array of token numbers.'
    throw new ServiceError(400, 'invalid_input', message, 'input')
  }
  if (inputs.length > mostInputs) throw tooMuch(`has ${inputs.length} strings; the limit is ${mostInputs}`)
  const counts = inputs.map(tokensOf)
  const long = counts.findIndex((count) => count > mostTokensEach)
  if (long >= 0)
    throw tooMuch(`has about ${counts[long]} tokens in string ${long}; the limit is ${mostTokensEach}`)
  const all = counts.reduce((sum, count) => sum + count, 0)
  if (all > mostTokens) throw tooMuch(`has about ${all} tokens; the limit is ${mostTokens}`)
  return inputs
}

function isInput(value: unknown): value is Input {
  if (typeof value === 'string') return value !== ''
  return (
    Array.isArray(value) && value.length > 0 && value.every((one) => Number.isSafeInteger(one) && one >= 0)
  )
}

function tooMuch(what: string): ServiceError {
  return new ServiceError(400, 'input_too_long', `"input" ${what}. Send less per request.`, 'input')
}

function tokensOf(input: Input): number {
  return typeof input === 'string' ? countTokens(input) : input.length
}

function parseDimensions(given: unknown): number | undefined {
  if (given === undefined || given === null) return undefined
  if (typeof given === 'number' && Number.isInteger(given) && given >= 1 && given <= mostDimensions)
    return given
  const message = `"dimensions" must be a whole number from 1 to ${mostDimensions}.`
  throw new ServiceError(400, 'invalid_dimensions', message, 'dimensions')
}

function usualDimensions(model: string): number {
  return /large/i.test(model) ? 3072 : 1536
}

function parseEncoding(given: unknown): 'float' | 'base64' {
  if (given === undefined || given === null) return 'float'
  if (given === 'float' || given === 'base64') return given
  const message = '"encoding_format" must be "float" or "base64".'
  throw new ServiceError(400, 'invalid_encoding_format', message, 'encoding_format')
}

/**
 * Adds a vector for each word and, with less weight, for each sequence of three letters, so that different forms of a
 * word are close to each other.
 */
function embed(input: Input, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions)
  const add = (feature: string, weight: number): void => {
    const hash = hashOf(feature)
    const place = (hash >>> 1) % dimensions
    vector[place] = (vector[place] ?? 0) + (hash & 1 ? weight : -weight)
  }
  for (const word of toWords(input)) {
    add(word, 1)
    const framed = `<${word}>`
    for (let at = 0; at + 3 <= framed.length; at++) add(framed.slice(at, at + 3), 0.3)
  }
  return toUnitLength(vector)
}

// Text without words, such as "?!", counts as one word.
function toWords(input: Input): readonly string[] {
  if (typeof input !== 'string') return input.map(String)
  return (
    input
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [input]
  )
}

/** Returns an FNV-1a hash, mixed so that its lowest bits depend on every character. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return (hash ^ (hash >>> 13)) >>> 0
}

function toUnitLength(vector: Float32Array): Float32Array {
  let sum = 0
  for (const value of vector) sum += value * value
  const length = Math.sqrt(sum)
  // The vectors of words can cancel each other out.
  if (length === 0) vector[0] = 1
  return length === 0 ? vector : vector.map((value) => value / length)
}

function toBase64(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64')
}
