import type { ToolCall } from '@capstan/core'
import { isRecord } from '@capstan/core/internal'

const most = 100

/** A value in one line, shortened. */
export function inLine(value: unknown): string {
  const line = typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : toJson(value)
  return line.length <= most ? line : `${line.slice(0, most - 1).toWellFormed()}…`
}

/** A call in one line: `draw({"prompt":"a cat"})`. */
export function callInLine(name: string, args: unknown): string {
  const isEmpty = isRecord(args) && Object.keys(args).length === 0
  return `${name}(${isEmpty ? '' : inLine(args)})`
}

/** The same of a call of the wire. */
export function wireCallInLine({ function: { name, arguments: args } }: ToolCall): string {
  return callInLine(name, args === '{}' ? {} : args)
}

function toJson(value: unknown): string {
  return JSON.stringify(value) ?? String(value)
}
