import { tidyJson } from './tidy-json.js'

/** Which brackets JSON may begin with, where words stand before it. */
export type Opening = '{' | '{['

/** A text as JSON: all of it, or what is left of it from its first bracket on. Undefined when that is no JSON. */
export function jsonInWords(text: string, opening: Opening): { readonly value: unknown } | undefined {
  const start = startOf(text, opening)
  const rest = start < 0 ? [] : [text.slice(start).trimEnd().replace(/```$/, '')]
  for (const one of [text, ...rest]) {
    try {
      return { value: JSON.parse(tidyJson(one).text) }
    } catch {}
  }
  return undefined
}

/** A text that is still being written, from where its JSON begins; undefined while that is not known. */
export function jsonBegunIn(text: string, opening: Opening): string | undefined {
  // It may be one string, brackets and all.
  const isQuoted = /^\s*(```\w*\s*)?["']/.test(text)
  const start = isQuoted ? -1 : startOf(text, opening)
  return start < 0 ? undefined : text.slice(start)
}

function startOf(text: string, opening: Opening): number {
  return text.search(opening === '{' ? /\{/ : /[{[]/)
}
