// A picture that is scaled down by sharp, so that a model with vision may read it.
import assert from 'node:assert/strict'
import { fitPicture } from '@capstan/media'
import sharp from 'sharp'

const background = { r: 200, g: 30, b: 30 }
const large = await sharp({ create: { width: 900, height: 600, channels: 3, background } })
  .png()
  .toBuffer()
const small = await fitPicture(large, { maxBytes: 50_000, maxPixels: 90 * 60 })
const { format, width, height } = await sharp(small).metadata()
assert.deepEqual([format, width, height], ['jpeg', 90, 60])
