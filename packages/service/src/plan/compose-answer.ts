import type { AnsweredCall } from './answered-call.js'
import { describeFailure, describeResult, shorten } from './describe-result.js'

/** The answer in words: a sentence for each result, then what could not be done. */
export function composeAnswer(calls: readonly AnsweredCall[], notes: readonly string[]): string {
  return [...calls.map(toLine), ...notes].join('\n')
}

/** The answer when nothing was called: what this is, what it could do, and why it did not. */
export function composeRefusal(tools: readonly string[], notes: readonly string[]): string {
  const self = 'I am a rule-based planner, not a language model: I choose tools and report their results.'
  if (notes.length > 0) return [...notes, self].join('\n')
  if (tools.length === 0) return `${self} This request offers no tools, so there is nothing I can do with it.`
  return `${self} None of the tools I see fits this request: ${tools.join(', ')}.`
}

function toLine(call: AnsweredCall): string {
  if (call.failed) return `${call.name} failed: ${withStop(describeFailure(call))}`
  if (call.artifacts.length > 0) return `${call.name} made ${call.artifacts.join(' and ')}.`
  return `${call.name}${toLabel(call)}: ${withStop(describeResult(call))}`
}

function toLabel({ arguments: args }: AnsweredCall): string {
  const scalars = Object.entries(args).filter(([, value]) => typeof value !== 'object')
  const shown = scalars.slice(0, 3).map(([key, value]) => `${key} ${shorten(String(value), 40)}`)
  return shown.length > 0 ? ` (${shown.join(', ')})` : ''
}

function withStop(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}
