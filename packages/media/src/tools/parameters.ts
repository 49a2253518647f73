import type { Artifact } from '@capstan/core'
import * as z from 'zod/v4'

// Strict for the compiler, lenient at run time: a model's wrong id should reach the store,
// where the error can name the ids that exist.

/** Id of an image. */
export const imageId = z.string() as unknown as z.ZodType<Artifact<'image'>['id'], Artifact<'image'>['id']>

/** Id of an audio recording. */
export const audioId = z.string() as unknown as z.ZodType<Artifact<'audio'>['id'], Artifact<'audio'>['id']>

const form = 'a size is "<width>x<height>" in pixels, for example "1024x1024"'

/** A size as it travels, `<width>x<height>`; `1024 × 1024` can only mean one and is read as it. `known` are all there are. */
export function sizeOf(known: readonly string[] | undefined) {
  const size = z
    .string()
    .overwrite((text) => text.replace(/\s/g, '').replace(/[×*X]/, 'x'))
    // Not a pattern: the JSON Schema of every request would hold it.
    .refine((text) => /^[1-9]\d{0,4}x[1-9]\d{0,4}$/.test(text), form)
  if (!known) return size.describe('<width>x<height> in pixels, such as 1024x1024')
  return size
    .refine((text) => known.includes(text), `the model draws ${known.join(', ')}: choose one of these`)
    .describe(`One of ${known.join(', ')}`)
}
