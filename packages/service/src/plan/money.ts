import { currencies, currencyCodes } from './nations.js'
import type { Span } from './read-clause.js'
import type { Scene } from './scene.js'

// How far a number's neighbours are looked for, in characters.
const reach = 40

/** Names of parameters that take money. */
export const moneyNames = /\b(?:amount|price|cost|budget|money|value|fee|total|salary|sum|pay)\b/

/** Whether a number is an amount of money: a sign stands before it, or a currency behind. */
export function isMoney({ start, end }: Span, text: string): boolean {
  return (
    /[$€£¥]\s*$/.test(text.slice(Math.max(0, start - 3), start)) ||
    currencyAfter(text.slice(end, end + reach)) !== ''
  )
}

/** Whether a number is said as the price of one: "at 45", "45 each". */
export function isPriceOfOne({ start, end }: Span, text: string): boolean {
  const before = text.slice(Math.max(0, start - 4), start)
  return /\b(?:at|@)\s*$/.test(before) || /^\s+(?:each|apiece)\b/.test(text.slice(end, end + 10))
}

function currencyAfter(text: string): string {
  const [whole = '', word = ''] = /^\s*([$€£¥]|\p{L}+)/u.exec(text) ?? []
  const name = word.toLowerCase().replace(/s$/, '')
  return currencyCodes.has(word) || Object.hasOwn(currencies, name) ? whole : ''
}

/** The number with its currency, which is said with it unless the tool asks for it. */
export function withMoney({ start, end }: Span, { tool, reading }: Scene): Span {
  const wanted = tool.slots.some(({ kind, words }) => kind === 'currency' || /currency/.test(words))
  if (wanted) return { start, end }
  const [sign = ''] =
    /(?:\b(?:at|for|of)\s+)?[$€£¥]\s?$/.exec(reading.masked.slice(Math.max(0, start - 8), start)) ?? []
  const said = currencyAfter(reading.masked.slice(end, end + reach))
  const rest = reading.masked.slice(end + said.length, end + said.length + reach)
  const [each = ''] = /^\s+(?:each|apiece)\b/i.exec(rest) ?? []
  return { start: start - sign.length, end: end + said.length + each.length }
}
