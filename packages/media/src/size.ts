import * as z from 'zod/v4'

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
