import type { Artifact } from '@capstan/core'
import * as z from 'zod/v4'

// The types are strict, but the validation is lenient, so that a wrong id reaches the store, whose error lists the
// existing ids.

export const imageId = z.string() as unknown as z.ZodType<Artifact<'image'>['id'], Artifact<'image'>['id']>

/** A parameter for the id of a recording. Accepts any string, like `imageId`. */
export const audioId = z.string() as unknown as z.ZodType<Artifact<'audio'>['id'], Artifact<'audio'>['id']>

const sizeFormat = 'a size is "<width>x<height>" in pixels, for example "1024x1024"'

/**
 * A parameter for a size such as `1024x1024`. Accepts other spellings, such as `1024 × 1024`. `known` contains the
 * supported sizes.
 */
export function sizeOf(known: readonly string[] | undefined) {
  const size = z
    .string()
    .overwrite((text) => text.replace(/\s/g, '').replace(/[×*X]/, 'x'))
    // Not a `pattern`, because every request would contain it in the JSON Schema.
    .refine((text) => /^[1-9]\d{0,4}x[1-9]\d{0,4}$/.test(text), sizeFormat)
  if (!known) return size.describe('<width>x<height> in pixels, such as 1024x1024')
  return size
    .refine((text) => known.includes(text), `the model supports ${known.join(', ')}: choose one of these`)
    .describe(`One of ${known.join(', ')}`)
}
