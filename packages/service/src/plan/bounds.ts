import type { Span } from './read-clause.js'

/** Whether a number is said to be the lowest or the highest: "between 50 and 100", "under 800", "at least 3". */
export function boundOf({ start, end }: Span, text: string): 'min' | 'max' | undefined {
  const before = text.slice(Math.max(0, start - reach), start)
  const after = text.slice(end, end + reach)
  if (lead('at least|over|above|more than|from|minimum(?: of)?|min|starting at').test(before))
    return /\bfrom\s*$/i.test(before) && !upTo.test(after) ? undefined : 'min'
  if (
    lead('at most|under|below|less than|up to|no more than|maximum(?: of)?|max|cheaper than|within').test(
      before,
    )
  )
    return 'max'
  if (lead('between').test(before)) return 'min'
  return range.test(before) ? 'max' : undefined
}

/** The words that make a number a bound, right before it: they are said with it. */
export function boundLead(before: string): string {
  return (
    lead(
      'between|at least|over|above|more than|at most|under|below|less than|up to|no more than|cheaper than|within',
    ).exec(before)?.[0] ?? ''
  )
}

const reach = 60
const lead = (words: string) => new RegExp(`\\b(?:${words})\\s*[$€£]?\\s*$`, 'i')
const upTo = /^[^.;]{0,20}\b(?:to|and)\b/
const range = /\b(?:between|from)\s+[$€£]?[\d.,]+\s*(?:\p{L}+\s+)?(?:and|to)\s+[$€£]?\s*$/iu
