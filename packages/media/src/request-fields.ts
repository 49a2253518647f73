import { CapstanError } from '@capstan/core'
import { checkOptionNames } from '@capstan/core/internal'
import * as z from 'zod/v4'

/** Request fields for each kind of request. A call's arguments override them. */
export interface RequestFields {
  /** Fields for `generate_image`. */
  readonly image?: ImageFields
  /** Fields for `edit_image`. */
  readonly edit?: EditFields
  /** Fields for `vary_image`. */
  readonly variation?: OtherFields
  /** Fields for `speak`. */
  readonly speech?: SpeechFields
  /** Fields for `transcribe_audio`. */
  readonly transcription?: TranscriptionFields
  /** Fields for `translate_audio`. */
  readonly translation?: TranslationFields
}

/** Any other field, such as `seed`. It is sent unchanged. */
export interface OtherFields {
  readonly [field: string]: unknown
}

/** Fields of an image request. If you omit a field, the server's default applies. */
export interface ImageFields extends OtherFields {
  /** For example `low`, `medium`, `high`, `standard`, `hd` or `auto`. */
  readonly quality?: string
  readonly background?: 'auto' | 'transparent' | 'opaque'
  /** Sent as `output_format`. */
  readonly outputFormat?: 'png' | 'jpeg' | 'webp'
  /** 0 to 100, for jpeg and webp. Sent as `output_compression`. */
  readonly outputCompression?: number
  /** For example `vivid` or `natural`. */
  readonly style?: string
  /**
   * Maximum partial images per image. Each one is reported as progress `{ partialImage, index }`. If the server
   * supports it, requests are streamed to get them. Default 0.
   */
  readonly partialImages?: number
}

/** Fields of an edit request. If you omit a field, the server's default applies. */
export interface EditFields extends ImageFields {
  /** `high` preserves more details of the image. Sent as `input_fidelity`. */
  readonly inputFidelity?: 'high' | 'low'
}

/** Fields of a speech request. If you omit a field, the server's default applies. */
export interface SpeechFields extends OtherFields {
  /** The speed, from 0.25 to 4. 1 is normal. */
  readonly speed?: number
  /** Instructions on how to speak, such as `Whisper.` */
  readonly instructions?: string
}

/** Fields of a translation request. If you omit a field, the server's default applies. */
export interface TranslationFields extends OtherFields {
  /** Names and words in the recording, or the text that precedes it. */
  readonly prompt?: string
  /** The sampling temperature, from 0 to 1. Higher values are more random. */
  readonly temperature?: number
  /**
   * Whether to return the start and end of each segment. Needs a model that supports `verbose_json`. Default: no
   * timestamps.
   */
  readonly timestamps?: 'segment'
  /**
   * The format of the subtitles. The tool returns them as a text artifact. Needs a model that supports `verbose_json`.
   * Default: no subtitles.
   */
  readonly subtitles?: 'srt' | 'vtt'
}

/** Fields of a transcription request. If you omit a field, the server's default applies. */
export interface TranscriptionFields extends OtherFields {
  /** The language of the recording, as a code such as `en`. */
  readonly language?: string
  /** Names and words in the recording, or the text that precedes it. */
  readonly prompt?: string
  /** The sampling temperature, from 0 to 1. Higher values are more random. */
  readonly temperature?: number
  /**
   * Whether to return the start and end of each word or of each segment. Needs a model that supports `verbose_json`.
   * Default: no timestamps.
   */
  readonly timestamps?: 'word' | 'segment'
  /**
   * The format of the subtitles. The tool returns them as a text artifact. Needs a model that supports `verbose_json`.
   * Default: no subtitles.
   */
  readonly subtitles?: 'srt' | 'vtt'
}

export type RequestKind = keyof RequestFields

const outputFields = {
  quality: z.string().min(1).describe('Quality of the image: low, medium, high or auto').optional(),
  background: z.enum(['auto', 'transparent', 'opaque']).describe('Background of the image').optional(),
  outputFormat: z.enum(['png', 'jpeg', 'webp']).describe('Format of the image file').optional(),
  outputCompression: z
    .int()
    .min(0)
    .max(100)
    .describe('Quality of a jpeg or webp file, from 0 to 100')
    .optional(),
}

const subtitles = z.enum(['srt', 'vtt']).describe('Also return subtitles, in this format').optional()
const temperature = z.number().min(0).max(1).describe('Randomness of the transcript, from 0 to 1').optional()

/** The fields that calls may set, as tool parameters, by kind of request. */
export const fieldParameters = {
  image: {
    ...outputFields,
    style: z.string().min(1).describe('Style of the image, such as vivid or natural').optional(),
  },
  edit: {
    ...outputFields,
    inputFidelity: z
      .enum(['high', 'low'])
      .describe('How closely the result keeps details of the image')
      .optional(),
  },
  variation: {},
  speech: {
    speed: z.number().min(0.25).max(4).describe('Speed from 0.25 to 4. Default 1').optional(),
    instructions: z.string().min(1).describe('How to speak: tone, emotion, accent').optional(),
  },
  transcription: {
    language: z.string().min(1).describe('Language of the recording, as a code such as en').optional(),
    prompt: z.string().min(1).describe('Names and rare words of the recording').optional(),
    temperature,
    timestamps: z.enum(['word', 'segment']).describe('Also return timestamps, by word or segment').optional(),
    subtitles,
  },
  translation: {
    prompt: z.string().min(1).describe('Names and rare words of the recording').optional(),
    temperature,
    timestamps: z.enum(['segment']).describe('Also return timestamps, by segment').optional(),
    subtitles,
  },
} as const satisfies Readonly<Record<RequestKind, z.ZodRawShape>>

type FieldParameters = typeof fieldParameters

/** The fields that models may set, by kind of request. */
export type ChosenFields = {
  readonly [Kind in RequestKind]?: readonly (keyof FieldParameters[Kind] & string)[]
}

/** The names of request fields that differ from the names of the options, by option. */
const wireNames: Readonly<Record<string, string>> = {
  outputFormat: 'output_format',
  outputCompression: 'output_compression',
  inputFidelity: 'input_fidelity',
}

/** Fields that are not sent themselves, because the tool sends other fields instead. */
const ownFields: readonly string[] = ['partialImages', 'timestamps', 'subtitles']

/** Returns the fields to send, under the names that the server expects. The call's fields override the fixed ones. */
export function toWireFields(fixed: OtherFields = {}, given: OtherFields = {}): Record<string, unknown> {
  const fields = Object.entries({ ...fixed, ...defined(given) })
  return Object.fromEntries(
    fields.flatMap(([name, value]) => (ownFields.includes(name) ? [] : [[wireNames[name] ?? name, value]])),
  )
}

/** Returns the fields of an image request. If partial images are requested, these include the streaming fields. */
export function toImageFields(fixed: ImageFields = {}, given: OtherFields = {}): Record<string, unknown> {
  const { partialImages = 0 } = fixed
  const streamed = partialImages > 0 ? { stream: true, partial_images: partialImages } : {}
  return { ...toWireFields(fixed, given), ...streamed }
}

/** Omits undefined fields, so that they do not override other fields. */
export function defined<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields
}

/** Fields that the tools set themselves, with advice for users who try to set them. */
const writtenFields: Readonly<Record<RequestKind, Readonly<Record<string, string>>>> = (() => {
  const ofAll = { model: 'Use the "models" option.' }
  const argument = 'It is an argument of each call.'
  const delivery = { response_format: 'Use the dialect option: { imageDelivery }.' }
  const streamed = { stream: 'Use partialImages.', partial_images: 'Use partialImages.' }
  const image = { ...ofAll, ...delivery, ...streamed, prompt: argument, size: argument, n: argument }
  const transcript = {
    ...ofAll,
    file: argument,
    response_format: 'Use timestamps or subtitles.',
    timestamp_granularities: 'Use timestamps.',
    stream: 'Transcripts are not streamed.',
  }
  return {
    image,
    edit: { ...image, image: argument, mask: argument },
    variation: { ...ofAll, ...delivery, image: argument, size: argument, n: argument, stream: '' },
    speech: {
      ...ofAll,
      input: argument,
      voice: 'Use the "voice" option.',
      format: 'Use the "format" option.',
      response_format: 'Use the "format" option.',
      stream_format: 'Speech is stored while it arrives.',
    },
    transcription: transcript,
    translation: transcript,
  }
})()

const partialImages = z.int().min(0).max(10).optional()

/**
 * Checks request fields, for callers without type checks.
 * @throws CapstanError `invalid_request` for a field that a tool sets itself, two names of the same field, or an
 * invalid value of a known field
 */
export function checkRequestFields(request: RequestFields): void {
  checkOptionNames(request, kinds, { of: 'request of a media tool' })
  for (const [kind, fields] of entriesOf(request))
    for (const [name, value] of Object.entries(fields)) checkField({ kind, name, value, fields })
}

const kinds = Object.fromEntries(Object.keys(fieldParameters).map((kind) => [kind, 'an object' as const]))

function entriesOf(request: RequestFields): [RequestKind, OtherFields][] {
  return Object.entries(request).flatMap(([kind, fields]) => (fields ? [[kind as RequestKind, fields]] : []))
}

interface GivenField {
  readonly kind: RequestKind
  readonly name: string
  readonly value: unknown
  readonly fields: OtherFields
}

function checkField({ kind, name, value, fields }: GivenField): void {
  const known: Readonly<Record<string, z.ZodType>> = {
    ...fieldParameters[kind],
    ...(kind === 'image' || kind === 'edit' ? { partialImages } : {}),
  }
  const fail = (problem: string) =>
    new CapstanError('invalid_request', `request.${kind}.${name} ${problem}`, {
      evidence: { option: `request.${kind}.${name}` },
    })
  const written = Object.entries(writtenFields[kind]).find(([field]) => isSameName(field, name))
  if (written && !Object.hasOwn(known, name)) throw fail(`is set by the tool itself. ${written[1]}`.trim())
  const other = wireNames[name]
  if (other !== undefined && Object.hasOwn(fields, other))
    throw fail(`is also set as ${other}. Use one of them.`)
  const meant = Object.keys(known).find((field) => isSameName(field, name))
  if (meant !== undefined && name !== meant && name !== wireNames[meant])
    throw fail(`is unknown. Did you mean "${meant}"?`)
  const [issue] = (meant === undefined ? undefined : known[meant]?.safeParse(value).error?.issues) ?? []
  if (issue) throw fail(`is not valid: ${issue.message}.`)
  if (['function', 'symbol', 'bigint'].includes(typeof value))
    throw fail(`is a ${typeof value}, which cannot be sent. Use a JSON value.`)
}

/** Whether two names have the same letters, regardless of case and separators. */
function isSameName(one: string, other: string): boolean {
  const letters = (name: string) => name.toLowerCase().replace(/[^a-z]/g, '')
  return letters(one) === letters(other)
}

/** Checks the names of fields that models may set. @throws CapstanError `invalid_request` for an unknown name */
export function checkChosenFields(chosen: ChosenFields): void {
  const lists = Object.fromEntries(
    Object.keys(fieldParameters).map((kind) => [kind, 'an array: [one, two]' as const]),
  )
  checkOptionNames(chosen, lists, { of: 'parameters of a media tool' })
  for (const [kind, names] of Object.entries(chosen) as [RequestKind, readonly string[] | undefined][]) {
    const known = Object.keys(fieldParameters[kind])
    const wrong = names?.find((name) => !known.includes(name))
    if (wrong === undefined) continue
    const list =
      known.length > 0 ? `Models may choose: ${known.join(', ')}.` : 'Models cannot choose any fields here.'
    throw new CapstanError(
      'invalid_request',
      `parameters.${kind} contains the unknown field "${wrong}". ${list}`,
      {
        evidence: { option: `parameters.${kind}` },
      },
    )
  }
}
