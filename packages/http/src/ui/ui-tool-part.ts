import { isRecord } from '@capstan/core/wire'
import type { UiPart } from './ui-request.js'

/** A call in a UI message. */
export interface UiToolPart {
  readonly callId: string
  readonly name: string
  readonly state: unknown
  readonly input: unknown
  readonly output: unknown
  readonly errorText: string
  readonly approval: Readonly<Record<string, unknown>>
  /** Of an agent within the agent: such a call is not in the conversation. */
  readonly isInner: boolean
}

/** The call that a part is of, if it is of one. */
export function toToolPart(part: UiPart): UiToolPart | undefined {
  const isInner = part.type === 'dynamic-tool'
  const name = isInner ? part.toolName : /^tool-(.+)$/s.exec(part.type)?.[1]
  const { toolCallId, state, input, output, errorText, approval } = part
  if (typeof name !== 'string' || typeof toolCallId !== 'string') return undefined
  return {
    callId: toolCallId,
    name,
    state,
    input,
    output,
    errorText: typeof errorText === 'string' ? errorText : 'It failed.',
    approval: isRecord(approval) ? approval : {},
    isInner,
  }
}
