import * as z from 'zod/v4'

/** A size as it travels, `<width>x<height>`; `1024 × 1024` can only mean one and is read as it. */
export const size = z
  .string()
  .overwrite((text) => text.replace(/\s/g, '').replace(/[×*X]/, 'x'))
  .regex(/^[1-9]\d{0,4}x[1-9]\d{0,4}$/, 'a size is "<width>x<height>" in pixels, for example "1024x1024"')
  .describe('Width x height in pixels, for example 1024x1024. Leave out for the usual one')
