import type { Found } from './quotes.js'
import { maskQuotes } from './quotes.js'

/** The sizes of a text, as `<width>x<height>`: `512x512`, and `200 x 100` where it is no product. */
export function findSizes(text: string): Found<string>[] {
  const masked = maskQuotes(text)
  return [...masked.matchAll(pair)].flatMap((match) => {
    const [whole, width, height] = match
    const start = match.index
    const end = start + whole.length
    const isSize = whole === `${width}x${height}` || pictured.test(masked) || isMeasure(masked, start, end)
    return isSize ? [{ value: `${width}x${height}`, start, end }] : []
  })
}

const pair = /(?<![\w.,]|[-+*/^]\s)(\d{1,5})\s{0,3}[x×]\s{0,3}(\d{1,5})\b(?![.,]\d)/gi

const pictured =
  /\b(?:picture|image|photo|drawing|draw|painting|paint|sketch|illustration|thumbnail|pixels?|px)\b/i

// "A 3 x 4 table", "a page of size 3 x 4": an article or "size" leads to it, or what has that size follows.
function isMeasure(text: string, start: number, end: number): boolean {
  return leads.test(text.slice(Math.max(0, start - 30), start)) || follows.test(text.slice(end, end + 30))
}

const leads = /\b(?:an?|size|sized|dimensions|resolution|format|measuring|measures)(?:\s+(?:of|is))?\s+$/i
const follows = /^\s*(?:cm|mm|m|km|inch(?:es)?|feet|ft|met(?:er|re)s?|grid|table|board|room|frame|matrix)\b/i
