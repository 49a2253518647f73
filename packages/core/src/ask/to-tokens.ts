import { isRecord } from '../words/record.js'
import type { TokenUsage } from '../words/usage.js'

/** The token counts of a `usage` object; undefined when it names none. */
export function toTokens(usage: unknown): TokenUsage | undefined {
  if (!isRecord(usage)) return undefined
  const inputTokens = toCount(usage.prompt_tokens ?? usage.input_tokens)
  const outputTokens = toCount(usage.completion_tokens ?? usage.output_tokens)
  if (inputTokens === undefined && outputTokens === undefined) return undefined
  const sum = (inputTokens ?? 0) + (outputTokens ?? 0)
  return {
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    totalTokens: toCount(usage.total_tokens) ?? sum,
  }
}

function toCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}
