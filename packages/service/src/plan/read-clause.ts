import { findDates, findTimes, renderDate } from './dates.js'
import { findNames } from './names.js'
import type { FoundNumber } from './numbers.js'
import { findNumbers } from './numbers.js'
import type { Found } from './quotes.js'
import { findQuotes, maskQuotes } from './quotes.js'
import { findSizes } from './sizes.js'

/** A clause with everything in it that could become an argument, each with its place. */
export interface Reading {
  readonly text: string
  /** The text with quotations blanked out; positions are the same. */
  readonly masked: string
  /** The day the clause is read on, `YYYY-MM-DD`. */
  readonly today: string
  readonly quotes: readonly Found<string>[]
  readonly numbers: readonly FoundNumber[]
  readonly dates: readonly Found<string>[]
  readonly times: readonly Found<string>[]
  readonly emails: readonly Found<string>[]
  readonly urls: readonly Found<string>[]
  /** Codes such as `A-1042`, `#77` or `ORD9`. */
  readonly codes: readonly Found<string>[]
  /** `512x512`, also written `512 x 512` */
  readonly sizes: readonly Found<string>[]
  /** Artifact ids such as `img_ab12cd34`. */
  readonly artifacts: readonly Found<string>[]
  /** `notes.txt`, `src/index.ts`, `owner/name` */
  readonly files: readonly Found<string>[]
  readonly phones: readonly Found<string>[]
  /** Runs of capitalised words. */
  readonly names: readonly Found<string>[]
  /** Words in capitals, such as stock symbols and currency codes. */
  readonly symbols: readonly Found<string>[]
}

/** Reads one clause. */
export function readClause(text: string, now: Date): Reading {
  const masked = maskQuotes(text)
  const find = (pattern: RegExp) => findAll(masked, pattern)
  return {
    text,
    masked,
    today: renderDate(now),
    quotes: findQuotes(text),
    numbers: findNumbers(text)
      .filter(({ value }) => Number.isFinite(value))
      .slice(0, mostFindings),
    dates: findDates(text, now),
    times: findTimes(text),
    emails: find(/(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g),
    urls: find(/\b(?:https?|ftp):\/\/[^\s,)]*[^\s,.;:!?)]/g),
    codes: find(/(?<![\w@./:#-])#?[A-Z]{0,20}-?\d[\w-]{0,60}(?![\w-]|\.\d|[\w.]{0,60}[@/])/g),
    sizes: findSizes(text),
    artifacts: find(artifactId),
    files: find(
      /(?<![\w@/:.~-])(?:(?:[\w~.-]{0,100}\/){1,30}[\w.-]{0,100}\w|[\w-]{1,100}\.[a-z]{2,4}\b(?!\.\w))/g,
    ),
    phones: find(/(?<![\w.-])\+?\d[\d ()-]{6,}\d(?![\w.-])/g),
    names: findNames(masked),
    symbols: find(/\b[A-Z]{2,5}\b/g),
  }
}

/** Whether one thing found lies within another. */
export function isWithin(inner: Span, outer: Span): boolean {
  return inner.start >= outer.start && inner.end <= outer.end
}

export interface Span {
  readonly start: number
  readonly end: number
}

/** What an artifact id looks like in a text. */
export const artifactId = /\b(?:img|aud|txt|file)_[a-z0-9]{6,}\b/g

// Bounds the work a hostile clause can cause: every finding is weighed against every parameter.
const mostFindings = 200

function findAll(text: string, pattern: RegExp): Found<string>[] {
  return [...text.matchAll(pattern)].slice(0, mostFindings).map((match) => ({
    value: match[0],
    start: match.index,
    end: match.index + match[0].length,
  }))
}
