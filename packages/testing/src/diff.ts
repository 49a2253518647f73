import type { ToolCall } from '@capstan/core'
import { isRecord } from '@capstan/core/internal'
import { type AlignedPair, align, shifted } from './recording/compare-steps.js'

/**
 * Compares two values line by line. `- ` marks an expected line, and `+ ` an actual one. The diff includes two lines of
 * context around each difference, and long lines are shortened. Returns `''` if the values are equal. Ignores the order
 * of keys, and keys whose value is undefined.
 */
export function diff(expected: unknown, seen: unknown): string {
  const lines = diffLines(jsonLines(expected), jsonLines(seen))
  if (!lines.some(isChange)) return ''
  const near = lines.map((_, at) =>
    lines.slice(Math.max(0, at - contextLines), at + contextLines + 1).some(isChange),
  )
  const blocks: DiffLine[][] = []
  lines.forEach((line, at) => {
    if (!near[at]) return
    if (at === 0 || !near[at - 1]) blocks.push([])
    blocks.at(-1)?.push(line)
  })
  return ['- expected', '+ seen', ...limitLines(blocks.flatMap(formatBlock))].join('\n')
}

/** How many equal lines to show before and after a difference. */
const contextLines = 2

interface DiffLine {
  readonly mark: ' ' | '-' | '+'
  readonly text: string
  readonly path: string
}

function isChange({ mark }: DiffLine): boolean {
  return mark !== ' '
}

function diffLines(expected: readonly JsonLine[], seen: readonly JsonLine[]): DiffLine[] {
  const textsOf = (lines: readonly JsonLine[]) => lines.map(({ text }) => text)
  return compareLines(textsOf(expected), textsOf(seen)).flatMap(({ a: row, b: column }): DiffLine[] => {
    const line = row === undefined ? seen[column ?? 0] : expected[row]
    const mark = row === undefined ? '+' : column === undefined ? '-' : ' '
    return line ? [{ mark, ...line }] : []
  })
}

/** Formats one block of differences, with its path as the heading. */
function formatBlock(lines: readonly DiffLine[]): string[] {
  const path = lines.find(isChange)?.path ?? ''
  return [`@ ${path || 'the whole'}`, ...shortenLines(lines).map(({ mark, text }) => `${mark} ${text}`)]
}

/** Shortens long lines. An expected line and the corresponding actual line are shortened at the same point. */
function shortenLines(lines: readonly DiffLine[]): DiffLine[] {
  const texts = lines.map(({ text }) => shorten(text))
  for (let at = 0; at < lines.length; ) {
    const removed = runLength(lines, at, '-')
    const added = runLength(lines, at + removed, '+')
    for (let one = 0; one < Math.min(removed, added); one++) {
      const [from, to] = [at + one, at + removed + one]
      const pair = shortenPair(lines[from]?.text ?? '', lines[to]?.text ?? '')
      texts.splice(from, 1, pair[0])
      texts.splice(to, 1, pair[1])
    }
    at += Math.max(1, removed + added)
  }
  return lines.map((line, at) => ({ ...line, text: texts[at] ?? '' }))
}

function runLength(lines: readonly DiffLine[], from: number, mark: DiffLine['mark']): number {
  const end = lines.findIndex((line, at) => at >= from && line.mark !== mark)
  return (end === -1 ? lines.length : end) - from
}

const maxLines = 100

function limitLines(lines: readonly string[]): readonly string[] {
  if (lines.length <= maxLines) return lines
  return [...lines.slice(0, maxLines), `(and ${lines.length - maxLines} more lines)`]
}

/** Compares two arrays of lines by their longest common subsequence. */
function compareLines(expected: readonly string[], seen: readonly string[]): AlignedPair[] {
  let start = 0
  while (start < expected.length && start < seen.length && expected[start] === seen[start]) start++
  let end = 0
  const isAlikeFromEnd = () => expected[expected.length - 1 - end] === seen[seen.length - 1 - end]
  while (end < Math.min(expected.length, seen.length) - start && isAlikeFromEnd()) end++
  const [left, right] = [expected.length - end, seen.length - end]
  const alike = (count: number, a: number, b: number) =>
    Array.from({ length: count }, (_, at): AlignedPair => ({ a: a + at, b: b + at }))
  return [
    ...alike(start, 0, 0),
    ...align(expected.slice(start, left), seen.slice(start, right)).map((pair) => shifted(pair, start)),
    ...alike(end, left, right),
  ]
}

/** One line of a value that is printed as JSON. */
interface JsonLine {
  readonly text: string
  /** The path of the line's value, such as `messages[3].content`. */
  readonly path: string
}

/** Formats a value as indented JSON, with one line per part. Commas are omitted and keys are sorted. */
function jsonLines(value: unknown): JsonLine[] {
  return linesOf(value, { path: '', indent: '', before: '' })
}

interface JsonPosition {
  readonly path: string
  readonly indent: string
  /** The text before the value on the same line, such as its key. */
  readonly before: string
}

function linesOf(value: unknown, place: JsonPosition): JsonLine[] {
  const { path, indent, before } = place
  const line = (text: string) => ({ text: indent + text, path })
  const parts = childValues(value, place)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (parts === undefined) return [line(before + formatScalar(value))]
  if (parts.length === 0) return [line(before + open + close)]
  return [line(before + open), ...parts.flatMap(([part, at]) => linesOf(part, at)), line(close)]
}

function childValues(value: unknown, { path, indent }: JsonPosition): [unknown, JsonPosition][] | undefined {
  if (typeof value !== 'object' || value === null || value instanceof RegExp) return undefined
  const inner = `${indent}  `
  if (Array.isArray(value))
    return value.map((item, at) => [item, { path: `${path}[${at}]`, indent: inner, before: '' }])
  const entries = Object.entries(value).filter(([, part]) => part !== undefined)
  return entries
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, part]) => {
      const at = path === '' ? key : `${path}.${key}`
      return [part, { path: at, indent: inner, before: `${JSON.stringify(key)}: ` }]
    })
}

function formatScalar(value: unknown): string {
  return typeof value === 'string' || value === null ? JSON.stringify(value) : String(value)
}

const maxLineLength = 120

/** Cuts off the end of a line that is too long. */
function shorten(line: string): string {
  return line.length <= maxLineLength ? line : `${dropHalfCharacters(line.slice(0, maxLineLength - 1))}…`
}

/** Shortens two different lines so that both still show their first difference. */
function shortenPair(one: string, other: string): [string, string] {
  if (one.length <= maxLineLength && other.length <= maxLineLength) return [one, other]
  let start = 0
  while (start < Math.min(one.length, other.length) && one[start] === other[start]) start++
  const indent = /^ */.exec(one)?.[0].length ?? 0
  const from = Math.max(indent, start - contextCharacters)
  return [shortenAround(one, { from, indent }), shortenAround(other, { from, indent })]
}

/** How many characters to show before a difference. */
const contextCharacters = 40

function shortenAround(line: string, { from, indent }: { from: number; indent: number }): string {
  if (from <= indent + contextCharacters) return shorten(line)
  return shorten(`${line.slice(0, indent)}…${dropHalfCharacters(line.slice(from))}`)
}

/** Removes a lone surrogate from the start or end of text that was cut. */
function dropHalfCharacters(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '')
}

const maxInlineLength = 100

/** Formats a value on one line, shortened to 100 characters. */
export function formatInline(value: unknown): string {
  const line = typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : toJson(value)
  return line.length <= maxInlineLength ? line : `${line.slice(0, maxInlineLength - 1).toWellFormed()}…`
}

/** Formats a call on one line, such as `draw({"prompt":"a cat"})`. */
export function formatCall(name: string, args: unknown): string {
  const isEmpty = isRecord(args) && Object.keys(args).length === 0
  return `${name}(${isEmpty ? '' : formatInline(args)})`
}

/** Formats a message's tool call on one line. */
export function formatToolCall({ function: { name, arguments: args } }: ToolCall): string {
  return formatCall(name, args === '{}' ? {} : args)
}

function toJson(value: unknown): string {
  return JSON.stringify(value) ?? String(value)
}
