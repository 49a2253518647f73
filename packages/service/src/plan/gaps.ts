/** A part of a sentence, and whether "then" leads to it. */
export interface Part {
  readonly text: string
  readonly isSequel: boolean
}

/** "Convert 12 inches to cm and 3 feet to m", "What is 3 + 4 and 5 * 6": the later halves share the verb of the first. */
export function toGapped(part: Part): Part[] {
  const [verb = ''] = /^\s*\p{L}+/u.exec(part.text) ?? []
  const halves = part.text.split(gap)
  const isGapped = halves.length > 1 && halves.every((half) => measure.test(half))
  if (!isGapped) return [part]
  return halves.map((half, index) => ({ ...part, text: index > 0 ? `${verb} ${half}` : half }))
}

/** Whether a request of its own begins behind a joint: "5 miles in km", unless it shares the verb before it. */
export function isConversion(rest: string, before: string): boolean {
  return conversion.test(rest) && !measure.test(before.trimEnd())
}

const conversion = /^-?\d[\d.,]*\s?°?\p{L}+ (?:to|into|in) °?\p{L}+\W*$/u

const gap = /,?\s+and\s+(?=\d)|,\s+(?=\d)/
const measure =
  /^(?:\D{0,40}\s)?-?\d[\d.,]*\s?(?:°?\p{L}+ (?:to|into|in) °?\p{L}+|(?:plus|minus|times|over|divided by|multiplied by|[-+*/x×÷]) \d[\d.,]*|%|percent of \d[\d.,]*)\W*$/u
