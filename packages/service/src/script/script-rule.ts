/** When a rule answers: all that is given must hold of the request's last message. */
export interface RuleCondition {
  /** Who says it: `system` (a developer too), `user`, `assistant` or `tool`. */
  readonly role?: 'system' | 'user' | 'assistant' | 'tool'
  /** The tool whose result it is. */
  readonly tool?: string
  /** A part of its text, capitals or not, or a pattern in slashes: `/order (\d+)/i`. */
  readonly text?: string
}

/** A call that a rule makes. */
export interface RuleCall {
  readonly name: string
  /** An object, or a string that is sent as it is: JSON that is cut or wrong is tried so. Default: `{}`. */
  readonly arguments?: Readonly<Record<string, unknown>> | string
}

/** What is answered when the last message is as told: words, calls, both, or an error. */
export interface ScriptRule {
  /** A text as in `RuleCondition`, of a message of any role, or a condition. */
  readonly when: string | RuleCondition
  readonly answer?: string
  readonly calls?: readonly RuleCall[]
  /** `retryAfter` in seconds, sent as Retry-After. */
  readonly error?: { readonly status: number; readonly message?: string; readonly retryAfter?: number }
  /** How often the rule answers; later requests go on to the next. Default: always. */
  readonly times?: number
  /** The finish reason. Default: `tool_calls` with calls, else `stop`. */
  readonly finish?: string
}

/** Rules in order, the first that fits answers; and what happens when none does. */
export interface ScriptOptions {
  readonly rules: readonly ScriptRule[]
  /** `plan`: the planner answers. `refuse`: a 400 that shows the last message and the rules. Default: `plan`. */
  readonly else?: 'plan' | 'refuse'
}
