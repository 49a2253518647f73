import type { Plan } from '../plan/plan.js'

/** An answer before it takes the form of a completion. */
export interface Draft {
  /** Nothing when tools are called without a word, or the form asked for cannot be filled. */
  readonly text: string | null
  readonly refusal: string | null
  readonly calls: readonly DraftCall[]
  readonly finish: string
}

/** A call as it will be sent: its arguments are JSON, unless they are cut. */
export interface DraftCall {
  readonly name: string
  readonly arguments: string
}

/** What the planner answered, as a draft. */
export function toDraft(plan: Plan): Draft {
  if ('text' in plan) return { text: plan.text, refusal: null, calls: [], finish: 'stop' }
  const calls = plan.calls.map((call) => ({ name: call.name, arguments: JSON.stringify(call.arguments) }))
  return { text: null, refusal: null, calls, finish: 'tool_calls' }
}

/** A text's tokens by estimate: four characters each, rough and enough to try budgets with. */
export function countTokens(text: string): number {
  return Math.ceil(text.length / charactersPerToken)
}

/** The tokens of a draft, by the same estimate: its text, and the name and arguments of each call. */
export function tokensOf({ text, refusal, calls }: Draft): number {
  const words = countTokens(text ?? '') + countTokens(refusal ?? '')
  return calls.reduce((sum, call) => sum + countTokens(call.name + call.arguments), words)
}

/** The beginning of a text that has at most so many tokens; no surrogate pair is cut in two. */
export function firstTokens(text: string, tokens: number): string {
  const end = tokens * charactersPerToken
  const isHalf = end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))
  return text.slice(0, isHalf ? end - 1 : end)
}

const charactersPerToken = 4
