/** What a run has used so far. */
export interface Usage {
  /** Model requests answered. */
  readonly requests: number
  /** Requests whose answer named no token counts: the figures below know nothing of them. */
  readonly unreported: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly totalTokens: number
  /** Tool calls answered, whatever their outcome. */
  readonly toolCalls: number
  /** Calls whose arguments were mended, where the agent asked for that. */
  readonly repairs: number
}

/** The token counts of one answer. */
export interface TokenUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly totalTokens: number
}

export const noUsage: Usage = {
  requests: 0,
  unreported: 0,
  inputTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
  toolCalls: 0,
  repairs: 0,
}

/** The usage after one more answered request; `tokens` is absent when the server named none. */
export function withRequest(usage: Usage, tokens: TokenUsage | undefined, repairs = 0): Usage {
  return {
    ...usage,
    requests: usage.requests + 1,
    unreported: usage.unreported + (tokens ? 0 : 1),
    inputTokens: usage.inputTokens + (tokens?.inputTokens ?? 0),
    outputTokens: usage.outputTokens + (tokens?.outputTokens ?? 0),
    totalTokens: usage.totalTokens + (tokens?.totalTokens ?? 0),
    repairs: usage.repairs + repairs,
  }
}

/** The usage after a turn's calls. */
export function withCalls(usage: Usage, calls: readonly { readonly repaired?: boolean }[]): Usage {
  const repairs = calls.filter(({ repaired }) => repaired).length
  return { ...usage, toolCalls: usage.toolCalls + calls.length, repairs: usage.repairs + repairs }
}
